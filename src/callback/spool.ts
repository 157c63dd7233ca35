/** One event in the spool: what `Transport.publish` would have got. */
export interface SpooledMessage {
  readonly topic: string;
  readonly orderingKey: string;
  readonly body: string;
}

export interface SpoolState {
  /** Frames appended and not yet published. */
  readonly depth: number;
  readonly bytes: number;
  /** When the oldest waiting frame was appended (ms), or null when the spool is empty. */
  readonly oldestAt: number | null;
  /** Why the last append or drain failed, and since when (ms); null while all is well. */
  readonly trouble: { since: number; reason: string } | null;
  /** False from a failing append until one works. A failing drain leaves it true: the spool then does what it is for. */
  readonly canAppend: boolean;
  /** Segments set aside because a frame in their middle is damaged. A person has to look at them. */
  readonly damagedSegments: number;
}

/**
 * Durable refuge of the gateway while the transport is away (protocol.md, "Request path" 5). Frames leave in the order
 * in which they came, and only after their publish was acknowledged; a crash between the two publishes a frame again.
 */
export abstract class Spool {
  /** Reads what an earlier process left behind and cuts a torn tail. Called once, before the first append. */
  abstract open(): Promise<void>;

  /**
   * Resolves when the frame survives a power cut. Rejects with `SpoolFailedError` on any I/O error, when the spool is
   * full, or when the disk hangs past the limit; the frame may then still be in the file and be published later.
   */
  abstract append(message: SpooledMessage): Promise<void>;

  /** True while new events must go behind what already waits, so that order is kept. */
  abstract isHolding(): boolean;

  abstract state(): SpoolState;

  /** Stops draining and closes the files; frames that wait stay for the next start. */
  abstract close(): Promise<void>;
}

export class SpoolFailedError extends Error {
  readonly code = 'SPOOL_FAILED';

  constructor(reason: string, options?: { cause: unknown }) {
    super(`the spool could not keep an event: ${reason}`, options);
    this.name = 'SpoolFailedError';
  }
}
