import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EntityTypeRegistry, type EntityOfEvent } from '../entity-types/entity-type-registry.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { Clock } from '../runtime/clock.js';
import type { EntitySnapshot } from '../saga/decide.js';
import { SagaStore } from '../saga/saga-store.js';
import type { WecomEvent } from '../wecom/event.js';
import { parseEvent } from '../wecom/parse-event.js';
import type { Action, SeenItem } from './dead-letter-service.js';
import { forecast, type Forecast } from './forecast.js';

/** Entities whose imagined moves are remembered from one step of a dry run to the next. */
const ENTITIES_MAX = 10_000;

/** What the items looked at so far would have done, were they run. */
export interface Imagined {
  readonly entities: Map<string, EntitySnapshot>;
  /** Ids of strict rows that the job would have run: they wait no longer. */
  readonly run: Map<string, Set<number>>;
}

export function nothingImagined(): Imagined {
  return { entities: new Map(), run: new Map() };
}

interface Known {
  readonly event: WecomEvent | null;
  readonly defect: string | null;
  readonly entity: EntityOfEvent | null;
}

/**
 * The dry run: what would become of each item, told from the entities as they stand and from the items before it. It
 * only reads. What a handler would do nobody can tell.
 */
@Injectable()
export class Forecaster {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly entityTypes: EntityTypeRegistry,
    private readonly handlers: HandlerRegistry,
    private readonly clock: Clock,
  ) {}

  async forecast(action: Action, items: readonly SeenItem[], imagined: Imagined): Promise<Forecast[]> {
    const ids = items.map(({ id }) => id);
    return this.unitOfWork.read(async (tx) => {
      const rows = new Map((await this.eventLog.search(tx, { ids, limit: ids.length })).map((row) => [row.id, row]));
      const forecasts: Forecast[] = [];
      for (const seen of items) forecasts.push(await this.one(tx, action, seen, rows.get(seen.id) ?? null, imagined));
      return forecasts;
    });
  }

  private async one(
    tx: Tx,
    action: Action,
    seen: SeenItem,
    row: EventRow | null,
    imagined: Imagined,
  ): Promise<Forecast> {
    const known = this.read(row);
    const handler = known.event && this.handlers.handlerOf(known.event.eventType, known.event.changeType);
    const snapshot = known.entity && (await this.snapshot(tx, known.entity, imagined));
    const waiting = row && known.entity ? await this.waitingBefore(tx, row, known.entity, imagined) : 0;
    const answer = forecast({
      ...{ action, seen, row, ...known, snapshot, now: this.clock.now() },
      machine: handler?.machine ?? null,
      handler: handler?.name ?? null,
      before: { waiting },
    });
    if (row && known.entity) remember(imagined, known.entity, row, answer);
    return answer.forecast;
  }

  private read(row: EventRow | null): Known {
    const none = { event: null, entity: null };
    if (!row) return { ...none, defect: null };
    // A foreign record has no receiver, and stays what it is.
    if (row.app === '') return { ...none, defect: 'not a message of this service' };
    const parsed = parseEvent(row.plaintext, row.corpId);
    if (parsed.kind !== 'event') return { ...none, defect: `the text does not parse: ${parsed.reason}` };
    try {
      return { event: parsed.event, defect: null, entity: this.entityTypes.entityOf(row.app, parsed.event) };
    } catch (error) {
      return { ...none, defect: error instanceof Error ? error.message : String(error) };
    }
  }

  private async snapshot(tx: Tx, entity: EntityOfEvent, { entities }: Imagined): Promise<EntitySnapshot | null> {
    const known = entities.get(entity.key);
    if (known) return known;
    return (await this.sagas.load(tx, [{ key: entity.key }])).get(entity.key) ?? null;
  }

  private async waitingBefore(tx: Tx, row: EventRow, { type, key }: EntityOfEvent, { run }: Imagined): Promise<number> {
    if (type.order !== 'strict' || row.laneSeq === null) return 0;
    const rows: { id: number }[] = await tx.manager.query(
      `SELECT id FROM event_log WHERE entity_key = ? AND lane_seq < ? AND status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')
       ORDER BY lane_seq LIMIT 100`,
      [key, row.laneSeq],
    );
    const ran = run.get(key);
    return rows.filter(({ id }) => !ran?.has(id)).length;
  }
}

function remember(
  { entities, run }: Imagined,
  { type, key }: EntityOfEvent,
  row: EventRow,
  { forecast: { kind }, next }: { forecast: Forecast; next: EntitySnapshot | null },
): void {
  // Forgotten ones are told from where they stand now, which is what they are told from at the start as well.
  if (entities.size >= ENTITIES_MAX) entities.clear();
  if (run.size >= ENTITIES_MAX) run.clear();
  if (next) entities.set(key, next);
  const ends = kind === 'would-apply' || kind.startsWith('would-be-') || kind === 'would-expire';
  if (type.order !== 'strict' || !ends || kind === 'would-be-dead') return;
  const ran = run.get(key) ?? new Set();
  run.set(key, ran.add(row.id));
}
