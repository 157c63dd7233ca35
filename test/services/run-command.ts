import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ENV_WITH_DAEMONS, type Launch } from './launch.js';
import { ServiceFailedError } from './service.js';

const LIMIT_MS = 180_000;

/** Runs a program to its end, and says what it wrote when that is a bad one. */
export async function runCommand({ command, args, env }: Launch, limitMs = LIMIT_MS): Promise<string> {
  try {
    const options = { env: { ...ENV_WITH_DAEMONS, ...env }, timeout: limitMs, maxBuffer: 16_777_216 };
    return (await promisify(execFile)(command, [...args], options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    const said = `${stdout}${stderr}`.slice(-3_000) || message;
    throw new ServiceFailedError(`${command} failed: ${said}`, { cause: error });
  }
}
