import type { Clock } from '../runtime/clock.js';
import type { Random } from '../runtime/random.js';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The world of a command; a test brings its own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** What was asked for, and nothing else. */
  readonly stdout: Output;
  /** Everything that is said beside it. */
  readonly stderr: Output;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts with a `StoppedError`. */
  readonly signal: AbortSignal;
}

export interface JsonOption {
  readonly json?: boolean;
}

/** One document. */
export function writeJson({ stdout }: CliContext, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, stdout.isTTY ? 2 : 0)}\n`);
}

export function writeLines({ stdout }: CliContext, lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
}

export function say({ stderr }: CliContext, line: string): void {
  stderr.write(`${line}\n`);
}
