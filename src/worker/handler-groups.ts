import type { WecomHandler } from '../handlers/wecom-handler.js';

/** One run of a handler that is due. */
export interface DueRun {
  readonly handler: WecomHandler;
  /** Every entity that its event moves. */
  readonly entityKeys: readonly string[];
}

/**
 * What is run together: all runs of a handler that takes many, each other run by itself. Runs that share an entity keep
 * their order, whoever takes them: what the first writes, the second may read.
 */
export function groupRuns<Run extends DueRun>(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  const openOf = new Map<WecomHandler, number>();
  const lastOf = new Map<string, number>();
  for (const run of runs) {
    const notBefore = Math.max(0, ...run.entityKeys.map((key) => lastOf.get(key) ?? 0));
    const open = run.handler.handleMany ? openOf.get(run.handler) : undefined;
    const at = open !== undefined && open >= notBefore ? open : groups.push([]) - 1;
    groups[at]?.push(run);
    openOf.set(run.handler, at);
    for (const key of run.entityKeys) lastOf.set(key, at);
  }
  return groups;
}
