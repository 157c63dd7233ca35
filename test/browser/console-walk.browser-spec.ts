import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SetupService } from '../../src/access/setup-service.js';
import { until } from '../support/until.js';
import { open } from './console-pages.js';
import { ConsoleWorld, PASSWORD } from './console-world.js';
import { faults } from './mendable-handlers.js';

let world: ConsoleWorld;

beforeAll(async () => {
  faults.approvals = true;
  faults.groups = true;
  world = await ConsoleWorld.start();
});

afterEach(() => world.closePages());
afterAll(() => world.stop());

// The tests of this file are one story: each goes on where the one before ended.
describe('an operator', () => {
  it('is told at first that nobody has an account, and the first admin is made by the link', async () => {
    const page = await world.page();
    await open(world, page, '/');
    await page.getByText('Nobody has an account yet').waitFor();
    const token = await world.gateway.gateway.app.get(SetupService, { strict: false }).issue();
    await page.goto(world.url(`/setup#token=${token}`));
    await page.getByLabel('Name').fill('root');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Password once more').fill(PASSWORD);
    expect(page.url()).not.toContain(String(token));
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: 'To the overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await world.addUsers();
    await world.simulate(2_200);
  }, 240_000);

  it('is refused with a wrong password, and signs in with the right one', async () => {
    const page = await world.page();
    await open(world, page, '/events');
    await page.getByLabel('Name').fill('olga');
    await page.getByLabel('Password').fill('not her password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Name or password is wrong.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    expect(page.url()).toContain('/console/events');
  });

  it('sees on the overview what waits, and whether the sum comes out', async () => {
    const page = await world.signedIn('operator');
    await open(world, page, '/');
    const { json } = await world.gateway.admin('summary');
    expect(json.statuses.DEAD).toBeGreaterThanOrEqual(500);
    const dead = page.locator('.stages li').filter({ hasText: 'Dead letters' });
    expect(await dead.locator('b').innerText()).toBe(new Intl.NumberFormat('en').format(json.statuses.DEAD));
    const { missing } = json.balance;
    // Nothing is lost; less than 0 are copies that a busy machine answered too late.
    expect(missing).toBeLessThanOrEqual(0);
    expect(await page.locator('.sum .difference td').last().innerText()).toBe(String(missing));
    const verdict = missing === 0 ? 'The sum comes out: nothing is lost.' : 'More arrived than was answered';
    await page.getByText(verdict).waitFor();
    const { items } = (await world.gateway.admin('traffic/dependencies')).json;
    const rows = page.getByRole('table', { name: 'Dependencies' }).getByRole('row');
    await until(async () => (await rows.count()) === items.length + 1);
  });

  it('finds an event by its approval number with the keyboard alone, and reads why it failed', async () => {
    const page = await world.signedIn('operator');
    await open(world, page, '/');
    const { spNo, id } = await deadApproval();
    await page.keyboard.press('/');
    await page.keyboard.type(spNo);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    expect(new URL(page.url()).searchParams.get('wecomId')).toBe(spNo);
    await page.locator(`a[href="/console/events/${id}"]`).click();
    await page.getByRole('heading', { name: `Event ${id}` }).waitFor();
    await page.locator('.history').getByText('cannot work: CONTRACT_INVALID').waitFor();
    await page.locator('.history').getByText('attempt 1').first().waitFor();
  });

  it('reads the reasons of the service in Chinese, and what the handler said as it said it', async () => {
    const page = await world.signedIn('operator', { language: 'zh-CN' });
    const { id } = await deadApproval();
    await open(world, page, `/events/${id}`);
    const reason = page
      .locator('.history')
      .getByText(/^无法处理，不再重试：CONTRACT_INVALID: the contract of .* lacks a cost centre$/);
    await reason.waitFor();
    expect(await reason.getAttribute('title')).toContain('cannot work: CONTRACT_INVALID: the contract of');
    await open(world, page, '/events/tail');
    const reasons = page.getByRole('table', { name: '实时跟踪' }).locator('tbody tr td:last-child');
    await reasons.nth(50).waitFor();
    for (const shown of await reasons.allInnerTexts()) expect(shown).toMatch(/[\u4e00-\u9fff]/);
  });

  it('sees a payload on request alone, and the look is on record', async () => {
    const page = await world.signedIn('operator');
    const { spNo, id } = await deadApproval();
    const looks = async (): Promise<number> =>
      (await world.gateway.admin(`audit?action=payload.look&target=event:${id}&actor=olga`)).json.items.length;
    await open(world, page, `/events/${id}`);
    expect(await looks()).toBe(0);
    expect(await page.content()).not.toContain('<pre');
    await page.getByRole('button', { name: 'Show payload' }).click();
    await page.locator('pre.payload').getByText(spNo).waitFor();
    expect(await looks()).toBe(1);
  });

  it('mends the handler, dry-runs all of one error, redrives them with one click and sees what became of each', async () => {
    const page = await world.signedIn('operator');
    await open(world, page, '/dead-letters');
    faults.approvals = false;
    const group = page.getByRole('row').filter({ hasText: 'CONTRACT_INVALID' });
    await group.getByRole('button', { name: 'Redrive…' }).click();
    await page.getByLabel('Rate').fill('1000');
    await page.getByLabel('Reason').fill('contract mended in release 42');
    await page.getByRole('button', { name: 'Make the dry run' }).click();
    const start = page.getByRole('button', { name: /^Start: [\d,]+ items$/ });
    await start.waitFor({ timeout: 60_000 });
    const id = Number(/jobs\/(\d+)$/.exec(page.url())?.[1]);
    const job = async (): Promise<any> => (await world.gateway.admin(`redrive-jobs/${id}`)).json;
    const drafted = await job();
    expect(drafted.total).toBeGreaterThanOrEqual(500);
    expect(await countsOf(page, 'What the dry run says')).toEqual(sorted(drafted.forecasts));
    expect(Object.keys(drafted.forecasts)).toContain('would-apply');
    await start.click();
    await until(async () => (await job()).status === 'DONE', 60_000);
    await until(async () => isThrough((await world.gateway.admin(`redrive-jobs/${id}/outcomes`)).json), 60_000);
    const { results, total } = await job();
    expect(results).toEqual({ redriven: total });
    const { statuses, changedLater } = (await world.gateway.admin(`redrive-jobs/${id}/outcomes`)).json;
    expect(changedLater).toBe(0);
    expect(sumOf(statuses)).toBe(total);
    const expected = [total, ...sorted(statuses)];
    await until(async () => String(await countsOf(page, 'Results')) === String(expected), 20_000);
    await page.getByText('Done', { exact: true }).waitFor();
    const rows = page.getByRole('table', { name: 'Item by item' }).getByRole('row');
    while (await page.getByRole('button', { name: 'Load more' }).isVisible()) {
      const before = await rows.count();
      await page.getByRole('button', { name: 'Load more' }).click();
      await until(async () => (await rows.count()) > before);
    }
    await until(async () => (await rows.filter({ hasText: 'redriven' }).count()) === total, 20_000);
  });

  it('pauses, resumes and cancels a job, and sees where it stands', async () => {
    const page = await world.signedIn('operator');
    await open(world, page, '/dead-letters/retry');
    const body = { action: 'discard', filter: { status: ['RETRY', 'PARKED'] }, rate: 1, dryRun: false };
    const { id } = (await world.gateway.admin('redrive-jobs', body)).json;
    await open(world, page, `/jobs/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    const { json } = await world.gateway.admin(`redrive-jobs/${id}`);
    expect(json.status).toBe('CANCELLED');
    expect(json.done).toBeLessThan(json.total);
  });
});

describe('an entity', () => {
  it('shows its machine with the present state marked, and refused moves with why', async () => {
    const page = await world.signedIn('viewer');
    const stale = (await world.gateway.admin('events?status=STALE&eventType=sys_approval_change&limit=1')).json
      .items[0];
    const { state, decisions } = (await world.gateway.admin(`entities/by-ref/${stale.entityRef}`)).json;
    await open(world, page, `/events/${stale.id}`);
    await page.locator(`a[href="/console/entities/${stale.entityRef}"]`).first().click();
    expect(await page.locator('.machine .node.present text').textContent()).toBe(state);
    const why = decisions.find(({ decision }: { decision: string }) => decision === 'STALE').reason;
    await page.getByText('Only refused, stale and failed').click();
    await page.locator('.history').getByText(why).first().waitFor();
    const gone = page.getByRole('button', { name: 'DELETED' });
    await gone.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Moves from DELETED' }).waitFor();
  });
});

describe('a viewer', () => {
  it('sees buttons that say why they cannot be pressed, no payload and no page of users, and is refused by the service', async () => {
    const page = await world.signedIn('viewer');
    const { id } = await anyDead();
    await open(world, page, `/events/${id}`);
    const redrive = page.getByRole('button', { name: 'Redrive' });
    expect(await redrive.isDisabled()).toBe(true);
    expect(await redrive.getAttribute('title')).toContain('only operators');
    await page.getByText('lacks the permission to see payloads').waitFor();
    expect(await page.getByRole('link', { name: 'Users and tokens' }).count()).toBe(0);
    await open(world, page, '/users');
    await page.getByText('Only admins may see this page').waitFor();
    const refused = await page.request.post(`${world.gateway.adminBase}/admin/api/v1/dead-letters/redrive`, {
      data: {},
    });
    expect(refused.status()).toBe(403);
  });
});

describe('an admin', () => {
  it('makes a token that is shown once, and sees in the audit who did what', async () => {
    const page = await world.signedIn('admin');
    await open(world, page, '/users/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('ci');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is the only time that the token is shown').waitFor();
    const token = await page.getByRole('dialog').locator('code').innerText();
    expect((await world.gateway.admin('summary', undefined, token)).status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('row').filter({ hasText: 'ci' }).waitFor();
    await open(world, page, '/audit?actor=olga&action=redrive-job.start');
    await page.getByRole('table', { name: 'Audit' }).getByText('olga').first().waitFor();
  });
});

describe('the console', () => {
  it('follows decisions live', async () => {
    const page = await world.signedIn('viewer');
    await open(world, page, '/events/tail');
    const { id, generation } = await anyDead();
    await page.getByRole('table', { name: 'Live tail' }).waitFor();
    const body = { items: [{ id, generation }], reason: 'seen in the tail' };
    await world.gateway.admin('dead-letters/discard', body);
    await page.getByText('seen in the tail').first().waitFor();
  });

  it('keeps filters in the address, also those that hold a slash, a plus and an equals sign', async () => {
    const page = await world.signedIn('viewer');
    await open(world, page, '/events');
    await page.getByLabel('Any WeCom id').fill('wm/a+b==');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('No event fits these filters.').waitFor();
    expect(new URL(page.url()).searchParams.get('wecomId')).toBe('wm/a+b==');
    await page.reload();
    await until(async () => (await page.getByLabel('Any WeCom id').inputValue()) === 'wm/a+b==');
    await page.goBack();
    await page.getByRole('table', { name: 'Events' }).waitFor();
  });

  it('speaks the language and wears the theme that were chosen, also after a reload', async () => {
    const page = await world.signedIn('viewer', { language: 'en', theme: 'light' });
    await open(world, page, '/');
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByText('简体中文').click();
    await page.getByRole('heading', { name: '总览' }).waitFor();
    await page.getByRole('button', { name: '外观' }).click();
    await page.getByText('深色').click();
    await page.reload();
    await page.getByRole('heading', { name: '总览' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  it('says what to do when the service does not answer, and goes on when it does', async () => {
    const page = await world.signedIn('viewer');
    await page.route('**/admin/api/v1/apps', (route) => route.abort());
    await page.goto(world.url('/apps'));
    await page.getByText('No answer from the service').waitFor();
    await page.unroute('**/admin/api/v1/apps');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('/wecom/callbacks/shop').waitFor();
  });

  it('leads past the navigation by its first link', async () => {
    const page = await world.signedIn('viewer');
    await open(world, page, '/handlers');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });
});

async function deadApproval(): Promise<{ spNo: string; id: number }> {
  const { items } = (
    await world.gateway.admin('dead-letters?eventType=sys_approval_change&errorCode=CONTRACT_INVALID&limit=1')
  ).json;
  const [{ id, entityKey }] = items;
  return { id, spNo: decodeURIComponent(entityKey.split('/').at(-1)) };
}

async function anyDead(): Promise<{ id: number; generation: number }> {
  return (await world.gateway.admin('dead-letters?limit=1')).json.items[0];
}

/** The figures of a card, in the order in which it shows them, largest first where that is its order. */
async function countsOf(page: Page, title: string): Promise<number[]> {
  const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  const texts = await card.locator('.bars b').allInnerTexts();
  return texts.map((text) => Number(text.replaceAll(',', '')));
}

function sorted(counts: Record<string, number>): number[] {
  return Object.values(counts).sort((a, b) => b - a);
}

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function isThrough({ statuses }: { statuses: Record<string, number> }): boolean {
  return ['RETRY', 'PARKED', 'REDRIVEN'].every((status) => (statuses[status] ?? 0) === 0);
}
