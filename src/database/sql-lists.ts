/** `?, ?, ?`: one place a value. */
export function places(values: readonly unknown[]): string {
  return Array<string>(values.length).fill('?').join(', ');
}

/** `(?, ?), (?, ?)` for a multi-row statement. */
export function tuples(rows: number, columns: number): string {
  const tuple = `(${Array<string>(columns).fill('?').join(', ')})`;
  return Array<string>(rows).fill(tuple).join(', ');
}

const PART_MAX = 512;

/**
 * Parts whose lengths are powers of two: statements of ten lengths in all, which stay prepared. One of each length would
 * push out all others.
 */
export function partsOf<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < rows.length; at += parts.at(-1)?.length ?? 1) {
    const count = Math.min(PART_MAX, 2 ** Math.floor(Math.log2(rows.length - at)));
    parts.push(rows.slice(at, at + count));
  }
  return parts;
}
