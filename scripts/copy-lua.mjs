// Puts the Lua scripts beside the compiled code that reads them: the compiler copies nothing but TypeScript.
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join('src', 'idempotency', 'lua');

export function copyLua(root) {
  const target = join(root, 'dist', FOLDER);
  // A script that was renamed must not stay behind under its old name.
  rmSync(target, { recursive: true, force: true });
  cpSync(join(root, FOLDER), target, { recursive: true });
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) copyLua(join(dirname(self), '..'));
