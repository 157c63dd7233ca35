export interface Numbered {
  readonly id: number;
  readonly at: number;
}

// Longer than a transaction lives between taking its number and its commit, with clocks that differ a little.
const GAP_LIFE_MS = 5_000;

/**
 * The decisions that may be told without passing over one that is not visible yet: numbers are given before the commit,
 * so a smaller one may appear later. After a gap nothing is told until the gap is old, when its transaction was rolled
 * back. `rows` are in order of their ids.
 */
export function settledPrefix<Row extends Numbered>(
  rows: readonly Row[],
  afterId: number,
  now: number,
): readonly Row[] {
  let expected = afterId + 1;
  for (const [index, row] of rows.entries()) {
    if (row.id > expected && now - row.at < GAP_LIFE_MS) return rows.slice(0, index);
    expected = row.id + 1;
  }
  return rows;
}
