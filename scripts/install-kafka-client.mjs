#!/usr/bin/env node
// Installs the Kafka client beside the other packages of the folder it is run in: the client is an optional peer with a
// native library. Takes what an earlier compilation left in the cache, else the prebuilt binary from GitHub where that can
// be reached, else compiles, which takes minutes, and keeps the result in the cache.
// --build: compile without trying either.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { dirname, join } from 'node:path';

const NAME = '@confluentinc/kafka-javascript';
const VERSION = '1.10.1';
const APT = 'g++ make python3 libssl-dev libsasl2-dev zlib1g-dev libzstd-dev libcurl4-openssl-dev liblz4-dev';
// The package's own build starts as many compilers as there are files, which takes more memory than most machines have.
const JOBS = process.env.JOBS ?? String(Math.min(2, availableParallelism()));

const folder = join(process.cwd(), 'node_modules', ...NAME.split('/'));
const built = join(folder, 'build');
const cached = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'wecom-callback-gateway',
  ['kafka-javascript', VERSION, process.platform, process.arch, `abi${process.versions.modules}`, system()].join('-'),
);

/** What a library that was linked here may need beyond the ABI of Node: the C library, and the distribution's OpenSSL. */
function system() {
  const { glibcVersionRuntime: glibc } = process.report.getReport().header;
  let release = '';
  try {
    release = readFileSync('/etc/os-release', 'utf8');
  } catch {
    // Not every system names itself; whether the binary loads decides in any case.
  }
  const value = (key) => new RegExp(`^${key}="?([\\w.]+)`, 'm').exec(release)?.[1] ?? '';
  return `${value('ID')}${value('VERSION_ID')}-${glibc ? `glibc${glibc}` : 'libc'}`;
}

function run(command, args, { cwd, env = {}, mayFail = false } = {}) {
  console.log(`> ${command} ${args.join(' ')}`);
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0 && !mayFail) {
    console.error(`failed. On Debian and Ubuntu the build needs: apt-get install -y --no-install-recommends ${APT}`);
    process.exit(1);
  }
  return status === 0;
}

/** In the package's folder, with what npm knows about headers and node-gyp. */
const inPackage = (command, options) => run('npm', ['explore', NAME, '--', command], options);

function loads() {
  const check = `import(${JSON.stringify(NAME)}).then(({ default: { RdKafka } }) => RdKafka.Producer, () => process.exit(1))`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', check], { stdio: 'ignore' }).status === 0;
}

function build() {
  const deps = join(folder, 'build', 'deps');
  inPackage('node-gyp configure', { env: { BUILD_LIBRDKAFKA: '0' } });
  run('node', ['util/configure'], { cwd: folder, env: { CKJS_LINKING: 'dynamic' } });
  run('make', [`-j${JOBS}`, '-C', 'deps/librdkafka', 'libs', 'install-subdirs'], { cwd: folder });
  // The binding finds its library by a path relative to itself, so that both may be copied elsewhere together.
  const env = {
    BUILD_LIBRDKAFKA: '0',
    JOBS,
    CPLUS_INCLUDE_PATH: join(deps, 'include', 'librdkafka'),
    LIBRARY_PATH: deps,
    LDFLAGS: `-L${deps} -Wl,-rpath,'$$ORIGIN/../deps'`,
  };
  inPackage('node-gyp build', { env });
}

/** The binding and its two libraries, without what they were made of: 16 MB of 280. Only a compilation leaves them so. */
function compiledFiles() {
  const inFolder = (name, pattern) => {
    const path = join(built, name);
    if (!existsSync(path)) return [];
    const names = readdirSync(path).filter((file) => pattern.test(file));
    return names.map((file) => join(name, file));
  };
  const libraries = inFolder('deps', /^librdkafka(?:\+\+)?(?:\.so\.\d+|\.\d+\.dylib)$/);
  return libraries.length === 0 ? [] : [...inFolder('Release', /\.node$/), ...libraries];
}

/** Under its name the cache is whole or not there: files are put together beside it, and renamed at the end. */
function keep() {
  const files = compiledFiles();
  if (files.length === 0 || existsSync(cached)) return;
  let scratch = null;
  try {
    mkdirSync(dirname(cached), { recursive: true });
    scratch = mkdtempSync(`${cached}.`);
    for (const file of files) cpSync(join(built, file), join(scratch, file), { dereference: true });
    renameSync(scratch, cached);
    console.log(`kept in ${cached}`);
  } catch (error) {
    // The client is there, which is what counts; and another process may have put the same files there.
    console.warn(`not kept in ${cached}: ${error.message}`);
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

function takeFromCache() {
  if (!existsSync(cached)) return false;
  cpSync(cached, built, { recursive: true });
  if (loads()) return true;
  console.warn(`${cached} does not load here, so it is removed`);
  rmSync(built, { recursive: true, force: true });
  rmSync(cached, { recursive: true, force: true });
  return false;
}

/**
 * Puts the package there, with all that it needs in a folder of its own. Installed in the usual way beside the others, it
 * has npm work out the whole tree anew, without the lock file.
 */
function fetchPackage() {
  mkdirSync(join(process.cwd(), 'node_modules'), { recursive: true });
  const scratch = mkdtempSync(join(process.cwd(), 'node_modules', '.kafka-client-'));
  const modules = join(scratch, 'node_modules');
  writeFileSync(join(scratch, 'package.json'), '{ "private": true }');
  try {
    run('npm', [
      'install',
      '--prefix',
      scratch,
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      `${NAME}@${VERSION}`,
    ]);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(join(modules, ...NAME.split('/')), folder);
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    for (const name of readdirSync(modules)) {
      if (!NAME.startsWith(`${name}/`)) renameSync(join(modules, name), join(folder, 'node_modules', name));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function installedVersion() {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  } catch {
    return null;
  }
}

function compile() {
  build();
  if (loads()) return;
  console.error(`${NAME} was built but does not load`);
  process.exit(1);
}

const mustBuild = process.argv.includes('--build');
if (!mustBuild && installedVersion() === VERSION && loads()) {
  keep();
  console.log(`${NAME} ${VERSION} is there`);
  process.exit(0);
}
fetchPackage();
if (mustBuild) {
  // What was kept is in doubt too, or nobody would ask for this.
  compile();
  rmSync(cached, { recursive: true, force: true });
} else if (!takeFromCache() && !(inPackage('node-pre-gyp install', { mayFail: true }) && loads())) {
  compile();
}
keep();
console.log(`${NAME} ${VERSION} is ready`);
