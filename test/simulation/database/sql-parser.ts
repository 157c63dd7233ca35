import { jsonColumn, type JsonColumn } from './json-column.js';
import { parseExpression, type Expression, type ExpressionParser } from './sql-expression.js';
import { Tokens } from './sql-tokens.js';

export interface Source {
  readonly alias: string;
  /** A table, or a query or a document that stands for one. */
  readonly of: string | Select | JsonTable;
  readonly on: Expression | null;
}

/** The elements of a JSON array as rows. */
export interface JsonTable {
  readonly kind: 'json';
  readonly document: Expression;
  readonly columns: readonly JsonColumn[];
}

export interface Column {
  readonly name: string;
  readonly kind: 'value' | 'all' | 'count' | 'max';
  readonly value: Expression;
}

export interface Select {
  readonly kind: 'select';
  readonly columns: readonly Column[];
  readonly sources: readonly Source[];
  readonly where: Expression | null;
  readonly groupBy: Expression | null;
  readonly orderBy: readonly { readonly value: Expression; readonly isDescending: boolean }[];
  readonly limit: Expression | null;
  readonly lock: 'none' | 'wait' | 'skip';
  /** What it takes from the query around it. */
  readonly outer: readonly OuterColumn[];
}

/** UNION ALL: the rows of one after those of the other. */
export interface Union {
  readonly kind: 'union';
  readonly parts: readonly Select[];
}

export interface OuterColumn {
  readonly alias: string;
  readonly name: string;
}

export interface Insert {
  readonly kind: 'insert';
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Expression[])[];
  /** ON DUPLICATE KEY UPDATE; null where a duplicate is an error. */
  readonly onDuplicate: readonly (readonly [column: string, value: Expression])[] | null;
}

export interface Update {
  readonly kind: 'update';
  /** The one that is changed, which is also the last of `sources`. */
  readonly table: string;
  /** In the order in which they are joined. */
  readonly sources: readonly Source[];
  readonly sets: readonly (readonly [column: string, value: Expression])[];
  readonly where: Expression | null;
}

export interface Delete {
  readonly kind: 'delete';
  readonly table: string;
  readonly where: Expression | null;
}

export type Statement = Select | Union | Insert | Update | Delete | { readonly kind: 'begin' | 'commit' | 'rollback' };

/** What may come after a table that has no other name. */
const AFTER_SOURCE = ['FORCE', 'JOIN', 'STRAIGHT_JOIN', 'ON', 'SET', 'WHERE', 'GROUP', 'ORDER', 'LIMIT', 'FOR'];
const known = new Map<string, Statement>();

/** The subset of SQL that the product sends to MySQL. Anything else is a `SyntaxError`: nothing is guessed. */
export function parseSql(sql: string): Statement {
  let statement = known.get(sql);
  if (statement === undefined) {
    statement = new SqlParser(new Tokens(sql)).statement();
    known.set(sql, statement);
  }
  return statement;
}

class SqlParser implements ExpressionParser {
  aliases: string[] = [];
  private placeholders = 0;
  private columns: OuterColumn[] = [];

  constructor(readonly tokens: Tokens) {}

  placeholder(): number {
    this.placeholders += 1;
    return this.placeholders - 1;
  }

  statement(): Statement {
    const { tokens } = this;
    const statement = this.body();
    if (tokens.next.kind !== 'end') throw new SyntaxError(`the end expected, not ${tokens.next.text}`);
    return statement;
  }

  subquery(): Select {
    const [aliases, columns] = [this.aliases, this.columns];
    [this.aliases, this.columns] = [[], []];
    const query = this.select();
    const own = this.aliases;
    const outer = this.columns.filter(({ alias }) => !own.includes(alias));
    [this.aliases, this.columns] = [aliases, [...columns, ...outer]];
    return { ...query, outer };
  }

  sawColumn(alias: string, name: string): void {
    this.columns.push({ alias, name });
  }

  private body(): Statement {
    const { tokens } = this;
    if (tokens.is('SELECT')) return this.select();
    if (tokens.is('(')) return this.union();
    if (tokens.accept('INSERT', 'INTO')) return this.insert();
    if (tokens.accept('UPDATE')) return this.update();
    if (tokens.accept('DELETE', 'FROM')) return this.delete();
    if (tokens.accept('START', 'TRANSACTION')) return { kind: 'begin' };
    if (tokens.accept('COMMIT')) return { kind: 'commit' };
    tokens.expect('ROLLBACK');
    return { kind: 'rollback' };
  }

  private union(): Union {
    const { tokens } = this;
    const parts: Select[] = [];
    do {
      tokens.expect('(');
      this.aliases = [];
      parts.push(this.select());
      tokens.expect(')');
    } while (tokens.accept('UNION', 'ALL'));
    return { kind: 'union', parts };
  }

  private select(): Select {
    const { tokens } = this;
    tokens.expect('SELECT');
    const columns = [this.column()];
    while (tokens.accept(',')) columns.push(this.column());
    tokens.expect('FROM');
    const sources = this.sources();
    const where = tokens.accept('WHERE') ? parseExpression(this) : null;
    const groupBy = tokens.accept('GROUP', 'BY') ? parseExpression(this) : null;
    const orderBy = tokens.accept('ORDER', 'BY') ? this.order() : [];
    const limit = tokens.accept('LIMIT') ? parseExpression(this) : null;
    const isLocking = tokens.accept('FOR', 'UPDATE');
    const lock = isLocking ? (tokens.accept('SKIP', 'LOCKED') ? 'skip' : 'wait') : 'none';
    return { kind: 'select', columns, sources, where, groupBy, orderBy, limit, lock, outer: [] };
  }

