import type { Tokens } from './sql-tokens.js';

export type Value = string | number | boolean | null | Uint8Array;
export type Data = Readonly<Record<string, Value>>;
/** The row that each alias stands for, those of outer queries included. */
export type Scope = Readonly<Record<string, Data>>;
export interface Expression {
  (scope: Scope, values: readonly Value[], run: SubqueryRunner): Value;
  /** Set on a column. */
  column?: { readonly alias: string | null; readonly name: string };
  /** What must hold for the whole to be true, as far as it says that a column has a value: spares looking at every row. */
  equalities?: readonly Equality[];
}

export interface Equality {
  readonly alias: string | null;
  readonly column: string;
  readonly value: Expression;
}
/** What the row of an INSERT was to be, for `VALUES(column)`; no alias can have this name. */
export const INSERTED = ' inserted';
/** Runs a query inside of a query; it never locks. */
export type SubqueryRunner = (query: unknown, scope: Scope, values: readonly Value[]) => readonly Data[];

export interface ExpressionParser {
  readonly tokens: Tokens;
  /** Counts the question marks. */
  placeholder(): number;
  /** Aliases of the query that is being read; a bare column belongs to the last one. */
  readonly aliases: string[];
  subquery(): unknown;
  /** Told of each column that names its table: what is not the query's own comes from outside. */
  sawColumn(alias: string, name: string): void;
}

/** The conditions and values that the product's SQL uses, with NULL as in SQL: unknown, and not true. */
export function parseExpression(parser: ExpressionParser): Expression {
  return parseOr(parser);
}

function parseOr(parser: ExpressionParser): Expression {
  let left = parseAnd(parser);
  while (parser.tokens.accept('OR')) {
    const [one, other] = [left, parseAnd(parser)];
    left = (scope, values, run) => {
      const first = one(scope, values, run);
      if (isTrue(first)) return true;
      const second = other(scope, values, run);
      return isTrue(second) ? true : first === null || second === null ? null : false;
    };
  }
  return left;
}

function parseAnd(parser: ExpressionParser): Expression {
  let left = parseNot(parser);
  while (parser.tokens.accept('AND')) {
    const [one, other] = [left, parseNot(parser)];
    left = (scope, values, run) => {
      const first = one(scope, values, run);
      if (first !== null && !isTrue(first)) return false;
      const second = other(scope, values, run);
      return second !== null && !isTrue(second) ? false : first === null || second === null ? null : true;
    };
    left.equalities = [...(one.equalities ?? []), ...(other.equalities ?? [])];
  }
  return left;
}

function parseNot(parser: ExpressionParser): Expression {
  if (!parser.tokens.accept('NOT')) return parseComparison(parser);
  const inner = parseNot(parser);
  return (scope, values, run) => {
    const value = inner(scope, values, run);
    return value === null ? null : !isTrue(value);
  };
}

const COMPARISONS: Readonly<Record<string, (one: number | string, other: number | string) => boolean>> = {
  '=': (one, other) => one === other,
  '<>': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
};

function parseComparison(parser: ExpressionParser): Expression {
  const { tokens } = parser;
  const left = parseSum(parser);
  if (tokens.accept('IS', 'NOT', 'NULL')) return (scope, values, run) => left(scope, values, run) !== null;
  if (tokens.accept('IS', 'NULL')) return (scope, values, run) => left(scope, values, run) === null;
  const isNegated = tokens.is('NOT', 'IN') && tokens.accept('NOT');
  if (tokens.accept('IN')) return parseIn(parser, left, isNegated);
  if (tokens.accept('LIKE')) return parseLike(parser, left);
  const compare = Object.hasOwn(COMPARISONS, tokens.next.text) ? COMPARISONS[tokens.next.text] : undefined;
  if (!compare || tokens.next.kind !== 'sign') return left;
  const sign = tokens.take().text;
  const right = parseSum(parser);
  const comparison: Expression = (scope, values, run) => {
    const [one, other] = [plain(left(scope, values, run)), plain(right(scope, values, run))];
    return one === null || other === null ? null : compare(one, other);
  };
  const equal = (side: Expression, value: Expression): Equality[] =>
    side.column ? [{ alias: side.column.alias, column: side.column.name, value }] : [];
  if (sign === '=') comparison.equalities = [...equal(left, right), ...equal(right, left)];
  return comparison;
}

