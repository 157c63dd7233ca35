// Ingest and end to end on the embedded default, beside a bare Nest + Fastify echo in the same run. Figures are CPU time
// of the server's process a callback, and events a second by the clock; machines are noisy, so read the ratios.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callbacks, CREDENTIALS } from './workload.mjs';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    warmup: { type: 'string', default: '4000' },
    connections: { type: 'string', default: '32' },
  },
});
const [count, warmup, connections] = [Number(flags.count), Number(flags.warmup), Number(flags.connections)];
const SERVER = join(import.meta.dirname, 'server.mjs');

async function withServer(mode, run) {
  const dataDir = mkdtempSync(join(tmpdir(), `wecom-bench-${mode}-`));
  const appsFile = join(dataDir, 'apps.json');
  writeFileSync(appsFile, JSON.stringify({ bench: CREDENTIALS }));
  const child = fork(SERVER, [mode, dataDir, appsFile]);
  const [{ port }] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = async () => {
    child.send('cpu');
    return (await once(child, 'message'))[0];
  };
  try {
    return await run({ port, agent, ask });
  } finally {
    agent.destroy();
    child.send('stop');
    await once(child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function post(port, agent, { path, body }) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'text/xml', 'content-length': body.length };
    const call = request({ port, host: '127.0.0.1', method: 'POST', path, agent, headers }, (response) => {
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () =>
        response.statusCode === 200 && text === 'success'
          ? resolve()
          : reject(new Error(`${response.statusCode} ${text}`)),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function deliver({ port, agent }, list) {
  const latencies = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let at = next++; at < list.length; at = next++) {
        const begun = performance.now();
        await post(port, agent, list[at]);
        latencies.push(performance.now() - begun);
      }
    }),
  );
  return latencies.sort((a, b) => a - b);
}

/** `untilDecided`: the clock stops when every event has its outcome, not when its callback was answered. */
async function measure(mode, untilDecided) {
  return withServer(mode, async (server) => {
    const list = callbacks(warmup + count);
    await deliver(server, list.slice(0, warmup));
    if (untilDecided) await decided(server, warmup);
    const before = await server.ask();
    const begun = performance.now();
    const latencies = await deliver(server, list.slice(warmup));
    const answeredMs = performance.now() - begun;
    if (untilDecided) await decided(server, warmup + count);
    const totalMs = performance.now() - begun;
    const after = await server.ask();
    return {
      cpuMicros: (after.cpuMicros - before.cpuMicros) / count,
      answeredPerSecond: (count / answeredMs) * 1000,
      perSecond: (count / totalMs) * 1000,
      p50: latencies[Math.floor(latencies.length * 0.5)],
      p99: latencies[Math.floor(latencies.length * 0.99)],
    };
  });
}

async function decided(server, target) {
  while ((await server.ask()).decided < target) await new Promise((resolve) => setTimeout(resolve, 20));
}

const results = {
  echo: await measure('echo', false),
  ingest: await measure('ingest', false),
  full: await measure('full', true),
};
const round = (value) => Math.round(value);
console.log(`count=${count} connections=${connections} node=${process.version}`);
console.table(
  Object.fromEntries(
    Object.entries(results).map(([mode, result]) => [
      mode,
      {
        'CPU µs': round(result.cpuMicros),
        'times echo': Number((result.cpuMicros / results.echo.cpuMicros).toFixed(1)),
        'answered/s': round(result.answeredPerSecond),
        'done/s': round(result.perSecond),
        'p50 ms': Number(result.p50.toFixed(1)),
        'p99 ms': Number(result.p99.toFixed(1)),
      },
    ]),
  ),
);
