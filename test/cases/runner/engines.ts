import { UnsupportedError } from './verdict.js';

/** What the product runs on in this run; the same cases run on each. */
export interface Engines {
  readonly guard: string;
  readonly store: string;
  readonly transport: string;
}

export const GUARDS = ['redis', 'embedded'];
export const STORES = ['sqlite', 'mariadb'];
export const TRANSPORTS = ['sqlite', 'kafka', 'rocketmq'];

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

/** Several processes need all three engines outside of themselves. */
function sharesEverything(engines: Engines): boolean {
  return sharesTransport(engines) && engines.store !== 'sqlite' && engines.guard === 'redis';
}

/** The number in `2`, `gateway-2` or `consumer-2`; 1 when no instance is named. Each is a process with both roles. */
export function instanceOf(instance: unknown): number {
  if (instance === undefined) return 1;
  const [, number] = /^(?:(?:gateway|consumer)-)?([1-9])$/.exec(JSON.stringify(instance).replaceAll('"', '')) ?? [];
  if (number === undefined) throw new UnsupportedError(`instance ${JSON.stringify(instance)} is not known here`);
  return Number(number);
}

/** Says before a case is begun that an instance it names cannot be had on these engines. */
export function needInstance(instance: unknown, what: string, engines: Engines): void {
  if (instanceOf(instance) === 1 || sharesEverything(engines)) return;
  throw new UnsupportedError(
    `${what}: a second instance (${JSON.stringify(instance)}) needs engines that processes share, and these are ${engines.guard}, ${engines.transport} and ${engines.store}`,
  );
}
