import type { EntityManager } from 'typeorm';
import { DatabaseUnavailableError, TransactionConflictError } from '../../src/database/database-errors.js';
import { UnitOfWork, type Tx } from '../../src/database/unit-of-work.js';

/** `reply-lost`: committed, but nobody is told. The others roll back. */
export type CommitFault = 'reply-lost' | 'conflict' | 'unavailable';

type Act = (tx: Tx) => Promise<unknown>;

/** Which methods of the stores a transaction called, as `<store>.<method>`: what a fault or an act is aimed at. */
const callsOf = new WeakMap<EntityManager, Set<string>>();

/** A unit of work whose commits fail on command. All else is the real one's. */
export class ScriptedUnitOfWork extends UnitOfWork {
  private readonly faults: { readonly call: string; readonly fault: CommitFault }[] = [];
  private readonly before: (() => Promise<unknown>)[] = [];
  /** Transactions begun, each with the calls that it made. */
  readonly writes: ReadonlySet<string>[] = [];
  isAway = false;

  constructor(private readonly inner: UnitOfWork) {
    super();
  }

  /** The next transaction that makes this call ends like that. */
  failCommit(call: string, fault: CommitFault): void {
    this.faults.push({ call, fault });
  }

  /** Runs before the next transaction begins, as another process would. */
  beforeNextWrite(act: () => Promise<unknown>): void {
    this.before.push(act);
  }

  override async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const act = this.before.shift();
    if (act) await act();
    if (this.isAway) throw new DatabaseUnavailableError({ cause: new Error('scripted') });
    const calls = new Set<string>();
    this.writes.push(calls);
    let fault: CommitFault | undefined;
    const result = await this.inner.write(async (tx) => {
      callsOf.set(tx.manager, calls);
      const value = await work(tx);
      const index = this.faults.findIndex(({ call }) => calls.has(call));
      fault = index < 0 ? undefined : this.faults.splice(index, 1)[0]?.fault;
      if (fault === 'conflict') throw new TransactionConflictError({ cause: new Error('scripted') });
      if (fault === 'unavailable') throw new DatabaseUnavailableError({ cause: new Error('scripted') });
      return value;
    });
    if (fault === 'reply-lost') throw new TransactionConflictError({ cause: new Error('scripted') });
    return result;
  }

  override read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.isAway) return Promise.reject(new DatabaseUnavailableError({ cause: new Error('scripted') }));
    return this.inner.read(work);
  }

  override trouble(): { since: number; reason: string } | null {
    return this.inner.trouble();
  }
}

/** Acts that come right after a store's call, inside its transaction. */
export class StoreActs {
  private readonly acts = new Map<string, Act[]>();
  private readonly answers = new Map<string, unknown>();

  /** Once, after the next call of `<store>.<method>`. */
  after(call: string, act: Act): void {
    this.acts.set(call, [...(this.acts.get(call) ?? []), act]);
  }

  /** The next call of `<store>.<method>` answers this instead. */
  answer(call: string, result: unknown): void {
    this.answers.set(call, result);
  }

  /** The store itself, with its calls noted. */
  watched<Store extends object>(name: string, store: Store): Store {
    return new Proxy(store, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const call = `${name}.${String(method)}`;
          const tx = args[0] as Tx | undefined;
          if (tx?.manager) callsOf.get(tx.manager)?.add(call);
          const result: unknown = await Reflect.apply(value, target, args);
          const act = this.acts.get(call)?.shift();
          if (act && tx) await act(tx);
          if (!this.answers.has(call)) return result;
          const answer = this.answers.get(call);
          this.answers.delete(call);
          return answer;
        };
      },
    });
  }
}
