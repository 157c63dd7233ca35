import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadDatabaseConfig } from './config/load-config.js';
import { systemConfigSources } from './config/system-config-sources.js';
import { migrateGateway } from './migrate-gateway.js';
import { migrationLines } from './migration-lines.js';
import { SystemRandom } from './runtime/system-random.js';

const USAGE = `usage: npm run migrate [-- --down | --status]
  (nothing)  runs the migrations that the database lacks
  --down     takes the last one back, and with it what its tables hold
  --status   lists them; ends with 3 when some are lacking
`;
const FAILED = 1;
const WRONG_USE = 2;
const BEHIND = 3;

function readAction(): 'up' | 'down' | 'status' | null {
  try {
    const { values } = parseArgs({ options: { down: { type: 'boolean' }, status: { type: 'boolean' } } });
    if (values.down && values.status) return null;
    return values.down ? 'down' : values.status ? 'status' : 'up';
  } catch {
    return null;
  }
}

const action = readAction();
if (action === null) {
  process.stderr.write(USAGE);
  process.exit(WRONG_USE);
}
try {
  const config = loadDatabaseConfig(systemConfigSources(process.env, new SystemRandom()));
  const result = await migrateGateway({ config, action });
  const lines = migrationLines(action, result);
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  process.exitCode = action === 'status' && result.pending.length > 0 ? BEHIND : 0;
} catch (error) {
  const expected = error instanceof Error && 'code' in error;
  process.stderr.write(`migrations failed: ${expected ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = FAILED;
}
