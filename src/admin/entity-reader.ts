import { Injectable, NotFoundException } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { WAITING } from '../event-log/status.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { UNSEEN } from '../saga/decide.js';
import { SagaStore } from '../saga/saga-store.js';
import { transitionsOf, type StateMachine } from '../saga/state-machine.js';
import { DecisionTail } from './decision-tail.js';
import { entityRefOf } from './entity-address.js';
import { EventSearch } from './event-search.js';
import { eventView } from './event-view.js';
import type { EntityView, MachineView, MoveView } from './entity-view.js';

const WAITING_SHOWN = 100;

/** Where a business object stands, how it got there, and what was refused on the way. */
@Injectable()
export class EntityReader {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sagas: SagaStore,
    private readonly events: EventSearch,
    private readonly decisions: DecisionTail,
    private readonly entityTypes: EntityTypeRegistry,
    private readonly handlers: HandlerRegistry,
  ) {}

  async entity(key: string): Promise<EntityView> {
    const found = await this.unitOfWork.read((tx) => this.sagas.find(tx, key));
    const decisions = await this.decisions.ofEntity(key);
    const [newest] = (await this.events.page({ entityKey: key }, null, 1)).rows;
    if (!found && !newest) throw new NotFoundException('no event of this entity was seen');
    const changes = await this.unitOfWork.read((tx) => this.sagas.timeline(tx, key));
    const waiting = await this.events.page({ entityKey: key, statuses: [...WAITING] }, null, WAITING_SHOWN);
    const { eventType = null, changeType = null } = newest ?? {};
    const type = eventType === null ? null : this.entityTypes.typeOf(eventType, changeType);
    const machine = eventType === null ? null : (this.handlers.handlerOf(eventType, changeType)?.machine ?? null);
    const unseen = { ...UNSEEN, receiver: null, corpId: null, entityType: type?.name ?? null, entityId: null };
    return {
      ...{ key, ref: entityRefOf(key), order: type?.order ?? null, ...(found ?? unseen) },
      ...{ machine: machine && machineView(machine), changes, decisions, waiting: waiting.rows.map(eventView) },
    };
  }
}

function machineView(machine: StateMachine): MachineView {
  const { name, initial, states, tombstones } = machine;
  const moves = states.flatMap((from) =>
    machine.triggers.flatMap((trigger) =>
      transitionsOf(machine, from, trigger).map(({ to, guard, unconfirmed = false }): MoveView => ({
        from,
        trigger,
        to,
        guarded: guard !== undefined,
        unconfirmed,
      })),
    ),
  );
  return { name, initial, states: [...states], tombstones: [...tombstones], moves };
}
