import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProductProcess } from './product-process.js';
import { profileOf, type Profiles } from './profiles.js';
import type { Stack } from './stack.js';
import type { Step } from './vocabulary.js';
import { ensure, UnsupportedError } from './verdict.js';

/** Settings by the names that cases use. */
const SETTINGS: Readonly<Record<string, string>> = {
  mainTopic: 'EVENTS_TOPIC',
  dlqTopic: 'DLQ_TOPIC',
  mainGroup: 'EVENTS_GROUP',
  dlqGroup: 'DLQ_GROUP',
  leaseMs: 'LEASE_TTL_MS',
  role: 'ROLE',
  port: 'PORT',
  redisUrl: 'REDIS_URL',
  databaseUrl: 'DATABASE_URL',
  retryDelays: 'RETRY_DELAYS',
};
const APP_SETTINGS = ['token', 'encodingAESKey', 'receiveId', 'alsoReceiveIds', 'envelope', 'deadlineMs', 'kind'];
const PLACEHOLDERS: Readonly<Record<string, string>> = { '{mainTopic}': 'case.events', '{mainGroup}': 'case.workers' };
const SECRETS = ['token', 'encodingAESKey'];

/** Says before a case is begun which of its settings are not known. */
export function checkStartWith(step: Step): void {
  const known = step['app'] === undefined ? Object.keys(SETTINGS) : APP_SETTINGS;
  for (const name of Object.keys((step['set'] ?? {}) as object))
    if (!known.includes(name)) throw new UnsupportedError(`startWith: setting ${name} is not known here`);
  if (step.expect?.refusedNaming === undefined) throw new UnsupportedError('startWith without refusedNaming');
}

/** Starts the product with these settings, in a folder of its own: it must refuse and name the setting. */
export async function startWith(step: Step, stack: Stack, profiles: Profiles): Promise<void> {
  const set = (step['set'] ?? {}) as Record<string, unknown>;
  const app = step['app'] as string | undefined;
  const folder = await mkdtemp(join(tmpdir(), 'wecom-case-start-'));
  let output = '';
  try {
    const env: Record<string, string> = {
      ...stack.env(folder),
      EVENTS_TOPIC: 'case.events',
      EVENTS_GROUP: 'case.workers',
    };
    if (app === undefined)
      for (const [name, value] of Object.entries(set))
        Object.assign(env, { [SETTINGS[name] ?? name]: PLACEHOLDERS[String(value)] ?? String(value) });
    else {
      env['WECOM_APPS_FILE'] = join(folder, 'apps.json');
      writeFileSync(
        env['WECOM_APPS_FILE'],
        JSON.stringify({ ...profiles, [app]: { ...profileOf(profiles, app), ...set } }),
      );
    }
    const product = ProductProcess.spawn(
      env,
      () => undefined,
      (text) => (output += text),
    );
    const hasStarted = await product.started();
    if (hasStarted) product.signal('SIGKILL');
    await product.waitForEnd();
    ensure(!hasStarted, `started in spite of ${JSON.stringify(set)}`);
    ensure(product.ended?.code !== 0, 'refused to start, but with exit code 0');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const wanted = String(step.expect?.refusedNaming);
  const isNamed = output.includes(wanted) || output.includes(SETTINGS[wanted] ?? wanted);
  ensure(isNamed, `the message does not name ${wanted}: ${output.slice(0, 500)}`);
  for (const [name, value] of Object.entries(set))
    if (SECRETS.includes(name) && String(value) !== '')
      ensure(!output.includes(String(value)), `the message shows the value of ${name}`);
}
