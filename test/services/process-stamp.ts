import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * What tells a process from all others that ever had or will have its id, or null when there is none: the time of its
 * start. An id alone may be anybody's by now, also after the machine was started anew.
 */
export async function processStamp(pid: number): Promise<string | null> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null);
  if (boot === null) return stampByPs(pid);
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Behind the name, which may hold anything: the state is the third field of all, the start the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  // A zombie has ended; nobody has asked for its exit code yet.
  if (start === undefined || state === 'Z' || state === 'X') return null;
  return `${boot.trim()}:${start}`;
}

/** Where there is no /proc, as on macOS. */
async function stampByPs(pid: number): Promise<string | null> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  const text = stdout.trim();
  return text === '' || text.startsWith('Z') ? null : text.split(/\s+/).slice(1).join(' ');
}
