import { UnsupportedError } from './verdict.js';

/** What the product runs on in this run; the same cases run on each. */
export interface Engines {
  readonly guard: string;
  readonly store: string;
  readonly transport: string;
}

export const GUARDS = ['redis', 'embedded'];
export const STORES = ['sqlite', 'mariadb'];
export const TRANSPORTS = ['sqlite'];

/** The embedded queue belongs to one process. */
export function sharesTransport({ transport }: Engines): boolean {
  return transport !== 'sqlite';
}

export function needRedis({ guard }: Engines, what: string): void {
  if (guard !== 'redis') throw new UnsupportedError(`${what} needs Redis, and the guard is ${guard}`);
}

export function needServer({ store }: Engines, what: string): void {
  if (store === 'sqlite') throw new UnsupportedError(`${what} needs a database server, and the store is SQLite`);
}

/** Names of processes and of instances that this run has: one process with all roles. */
export function needOneInstance(instance: unknown, what: string): void {
  if (instance === undefined || instance === 1 || instance === 'consumer-1' || instance === 'gateway-1') return;
  throw new UnsupportedError(
    `${what}: a second instance (${JSON.stringify(instance)}) needs a transport that processes share, and the embedded queue serves one`,
  );
}
