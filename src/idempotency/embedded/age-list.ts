/** A member of at most one `AgeList`, which keeps the two links. */
export interface Aged<Item> {
  older: Item | null;
  newer: Item | null;
}

/**
 * Items by when they came, with removal from the middle in constant time. A `Map` keeps that order too, but reading its
 * oldest key again and again walks over the holes that deletions leave, which is quadratic for a queue.
 */
export class AgeList<Item extends Aged<Item>> {
  private first: Item | null = null;
  private last: Item | null = null;

  get oldest(): Item | null {
    return this.first;
  }

  append(item: Item): void {
    item.older = this.last;
    item.newer = null;
    if (this.last === null) this.first = item;
    else this.last.newer = item;
    this.last = item;
  }

  /** The item must be in this list. */
  remove(item: Item): void {
    if (item.older === null) this.first = item.newer;
    else item.older.newer = item.newer;
    if (item.newer === null) this.last = item.older;
    else item.newer.older = item.older;
    item.older = null;
    item.newer = null;
  }

  clear(): void {
    this.first = null;
    this.last = null;
  }
}
