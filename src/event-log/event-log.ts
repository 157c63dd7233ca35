import type { Tx } from '../database/unit-of-work.js';
import type { WecomId } from '../wecom/wecom-ids.js';
import type { EventStatus, Outcome, RunnableStatus, WaitingStatus } from './status.js';

/** What identifies the row and never changes. */
export interface EventIdentity {
  readonly corpId: string;
  readonly eventType: string;
  readonly eventKey: string;
  readonly app: string;
  readonly changeType: string | null;
  readonly entityKey: string | null;
  readonly msgId: string | null;
  readonly createTime: number | null;
  readonly plaintext: string;
  readonly receivedAt: number;
  /** JSON: the gateway's facts and the trace context. */
  readonly facts: string;
  /** What `search` finds it by; kept beside the row, so a row that was read does not bring them. */
  readonly wecomIds?: readonly WecomId[];
}

/** What a decision writes into a row. */
export interface RowState {
  readonly status: EventStatus;
  readonly attempt: number;
  readonly laneSeq: number | null;
  readonly dueAt: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly decidedAt: number;
}

export interface EventRow extends EventIdentity, RowState {
  readonly id: number;
  readonly generation: number;
  readonly runToken: string | null;
  /** What failures of one cause have in common (`errorGroupOf`); null without an error. */
  readonly errorGroup: string | null;
}

/** What a run from a row has to find unchanged before it writes (protocol.md, "Failure rows"). */
export interface RowVersion {
  readonly id: number;
  readonly generation: number;
  readonly attempt: number;
}

export function versionOf({ id, generation, attempt }: RowVersion): RowVersion {
  return { id, generation, attempt };
}

/** By what waiting rows are found that wait for one thing. */
export interface RowError {
  readonly code: string;
  readonly message: string;
}

export interface HistoryEntry {
  readonly eventKey: string;
  readonly at: number;
  readonly actor: string;
  readonly decision: EventStatus | 'DUPLICATE';
  readonly reason: string;
  readonly generation: number;
  readonly attempt: number;
}

export const HISTORY_MAX = 1_000;

export interface Line {
  /** Waiting rows of the entity. */
  readonly waiting: number;
  /** Their highest `lane_seq`; 0 when none waits. */
  readonly laneSeqMax: number;
}

export type InsertResult =
  | { readonly kind: 'inserted' }
  /** Nothing was written by this call; the transaction has to be rolled back and planned again without what is known. */
  | { readonly kind: 'duplicate' };

/**
 * The rows of `event_log` and their history. Every method that takes a `Tx` writes or reads inside it; nothing is
 * durable before its commit. All times are milliseconds since 1970. Rows change by these methods only: one that is ended
 * by hand passes its turn to nobody.
 */
export abstract class EventLog {
  /** Plain INSERT of all or none; the unique key decides. Rows of one call have distinct keys. */
  abstract insert(tx: Tx, rows: readonly (EventIdentity & RowState)[]): Promise<InsertResult>;

  /** Rows by corp, event type and event key, locked where `tx` writes; what has no row is missing from the answer. */
  abstract find(tx: Tx, identities: readonly EventIdentity[]): Promise<EventRow[]>;

  /** How long the line of each entity is. Call it after the entity rows are locked. */
  abstract lines(tx: Tx, entityKeys: readonly string[]): Promise<Map<string, Line>>;

  /**
   * Compare-and-set on (status runnable, generation, attempt): false when anything else stands there, and nothing was
   * written. Also false when, for a strict row, an earlier one of its entity waits: then it was not this row's turn.
   * An outcome makes the next row of the line due.
   */
  abstract decide(tx: Tx, version: RowVersion, state: RowState): Promise<boolean>;

  /**
   * Counts a run before its handler starts: attempt + 1 and the run's token, by compare-and-set on (status runnable,
   * generation, attempt). A repeat that finds its own token has succeeded.
   */
  abstract count(tx: Tx, version: RowVersion, runToken: string): Promise<boolean>;

  /** Whether `pick` has something to look at; it may find nothing. Cheap, however many rows wait: for polling on a reader. */
  abstract hasDue(tx: Tx, now: number): Promise<boolean>;

  /**
   * Takes up to `limit` rows that are due and first of their entity, and hides them until `hiddenUntil`. Rows that are
   * due before their turn are due no longer, until they are first.
   */
  abstract pick(tx: Tx, now: number, hiddenUntil: number, limit: number): Promise<EventRow[]>;

  /** Moves `due_at` of a picked row that is still as it was picked; touches nothing else. */
  abstract postpone(tx: Tx, version: RowVersion, dueAt: number): Promise<void>;

  /** As `postpone`, for a row that is due when it was at the last look: one that was woken meanwhile stays awake. */
  abstract sleepOn(
    tx: Tx,
    row: Pick<EventRow, 'id' | 'generation' | 'attempt' | 'dueAt'>,
    dueAt: number,
  ): Promise<void>;

  /** Makes up to `limit` rows due that wait with this error for a later time. Returns how many there were. */
  abstract wake(tx: Tx, error: RowError, now: number, limit: number): Promise<number>;

  /** The first row of the entity's line, if it is runnable and due; hides it as `pick` does. */
  abstract pickNext(tx: Tx, entityKey: string, now: number, hiddenUntil: number): Promise<EventRow | null>;

  /** DEAD → REDRIVEN of the generation seen: generation + 1, attempt 0, due now. False when anything else stands. */
  abstract redrive(tx: Tx, id: number, generation: number, now: number): Promise<boolean>;

  /**
   * Any waiting status of the generation seen → DISCARDED; makes the next row of the line due. False when anything else
   * stands.
   */
  abstract discard(tx: Tx, id: number, generation: number, now: number): Promise<boolean>;

  abstract record(tx: Tx, entries: readonly HistoryEntry[]): Promise<void>;

  abstract byId(tx: Tx, id: number): Promise<EventRow | null>;

  /** The first `HISTORY_MAX` entries, oldest first: an event that WeCom repeats for ever must not fill a page for ever. */
  abstract history(tx: Tx, eventKey: string): Promise<(HistoryEntry & { readonly instance: string })[]>;

  /** Newest first. */
  abstract search(tx: Tx, filter: EventFilter): Promise<EventRow[]>;

  abstract counts(tx: Tx): Promise<ReadonlyMap<EventStatus, number>>;
}

export interface EventFilter {
  readonly app?: string;
  readonly corpId?: string;
  readonly eventType?: string;
  readonly changeType?: string;
  readonly entityKey?: string;
  readonly msgId?: string;
  readonly statuses?: readonly EventStatus[];
  readonly errorCode?: string;
  readonly errorGroup?: string;
  /** The event is about all of these; without a name, under any. */
  readonly wecomIds?: readonly { readonly name?: string; readonly value: string }[];
  readonly eventKeys?: readonly string[];
  readonly ids?: readonly number[];
  /** Matches a part of the plaintext. Slow: it reads every row that the other filters leave. */
  readonly text?: string;
  readonly receivedFrom?: number;
  readonly receivedTo?: number;
  /** Rows written last at this time or before. */
  readonly decidedTo?: number;
  /** Rows with a smaller id only: the next page. */
  readonly beforeId?: number;
  readonly limit: number;
}

export type { EventStatus, Outcome, RunnableStatus, WaitingStatus };
