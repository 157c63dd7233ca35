interface WaitingId {
  readonly seq: number;
  /** On the monotonic clock; 0 for one that has not been delivered yet. */
  notBefore: number;
}

/**
 * - `ready`: its first message may be delivered.
 * - `held`: messages of it are in hand.
 * - `blocked`: its first message comes back later.
 * - `hungry`: all that was read is done, and the table holds more.
 */
type LineState = 'ready' | 'held' | 'blocked' | 'hungry';

/** The messages of one ordering key that were read ahead, in publish order. Only `KeyLines` changes it. */
export interface KeyLine {
  readonly orderingKey: string;
  state: LineState;
  waiting: WaitingId[];
  /** Came back out of the batch in hand; all of them precede `waiting`. */
  returned: WaitingId[];
  inHand: number;
  /** All unsettled messages of the key up to here are in memory. */
  highestSeq: number;
  /** The table holds more of the key behind `highestSeq` that the scan passed by. */
  cut: boolean;
}

export interface TakenId {
  readonly line: KeyLine;
  readonly seq: number;
}

/** What became of a line that no batch holds any more. `blocked` names when to call `unblock`. */
export type FreedLine =
  { readonly kind: 'free' } | { readonly kind: 'held' } | { readonly kind: 'blocked'; readonly until: number };

/**
 * The window of ids that were read ahead, sorted into one line a key. Pure bookkeeping: it knows no table and no clock.
 *
 * A line remembers at most `lineMax` ids. What the scan meets beyond that is not remembered but passed by (`cut`), so
 * that a key that is stuck with a million messages takes no room from others; it is read again when its turn comes.
 */
export class KeyLines {
  private readonly lines = new Map<string, KeyLine>();
  private readonly ready = new Set<KeyLine>();
  private readonly hungry = new Set<KeyLine>();
  private ids = 0;

  constructor(private readonly lineMax: number) {}

  /** Ids in memory, those in hand included. */
  get size(): number {
    return this.ids;
  }

  get readyCount(): number {
    return this.ready.size;
  }

  get hungryCount(): number {
    return this.hungry.size;
  }

  /** A message that the scan has met. Scans go forward, but `fill` may have read a key further than the scan. */
  offer(seq: number, orderingKey: string): void {
    const line = this.lines.get(orderingKey) ?? this.createLine(orderingKey);
    if (seq <= line.highestSeq) return;
    if (line.cut || line.waiting.length >= this.lineMax) {
      line.cut = true;
      return;
    }
    this.append(line, seq);
  }

  /** Takes up to `max` messages of ready lines, lines that became ready first first, and holds their lines. */
  take(max: number, now: number): TakenId[] {
    const taken: TakenId[] = [];
    for (const line of this.ready) {
      if (taken.length >= max) break;
      this.ready.delete(line);
      line.state = 'held';
      // The first is due, or the line would not be ready. Later ones may have come back for longer.
      let count = 1;
      while (count < line.waiting.length && taken.length + count < max && line.waiting[count]!.notBefore <= now) {
        count += 1;
      }
      for (const { seq } of line.waiting.splice(0, count)) taken.push({ line, seq });
      line.inHand += count;
    }
    return taken;
  }

  /** A message in hand is gone from the table. */
  settled(line: KeyLine, now: number): FreedLine {
    this.ids -= 1;
    return this.leaveHand(line, now);
  }

  /** A message in hand was not settled: its line goes on with it, not before `notBefore`. */
  back(line: KeyLine, seq: number, notBefore: number, now: number): FreedLine {
    line.returned.push({ seq, notBefore });
    return this.leaveHand(line, now);
  }

  /** The time of the first message of a blocked line has come. */
  unblock(line: KeyLine): void {
    if (line.state !== 'blocked') return;
    line.waiting[0]!.notBefore = 0;
    this.makeReady(line);
  }

  /** Lines to fill from the table. */
  hungryLines(max: number): KeyLine[] {
    return [...this.hungry].slice(0, max);
  }

  /** The next messages of a hungry line; `more`: there may be others behind them. */
  fill(line: KeyLine, seqs: readonly number[], more: boolean): void {
    this.hungry.delete(line);
    line.cut = more;
    if (seqs.length === 0) this.lines.delete(line.orderingKey);
    for (const seq of seqs) this.append(line, seq);
  }

  /** Makes room: every line forgets all but its first waiting message, to be read again later. */
  trim(): void {
    for (const line of this.lines.values()) {
      if (line.waiting.length < 2) continue;
      this.ids -= line.waiting.length - 1;
      line.waiting.length = 1;
      line.highestSeq = line.waiting[0]!.seq;
      line.cut = true;
    }
  }

  private createLine(orderingKey: string): KeyLine {
    const line: KeyLine = {
      orderingKey,
      state: 'hungry',
      waiting: [],
      returned: [],
      inHand: 0,
      highestSeq: 0,
      cut: false,
    };
    this.lines.set(orderingKey, line);
    return line;
  }

  private append(line: KeyLine, seq: number): void {
    line.waiting.push({ seq, notBefore: 0 });
    line.highestSeq = seq;
    this.ids += 1;
    if (line.state === 'hungry') this.makeReady(line);
  }

  private makeReady(line: KeyLine): void {
    line.state = 'ready';
    this.ready.add(line);
  }

  private leaveHand(line: KeyLine, now: number): FreedLine {
    line.inHand -= 1;
    if (line.inHand > 0) return { kind: 'held' };
    if (line.returned.length > 0) {
      // A consumer may give them back in any order.
      line.waiting = [...line.returned.sort((a, b) => a.seq - b.seq), ...line.waiting];
      line.returned = [];
    }
    const first = line.waiting[0];
    if (first === undefined) this.becomeEmpty(line);
    else if (first.notBefore > now) {
      line.state = 'blocked';
      return { kind: 'blocked', until: first.notBefore };
    } else this.makeReady(line);
    return { kind: 'free' };
  }

  private becomeEmpty(line: KeyLine): void {
    line.state = 'hungry';
    if (line.cut) this.hungry.add(line);
    else this.lines.delete(line.orderingKey);
  }
}
