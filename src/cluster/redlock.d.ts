// The package's own declarations are not found through its `exports`, and would be read as CommonJS if they were. This is
// the part of them that is used here.
declare module 'redlock' {
  import type { EventEmitter } from 'node:events';

  /** What the library asks of a client of ioredis. */
  export interface Client {
    evalsha(sha: string, keyCount: number, keysAndArgs: readonly (string | number)[]): Promise<number>;
    eval(text: string, keyCount: number, keysAndArgs: readonly (string | number)[]): Promise<number>;
  }

  export interface Settings {
    readonly driftFactor: number;
    readonly retryCount: number;
    readonly retryDelay: number;
    readonly retryJitter: number;
    readonly automaticExtensionThreshold: number;
  }

  export interface ExecutionStats {
    readonly votesAgainst: ReadonlyMap<Client, Error>;
  }

  export class ResourceLockedError extends Error {}

  export class ExecutionError extends Error {
    readonly attempts: readonly Promise<ExecutionStats>[];
  }

  export default class Redlock extends EventEmitter {
    constructor(clients: Iterable<Client>, settings?: Partial<Settings>);
    using<T>(
      resources: string[],
      duration: number,
      settings: Partial<Settings>,
      routine: (signal: AbortSignal) => Promise<T>,
    ): Promise<T>;
  }
}
