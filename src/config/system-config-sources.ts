import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Random } from '../runtime/random.js';
import type { ConfigSources } from './load-config.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const OWNER_ONLY = 0o600;

/** The environment and the disk of this machine. */
export function systemConfigSources(env: ConfigSources['env'], random: Random): ConfigSources {
  return {
    env,
    hostname: hostname(),
    pid: process.pid,
    readText: (path) => readFileSync(path, 'utf8'),
    demoApps: (dataDir) => {
      const path = resolve(dataDir, 'demo.json');
      const text = keptSecret(path, () => `${JSON.stringify({ demo: demoApp(random) }, null, 2)}\n`);
      return { text, path };
    },
    adminTokenPath,
    adminToken: (dataDir) => keptSecret(adminTokenPath(dataDir), () => `${letters(random, 40)}\n`).trim(),
  };
}

/** The same for whoever only looks: what a start would make is made up, and kept nowhere. */
export function lookingConfigSources(env: ConfigSources['env'], random: Random): ConfigSources {
  const made = (path: string, make: () => string): string => (existsSync(path) ? readFileSync(path, 'utf8') : make());
  return {
    ...systemConfigSources(env, random),
    demoApps: (dataDir) => {
      const path = resolve(dataDir, 'demo.json');
      return { path, text: made(path, () => JSON.stringify({ demo: demoApp(random) })) };
    },
    adminToken: (dataDir) => made(adminTokenPath(dataDir), () => letters(random, 40)).trim(),
  };
}

function adminTokenPath(dataDir: string): string {
  return resolve(dataDir, 'admin-token');
}

function demoApp(random: Random): Record<string, string> {
  return { token: letters(random, 24), encodingAESKey: letters(random, 43), receiveId: `wwdemo${letters(random, 12)}` };
}

function letters(random: Random, count: number): string {
  return [...random.bytes(count)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** Made once, readable by its owner only, and the same at every start. */
function keptSecret(path: string, make: () => string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8');
  mkdirSync(join(path, '..'), { recursive: true });
  const text = make();
  writeFileSync(path, text, { mode: OWNER_ONLY, flag: 'wx' });
  chmodSync(path, OWNER_ONLY);
  return text;
}
