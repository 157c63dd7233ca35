import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const CLI = resolve(import.meta.dirname, '../../dist/src/cli/main.js');

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command line as a process of its own, with no settings but those given. */
export class CliProcess {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], env: Record<string, string> = {}, stdin: string | Buffer = '') {
    this.child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env['PATH'], ...env } });
    this.child.stdout.on('data', (part: Buffer) => (this.stdout += part.toString()));
    this.child.stderr.on('data', (part: Buffer) => (this.stderr += part.toString()));
    // A command that reads no input may be gone before it is written.
    this.child.stdin.on('error', () => undefined);
    this.child.stdin.end(stdin);
  }

  async ended(): Promise<CliResult> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }
}

export function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  stdin: string | Buffer = '',
): Promise<CliResult> {
  return new CliProcess(args, env, stdin).ended();
}
