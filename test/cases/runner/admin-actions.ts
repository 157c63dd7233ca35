import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { holds, rowOf, type EventRow, type Ledger } from './ledger.js';
import { sleep } from './product-process.js';
import { checkReplayAll, replayAll, replayStop } from './replays.js';
import type { Stack } from './stack.js';
import type { Step } from './vocabulary.js';
import { CaseFailedError, ensure, ensureEqual, UnsupportedError } from './verdict.js';

const REPLAY_LIMIT_MS = 60_000;
const RUNNING = ['RETRY', 'REDRIVEN', 'PARKED'];
const NOT_YET: Readonly<Record<string, string>> = { note: 'the admin API keeps no notes' };

export function checkAdmin(step: Step): void {
  const reason = NOT_YET[step.action ?? ''];
  if (reason !== undefined) throw new UnsupportedError(`admin ${step.action}: ${reason}`);
  if (step.action === 'replayAll') checkReplayAll(step);
  if (![undefined, 'decodes-%2F'].includes(step['viaProxy'] as string | undefined))
    throw new UnsupportedError(`admin viaProxy ${step['viaProxy']} is not known here`);
}

/** Console actions, by the API that the console is made of. */
export async function adminAction(step: Step, stack: Stack, ledger: Ledger): Promise<void> {
  const proxy = step['viaProxy'] === undefined ? null : await decodingProxy(stack.adminBase);
  const base = proxy === null ? stack.adminBase : `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    if (step.action === 'search') await search(step, stack, base);
    else if (step.action === 'replayAll') await replayAll(step, stack);
    else if (step.action === 'replayStop') await replayStop(step, stack);
    else if (step.action === 'view') await view(step, stack, ledger, base);
    else await replay(step, stack, ledger, base);
  } finally {
    proxy?.close();
    proxy?.closeAllConnections();
  }
}

async function search(step: Step, stack: Stack, base: string): Promise<void> {
  const q = encodeURIComponent(String(step['q']));
  let found = await stack.admin(`events?msgId=${q}`, undefined, base, userOf(step));
  if (found.status === 200 && found.json.items.length === 0)
    found = await stack.admin(`events?text=${q}`, undefined, base, userOf(step));
  statusFits(step, found.status);
  if (step.expect?.count !== undefined) ensureEqual(found.json.items.length, step.expect.count, 'events found');
}

async function view(step: Step, stack: Stack, ledger: Ledger, base: string): Promise<void> {
  const row = await rowOfStep(step, stack, ledger);
  const { status, json } = await stack.admin(`events/${row.id}`, undefined, base, userOf(step));
  statusFits(step, status);
  if (status === 200) ensureEqual(json.plaintext, row.plaintext, 'text of the event viewed');
}

async function replay(step: Step, stack: Stack, ledger: Ledger, base: string): Promise<void> {
  const row = await rowOfStep(step, stack, ledger);
  const items = [{ id: Number(row.id), generation: Number(row.generation) }];
  const { status, json } = await stack.admin('dead-letters/redrive', { items }, base, userOf(step));
  statusFits(step, status);
  if (status === 200) ensure(Boolean(json.items[0]?.reason), 'a replay was answered without what it did');
  const { outcome, outcomeIn } = step.expect ?? {};
  if (outcome === undefined && outcomeIn === undefined) return;
  const got = await outcomeOf(json.items[0].result as string, Number(row.id), stack);
  ensure(
    (outcomeIn ?? [outcome]).includes(got),
    `outcome of the replay: expected ${outcome ?? outcomeIn?.join(' or ')}, got ${got}`,
  );
}

function userOf(step: Step): string | undefined {
  return step['user'] as string | undefined;
}

/** What the row says once the redrive has come to its end. */
async function outcomeOf(result: string, id: number, stack: Stack): Promise<string> {
  const deadline = Date.now() + REPLAY_LIMIT_MS;
  for (;;) {
    const { json } = await stack.admin(`events/${id}`);
    const status = json.status as string;
    // Nothing was redriven: what it is now is the answer.
    if (result !== 'redriven') return status === 'APPLIED' ? 'already-applied' : `${result} (${status})`;
    if (!RUNNING.includes(status)) return { APPLIED: 'applied', DEAD: 'failed' }[status] ?? status.toLowerCase();
    if (Date.now() > deadline) throw new CaseFailedError(`the replay has not ended: the event is ${status}`);
    await sleep(30);
  }
}

/** By `id` (the platform's), by `last`, or by any value that its text holds; a dead letter goes first. */
async function rowOfStep(step: Step, stack: Stack, ledger: Ledger): Promise<EventRow> {
  const rows = await stack.rows<EventRow>('event_log');
  if (step['id'] !== undefined) {
    const { json } = await stack.admin(`events?msgId=${encodeURIComponent(String(step['id']))}`);
    const found = rows.find(({ id }) => Number(id) === Number(json.items[0]?.id));
    if (!found) throw new CaseFailedError(`no event has the id ${step['id']}`);
    return found;
  }
  const ref = String(step['ref']);
  const isLast = /^last(-\d+)?$/.test(ref);
  const named = isLast ? [rowOf(ledger.byRef(ref), rows)] : rows.filter(({ plaintext }) => holds(plaintext, ref));
  const found = named.find((row) => row?.status === 'DEAD') ?? named[0];
  if (!found) throw new CaseFailedError(`no event is ${ref}`);
  return found;
}

function statusFits({ expect = {} }: Step, got: number): void {
  const { status, statusIn } = expect;
  if (status !== undefined) ensureEqual(got, status, 'status');
  if (statusIn) ensure(statusIn.includes(got), `expected a status of ${statusIn.join(', ')}, got ${got}`);
  if (status === undefined && statusIn === undefined) ensureEqual(got, 200, 'status');
}

/** A proxy that decodes slashes in the path, as some do. */
async function decodingProxy(target: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const [path = '', query] = (incoming.url ?? '/').split(/\?(.*)/s);
    const decoded = `${path.replace(/%2f/gi, '/')}${query === undefined ? '' : `?${query}`}`;
    const { method, headers } = incoming;
    const onward = request(`${target}${decoded}`, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
