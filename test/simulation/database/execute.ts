import { compare, grouped, type Scoped } from './grouped.js';
import { INSERTED, isTrue, type Data, type Scope, type SubqueryRunner, type Value } from './sql-expression.js';
import type { Delete, Insert, JsonTable, Select, Source, Statement, Union, Update } from './sql-parser.js';
import { duplicateKey } from './sql-error.js';
import { Row, type Table } from './table.js';
import { Blocked, type Transaction } from './transaction.js';

export interface Executed {
  readonly rows: Data[];
  readonly affected: number;
}

interface Found extends Scoped {
  readonly rows: readonly Row[];
}

/** A column whose value is settled before any row is looked at. */
interface Known {
  readonly column: string;
  readonly value: Value;
}

interface Search {
  readonly scope: Scope;
  readonly values: readonly Value[];
  readonly isLocking: boolean;
  readonly where: Select['where'];
  /** A bare column is of this source. */
  readonly isOnly: boolean;
}

/** Runs one statement to its end, or throws: `Blocked` when it has to wait, else the server's error. */
export class Execution {
  /** A query inside of another says the same each time that it is given the same; a long line would be read for each row. */
  private readonly answers = new Map<Select, Map<string, Data[]>>();
  private readonly runner: SubqueryRunner = (query, scope, values) => {
    const select = query as Select;
    const known = this.answers.get(select) ?? new Map<string, Data[]>();
    this.answers.set(select, known);
    const given = JSON.stringify(select.outer.map(({ alias, name }) => scope[alias]?.[name] ?? null));
    const answer = known.get(given) ?? this.select({ ...select, lock: 'none' }, values, scope);
    known.set(given, answer);
    return answer;
  };

  constructor(
    private readonly tables: ReadonlyMap<string, Table>,
    /** Null for a statement that commits by itself; such a one only reads. */
    private readonly transaction: Transaction | null,
  ) {}

  run(statement: Statement, values: readonly Value[]): Executed {
    switch (statement.kind) {
      case 'select':
        return { rows: this.select(statement, values, NO_SCOPE), affected: 0 };
      case 'union':
        return { rows: this.union(statement, values), affected: 0 };
      case 'insert':
        return { rows: [], affected: this.insert(statement, values) };
      case 'update':
        if (statement.sources.length > 1) return { rows: [], affected: this.updateJoined(statement, values) };
        return {
          rows: [],
          affected: this.change(statement, values, (data, scope) => this.set(statement, data, scope, values)),
        };
      case 'delete':
        return { rows: [], affected: this.change(statement, values, () => null) };
      default:
        throw new Error(`${statement.kind} belongs to the session`);
    }
  }

  private select(query: Select, values: readonly Value[], outer: Scope): Data[] {
    const isLocking = query.lock !== 'none';
    let found = this.find(query.sources, query.where, values, outer, isLocking);
    if (query.lock === 'skip') found = found.filter(({ rows }) => rows.every((row) => this.writer.canLock(row)));
    const isOne = query.lock === 'none' && query.groupBy === null && query.limit?.(outer, values, this.runner) === 1;
    if (query.orderBy.length > 0) found = isOne ? this.first(found, query, values) : this.sort(found, query, values);
    if (query.groupBy !== null || query.columns.some(({ kind }) => kind === 'count' || kind === 'max'))
      return grouped(query, found, (value, scope) => value(scope, values, this.runner));
    const limit = query.limit === null ? found.length : Number(query.limit(outer, values, this.runner));
    const taken = found.slice(0, limit);
    if (isLocking) this.lockAll(taken);
    return taken.map(({ scope }) => this.project(query, scope, values));
  }

  /** Columns are called as the first part calls them. */
  private union({ parts }: Union, values: readonly Value[]): Data[] {
    const names = parts[0]?.columns.map(({ name }) => name) ?? [];
    return parts.flatMap((part) =>
      this.select(part, values, NO_SCOPE).map((row) =>
        Object.fromEntries(Object.values(row).map((value, index) => [names[index] ?? '', value])),
      ),
    );
  }

