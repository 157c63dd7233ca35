import { comparePositions, type Position } from './position.js';

/** What one pass through a list found, newest first. */
export interface Scan<Item extends Position> {
  readonly items: readonly Item[];
  /** How far it looked when it stopped before the end of its list; null when it saw all of it. */
  readonly reached: Position | null;
}

export interface Merged<Item extends Position> {
  readonly items: readonly Item[];
  /** Where to go on; null at the end. */
  readonly next: Position | null;
  /** It ended for having looked long enough, not for having found enough. */
  readonly isPartial: boolean;
}

/**
 * One page out of several lists. Nothing is told that lies behind the place up to which *every* list was looked at: it
 * would come before something that is not known yet, and the next page would leave that out.
 */
export function mergeScans<Item extends Position>(scans: readonly Scan<Item>[], limit: number): Merged<Item> {
  const known = scans.flatMap(({ reached }) => reached ?? []).sort(comparePositions)[0] ?? null;
  const all = scans.flatMap(({ items }) => items).sort(comparePositions);
  const told = known === null ? all : all.filter((item) => comparePositions(item, known) <= 0);
  const items = told.slice(0, limit);
  const last = items.at(-1);
  if (told.length > limit && last) return { items, next: last, isPartial: false };
  return { items, next: known, isPartial: known !== null && items.length < limit };
}
