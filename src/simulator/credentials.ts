import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { decodeAesKey } from '../wecom/aes-key.js';
import type { Flags } from './flags.js';
import { SetupError } from './setup-error.js';

export interface Credentials {
  readonly app: string;
  readonly token: string;
  readonly aesKey: Buffer;
  readonly receiveId: string;
  readonly adminToken: string;
}

/** Reads what the service itself reads or has written. Throws `SetupError`; messages name files, never values. */
export function readCredentials(flags: Flags, env: NodeJS.ProcessEnv): Credentials {
  const appsFile = flags.appsFile ?? join(flags.dataFolder, 'demo.json');
  const start =
    'Start the service once with its demo app (npm start), or name an apps file with --apps FILE --app NAME';
  const apps = parseApps(appsFile, readText(appsFile, start));
  const profile = Object.hasOwn(apps, flags.app) ? apps[flags.app] : undefined;
  if (!isMap(profile)) {
    throw new SetupError(
      `${appsFile} has no app "${flags.app}". It has: ${Object.keys(apps).join(', ')}. Name one with --app`,
    );
  }
  const text = (name: string): string => {
    const value = profile[name];
    if (typeof value === 'string') return value;
    throw new SetupError(`${appsFile}: ${flags.app}.${name} is missing or is not a text`);
  };
  return {
    app: flags.app,
    token: text('token'),
    aesKey: readAesKey(appsFile, text('encodingAESKey')),
    receiveId: text('receiveId'),
    adminToken: readAdminToken(flags, env),
  };
}

function parseApps(path: string, text: string): Record<string, unknown> {
  try {
    // JSON is YAML, so one parser reads both forms of the file.
    const apps: unknown = parse(text);
    if (isMap(apps)) return apps;
  } catch (cause) {
    throw new SetupError(`${path} is neither JSON nor YAML. Mend it, or name another file with --apps`, { cause });
  }
  throw new SetupError(`${path} has to be a map from app names to credentials`);
}

function readAesKey(path: string, encoded: string): Buffer {
  try {
    return decodeAesKey(encoded);
  } catch (cause) {
    throw new SetupError(`${path}: encodingAESKey is not one: it has 43 letters and digits`, { cause });
  }
}

function readAdminToken(flags: Flags, env: NodeJS.ProcessEnv): string {
  const given = env['ADMIN_TOKEN'];
  if (given) return given;
  const path = env['ADMIN_TOKEN_FILE'] ?? join(flags.dataFolder, 'admin-token');
  const token = readText(path, 'Start the service once, point --data at its data folder, or set ADMIN_TOKEN').trim();
  if (token === '') throw new SetupError(`${path} is empty: it has to hold the admin token`);
  return token;
}

function readText(path: string, whatToDo: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SetupError(`Cannot read ${path}. ${whatToDo}`, { cause });
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
