#!/usr/bin/env node
import { SystemClock } from '../runtime/system-clock.js';
import { SystemRandom } from '../runtime/system-random.js';
import { StoppedError } from './cli-errors.js';
import { runCli } from './run-cli.js';

const args = process.argv.slice(2);
const stop = new AbortController();
/** The service handles signals by itself. */
const isService = args[0] === 'start';

for (const signal of isService ? [] : (['SIGINT', 'SIGTERM'] as const)) {
  process.on(signal, () => {
    // The second time somebody means it.
    if (stop.signal.aborted) process.exit(new StoppedError(signal).exitCode);
    stop.abort(new StoppedError(signal));
  });
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `| head` has had enough: whoever only reads stops, whoever changes something goes on.
    if (error.code === 'EPIPE') stop.abort(new StoppedError('closed-pipe'));
    else throw error;
  });
}

const exitCode = await runCli(args, {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: new SystemClock(),
  random: new SystemRandom(),
  signal: stop.signal,
});
// Clients of engines may keep a connection for a while; what was written to a pipe is out before the end.
if (exitCode !== null) process.stdout.write('', () => process.exit(exitCode));
