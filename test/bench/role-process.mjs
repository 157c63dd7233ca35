// The built service in one role, as an operator starts it, and the CPU time of processes as the system counts it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../dist/src/main.js');
const START_LIMIT_MS = 60_000;
/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: times come in hundredths of a second. */
const TICK_MICROS = 10_000;

export class RoleProcess {
  static async start(role, env, profileDir) {
    const dataDir = mkdtempSync(join(tmpdir(), `wecom-bench-${role}-`));
    const profiling = profileDir
      ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`, `--cpu-prof-name=${role}.cpuprofile`]
      : [];
    const settings = { PATH: process.env.PATH, ROLE: role, DATA_DIR: dataDir, INSTANCE: role, ...env };
    const child = spawn(process.execPath, [...profiling, MAIN], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
    const self = new RoleProcess(child, dataDir);
    const deadline = performance.now() + START_LIMIT_MS;
    while (!self.lineOf('service.started')) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`${role} did not start:\n${self.raw}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    self.adminBase = new URL(self.lineOf('service.started').health).origin;
    self.port = Number(new URL(self.lineOf('app.ready')?.url ?? 'http://none:1').port);
    return self;
  }

  constructor(child, dataDir) {
    Object.assign(this, { child, dataDir, raw: '', warnings: {} });
    child.stdout.on('data', (chunk) => (this.raw += chunk));
    child.stderr.on('data', (chunk) => (this.raw += chunk));
  }

  lineOf(event) {
    return this.lines().find((line) => line.event === event);
  }

  /** How often each kind of warning was logged: a run that paused or rolled back is no plain one. */
  warningCounts() {
    const counts = {};
    for (const { level, event } of this.lines())
      if (level === 'warn' || level === 'error' || level >= 40) counts[event] = (counts[event] ?? 0) + 1;
    return counts;
  }

  lines() {
    return this.raw.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }

  /** Sum of a counter over its labels. */
  async metric(name) {
    const text = await (await fetch(`${this.adminBase}/metrics`)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  async stop() {
    if (this.child.exitCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exit;
    }
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** CPU microseconds so far of this process and of each one that it started, by name. */
export function cpuByName(names) {
  const found = { load: statOf(process.pid).micros };
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const { parent, micros } = statOf(entry);
      if (parent !== process.pid) continue;
      const name = names.get(Number(entry)) ?? engineOf(readFileSync(`/proc/${entry}/cmdline`, 'latin1'));
      found[name] = (found[name] ?? 0) + micros;
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), micros: (Number(fields[11]) + Number(fields[12])) * TICK_MICROS };
}

function engineOf(commandLine) {
  const known = { 'redis-server': 'redis', mariadbd: 'mariadb', 'kafka.Kafka': 'kafka', rocketmq: 'rocketmq' };
  return Object.entries(known).find(([word]) => commandLine.includes(word))?.[1] ?? 'other';
}
