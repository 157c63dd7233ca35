import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Script } from '../../redis/script-runner.js';
import type { Disk } from '../../runtime/disk.js';

const NAMES = ['claim', 'confirm', 'acquire', 'start', 'renew', 'complete', 'release'] as const;
const FOLDER = join(import.meta.dirname, '../lua');

/** One script for each move between guard states. */
export type GuardScripts = Readonly<Record<(typeof NAMES)[number], Script>>;

/** Rejects when a file is missing: the build copies them beside the compiled code. */
export async function loadGuardScripts(disk: Disk): Promise<GuardScripts> {
  const entries = await Promise.all(
    NAMES.map(async (name) => {
      const text = (await disk.read(join(FOLDER, `${name}.lua`))).toString('utf8');
      // SHA-1 is how Redis names scripts; nothing secret rests on it.
      return [name, { text, sha: createHash('sha1').update(text).digest('hex') }] as const;
    }),
  );
  return Object.fromEntries(entries) as GuardScripts;
}
