import { randomInt } from 'node:crypto';
import { AdminUnavailableError } from './admin-client.js';
import { readCredentials } from './credentials.js';
import { type Flags, parseFlags } from './flags.js';
import { helpText } from './help-text.js';
import { renderTable } from './report.js';
import { SetupError } from './setup-error.js';
import { Simulation } from './simulation.js';

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_CANNOT_RUN = 2;
const SEED_LIMIT = 4_294_967_296;

export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** `npm run simulate`, or the command line's own `simulate`. */
export interface Caller {
  readonly usage: string;
  /** What to end with when the service, a file or a token that it needs is not there. */
  readonly exitCannotBegin: number;
}

const NPM: Caller = { usage: 'npm run simulate --', exitCannotBegin: EXIT_CANNOT_RUN };

/** The command. Resolves to its exit code. */
export async function simulate(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  caller = NPM,
): Promise<number> {
  const parsed = parseFlags(args, env, randomInt(SEED_LIMIT));
  if (parsed.kind === 'help') {
    terminal.stdout.write(helpText(caller.usage, caller.exitCannotBegin));
    return EXIT_OK;
  }
  if (parsed.kind === 'wrong') {
    terminal.stderr.write(`${parsed.reason}\nAll flags: ${caller.usage} --help\n`);
    return EXIT_CANNOT_RUN;
  }
  try {
    return await play(parsed.flags, env, terminal);
  } catch (error) {
    if (error instanceof SetupError) {
      terminal.stderr.write(`${error.message}.\n`);
      return caller.exitCannotBegin;
    }
    if (!(error instanceof AdminUnavailableError)) throw error;
    terminal.stderr.write(`The run cannot be judged: ${error.message}.\n`);
    return EXIT_FAILED;
  }
}

async function play(flags: Flags, env: NodeJS.ProcessEnv, { stdout, stderr }: Terminal): Promise<number> {
  // With --json, stdout is for the machine alone.
  const talk = flags.isJson ? stderr : stdout;
  talk.write(`seed=${flags.seed} target=${flags.targets.join(',')} app=${flags.app} events=${flags.count}\n`);
  const simulation = new Simulation(flags, readCredentials(flags, env), talk);
  try {
    const summary = await simulation.run();
    stdout.write(flags.isJson ? `${JSON.stringify(summary)}\n` : renderTable(summary));
    return summary.ok ? EXIT_OK : EXIT_FAILED;
  } finally {
    simulation.close();
  }
}
