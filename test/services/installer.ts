import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { ENV_WITH_DAEMONS } from './launch.js';
import { runCommand } from './run-command.js';
import { ServiceFailedError, type Service } from './service.js';

const APT_LIMIT_MS = 900_000;

/** Brings what services need and this machine has not, once the person at the terminal has agreed. */
export async function install(services: readonly Service[], yes: boolean, say: (line: string) => void): Promise<void> {
  const packages = missingPackages(services, hasProgram);
  const fetched = services.flatMap((service) => (service.fetched === null ? [] : [service.fetched]));
  if (packages.length === 0 && fetched.length === 0) return;
  if (packages.length > 0) say(`To be installed by apt-get: ${packages.join(' ')}`);
  for (const what of fetched) say(`To be fetched: ${what}`);
  if (!yes && process.stdin.isTTY && !(await agrees())) throw new ServiceFailedError('nothing was installed');
  if (packages.length > 0) await aptInstall(packages);
  for (const service of services.filter((one) => one.fetched !== null)) await service.fetch();
}

export function missingPackages(services: readonly Service[], has: (program: string) => boolean): string[] {
  const needs = services.flatMap((service) => service.needs);
  return [...new Set(needs.filter(({ program }) => !has(program)).map(({ aptPackage }) => aptPackage))];
}

function hasProgram(program: string): boolean {
  return spawnSync(program, ['--version'], { env: ENV_WITH_DAEMONS, stdio: 'ignore' }).error === undefined;
}

async function aptInstall(packages: readonly string[]): Promise<void> {
  const hint = `apt-get install ${packages.join(' ')}`;
  if (spawnSync('apt-get', ['--version']).error !== undefined)
    throw new ServiceFailedError(`there is no apt-get here; install by hand what "${hint}" would`);
  // Never a question for a password in the middle of CI.
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', ...(process.stdin.isTTY ? [] : ['-n'])];
  // Run level 1 keeps packages from starting services (invoke-rc.d obeys it).
  const env = ['env', 'RUNLEVEL=1', 'DEBIAN_FRONTEND=noninteractive'];
  const runApt = async (...args: string[]): Promise<void> => {
    const [command, ...rest] = [...sudo, ...env, 'apt-get', '-qq', ...args];
    await runCommand({ command: command!, args: rest }, APT_LIMIT_MS);
  };
  await runApt('update');
  await runApt('install', '-y', '--no-install-recommends', ...packages);
}

async function agrees(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^(?:y|yes|)$/i.test((await terminal.question('Go on? [Y/n] ')).trim());
  } finally {
    terminal.close();
  }
}
