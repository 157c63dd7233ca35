import { HandlerRegistry, type RegisteredHandler } from '../../src/handlers/handler-registry.js';
import type { HandlerContext, Rereader, WecomHandler } from '../../src/handlers/wecom-handler.js';
import type { StateMachine } from '../../src/saga/state-machine.js';

export type PlainHandle = (context: HandlerContext, event: Parameters<WecomHandler['handle']>[0]) => Promise<void>;

/** Handlers of a test, by event. */
export interface PlainHandlerOptions {
  /** By `event` or `event/changeType`. An event without one gets a handler that notes `applied`. */
  readonly handlers?: Readonly<Record<string, PlainHandle>>;
  /** Beside the handlers of the same names, for their events of one batch. */
  readonly many?: Readonly<Record<string, NonNullable<WecomHandler['handleMany']>>>;
  /** Of the handler by `event`, for pauses; else it is `plain`. */
  readonly names?: Readonly<Record<string, string>>;
  readonly machines?: Readonly<Record<string, StateMachine>>;
  readonly rereaders?: Readonly<Record<string, Rereader>>;
}

/** Notes that the event took effect: one row each time, so that a second effect shows. */
export function note({ manager, eventKey: key }: HandlerContext, text = 'applied'): Promise<unknown> {
  return manager.query('INSERT INTO note (event_key, text) VALUES (?, ?)', [key, text]);
}

const PLAIN = 'plain';

export class PlainHandlers extends HandlerRegistry {
  private readonly made = new Map<string, RegisteredHandler>();

  constructor(private readonly rig: PlainHandlerOptions) {
    super(null as never, null as never);
  }

  override handlerOf(eventType: string, changeType: string | null): RegisteredHandler {
    const name = `${eventType}/${changeType}`;
    const handler = this.made.get(name) ?? this.make(eventType, changeType);
    this.made.set(name, handler);
    return handler;
  }

  override list(): readonly (RegisteredHandler & { readonly event: string })[] {
    const names = [PLAIN, ...Object.values(this.rig.names ?? {})];
    return names.map((name) => ({ ...this.handlerOf('', null), name, event: name }));
  }

  private make(eventType: string, changeType: string | null): RegisteredHandler {
    const { handlers = {}, machines = {}, many = {} } = this.rig;
    const handle =
      handlers[`${eventType}/${changeType}`] ??
      handlers[eventType] ??
      ((context) => note(context).then(() => undefined));
    const rereader = this.rig.rereaders?.[eventType];
    const handleMany = many[eventType];
    const handler: WecomHandler = {
      handle: (event, context) => handle(context, event),
      ...(rereader && { rereader }),
      ...(handleMany && { handleMany }),
    };
    return {
      name: this.rig.names?.[eventType] ?? PLAIN,
      handler,
      machine: machines[eventType] ?? null,
      builtIn: false,
    };
  }
}
