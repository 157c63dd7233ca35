import type { EntityManager } from 'typeorm';
import type { Command, Finding } from '../saga/state-machine.js';
import type { WecomEvent } from '../wecom/event.js';

export interface HandlerLogger {
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
}

export interface EntityMove {
  readonly entityKey: string;
  readonly from: string;
  readonly to: string;
  /**
   * False when the entity has seen something newer and stays where it is. It comes up only with events that move several
   * entities; at least one of them is moved.
   */
  readonly applied: boolean;
}

export interface OtherMove extends EntityMove {
  readonly entityId: string;
}

/** What a handler gets beside the event. */
export interface HandlerContext {
  /** Writes through it commit with the event's row, once, or not at all. Nothing else in a handler is exactly-once. */
  readonly manager: EntityManager;
  /** Aborts when the lease is lost or the run takes too long: stop, the transaction will be rolled back. */
  readonly signal: AbortSignal;
  /** Send it along to other systems as their idempotency key: a call to them is at-least-once. */
  readonly eventKey: string;
  /** 1 for the first run; grows with each retry. */
  readonly attempt: number;
  /** Name of the app whose URL was called. */
  readonly app: string;
  /** Where the entity moved, when the event belongs to one; state names are '' without a state machine. */
  readonly move: EntityMove | null;
  /** The further entities of an event that moves several (`EntityType.others`), locked with the first. */
  readonly others: readonly OtherMove[];
  /** Queues a side effect for after the commit. It is sent until accepted, with `<event key>:<n>` as `Idempotency-Key`. */
  readonly outbox: { add(command: Command): void };
  readonly logger: HandlerLogger;
}

/**
 * Called outside of any transaction, before the one that needs the answer: a slow API must hold no lock. The answer is
 * used only if the entity has not moved since.
 */
export interface Rereader<E extends WecomEvent = WecomEvent> {
  /** False when the app has no access to the API: nothing then waits for it. */
  canAsk(app: string): boolean;
  /** Whether the event's object is there now. A rejection puts the event off; it costs no attempt. */
  ask(event: E, context: { readonly app: string; readonly signal: AbortSignal }): Promise<Finding>;
}

/** What `handle` gets for one event of a batch. */
export interface HandlerCall<E extends WecomEvent = WecomEvent> {
  readonly event: E;
  readonly context: HandlerContext;
}

/**
 * Code for one kind of event. It runs inside the event's transaction, after the unique key, the order of the entity and
 * its state machine have let the event pass. Throwing rolls everything back: `UnrecoverableError` makes a dead letter at
 * once, anything else is retried.
 */
export interface WecomHandler<E extends WecomEvent = WecomEvent> {
  /** Asks WeCom's API where rank cannot settle a second; without it, the rank decides and the entity is unconfirmed. */
  readonly rereader?: Rereader<E>;
  handle(event: E, context: HandlerContext): Promise<void>;
  /**
   * Optional, for speed: called instead of `handle` with the events of a batch that are this handler's, all in one
   * transaction, so that one statement can serve many of them. Those of one entity stand in their order, and there may be
   * several. Throwing rolls all of it back, and the batch is halved until `handle` meets the event at fault alone.
   */
  handleMany?(calls: readonly HandlerCall<E>[]): Promise<void>;
}
