import 'reflect-metadata';
import { ConfigError } from '../config/config.js';
import { loadDatabaseConfig } from '../config/load-config.js';
import { systemConfigSources } from '../config/system-config-sources.js';
import { driverErrorKind } from '../database/database-errors.js';
import { migrateGateway } from '../migrate-gateway.js';
import { migrationLines } from '../migration-lines.js';
import { writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { CliError, UsageError } from './cli-errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';

export interface MigrateOptions extends JsonOption {
  readonly status?: boolean;
  readonly down?: boolean;
}

/** Tables of this version. With `--status` it ends with 1 while some are lacking. */
export async function migrate(context: CliContext, { status, down, json }: MigrateOptions): Promise<ExitCode> {
  if (status && down) throw new UsageError('give one of --status and --down');
  const action = status ? 'status' : down ? 'down' : 'up';
  const result = await moved(context, action);
  if (json) writeJson(context, { action, ...result });
  else writeLines(context, migrationLines(action, result));
  return status && result.pending.length > 0 ? EXIT.notSo : EXIT.ok;
}

async function moved({ env, random }: CliContext, action: 'up' | 'down' | 'status') {
  try {
    const config = loadDatabaseConfig(systemConfigSources(env, random));
    return await migrateGateway({ config, action });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, { cause: error });
    throw migrationFailure(error);
  }
}

/** A server that is not there is one thing; all else is the migration's own failure. */
function migrationFailure(error: unknown): CliError {
  const isAway = driverErrorKind(error) === 'unavailable';
  const [name, exit] = isAway
    ? (['CLI_UNREACHABLE', EXIT.unreachable] as const)
    : (['CLI_FAILED', EXIT.unexpected] as const);
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError(name, exit, `migrations failed: ${reason}`, { cause: error });
}
