import { simulate as play } from '../simulator/simulate.js';
import type { CliContext } from './cli-context.js';
import { EXIT } from './exit-codes.js';

/** The simulator, with flags of its own: it reads the admin token and the keys as it always did. */
export async function simulate({ env }: CliContext, args: readonly string[]): Promise<number> {
  // Its progress bar draws on a terminal, so it gets the process's own streams.
  return play(args, { ...env }, process, {
    usage: 'wecom-callback-gateway simulate',
    exitCannotBegin: EXIT.unreachable,
  });
}
