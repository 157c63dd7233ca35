import { appendFileSync, closeSync, openSync } from 'node:fs';
import type { JournalLine } from './control.js';

/** Written through at once, so that it tells what happened before a `kill -9`. */
export function journal(line: JournalLine): void {
  const path = process.env['CASE_JOURNAL'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

/** One of `times` turns that all processes of a case share; false when they are used up. */
export function takeTurn(name: string, times: number): boolean {
  const path = process.env['CASE_JOURNAL'];
  for (let turn = 0; turn < times; turn += 1) {
    try {
      // Who makes the file has the turn.
      closeSync(openSync(`${path}.${name}.${turn}`, 'wx'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return false;
}

export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}