/** Only as the product asks: a text in the middle, with `!` before what is meant as it is. */
function parseLike(parser: ExpressionParser, left: Expression): Expression {
  const pattern = parseSum(parser);
  parser.tokens.expect('ESCAPE');
  parser.tokens.take();
  return (scope, values, run) => {
    const [text, wanted] = [plain(left(scope, values, run)), plain(pattern(scope, values, run))];
    if (text === null || wanted === null) return null;
    return String(text).toLowerCase().includes(String(wanted).slice(1, -1).replace(/!(.)/g, '$1').toLowerCase());
  };
}

function parseIn(parser: ExpressionParser, left: Expression, isNegated: boolean): Expression {
  const { tokens } = parser;
  tokens.expect('(');
  let among: (scope: Scope, values: readonly Value[], run: SubqueryRunner) => readonly Value[];
  if (tokens.is('SELECT')) {
    const query = parser.subquery();
    among = (scope, values, run) => run(query, scope, values).map((row) => Object.values(row)[0] ?? null);
  } else {
    const items = [parseSum(parser)];
    while (tokens.accept(',')) items.push(parseSum(parser));
    among = (scope, values, run) => items.map((item) => item(scope, values, run));
  }
  tokens.expect(')');
  return (scope, values, run) => {
    const value = left(scope, values, run);
    if (value === null) return null;
    return among(scope, values, run).includes(value) !== isNegated;
  };
}

function parseSum(parser: ExpressionParser): Expression {
  let left = parsePrimary(parser);
  while (parser.tokens.accept('+')) {
    const [one, other] = [left, parsePrimary(parser)];
    left = (scope, values, run) => {
      const [first, second] = [one(scope, values, run), other(scope, values, run)];
      return first === null || second === null ? null : Number(first) + Number(second);
    };
  }
  return left;
}

function parsePrimary(parser: ExpressionParser): Expression {
  const { tokens } = parser;
  if (tokens.accept('(')) {
    if (tokens.is('SELECT')) return parseScalar(parser);
    const inner = parseExpression(parser);
    tokens.expect(')');
    return inner;
  }
  if (tokens.accept('?')) {
    const index = parser.placeholder();
    return (_, values) => values[index] ?? null;
  }
  if (tokens.accept('NULL')) return () => null;
  if (tokens.accept('EXISTS', '(')) {
    const query = parser.subquery();
    tokens.expect(')');
    return (scope, values, run) => run(query, scope, values).length > 0;
  }
  if (tokens.accept('COALESCE', '(')) {
    const [first] = [parseExpression(parser), tokens.expect(',')];
    const second = parseExpression(parser);
    tokens.expect(')');
    return (scope, values, run) => first(scope, values, run) ?? second(scope, values, run);
  }
  if (tokens.accept('VALUES', '(')) {
    const column = tokens.name();
    tokens.expect(')');
    return (scope) => scope[INSERTED]?.[column] ?? null;
  }
  if (tokens.accept('CASE', 'WHEN')) return parseCase(parser);
  const token = tokens.take();
  if (token.kind === 'number') return () => Number(token.text);
  if (token.kind === 'string') return () => token.text;
  if (token.kind !== 'word') throw new SyntaxError(`a value expected, not ${token.text}`);
  return parseColumn(parser, token.text);
}

function parseScalar(parser: ExpressionParser): Expression {
  const query = parser.subquery();
  parser.tokens.expect(')');
  return (scope, values, run) => {
    const [row] = run(query, scope, values);
    return row ? (Object.values(row)[0] ?? null) : null;
  };
}

function parseCase(parser: ExpressionParser): Expression {
  const { tokens } = parser;
  const condition = parseExpression(parser);
  tokens.expect('THEN');
  const yes = parseExpression(parser);
  tokens.expect('ELSE');
  const no = parseExpression(parser);
  tokens.expect('END');
  return (scope, values, run) =>
    isTrue(condition(scope, values, run)) ? yes(scope, values, run) : no(scope, values, run);
}

function parseColumn(parser: ExpressionParser, first: string): Expression {
  const { tokens, aliases } = parser;
  if (tokens.accept('.')) {
    const column = tokens.name();
    parser.sawColumn(first, column);
    const qualified: Expression = (scope) => scope[first]?.[column] ?? null;
    qualified.column = { alias: first, name: column };
    return qualified;
  }
  // Read when it runs: in SELECT, columns are named before the tables.
  const bare: Expression = (scope) => scope[aliases[aliases.length - 1] ?? '']?.[first] ?? null;
  bare.column = { alias: null, name: first };
  return bare;
}

export function isTrue(value: Value): boolean {
  return value === true || (typeof value === 'number' && value !== 0);
}

function plain(value: Value): number | string | null {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
}
