import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what was fetched once a machine is kept, such as jars and unpacked packages. */
export function cacheFolder(...path: string[]): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'wecom-callback-gateway', ...path);
}
