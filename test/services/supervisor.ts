import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ENV_WITH_DAEMONS } from './launch.js';
import { processStamp } from './process-stamp.js';
import type { ServerPlan } from './service.js';

/** What is kept of a process, so that it can be found and ended by another command. */
export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  readonly stamp: string;
  readonly layout: string;
  readonly ports: readonly number[];
  readonly log: string;
}

const END_LIMIT_MS = 45_000;
const POLL_MS = 50;
const TAIL_CHARS = 3_000;

/** Starts processes that outlive this one, and ends them by id once the id is seen to be still theirs. */
export class Supervisor {
  /** Of one service; records and logs are inside. */
  constructor(private readonly folder: string) {}

  async records(): Promise<ProcessRecord[]> {
    const files = await readdir(this.recordFolder).catch(() => []);
    const records: ProcessRecord[] = [];
    for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
      const text = await readFile(join(this.recordFolder, file), 'utf8').catch(() => '');
      const record = recordFrom(text);
      if (record !== null) records.push(record);
    }
    return records;
  }

  async runs({ pid, stamp }: ProcessRecord): Promise<boolean> {
    return (await processStamp(pid)) === stamp;
  }

  async start({ name, launch, ports, log: ownLog }: ServerPlan, layout: string): Promise<ProcessRecord> {
    await mkdir(this.recordFolder, { recursive: true });
    const log = join(this.folder, `${name}.log`);
    const output = openSync(log, 'a');
    const child = spawn(launch.command, launch.args, {
      // In a session of its own: what ends this command, its terminal or its group, does not end the server.
      ...{ detached: true, cwd: this.folder, stdio: ['ignore', output, output] },
      env: { ...ENV_WITH_DAEMONS, ...launch.env },
    });
    closeSync(output);
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('spawn', () => resolve(child.pid!)).once('error', reject);
    });
    child.unref();
    const stamp = (await processStamp(pid)) ?? 'ended at once';
    const record: ProcessRecord = { name, pid, stamp, layout, ports, log: ownLog ?? log };
    writeFileSync(join(this.recordFolder, `${name}.json`), JSON.stringify(record));
    return record;
  }

  /** Politely, then by force. A process that is not ours any more is left alone. */
  async end(record: ProcessRecord): Promise<'ended' | 'was gone'> {
    const wasRunning = await this.runs(record);
    if (wasRunning) {
      process.kill(record.pid, 'SIGTERM');
      if (!(await this.endsWithin(record, END_LIMIT_MS))) {
        process.kill(record.pid, 'SIGKILL');
        await this.endsWithin(record, END_LIMIT_MS);
      }
    }
    await this.forget(record);
    return wasRunning ? 'ended' : 'was gone';
  }

  async forget({ name }: ProcessRecord): Promise<void> {
    await rm(join(this.recordFolder, `${name}.json`), { force: true });
  }

  async logTail({ log }: ProcessRecord): Promise<string> {
    return (await readFile(log, 'utf8').catch(() => '')).slice(-TAIL_CHARS);
  }

  private async endsWithin(record: ProcessRecord, limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    while (await this.runs(record)) {
      if (performance.now() > deadline) return false;
      await pause(POLL_MS);
    }
    return true;
  }

  private get recordFolder(): string {
    return join(this.folder, 'run');
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Null for what a cut-off write or another program has left there. */
function recordFrom(text: string): ProcessRecord | null {
  try {
    const record = JSON.parse(text) as ProcessRecord;
    return Number.isSafeInteger(record.pid) && record.pid > 1 && typeof record.stamp === 'string' ? record : null;
  } catch {
    return null;
  }
}
