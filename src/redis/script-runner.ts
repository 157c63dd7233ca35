/** A Lua script. */
export interface Script {
  readonly text: string;
  /** What Redis knows the text by. */
  readonly sha: string;
}

/** One run of a script, on one key: so it has one server to go to, also in a cluster. */
export interface ScriptCall {
  readonly script: Script;
  readonly key: string;
  readonly args: readonly (string | number)[];
}

/**
 * The Redis of this deployment, whatever it consists of: one server, a master that Sentinels appoint, or a cluster.
 *
 * Nothing waits in a queue: what cannot be sent now is rejected, so no script begins after its caller has gone on without
 * it (but for what a server had in its socket when it stopped).
 */
export abstract class ScriptRunner {
  /** The script's answer, from the server that holds the key; or a rejection with `ScriptUnansweredError` within the limit. */
  abstract run(call: ScriptCall): Promise<number>;

  /** Null while every server that may be asked answers; otherwise since when (ms) one does not, and why. Answers at once. */
  abstract trouble(): { readonly since: number; readonly reason: string } | null;

  /** Ends at once, also while a server hangs. Calls under way are rejected. */
  abstract close(): Promise<void>;
}

/** No answer in time, or none that the script gave. It may have run. */
export class ScriptUnansweredError extends Error {
  readonly code = 'REDIS_UNANSWERED';

  constructor(options: { cause: unknown }) {
    super('Redis did not answer', options);
    this.name = 'ScriptUnansweredError';
  }
}
