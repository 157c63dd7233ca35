// `npm run bench -- [--engines embedded|kafka-mariadb|rocketmq-mariadb] [--json <file>] …`. Ends with 1 when an event was
// lost, doubled or applied out of order: a speed that costs one of them is none.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const ENGINES = ['embedded', 'kafka-mariadb', 'rocketmq-mariadb'];

const { values: flags } = parseArgs({
  options: {
    engines: { type: 'string', default: 'embedded' },
    count: { type: 'string', default: '20000' },
    warmup: { type: 'string', default: '4000' },
    connections: { type: 'string', default: '32' },
    lanes: { type: 'string' },
    batch: { type: 'string', default: '100' },
    json: { type: 'string' },
    /** Folder for CPU profiles of gateway and worker. */
    profile: { type: 'string' },
    /** Has the database write down its statements, and counts them: slower, so not for figures. */
    statements: { type: 'boolean', default: false },
  },
});
if (!ENGINES.includes(flags.engines)) throw new Error(`--engines ${flags.engines}: known are ${ENGINES.join(', ')}`);
const options = {
  ...flags,
  count: Number(flags.count),
  warmup: Number(flags.warmup),
  connections: Number(flags.connections),
};
const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).stdout?.trim();
const load = loadavg()[0].toFixed(1);
console.log(
  `${flags.engines} at ${commit || 'no commit'}: ${options.count} events, ${options.connections} connections, ` +
    `node ${process.version}, ${cpus().length} cores, load ${load} before the run`,
);
const report = await run();
if (flags.json) {
  const about = { commit, count: options.count, connections: options.connections, node: process.version, load };
  writeFileSync(flags.json, `${JSON.stringify({ ...about, ...report }, null, 2)}\n`);
}
process.exit(report.isSound === false ? 1 : 0);

async function run() {
  if (flags.engines === 'embedded') return (await import('./embedded.mjs')).benchEmbedded(options);
  // The servers are those of the tests, which are TypeScript.
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const built = spawnSync(process.execPath, [tsc, '-p', 'test/bench/tsconfig.json'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) process.exit(3);
  return (await import('./engines.mjs')).benchEngines(options);
}
