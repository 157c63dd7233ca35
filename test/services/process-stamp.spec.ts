import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { processStamp } from './process-stamp.js';

describe('the stamp of a process', () => {
  it('stays the same, differs from that of another process, and ends with it', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
    await once(child, 'spawn');
    const [mine, its] = [await processStamp(process.pid), await processStamp(child.pid!)];
    expect(mine).not.toBeNull();
    expect(its).not.toBeNull();
    expect(its).not.toBe(mine);
    expect(await processStamp(child.pid!)).toBe(its);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    expect(await processStamp(child.pid!)).toBeNull();
  });
});