  /** All combinations of the sources' rows that fit. A locking read also looks at what others have not committed yet. */
  private find(
    sources: readonly Source[],
    where: Select['where'],
    values: readonly Value[],
    outer: Scope,
    isLocking: boolean,
  ): Found[] {
    const found: Found[] = [];
    // One row has several versions for a locking read only.
    const seen = isLocking ? new Set<string>() : null;
    const descend = (depth: number, scope: Scope, rows: readonly Row[]): void => {
      const source = sources[depth];
      if (source === undefined) {
        if (where !== null && !isTrue(where(scope, values, this.runner))) return;
        if (seen !== null) {
          const key = rows.length === 1 ? `${rows[0]!.id}` : rows.map(({ id }) => id).join();
          if (seen.has(key)) return;
          seen.add(key);
        }
        found.push({ scope, rows });
        return;
      }
      const add = (data: Data, row: Row | null): void => {
        const next = depth === 0 && scope === NO_SCOPE ? { [source.alias]: data } : { ...scope, [source.alias]: data };
        if (source.on !== null && !isTrue(source.on(next, values, this.runner))) return;
        descend(depth + 1, next, row ? [...rows, row] : rows);
      };
      this.candidates(source, { scope, values, isLocking, where, isOnly: sources.length === 1 }, add);
    };
    descend(0, outer, []);
    return found;
  }

  private candidates(source: Source, search: Search, add: (data: Data, row: Row | null) => void): void {
    const { of } = source;
    if (typeof of !== 'string') {
      const { scope, values } = search;
      const derived = of.kind === 'json' ? this.jsonRows(of, scope, values) : this.select(of, values, scope);
      for (const data of derived) add(data, null);
      return;
    }
    const { rows } = this.table(of);
    const known = this.known(source, search);
    const id = known.find(({ column }) => column === 'id')?.value;
    if (typeof id !== 'number') {
      for (const row of rows.values()) this.versions(row, known, search, add);
      return;
    }
    const row = rows.get(id);
    if (row !== undefined) this.versions(row, known, search, add);
  }

  /** A locking read also has to look at what another transaction has written, which may become the row. */
  private versions(
    row: Row,
    known: readonly Known[],
    { isLocking }: Search,
    add: (data: Data, row: Row | null) => void,
  ): void {
    const seen = row.seenBy(this.transaction);
    if (seen !== null && fits(seen, known)) add(seen, row);
    const { written } = row;
    if (isLocking && row.owner !== this.transaction && written && fits(written, known)) add(written, row);
  }

  /** What does not depend on the row itself is worked out once; the whole condition is still asked for each row left. */
  private known({ alias, on }: Source, { scope, values, where, isOnly }: Search): Known[] {
    const known: Known[] = [];
    for (const equalities of [where?.equalities, on?.equalities]) {
      for (const equality of equalities ?? []) {
        if (equality.alias === null ? !isOnly : equality.alias !== alias) continue;
        const of = equality.value.column;
        if (of !== undefined && (of.alias === null || of.alias === alias || !(of.alias in scope))) continue;
        known.push({ column: equality.column, value: equality.value(scope, values, this.runner) });
      }
    }
    return known;
  }

  private jsonRows({ document, columns }: JsonTable, scope: Scope, values: readonly Value[]): Data[] {
    const text = document(scope, values, this.runner);
    if (text === null) return [];
    const rows: unknown = JSON.parse(String(text));
    if (!Array.isArray(rows)) return [];
    return rows.map((row) => Object.fromEntries(columns.map(({ name, read }) => [name, read(row)])));
  }

  private lockAll(found: readonly Found[]): void {
    for (const { rows } of found) for (const row of rows) this.writer.lock(row);
  }

  private sort(found: Found[], query: Select, values: readonly Value[]): Found[] {
    return found.sort((one, other) => this.order(one, other, query, values));
  }

  /** Of a long line only the first is asked for, again and again. */
  private first(found: Found[], query: Select, values: readonly Value[]): Found[] {
    let [first] = found;
    for (const one of found) if (first && this.order(one, first, query, values) < 0) first = one;
    return first ? [first] : [];
  }

