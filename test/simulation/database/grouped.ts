import type { Data, Expression, Scope, Value } from './sql-expression.js';
import type { Column, Select } from './sql-parser.js';

export interface Scoped {
  readonly scope: Scope;
}

type Evaluate = (value: Expression, scope: Scope) => Value;

/** The rows of a query with GROUP BY or with an aggregate; without GROUP BY all rows are one group, also if there are none. */
export function grouped({ groupBy, columns }: Select, found: readonly Scoped[], evaluate: Evaluate): Data[] {
  const groups = new Map<Value, Scoped[]>();
  for (const one of found) {
    const key = groupBy === null ? null : evaluate(groupBy, one.scope);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  if (groupBy === null && groups.size === 0) groups.set(null, []);
  return [...groups.values()].map((group) =>
    Object.fromEntries(columns.map((column) => [column.name, aggregate(column, group, evaluate)])),
  );
}

function aggregate({ kind, value }: Column, group: readonly Scoped[], evaluate: Evaluate): Value {
  if (kind === 'count') return group.length;
  const all = group.map(({ scope }) => evaluate(value, scope));
  if (kind !== 'max') return all[0] ?? null;
  return all.reduce<Value>((max, one) => (max === null || compare(one, max) > 0 ? one : max), null);
}

/** NULL comes first. */
export function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  return one < other ? -1 : 1;
}