  private column(): Column {
    const { tokens } = this;
    if (tokens.accept('*')) return { name: '*', kind: 'all', value: () => null };
    if (tokens.accept('COUNT', '(', '*', ')')) return { name: this.as('count'), kind: 'count', value: () => null };
    if (tokens.accept('MAX', '(')) {
      const value = parseExpression(this);
      tokens.expect(')');
      return { name: this.as('max'), kind: 'max', value };
    }
    const first = tokens.next.text;
    const value = parseExpression(this);
    return { name: this.as(this.lastName ?? first), kind: 'value', value };
  }

  /** The name of the column read last. */
  private get lastName(): string | null {
    return this.tokens.previousWord;
  }

  private as(name: string): string {
    return this.tokens.accept('AS') ? this.tokens.name() : name;
  }

  /** Joined in the order written, whether it says so or not: the order of a plain JOIN is the server's to choose. */
  private sources(): Source[] {
    const sources = [this.source(false)];
    while (this.tokens.accept('JOIN') || this.tokens.accept('STRAIGHT_JOIN')) sources.push(this.source(true));
    return sources;
  }

  private source(isJoined: boolean): Source {
    const { tokens } = this;
    let of: Source['of'];
    if (tokens.accept('(')) {
      of = this.subquery();
      tokens.expect(')');
    } else of = tokens.accept('JSON_TABLE', '(') ? this.jsonTable() : tokens.name();
    let alias = typeof of === 'string' ? of : '';
    if (tokens.accept('AS') || (tokens.next.kind === 'word' && !AFTER_SOURCE.some((word) => tokens.is(word))))
      alias = tokens.name();
    if (tokens.accept('FORCE', 'INDEX', '(')) {
      tokens.name();
      tokens.expect(')');
    }
    this.aliases.push(alias);
    if (!isJoined) return { alias, of, on: null };
    tokens.expect('ON');
    return { alias, of, on: parseExpression(this) };
  }

  /** `document, '$[*]' COLUMNS (name TYPE PATH '$[0]', ...))` */
  private jsonTable(): JsonTable {
    const { tokens } = this;
    const document = parseExpression(this);
    tokens.expect(',');
    const path = tokens.string();
    if (path !== '$[*]') throw new SyntaxError(`the simulated database takes no rows from ${path}`);
    tokens.expect('COLUMNS', '(');
    const columns: JsonColumn[] = [];
    do {
      const [name, type] = [tokens.name(), this.jsonType()];
      tokens.expect('PATH');
      columns.push(jsonColumn(name, type, tokens.string()));
    } while (tokens.accept(','));
    tokens.expect(')', ')');
    return { kind: 'json', document, columns };
  }

  private jsonType(): { readonly name: string; readonly lengthMax: number } {
    const { tokens } = this;
    const name = tokens.name().toUpperCase();
    let lengthMax = Number.POSITIVE_INFINITY;
    if (tokens.accept('(')) {
      lengthMax = Number(tokens.take().text);
      tokens.expect(')');
    }
    // All texts are compared byte by byte here; the product's key columns are binary, which decides a mixed comparison.
    if (tokens.accept('CHARACTER', 'SET')) tokens.name();
    if (tokens.accept('COLLATE')) tokens.name();
    return { name, lengthMax };
  }

  private order(): { value: Expression; isDescending: boolean }[] {
    const orders: { value: Expression; isDescending: boolean }[] = [];
    do orders.push({ value: parseExpression(this), isDescending: this.tokens.accept('DESC') });
    while (this.tokens.accept(','));
    return orders;
  }

  private insert(): Insert {
    const { tokens } = this;
    const table = tokens.name();
    const columns: string[] = [];
    tokens.expect('(');
    do columns.push(tokens.name());
    while (tokens.accept(','));
    tokens.expect(')', 'VALUES');
    const rows: Expression[][] = [];
    do {
      tokens.expect('(');
      const row = [parseExpression(this)];
      while (tokens.accept(',')) row.push(parseExpression(this));
      tokens.expect(')');
      rows.push(row);
    } while (tokens.accept(','));
    if (!tokens.accept('ON', 'DUPLICATE', 'KEY', 'UPDATE'))
      return { kind: 'insert', table, columns, rows, onDuplicate: null };
    this.aliases = [table];
    const onDuplicate: [string, Expression][] = [];
    do {
      const column = tokens.name();
      tokens.expect('=');
      onDuplicate.push([column, parseExpression(this)]);
    } while (tokens.accept(','));
    return { kind: 'insert', table, columns, rows, onDuplicate };
  }

  private update(): Update {
    const { tokens } = this;
    const sources = this.sources();
    const target = sources[sources.length - 1];
    const table = target?.of;
    if (!target || typeof table !== 'string' || target.alias !== table)
      throw new SyntaxError('the simulated database changes the table joined last, under its own name');
    tokens.expect('SET');
    const sets: [string, Expression][] = [];
    do {
      let column = tokens.name();
      if (tokens.accept('.')) {
        if (column !== table) throw new SyntaxError(`the simulated database changes ${table}, not ${column}`);
        column = tokens.name();
      } else if (sources.length > 1) throw new SyntaxError(`${column} of which table?`);
      tokens.expect('=');
      sets.push([column, parseExpression(this)]);
    } while (tokens.accept(','));
    return { kind: 'update', table, sources, sets, where: tokens.accept('WHERE') ? parseExpression(this) : null };
  }

  private delete(): Delete {
    const table = this.tokens.name();
    this.aliases = [table];
    return { kind: 'delete', table, where: this.tokens.accept('WHERE') ? parseExpression(this) : null };
  }
}
