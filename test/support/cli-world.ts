import type { CliContext } from '../../src/cli/cli-context.js';
import { runCli } from '../../src/cli/run-cli.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SystemRandom } from '../../src/runtime/system-random.js';

/** A command inside the test's process: what it writes is kept. */
export class CliWorld {
  stdout = '';
  stderr = '';
  readonly stop = new AbortController();

  constructor(
    private readonly env: CliContext['env'] = {},
    private readonly stdin: readonly (string | Buffer)[] = [],
  ) {}

  run(...args: string[]): Promise<number | null> {
    return runCli(args, {
      env: this.env,
      stdin: this.input(),
      stdout: { write: (text) => void (this.stdout += text) },
      stderr: { write: (text) => void (this.stderr += text) },
      clock: new SystemClock(),
      random: new SystemRandom(),
      signal: this.stop.signal,
    });
  }

  get json(): any {
    return JSON.parse(this.stdout);
  }

  private async *input(): AsyncGenerator<string | Buffer> {
    yield* this.stdin;
  }
}
