import type { GuardServers } from '../config/guard-servers.js';
import type { Clock } from '../runtime/clock.js';
import { ClusterLinks } from './cluster-links.js';
import type { ScriptCall, ScriptRunner } from './script-runner.js';
import { ServerLink, type LinkLog } from './server-link.js';

export interface ScriptRunnerOptions {
  readonly servers: GuardServers;
  /** What the servers know the connections by. */
  readonly name: string;
  /** Longest wait for an answer. */
  readonly timeoutMs: number;
  /** Longest wait for the first connection; it opens without one then, and goes on trying. */
  readonly openLimitMs: number;
  /** Asked on a new connection and then again and again: what will be asked of the server, on a key with this hash tag. */
  readonly probe: (tag: string) => ScriptCall;
}

/** The one way to the Redis of this deployment. An absent one keeps nobody from starting. */
export async function openScriptRunner(
  clock: Clock,
  log: LinkLog,
  { servers, openLimitMs, ...options }: ScriptRunnerOptions,
): Promise<ScriptRunner> {
  if (servers.kind === 'cluster') {
    const links = new ClusterLinks(clock, log, { ...options, seeds: servers.seeds });
    await links.open(openLimitMs);
    return links;
  }
  const link = new ServerLink(clock, log, { ...options, target: servers, probe: () => options.probe('probe') });
  await link.open(openLimitMs);
  return link;
}
