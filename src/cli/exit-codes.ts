/**
 * What every command ends with; docs/cli.md explains each. A test compares the two.
 *
 * Codes above 128 are the shell's own for a signal.
 */
export const EXIT = {
  ok: 0,
  /** What was asked about is not so: a fault was found, nothing matched, an item was not redriven. */
  notSo: 1,
  /** Called wrongly, or a file or setting that it needs is missing or wrong. Nothing was done. */
  usage: 2,
  unreachable: 3,
  /** The service refuses the token. */
  refused: 4,
  /** Somebody answers, but not as this service does; or a fault of this program. */
  unexpected: 5,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
