import type { Tx } from '../database/unit-of-work.js';
import type { Command } from './state-machine.js';

export interface OutboxEntry {
  readonly idempotencyKey: string;
  readonly eventKey: string;
  readonly command: Command;
  readonly dueAt: number;
}

export interface PendingCommand extends OutboxEntry {
  readonly id: number;
  /** Deliveries begun. */
  readonly attempt: number;
}

/** Commands that wait for delivery. Written in the effect's transaction, so an effect and its commands are one. */
export abstract class Outbox {
  abstract add(tx: Tx, entries: readonly OutboxEntry[]): Promise<void>;

  /** Takes due commands, counts the delivery, and hides them until `hiddenUntil`, so that a crash only delays. */
  abstract pick(tx: Tx, now: number, hiddenUntil: number, limit: number): Promise<PendingCommand[]>;

  /** Accepted by the other side: the rows go. */
  abstract delivered(tx: Tx, ids: readonly number[]): Promise<void>;

  abstract failed(tx: Tx, id: number, retryAt: number, error: string): Promise<void>;

  /**
   * Retries used up; the row stays for people to see. Adds the compensation, if there is one, in the same transaction. A
   * repeat changes nothing.
   */
  abstract dead(tx: Tx, command: PendingCommand, error: string, now: number): Promise<void>;

  abstract counts(tx: Tx): Promise<{ readonly pending: number; readonly dead: number }>;
}
