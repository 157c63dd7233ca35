import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export const KAFKA_VERSION = '4.4.0';
const pom = (artifact: string): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>kafka</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>${artifact}</artifactId><version>${KAFKA_VERSION}</version></dependency>
<dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.5</version><scope>runtime</scope></dependency>
</dependencies></project>`;

/** Folder of the broker's jars, fetched by Maven once a machine: 45 files, 45 MB. */
export function kafkaJars(): Promise<string> {
  return jarsOf('kafka_2.13', `kafka-${KAFKA_VERSION}`);
}

/** The same of the command line tools, which the broker does without. */
export function kafkaToolJars(): Promise<string> {
  return jarsOf('kafka-tools', `kafka-tools-${KAFKA_VERSION}`);
}

async function jarsOf(artifact: string, folder: string): Promise<string> {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const jars = join(root, 'wecom-callback-gateway', folder);
  if (existsSync(jars)) return jars;
  await mkdir(dirname(jars), { recursive: true });
  // Beside its place and then renamed: another process that looks meanwhile must not find a half.
  const work = await mkdtemp(`${jars}-`);
  try {
    await writeFile(join(work, 'pom.xml'), pom(artifact));
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
    const args = ['-q', '-B', '-f', work, goal, '-DincludeScope=runtime', `-DoutputDirectory=${join(work, 'lib')}`];
    const { status, stdout } = spawnSync('mvn', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`mvn could not fetch ${folder}: ${stdout.slice(-2_000)}`);
    await rename(join(work, 'lib'), jars).catch((error: unknown) => {
      if (!existsSync(jars)) throw error;
    });
    return jars;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
