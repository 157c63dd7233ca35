import { createHash } from 'node:crypto';
import type { Client } from 'redlock';
import type { Script, ScriptRunner } from '../redis/script-runner.js';

/**
 * What the lock's library takes for a client: it sends each script by its SHA first, and the text when that is unknown.
 * To the library a Sentinel's master or a whole cluster is one Redis: the lock has no majority of servers behind it.
 */
export class RedlockClient implements Client {
  /** The library has three scripts. */
  private readonly scripts = new Map<string, Script>();

  constructor(private readonly redis: ScriptRunner) {}

  async evalsha(sha: string, keyCount: number, keysAndArgs: readonly (string | number)[]): Promise<number> {
    const script = this.scripts.get(sha);
    // The text comes at once, and from then on the runner takes care of servers that do not know it.
    if (script === undefined) throw new Error('NOSCRIPT not seen before');
    return this.run(script, keyCount, keysAndArgs);
  }

  async eval(text: string, keyCount: number, keysAndArgs: readonly (string | number)[]): Promise<number> {
    const script = { text, sha: createHash('sha1').update(text).digest('hex') };
    this.scripts.set(script.sha, script);
    return this.run(script, keyCount, keysAndArgs);
  }

  private run(script: Script, keyCount: number, keysAndArgs: readonly (string | number)[]): Promise<number> {
    if (keyCount !== 1) throw new Error(`a lock is one key, not ${keyCount}`);
    const [key, ...args] = keysAndArgs;
    return this.redis.run({ script, key: String(key), args });
  }
}
