import type { Action, ItemResult, SeenItem } from '../../../src/admin/dead-letter-service.js';
import type { SpooledMessage } from '../../../src/callback/spool.js';
import type { Data, Value } from '../database/sql-expression.js';
import type { Change } from '../database/transaction.js';
import type { StoredMessage } from '../ports/broker.js';
import type { GuardMove } from '../ports/sim-guard.js';
import type { SentEvent } from '../world/fake-wecom.js';

/** What can be seen of the system from outside, at any moment. */
export interface View {
  readonly now: number;
  readonly events: readonly SentEvent[];
  readonly log: readonly StoredMessage[];
  rows(table: string): readonly Data[];
  find(table: string, column: string, value: Value): Data | undefined;
  /** Of the events topic, or another. */
  unsettled(topic: string): readonly StoredMessage[];
  /** What would be in the spools if all power went now. */
  spooled(): readonly SpooledMessage[];
  /** Whether two lanes served one entity, or the broker moved something. */
  readonly isOrderMixed: boolean;
}

export interface Answered {
  readonly event: SentEvent;
  /** The host and the process that answered. */
  readonly gateway: string;
  /** When this process had the event in hand for the first time, whatever came of that. */
  readonly receivedAt: number;
  /** `published`, `spooled` or `duplicate`. */
  readonly how: string;
  readonly eventKey: string;
}

/** One invariant. It watches, and says what it finds wrong. */
export abstract class Check {
  violate: (what: string) => void = () => undefined;

  constructor(readonly name: string) {}

  onAnswered(_answered: Answered, _view: View): void {}
  onCommit(_changes: readonly Change[], _view: View): void {}
  onPublish(_message: StoredMessage, _view: View): void {}
  onGuardMove(_move: GuardMove, _view: View): void {}
  onGuardLoss(): void {}
  onReport(_action: Action, _seen: SeenItem, _result: ItemResult, _view: View): void {}
  /** All has come to rest, or the time for it is up. */
  atEnd(_view: View): void {}
}
