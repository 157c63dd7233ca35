import 'reflect-metadata';
import { HANDLER_METADATA, type HandlerOptions } from '../../../src/handlers/wecom-event-handler.decorator.js';
import { ApprovalHandler } from '../../../src/handlers/approval/approval.handler.js';
import { CustomerGroupHandler } from '../../../src/handlers/customer-group/customer-group.handler.js';
import { CustomerRelationHandler } from '../../../src/handlers/customer-relation/customer-relation.handler.js';
import { DemoTaskHandler } from '../../../src/handlers/demo/demo-task.handler.js';
import { MemberHandler } from '../../../src/handlers/member/member.handler.js';
import { HandlerRegistry, type RegisteredHandler } from '../../../src/handlers/handler-registry.js';
import type { HandlerCall, HandlerContext, WecomHandler } from '../../../src/handlers/wecom-handler.js';
import { textAt } from '../../../src/entity-types/fields.js';
import type { Clock } from '../../../src/runtime/clock.js';
import { UnrecoverableError } from '../../../src/saga/unrecoverable-error.js';
import type { WecomApi } from '../../../src/wecom-api/wecom-api.js';
import type { WecomEvent } from '../../../src/wecom/event.js';
import { never, type Life } from '../world/life.js';
import type { World } from '../world/world.js';
import { NOTES_TOPIC } from './settings.js';

const TYPES = [ApprovalHandler, CustomerGroupHandler, CustomerRelationHandler, DemoTaskHandler, MemberHandler];
export const HANDLER_NAMES = ['loose', ...TYPES.map(({ name }) => name)] as const;
const NOTE_SHARE = 4;

/** How much is wrong with the handlers: shares of the events. */
export interface HandlerHabits {
  readonly buggyPercent: number;
  readonly slowPercent: number;
}

/** The product's handlers, each of which also writes its effect into the ledger, in the same transaction. */
export class SimHandlers extends HandlerRegistry {
  private readonly byEvent = new Map<string, RegisteredHandler>();
  private readonly loose: RegisteredHandler;

  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly clock: Clock,
    api: WecomApi,
    private readonly habits: HandlerHabits,
  ) {
    super(null as never, null as never);
    for (const type of TYPES) {
      const { event, changeType, machine } = Reflect.getMetadata(HANDLER_METADATA, type) as HandlerOptions;
      const handler: WecomHandler = new type(api);
      const registered = { name: type.name, handler: this.noting(handler), machine: machine ?? null, builtIn: true };
      const changeTypes = [changeType ?? []].flat();
      if (changeTypes.length === 0) this.byEvent.set(event, registered);
      for (const one of changeTypes) this.byEvent.set(`${event}/${one}`, registered);
    }
    const handler = this.noting({ handle: () => Promise.resolve() });
    this.loose = { name: 'loose', handler, machine: null, builtIn: false };
  }

  override handlerOf(eventType: string, changeType: string | null): RegisteredHandler {
    return this.byEvent.get(`${eventType}/${changeType}`) ?? this.byEvent.get(eventType) ?? this.loose;
  }

  private noting(handler: WecomHandler): WecomHandler {
    const before = async ({ event, context }: HandlerCall): Promise<void> => {
      await this.note(event, context);
      await this.misbehave(event);
      await this.dawdle(context);
      this.fail(context);
    };
    return {
      ...(handler.rereader && { rereader: handler.rereader }),
      handle: async (event, context) => {
        await before({ event, context });
        await handler.handle(event, context);
      },
      ...(handler.handleMany && {
        handleMany: async (calls: readonly HandlerCall[]) => {
          for (const call of calls) await before(call);
          await handler.handleMany?.(calls);
        },
      }),
    };
  }

  private async note(event: WecomEvent, { manager, eventKey, app, move, outbox }: HandlerContext): Promise<void> {
    await manager.query(
      'INSERT INTO ledger (event_key, app, corp_id, entity_key, from_state, to_state) VALUES (?, ?, ?, ?, ?, ?)',
      [eventKey, app, event.corpId, move?.entityKey ?? null, move?.from ?? null, move?.to ?? null],
    );
    if (Number.parseInt(eventKey.slice(0, 4), 16) % NOTE_SHARE !== 0) return;
    outbox.add({ kind: 'topic', name: 'note', topic: NOTES_TOPIC, key: eventKey, body: eventKey });
  }

  /** A handler with a bug: some events fail once or twice, and some until the bug is mended, when the faults stop. */
  private fail({ eventKey, attempt }: HandlerContext): void {
    const draw = Number.parseInt(eventKey.slice(4, 8), 16) % 100;
    if (draw >= this.habits.buggyPercent) return;
    const isLasting = draw % 4 === 0;
    if (isLasting ? this.world.isCalmed : attempt > 1 + (draw % 2)) return;
    this.world.hit('handler-fails');
    if (isLasting && draw % 8 === 0) throw new UnrecoverableError('a bug, for now', { code: 'BUG' });
    throw new Error('a bug');
  }

  /** Some take their time with the transaction open: only so do two of one entity meet. */
  private async dawdle({ eventKey }: HandlerContext): Promise<void> {
    const draw = Number.parseInt(eventKey.slice(8, 12), 16) % 100;
    if (draw >= this.habits.slowPercent) return;
    this.world.hit('handler-slow');
    await this.clock.sleep(100 + draw * 100);
  }

  /** What the event asks for: to take long, or to take the worker along. */
  private async misbehave({ fields }: WecomEvent): Promise<void> {
    const slowMs = Number(textAt(fields, 'SlowMs') ?? '0');
    if (slowMs > 0) {
      this.world.hit('handler-slow');
      await this.clock.sleep(slowMs);
    }
    if (textAt(fields, 'Kills') !== '1') return;
    this.world.hit('handler-kills');
    this.world.crash(this.life, 'its handler killed it');
    await never();
  }
}
