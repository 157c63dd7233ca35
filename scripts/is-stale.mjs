// Whether something has to be built anew: any of its sources is newer than its last build, or it never was built.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function isStale(root, stamp, sources) {
  const path = join(root, stamp);
  return !existsSync(path) || statSync(path).mtimeMs < Math.max(...sources.map((name) => newest(join(root, name))));
}

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), stat.mtimeMs);
}
