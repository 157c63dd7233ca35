import { appendFileSync } from 'node:fs';
import type { JournalLine } from './control.js';

/** Written through at once, so that it tells what happened before a `kill -9`. */
export function journal(line: JournalLine): void {
  const path = process.env['CASE_JOURNAL'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
