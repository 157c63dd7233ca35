import 'reflect-metadata';
import { getMetadataStorage } from 'class-validator';
import type { Config } from '../../src/config/config.js';
import { Env } from '../../src/config/env.js';
import { loadConfig, loadDatabaseConfig, type ConfigSources } from '../../src/config/load-config.js';

const APPS = 'crm: { token: abc, encodingAESKey: jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C, receiveId: ww1 }';
/** What stands in a file that a setting names, by the end of its name. */
const TEXTS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/apps\.yaml$/, APPS],
  [/database[-_]url$/, 'mysql://wecom:secret@mysql:3306/wecom'],
  [/redis[-_]url$/, 'redis://wecom:secret@redis:6379/0'],
];

export type DeployedEnv = Readonly<Record<string, string>>;

/** Every variable that the service reads, less `…_FILE`. */
export function knownSettings(): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Env, '', false, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

export function unknownSettings(env: DeployedEnv): string[] {
  const known = knownSettings();
  return Object.keys(env).filter((key) => !known.has(key) && !known.has(key.replace(/_FILE$/, '')));
}

function sources(env: DeployedEnv, isThere: (path: string) => boolean): ConfigSources {
  return {
    env,
    readText: (path) => {
      if (!isThere(path)) throw new Error(`${path} is not mounted`);
      return TEXTS.find(([pattern]) => pattern.test(path))?.[1] ?? 'a-secret-of-some-length';
    },
    hostname: 'host',
    pid: 1,
    demoApps: () => {
      throw new Error('a deployment has apps of its own');
    },
    adminTokenPath: (dataDir) => `${dataDir}/admin-token`,
    adminToken: () => 'made-once-0123456789',
  };
}

/** The settings as the process would load them; throws what would refuse its start. */
export function loadDeployed(env: DeployedEnv, isThere: (path: string) => boolean): Config {
  return loadConfig(sources(env, isThere));
}

/** The same for migrations. */
export function loadDeployedDatabase(env: DeployedEnv, isThere: (path: string) => boolean) {
  return loadDatabaseConfig(sources(env, isThere));
}
