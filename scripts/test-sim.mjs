// `npm run test:sim -- --seeds N`: builds the simulation beside the product and runs it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const built = spawnSync(process.execPath, [tsc, '-p', 'test/simulation/tsconfig.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(3);
const main = join(root, 'dist', 'test', 'simulation', 'main.js');
const run = spawnSync(process.execPath, ['--enable-source-maps', main, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(run.status ?? 3);
