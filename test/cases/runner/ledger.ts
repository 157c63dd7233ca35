import type { JournalLine } from '../product/control.js';
import { fieldsFit, fieldsOf } from './field-paths.js';
import { ensure } from './verdict.js';

/** A delivery as the sender saw it: the truth against which the product is judged. */
export interface Delivered {
  readonly app: string;
  readonly text: string;
  readonly result: 'ack' | 'rejected' | 'other';
  readonly sentAt: number;
}

/** Columns of `event_log` that checks look at. */
export interface EventRow {
  readonly id: number;
  readonly app: string;
  readonly corp_id: string;
  readonly event_type: string;
  readonly change_type: string | null;
  readonly msg_id_or_hash: string;
  readonly msg_id: string | null;
  readonly entity_key: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly generation: number;
  readonly plaintext: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/** What was sent and how it was answered, in order. */
export class Ledger {
  readonly deliveries: Delivered[] = [];

  add(delivery: Delivered): void {
    this.deliveries.push(delivery);
  }

  /** `last` is the newest callback, `last-1` the one before. */
  byRef(ref: string): Delivered {
    const [, back] = /^last(?:-(\d+))?$/.exec(ref) ?? [];
    const index = this.deliveries.length - 1 - Number(back ?? 0);
    const found = /^last(-\d+)?$/.test(ref)
      ? this.deliveries[index]
      : this.deliveries.findLast(({ text }) => holds(text, ref));
    ensure(found !== undefined, `no delivery is ${ref}`);
    return found;
  }

  acked(match: Readonly<Record<string, string>> = {}): Delivered[] {
    return this.deliveries.filter(({ result, text }) => result === 'ack' && fieldsFit(text, match));
  }

  /** Each acknowledged event once: by its id where it has one, else by its text. */
  ackedEvents(match: Readonly<Record<string, string>> = {}): Delivered[] {
    return [...new Map(this.acked(match).map((delivery) => [identityOf(delivery), delivery])).values()];
  }

  /** Texts that were only ever refused. */
  refused(): Delivered[] {
    const others = new Set(this.deliveries.filter(({ result }) => result !== 'rejected').map(identityOf));
    return this.deliveries.filter((delivery) => delivery.result === 'rejected' && !others.has(identityOf(delivery)));
  }
}

function identityOf({ app, text }: Delivered): string {
  const msgId = msgIdOf(text);
  return JSON.stringify([app, msgId === null ? text : ['id', msgId]]);
}

function msgIdOf(text: string): string | null {
  const fields = fieldsOf(text);
  const msgId = fields !== null && Object.hasOwn(fields, 'MsgId') ? fields['MsgId'] : null;
  return typeof msgId === 'string' && msgId !== '' ? msgId : null;
}

/** The row of a delivery, or undefined. Not by the product's event key: that is one of the things under test. */
export function rowOf(delivery: Delivered, rows: readonly EventRow[]): EventRow | undefined {
  const msgId = msgIdOf(delivery.text);
  return rows.find(
    (row) => row.app === delivery.app && (row.plaintext === delivery.text || (msgId !== null && row.msg_id === msgId)),
  );
}

/** Whether any field of a text has this value. */
export function holds(text: string, value: string): boolean {
  return text.includes(`[${value}]`) || text.includes(`>${value}<`) || text.includes(`"${value}"`);
}

/** The greatest number of handlers that were at work on one event at the same moment. */
export function concurrencyMax(journal: readonly JournalLine[], endOf: (pid: number) => number): number {
  const runs: { eventKey: string; from: number; to: number }[] = [];
  for (const line of journal) {
    if (line.kind === 'began') {
      const ended = journal.find(
        (other) =>
          other.kind === 'ended' && other.pid === line.pid && other.eventKey === line.eventKey && other.at >= line.at,
      );
      const to = ended?.kind === 'ended' ? ended.at : endOf(line.pid);
      runs.push({ eventKey: line.eventKey, from: line.at, to });
    }
  }
  return runs.reduce((max, run) => {
    const atOnce = runs.filter(
      ({ eventKey, from, to }) => eventKey === run.eventKey && from <= run.from && run.from < to,
    );
    return Math.max(max, atOnce.length);
  }, 0);
}
