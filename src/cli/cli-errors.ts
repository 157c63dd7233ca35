import { EXIT, type ExitCode } from './exit-codes.js';

/** Ends the command. The message is for the person who called it, and holds no secret. */
export class CliError extends Error {
  constructor(
    readonly code: string,
    readonly exitCode: ExitCode,
    message: string,
    options?: { cause: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class UsageError extends CliError {
  constructor(message: string, options?: { cause: unknown }) {
    super('CLI_USAGE', EXIT.usage, message, options);
  }
}

export class UnreachableError extends CliError {
  constructor(message: string) {
    super('CLI_UNREACHABLE', EXIT.unreachable, message);
  }
}

export class RefusedError extends CliError {
  constructor(message: string) {
    super('CLI_REFUSED', EXIT.refused, message);
  }
}

/** What was named does not exist, or is in a state that does not allow what was asked for. */
export class NotSoError extends CliError {
  constructor(message: string) {
    super('CLI_NOT_SO', EXIT.notSo, message);
  }
}

export class UnexpectedAnswerError extends CliError {
  constructor(message: string) {
    super('CLI_UNEXPECTED_ANSWER', EXIT.unexpected, message);
  }
}

/** The reason of an aborted signal: Ctrl-C, SIGTERM, or a reader of the output that has had enough (`| head`). */
export class StoppedError extends CliError {
  constructor(readonly by: 'SIGINT' | 'SIGTERM' | 'closed-pipe') {
    const exits = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, 'closed-pipe': EXIT.ok } as const;
    super('CLI_STOPPED', exits[by], `stopped by ${by}`);
  }
}
