/** `?, ?, ?`: one place a value. */
export function places(values: readonly unknown[]): string {
  return Array<string>(values.length).fill('?').join(', ');
}

/** `(?, ?), (?, ?)` for a multi-row statement. */
export function tuples(rows: number, columns: number): string {
  const tuple = `(${Array<string>(columns).fill('?').join(', ')})`;
  return Array<string>(rows).fill(tuple).join(', ');
}
