import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Launch } from './launch.js';

const run = promisify(execFile);
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const MIRROR = 'http://deb.debian.org/debian';
const FETCH_LIMIT_MS = 600_000;

/**
 * Unpacks packages of Debian's unstable suite, with every library they need, into a folder. Nothing is installed, so
 * neither root nor a chroot nor Docker is needed, and what the machine runs stays as it is.
 */
export async function unpackDebianPackages(folder: string, packages: readonly string[]): Promise<void> {
  if (!existsSync(KEYRING)) throw new Error(`no ${KEYRING}: apt-get install debian-archive-keyring`);
  await mkdir(dirname(folder), { recursive: true });
  // Beside its place and then renamed: another process that looks meanwhile must not find a half.
  const work = await mkdtemp(`${folder}-`);
  try {
    for (const path of ['lists/partial', 'cache/archives/partial', 'unpacked'])
      await mkdir(join(work, path), { recursive: true });
    await writeFile(join(work, 'status'), '');
    await writeFile(join(work, 'sources.list'), `deb [signed-by=${KEYRING}] ${await mirror()} sid main\n`);
    await apt(work, 'update');
    await apt(work, 'install', '--yes', '--download-only', '--no-install-recommends', ...packages);
    const archives = join(work, 'cache', 'archives');
    for (const name of (await readdir(archives)).filter((file) => file.endsWith('.deb')))
      await run('dpkg-deb', ['-x', join(archives, name), join(work, 'unpacked')]);
    await rename(join(work, 'unpacked'), folder).catch((error: unknown) => {
      // Whoever came first has put the same files there.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** How to start a program of an unpacked folder: by the loader and the libraries that came along with it. */
export function unpackedProgram(folder: string, program: string): Launch | null {
  const path = join(folder, 'usr', program);
  if (!existsSync(path)) return null;
  const roots = readdirSync(join(folder, 'usr', 'lib'), { withFileTypes: true });
  for (const root of roots.filter((entry) => entry.isDirectory() && entry.name.endsWith('-linux-gnu'))) {
    const libraries = join(folder, 'usr', 'lib', root.name);
    const loader = readdirSync(libraries).find((name) => /^ld-linux.*\.so\.\d+$/.test(name));
    if (loader !== undefined) return { command: join(libraries, loader), args: ['--library-path', libraries, path] };
  }
  return null;
}

/** An apt of its own, which knows of no installed package, so that every library comes along. */
async function apt(work: string, ...command: string[]): Promise<void> {
  const options = {
    'Dir::Etc::sourcelist': join(work, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State': work,
    'Dir::State::lists': join(work, 'lists'),
    'Dir::State::status': join(work, 'status'),
    'Dir::Cache': join(work, 'cache'),
    'APT::Sandbox::User': '',
    'Debug::NoLocking': '1',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', ['-qq', ...flags, ...command], { timeout: FETCH_LIMIT_MS, maxBuffer: 16_777_216 });
}

/** The mirror that apt uses here is the only one that is sure to be reached. */
async function mirror(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (!/^ID=debian$/m.test(release)) return MIRROR;
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  return stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri)) ?? MIRROR;
}