  private order(one: Found, other: Found, query: Select, values: readonly Value[]): number {
    for (const { value, isDescending } of query.orderBy) {
      const order = compare(value(one.scope, values, this.runner), value(other.scope, values, this.runner));
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  }

  private project(query: Select, scope: Scope, values: readonly Value[]): Data {
    const row: Record<string, Value> = {};
    for (const column of query.columns) {
      if (column.kind === 'all') Object.assign(row, scope[query.sources[0]?.alias ?? '']);
      else row[column.name] = column.value(scope, values, this.runner);
    }
    return row;
  }

  /** Counts as the server does: 1 for a new row, 2 for one that the duplicate changed. */
  private insert({ table: name, columns, rows, onDuplicate }: Insert, values: readonly Value[]): number {
    const table = this.table(name);
    let affected = 0;
    for (const expressions of rows) {
      const id = table.takeId();
      const data: Record<string, Value> = { id };
      for (const column of table.schema.nullable ?? []) data[column] = null;
      expressions.forEach((value, index) => (data[columns[index] ?? ''] = value({}, values, this.runner)));
      const other = this.rowOfKey(table, data);
      if (other === null) {
        const row = new Row(table, id);
        this.writer.lock(row);
        this.writer.write(row, data, true);
        affected += 1;
        continue;
      }
      if (onDuplicate === null) throw duplicateKey(other.key);
      this.writer.lock(other.row);
      const scope = { [name]: other.data, [INSERTED]: data };
      this.writer.write(other.row, this.set({ table: name, sets: onDuplicate }, other.data, scope, values));
      affected += 2;
    }
    return affected;
  }

  /** Whoever holds the row of that key decides whether there is one: the insert waits for the end of that transaction. */
  private rowOfKey(table: Table, data: Data): { readonly row: Row; readonly data: Data; readonly key: string } | null {
    for (const [index, keys] of table.keys.entries()) {
      const key = table.keyOf(index, data);
      const row = keys.get(key);
      if (row === undefined) continue;
      if (!this.writer.canLock(row)) throw new Blocked(row);
      const seen = row.seenBy(this.writer);
      if (seen !== null) return { row, data: seen, key };
      // Deleted by this very transaction.
      throw new Error('the simulated database inserts no key again that its transaction has deleted');
    }
    return null;
  }

  private change(
    { table: name, where }: Update | Delete,
    values: readonly Value[],
    next: (data: Data, scope: Scope) => Data | null,
  ): number {
    const found = this.find([{ alias: name, of: name, on: null }], where, values, NO_SCOPE, true);
    this.lockAll(found);
    for (const { rows } of found) {
      for (const row of rows) {
        const data = row.seenBy(this.writer);
        if (data !== null) this.writer.write(row, next(data, { [name]: data }));
      }
    }
    return found.length;
  }

  /**
   * One row after the other in the order of the join: locked, then looked at, then changed. What another transaction holds
   * is waited for even if it would not be meant, since only an UPDATE of a single table looks before it waits. A row that
   * fits twice is changed once, and counts once; the client asks for the rows that fit (CLIENT_FOUND_ROWS).
   */
  private updateJoined(update: Update, values: readonly Value[]): number {
    const { sources, table, where } = update;
    const changed = new Set<Row>();
    for (const { scope, rows } of this.find(sources, null, values, NO_SCOPE, true)) {
      for (const row of rows) {
        if (changed.has(row)) continue;
        const wasHeld = this.writer.holds(row);
        this.writer.lock(row);
        const data = row.seenBy(this.writer);
        const now = data && { ...scope, [table]: data };
        const on = sources[sources.length - 1]?.on ?? null;
        const fits = (condition: typeof where): boolean =>
          now !== null && (condition === null || isTrue(condition(now, values, this.runner)));
        if (data !== null && now !== null && fits(on) && fits(where)) {
          this.writer.write(row, this.set(update, data, now, values));
          changed.add(row);
        } else if (!wasHeld) this.writer.unlock(row);
      }
    }
    return changed.size;
  }

  private set(
    { table, sets }: Pick<Update, 'table' | 'sets'>,
    data: Data,
    scope: Scope,
    values: readonly Value[],
  ): Data {
    let next = data;
    // From left to right, each on what the ones before it have written, as MySQL does.
    for (const [column, value] of sets) {
      next = { ...next, [column]: value({ ...scope, [table]: next }, values, this.runner) };
    }
    return next;
  }

  private get writer(): Transaction {
    if (this.transaction === null) throw new Error('a write outside of a transaction');
    return this.transaction;
  }

  private table(name: string): Table {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`the simulated database has no table ${name}`);
    return table;
  }
}

const NO_SCOPE: Scope = {};

function fits(data: Data, known: readonly Known[]): boolean {
  for (const { column, value } of known) if (data[column] !== value) return false;
  return true;
}
