/** A record of a partition, in memory until it is settled. */
export interface HeldRecord {
  readonly partition: number;
  readonly offset: number;
  /** Name of its line: records of one name are handed out one after another. */
  readonly line: string;
  readonly bytes: number;
}

type LineState = 'ready' | 'held' | 'blocked';

interface Waiting<R> {
  readonly record: R;
  notBefore: number;
}

/** One ordering key of one partition. */
export interface HeldLine<R extends HeldRecord> {
  readonly partition: number;
  readonly name: string;
  state: LineState;
  waiting: Waiting<R>[];
  /** Came back out of the batch in hand; all of them precede `waiting`. */
  returned: Waiting<R>[];
  inHand: number;
  /** Its partition is somebody else's: whatever happens to its records here no longer counts. */
  isDropped: boolean;
}

export interface TakenRecord<R extends HeldRecord> {
  readonly line: HeldLine<R>;
  readonly record: R;
}

/** What became of a line. `blocked` names when to call `unblock`. */
export type LineChange =
  { readonly kind: 'free' } | { readonly kind: 'held' } | { readonly kind: 'blocked'; readonly until: number };

export interface HeldAmount {
  readonly records: number;
  readonly bytes: number;
}

const NOTHING: HeldAmount = { records: 0, bytes: 0 };

/**
 * The records in memory, sorted into one line a key, so that keys of one partition go side by side and a key that is
 * stuck holds only itself. Pure bookkeeping: it knows no broker and no clock.
 */
export class HeldLines<R extends HeldRecord> {
  private readonly lines = new Map<string, HeldLine<R>>();
  private readonly ready = new Set<HeldLine<R>>();
  private readonly amounts = new Map<number, HeldAmount>();

  /** What a partition has here, in hand or waiting. */
  amount(partition: number): HeldAmount {
    return this.amounts.get(partition) ?? NOTHING;
  }

  add(record: R): void {
    this.count(record, 1);
    const id = `${record.partition}/${record.line}`;
    let line = this.lines.get(id);
    if (line === undefined) {
      const { partition } = record;
      line = { partition, name: id, state: 'ready', waiting: [], returned: [], inHand: 0, isDropped: false };
      this.lines.set(id, line);
      this.ready.add(line);
    }
    line.waiting.push({ record, notBefore: 0 });
  }

  /** Takes up to `max` records of ready lines, lines that became ready first first, and holds their lines. */
  take(max: number, now: number, isTakeable: (partition: number) => boolean = () => true): TakenRecord<R>[] {
    const taken: TakenRecord<R>[] = [];
    for (const line of this.ready) {
      if (taken.length >= max) break;
      if (!isTakeable(line.partition)) continue;
      this.ready.delete(line);
      line.state = 'held';
      // The first is due, or the line would not be ready. Later ones may have come back for longer.
      let count = 1;
      while (count < line.waiting.length && taken.length + count < max && line.waiting[count]!.notBefore <= now) {
        count += 1;
      }
      for (const { record } of line.waiting.splice(0, count)) taken.push({ line, record });
      line.inHand += count;
    }
    return taken;
  }

  /** A record in hand is done. */
  settled({ line, record }: TakenRecord<R>, now: number): LineChange {
    if (line.isDropped) return { kind: 'held' };
    this.count(record, -1);
    return this.leaveHand(line, now);
  }

  /** A record in hand was not settled: its line goes on with it, not before `notBefore`. */
  back({ line, record }: TakenRecord<R>, notBefore: number, now: number): LineChange {
    if (line.isDropped) return { kind: 'held' };
    line.returned.push({ record, notBefore });
    return this.leaveHand(line, now);
  }

  /** The time of the first record of a blocked line has come. */
  unblock(line: HeldLine<R>): void {
    if (line.state !== 'blocked' || line.isDropped) return;
    line.waiting[0]!.notBefore = 0;
    this.makeReady(line);
  }

  /** The partition was taken away: forgets all of it, also what is in hand. */
  drop(partition: number): void {
    this.amounts.delete(partition);
    for (const line of this.lines.values()) {
      if (line.partition !== partition) continue;
      line.isDropped = true;
      this.lines.delete(line.name);
      this.ready.delete(line);
    }
  }

  private count({ partition, bytes }: R, sign: 1 | -1): void {
    const before = this.amount(partition);
    this.amounts.set(partition, { records: before.records + sign, bytes: before.bytes + sign * bytes });
  }

  private makeReady(line: HeldLine<R>): void {
    line.state = 'ready';
    this.ready.add(line);
  }

  private leaveHand(line: HeldLine<R>, now: number): LineChange {
    line.inHand -= 1;
    if (line.inHand > 0) return { kind: 'held' };
    if (line.returned.length > 0) {
      // A consumer may give them back in any order.
      line.waiting = [...line.returned.sort((a, b) => a.record.offset - b.record.offset), ...line.waiting];
      line.returned = [];
    }
    const first = line.waiting[0];
    if (first === undefined) this.lines.delete(line.name);
    else if (first.notBefore > now) {
      line.state = 'blocked';
      return { kind: 'blocked', until: first.notBefore };
    } else this.makeReady(line);
    return { kind: 'free' };
  }
}
