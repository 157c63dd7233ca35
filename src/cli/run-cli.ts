import { CommanderError } from 'commander';
import { writeJson, type CliContext } from './cli-context.js';
import { CliError, StoppedError, UsageError } from './cli-errors.js';
import { EXIT } from './exit-codes.js';
import { program } from './program.js';
import { secretOption, SECRETS_BELONG } from './secret-options.js';

/** Runs one command. Resolves to its exit code, or to null when it goes on (`start`). Never throws. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number | null> {
  const isJson = args.includes('--json');
  let exitCode: number | null = null;
  try {
    const secret = secretOption(args);
    if (secret !== null) throw new UsageError(`${secret}: ${SECRETS_BELONG}`);
    const command = program(context, (code) => (exitCode = code));
    for (const one of [command, ...command.commands])
      one.exitOverride().configureOutput({
        writeOut: (text) => void context.stdout.write(text),
        writeErr: (text) => void context.stderr.write(text),
      });
    await command.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return failed(error, context, isJson);
  }
}

function failed(error: unknown, context: CliContext, isJson: boolean): number {
  // Commander has written its help or what is wrong with the call.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const reason: unknown = context.signal.aborted ? context.signal.reason : error;
  if (reason instanceof StoppedError) return reason.exitCode;
  if (error instanceof CliError) {
    const { code, message, exitCode } = error;
    context.stderr.write(`${message}\n`);
    if (isJson) writeJson(context, { ok: false, error: { code, message } });
    return exitCode;
  }
  context.stderr.write(
    `this is a fault of the program itself: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return EXIT.unexpected;
}
