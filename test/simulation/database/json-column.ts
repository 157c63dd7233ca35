import type { Value } from './sql-expression.js';

/** One column of JSON_TABLE. */
export interface JsonColumn {
  readonly name: string;
  /** What the column says of one row of the document: NULL where there is nothing, or nothing that fits the type. */
  readonly read: (row: unknown) => Value;
}

interface Type {
  readonly name: string;
  readonly lengthMax: number;
}

const INTEGER_BITS: Readonly<Record<string, number>> = { TINYINT: 8, INT: 32, BIGINT: 64 };

export function jsonColumn(name: string, type: Type, path: string): JsonColumn {
  const at = placeOf(path);
  const convert = conversionTo(type);
  return { name, read: (row) => convert(at(row)) };
}

/** `$[3]` or `$.name` */
function placeOf(path: string): (row: unknown) => unknown {
  const [, index, member] = /^\$(?:\[(\d+)\]|\.(\w+))$/.exec(path) ?? [];
  if (index !== undefined) return (row) => (Array.isArray(row) ? (row as unknown[])[Number(index)] : undefined);
  if (member === undefined) throw new SyntaxError(`the simulated database reads no ${path}`);
  return (row) =>
    typeof row === 'object' && row !== null && !Array.isArray(row) && Object.hasOwn(row, member)
      ? (row as Readonly<Record<string, unknown>>)[member]
      : undefined;
}

/** The server's default is NULL ON EMPTY NULL ON ERROR: what does not fit is no error, it is NULL. */
function conversionTo({ name, lengthMax }: Type): (value: unknown) => Value {
  if (name === 'VARCHAR')
    return (value) => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
      const text = String(value);
      return [...text].length > lengthMax ? null : text;
    };
  const bits = INTEGER_BITS[name];
  if (bits === undefined) throw new SyntaxError(`the simulated database has no ${name} in JSON_TABLE`);
  const limit = 2 ** (bits - 1);
  return (value) => {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value !== 'number' && (typeof value !== 'string' || !/^-?\d+$/.test(value))) return null;
    const number = Math.round(Number(value));
    return number >= -limit && number < limit ? number : null;
  };
}
