// One server of `server.mjs` in a process of its own, measured by its own CPU time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, percentile, requestBytes } from './load.mjs';
import { callbacks, CREDENTIALS } from './workload.mjs';

const SERVER = join(import.meta.dirname, 'server.mjs');
const LOOK_EVERY_MS = 20;

async function withServer(mode, run) {
  const dataDir = mkdtempSync(join(tmpdir(), `wecom-bench-${mode}-`));
  const appsFile = join(dataDir, 'apps.json');
  writeFileSync(appsFile, JSON.stringify({ bench: CREDENTIALS }));
  const child = fork(SERVER, [mode, dataDir, appsFile]);
  const [{ port }] = await once(child, 'message');
  const ask = async () => {
    child.send('cpu');
    return (await once(child, 'message'))[0];
  };
  try {
    return await run({ port, ask });
  } finally {
    child.send('stop');
    await once(child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** `untilDecided`: the clock stops when every event has its outcome, not when its callback was answered. */
export async function measureServer(mode, { count, warmup, connections, untilDecided = false }) {
  const requests = callbacks(warmup + count).map(requestBytes);
  return withServer(mode, async ({ port, ask }) => {
    const decided = async (target) => {
      while ((await ask()).decided < target) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    };
    await deliver(port, requests.slice(0, warmup), { connections });
    if (untilDecided) await decided(warmup);
    const before = await ask();
    const begun = performance.now();
    const { latencies, ms } = await deliver(port, requests.slice(warmup), { connections });
    if (untilDecided) await decided(warmup + count);
    const totalMs = performance.now() - begun;
    const after = await ask();
    return {
      cpuMicros: (after.cpuMicros - before.cpuMicros) / count,
      answeredPerSecond: (count / ms) * 1000,
      perSecond: (count / totalMs) * 1000,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  });
}
