#!/usr/bin/env node
// Installs the Kafka client beside the other packages of the folder it is run in: the client is an optional peer with a
// native library. Takes the prebuilt binary from GitHub where that can be reached, else compiles, which takes minutes.
// --build: compile without trying the binary.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const NAME = '@confluentinc/kafka-javascript';
const VERSION = '1.10.1';
const APT = 'g++ make python3 libssl-dev libsasl2-dev zlib1g-dev libzstd-dev libcurl4-openssl-dev liblz4-dev';
// The package's own build starts as many compilers as there are files, which takes more memory than most machines have.
const JOBS = process.env.JOBS ?? String(Math.min(2, availableParallelism()));

const folder = join(process.cwd(), 'node_modules', ...NAME.split('/'));

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

const wanted = JSON.stringify(VERSION);
const installed = existsSync(join(folder, 'package.json'))
  ? spawnSync(process.execPath, [
      '-p',
      `JSON.stringify(require(${JSON.stringify(join(folder, 'package.json'))}).version)`,
    ])
  : null;
if (installed?.stdout?.toString().trim() === wanted && loads()) {
  console.log(`${NAME} ${VERSION} is there`);
  process.exit(0);
}
run('npm', ['install', '--no-save', '--no-package-lock', '--ignore-scripts', `${NAME}@${VERSION}`]);
if (process.argv.includes('--build') || !inPackage('node-pre-gyp install', { mayFail: true }) || !loads()) build();
if (!loads()) {
  console.error(`${NAME} was built but does not load`);
  process.exit(1);
}
console.log(`${NAME} ${VERSION} is ready`);
