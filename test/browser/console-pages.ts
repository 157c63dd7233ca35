import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import type { ConsoleWorld } from './console-world.js';

export interface ConsolePage {
  readonly name: string;
  readonly path: string;
}

/** What the pages show: one of each kind, looked up in what the simulator made. */
export interface Shown {
  readonly deadId: number;
  readonly entityRef: string;
  readonly jobId: number;
}

/** Makes a dry run of all dead letters and waits for it. */
export async function prepare({ gateway }: ConsoleWorld): Promise<Shown> {
  const dead = (await gateway.admin('dead-letters?limit=1')).json.items[0];
  const { id: jobId } = (
    await gateway.admin('redrive-jobs', { action: 'redrive', filter: {}, rate: 200, reason: 'the handler was mended' })
  ).json;
  await until(async () => (await gateway.admin(`redrive-jobs/${jobId}`)).json.status === 'DRAFT', 60_000);
  return { deadId: dead.id, entityRef: await entityWithMost(gateway), jobId };
}

/** One with something refused or stale in its past: its page has the most to show. */
async function entityWithMost(gateway: ConsoleWorld['gateway']): Promise<string> {
  const stale = (await gateway.admin('events?status=STALE,REJECTED&eventType=change_external_contact&limit=300')).json
    .items;
  let best = { ref: '', size: -1 };
  const refs = new Set<string>(stale.map(({ entityRef }: { entityRef: string }) => entityRef));
  for (const entityRef of [...refs].slice(0, 40)) {
    const { changes, decisions } = (await gateway.admin(`entities/by-ref/${entityRef}`)).json;
    const size = changes.length * 2 + decisions.length;
    if (size > best.size) best = { ref: entityRef, size };
  }
  if (best.ref === '') throw new Error('the simulator made no entity with a stale event');
  return best.ref;
}

export function consolePages({ deadId, entityRef, jobId }: Shown): ConsolePage[] {
  return [
    { name: 'overview', path: '/' },
    { name: 'events', path: '/events' },
    { name: 'tail', path: '/events/tail' },
    { name: 'event', path: `/events/${deadId}` },
    { name: 'entity', path: `/entities/${entityRef}` },
    { name: 'dead-letters', path: '/dead-letters' },
    { name: 'dead-list', path: '/dead-letters/list' },
    { name: 'retry', path: '/dead-letters/retry' },
    { name: 'parked', path: '/dead-letters/parked' },
    { name: 'redriven', path: '/dead-letters/redriven' },
    { name: 'jobs', path: '/jobs' },
    { name: 'job', path: `/jobs/${jobId}` },
    { name: 'handlers', path: '/handlers' },
    { name: 'apps', path: '/apps' },
    { name: 'audit', path: '/audit' },
    { name: 'users', path: '/users' },
    { name: 'tokens', path: '/users/tokens' },
    { name: 'password', path: '/password' },
    { name: 'lost', path: '/no-such-page' },
  ];
}

/** Loads a page of the console and waits until nothing on it is loading any more. */
export async function open(world: ConsoleWorld, page: Page, path: string): Promise<void> {
  await page.goto(world.url(path));
  await page.locator('h1').first().waitFor();
  await page.waitForSelector('.ant-skeleton', { state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => null)');
}
