import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { until } from '../support/until.js';
import { open } from './console-pages.js';
import { ConsoleWorld } from './console-world.js';
import { faults } from './mendable-handlers.js';

let world: ConsoleWorld;

beforeAll(async () => {
  faults.approvals = false;
  faults.groups = true;
  world = await ConsoleWorld.start();
  await world.addUsers();
  await world.simulate(150);
}, 120_000);

afterEach(() => world.closePages());
afterAll(() => world.stop());

/** Rows that wait for their next attempt: their time comes. */
async function retryNow(): Promise<void> {
  const unitOfWork = world.gateway.gateway.app.get(UnitOfWork, { strict: false });
  await unitOfWork.write(({ manager }) =>
    manager.query("UPDATE event_log SET due_at = ? WHERE status = 'RETRY'", [Date.now()]),
  );
}

const pausedEvents = async (): Promise<any[]> =>
  (await world.gateway.admin('events?errorCode=HANDLER_PAUSED&limit=100')).json.items;

describe('a handler that does harm', () => {
  it('is paused and resumed by an operator; what waits for it meanwhile runs then', async () => {
    const page = await world.signedIn('operator');
    await open(world, page, '/handlers');
    await page.getByRole('button', { name: 'Pause MendableGroupHandler' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('That costs them no attempt').waitFor();
    await dialog.getByLabel('Reason').fill('it writes twice');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    const paused = page.getByRole('table', { name: 'Paused handlers' });
    await paused.getByText('it writes twice').waitFor();
    expect(await page.getByRole('button', { name: 'Pause MendableGroupHandler' }).isDisabled()).toBe(true);

    await retryNow();
    await until(async () => (await pausedEvents()).length > 0);
    const waiting = await pausedEvents();
    await page.reload();
    await paused.getByRole('link', { name: String(waiting.length), exact: true }).click();
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.getByText(waiting[0].errorCode).first().waitFor();

    await open(world, page, '/');
    await page.getByText('Paused: MendableGroupHandler').waitFor();
    await page.getByRole('link', { name: 'To the handlers' }).click();
    faults.groups = false;
    await page.getByRole('button', { name: 'Resume MendableGroupHandler' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await paused.waitFor({ state: 'detached' });
    await until(async () => (await pausedEvents()).length === 0);
    const after = await Promise.all(waiting.map(({ id }) => world.gateway.admin(`events/${id}`)));
    expect(new Set(after.map(({ json }) => json.status))).toEqual(new Set(['APPLIED']));
  });

  it('is shown to a viewer with buttons that say who may pause it', async () => {
    await world.gateway.admin('handlers/MendableGroupHandler/pause', {});
    const page = await world.signedIn('viewer');
    await open(world, page, '/handlers');
    for (const name of ['Pause MendableApprovalHandler', 'Resume MendableGroupHandler']) {
      const button = page.getByRole('button', { name });
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
        true,
        'Your role is viewer: only operators and admins may do this.',
      ]);
    }
    await world.gateway.admin('handlers/MendableGroupHandler/resume', {});
  });

  it('tells how many of its runs failed, and since when that is counted', async () => {
    const page = await world.signedIn('viewer');
    await open(world, page, '/handlers');
    const { items } = (await world.gateway.admin('handlers')).json;
    const own = items.filter(({ name }: { name: string }) => name === 'MendableGroupHandler');
    const failed = own.reduce((sum: number, one: { failedRuns: number }) => sum + one.failedRuns, 0);
    expect(failed).toBeGreaterThan(0);
    const row = page.getByRole('row').filter({ hasText: 'MendableGroupHandler' });
    await row.getByText(`${failed} failed`).waitFor();
    await page.getByText('Figures are of events received since').waitFor();
  });
});
