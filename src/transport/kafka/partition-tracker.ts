// Cutting the front off costs the length of the rest, so it is done rarely.
const COMPACT_AFTER = 1_000;

/**
 * Which records of one partition are done, and up to where that may be said to the broker. Pure bookkeeping.
 *
 * A broker keeps one number a partition: everything below it counts as done. So it must never pass a record that is not
 * settled, whatever was settled behind it; what was is remembered here until the ones before it are.
 */
export class PartitionTracker {
  /** Received and not yet below `committable`, ascending. */
  private readonly offsets: number[] = [];
  private readonly settledOffsets = new Set<number>();
  private head = 0;
  private next = 0;
  /** Nothing below it needs to be said: it is where the broker let us begin, or what it has acknowledged since. */
  private committedTo: number | null = null;

  /** False for a record that was received before: it must not be delivered a second time from here. */
  received(offset: number): boolean {
    if (offset < this.next) return false;
    this.committedTo ??= offset;
    this.offsets.push(offset);
    this.next = offset + 1;
    return true;
  }

  settled(offset: number): void {
    this.settledOffsets.add(offset);
    // Offsets have gaps where records were compacted away or belong to a transaction, so one cannot just count up.
    while (this.head < this.offsets.length && this.settledOffsets.delete(this.offsets[this.head]!)) this.head += 1;
    if (this.head > COMPACT_AFTER && this.head * 2 > this.offsets.length) {
      this.offsets.splice(0, this.head);
      this.head = 0;
    }
  }

  /** The offset to commit, or null when the broker knows it already. */
  committable(): number | null {
    const offset = this.offsets[this.head] ?? this.next;
    return this.committedTo !== null && offset > this.committedTo ? offset : null;
  }

  /** The broker has acknowledged this commit. */
  committed(offset: number): void {
    this.committedTo = Math.max(this.committedTo ?? 0, offset);
  }

  /** Records received that a crash would bring again although some of them are settled. */
  get span(): number {
    return this.offsets.length - this.head;
  }
}
