import { changedRows } from '../../../src/database/changed-rows.js';
import type { Tx } from '../../../src/database/unit-of-work.js';

type Methods = Readonly<Record<string, (...given: any[]) => unknown>>;

/** Gives one object other methods, private ones too; `make` gets the right ones. The class stays as it is. */
export function patch<T extends object>(part: T, make: (right: T & Methods) => Methods): T {
  const right = new Proxy(part, {
    get: (target, name) => {
      const value: unknown = Reflect.get(Object.getPrototypeOf(target) as object, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : (Reflect.get(target, name) as unknown);
    },
  }) as T & Methods;
  return Object.assign(part, make(right));
}

/** One statement of a mutant. */
export async function sql(tx: Tx, text: string, ...values: readonly unknown[]): Promise<any[]> {
  return tx.manager.query<any[]>(text, [...values]);
}

export function change(tx: Tx, text: string, ...values: readonly unknown[]): Promise<number> {
  return changedRows(tx, text, values);
}
