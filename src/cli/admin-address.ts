import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './cli-errors.js';
import { baseUrl } from './option-values.js';

type Environment = Readonly<Record<string, string | undefined>>;

const PORT = '3001';
const HOST = '127.0.0.1';

/** `--admin`, else ADMIN_URL, else where the settings of the service put its admin port. */
export function adminUrl(given: string | undefined, env: Environment): string {
  if (given !== undefined) return given;
  if (env['ADMIN_URL']) {
    try {
      return baseUrl(env['ADMIN_URL']);
    } catch (cause) {
      throw new UsageError('ADMIN_URL has to be http(s)://host:port, without a user', { cause });
    }
  }
  const port = env['ADMIN_PORT'] || PORT;
  if (!/^\d{1,5}$/.test(port) || port === '0')
    throw new UsageError(`ADMIN_PORT=${port} tells no port to call: set ADMIN_URL, or give --admin`);
  return `http://${reachable(env['ADMIN_HOST'] || HOST)}:${port}`;
}

/** All addresses are listened on, but called is one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** ADMIN_TOKEN, else the file ADMIN_TOKEN_FILE, else the one that the service made in its data folder. */
export function adminToken(env: Environment): string {
  if (env['ADMIN_TOKEN']) return checked(env['ADMIN_TOKEN'].trim(), 'ADMIN_TOKEN');
  const path = env['ADMIN_TOKEN_FILE'] || join(env['DATA_DIR'] || './data', 'admin-token');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const where = 'Set ADMIN_TOKEN or ADMIN_TOKEN_FILE, or DATA_DIR to the data folder of the service';
    throw new UsageError(`cannot read the admin token from ${path}. ${where}`, { cause });
  }
  return checked(text.trim(), path);
}

/** A line break inside would end the header that it goes into. */
function checked(token: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`${where} holds no token: it has to be one word`);
}
