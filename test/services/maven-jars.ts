import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const FETCH_LIMIT_MS = 600_000;

/** Fetches what runs of some artifacts (`group:name:version`) from Maven Central into a folder, once a machine. */
export async function mavenJars(folder: string, artifacts: readonly string[]): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  // Beside its place and then renamed: another process that looks meanwhile must not find a half.
  const work = await mkdtemp(`${folder}-`);
  try {
    await writeFile(join(work, 'pom.xml'), pomOf(artifacts));
    const args = ['-q', '-B', '-f', work, GOAL, '-DincludeScope=runtime', `-DoutputDirectory=${join(work, 'lib')}`];
    await promisify(execFile)('mvn', args, { timeout: FETCH_LIMIT_MS }).catch((error: unknown) => {
      const { stdout = '' } = error as { stdout?: string };
      throw new Error(`mvn could not fetch ${artifacts[0]}: ${stdout.slice(-2_000)}`, { cause: error });
    });
    await rename(join(work, 'lib'), folder).catch((error: unknown) => {
      // Whoever came first has put the same files there.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function pomOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version><scope>runtime</scope></dependency>`;
  });
  const self = '<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>';
  return `<project>${self}<packaging>pom</packaging><dependencies>${dependencies.join('')}</dependencies></project>`;
}
