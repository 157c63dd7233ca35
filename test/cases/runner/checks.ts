import { findCatalogueRow } from '../../../src/wecom/event-catalogue.js';
import { sharesTransport, type Engines } from './engines.js';
import { fieldsFit, fieldsOf, fits, valuesAt } from './field-paths.js';
import { concurrencyMax, rowOf, type EventRow, type Ledger } from './ledger.js';
import { publishedMessages } from './messages.js';
import { checkProcess } from './process-checks.js';
import { sleep } from './product-process.js';
import { profileOf, type Profiles } from './profiles.js';
import { checkAudit, checkReplayReport } from './replays.js';
import type { Stack } from './stack.js';
import type { Step } from './vocabulary.js';
import { ensure, ensureEqual, UnsupportedError } from './verdict.js';

/** Columns that a `match` may name beside fields of the decrypted text. */
const COLUMNS: Readonly<Record<string, keyof EventRow>> = {
  status: 'status',
  app: 'app',
  corpId: 'corp_id',
  eventType: 'event_type',
  changeType: 'change_type',
};
const APPLIED = 'APPLIED';

export interface CheckContext {
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly profiles: Profiles;
  /** The heap when the case began, in bytes. */
  readonly heapAtStart: number;
}

type Check = (context: CheckContext, step: Step) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  published: async ({ stack }, step) => {
    const match = matchOf(step);
    const found = publishedMessages(stack.journal()).filter(({ plaintext }) => fieldsFit(plaintext, match));
    countFits(step, found.length, 'records on the main topic');
  },
  eventLog: checkEventLog,
  effects: checkEffects,
  effectsPerEvent: checkEffectsPerEvent,
  ackedButLost: async (context, step) => countFits(step, (await lostEvents(context)).length, 'lost events'),
  entity: checkEntity,
  entityVersions: checkVersions,
  lostUpdates: async ({ stack }, step) => countFits(step, await lostUpdates(stack), 'lost updates'),
  dlq: checkDeadLetters,
  guardKey: checkGuardKey,
  concurrentHandlers: checkConcurrency,
  concurrentHandlersPerEvent: checkConcurrency,
  // A rebalance that took work out of a worker's hands: one in an endless loop would each time.
  rebalances: async ({ stack }, step) => {
    const taken = stack.journal().filter(({ kind }) => kind === 'taken-away');
    countFits(step, taken.length, 'times that work in hand was taken away');
  },
  logs: checkLogs,
  consoleJson: async ({ stack }, step) => {
    const { json } = await stack.admin('events?limit=1000');
    const shown = (json.items as Record<string, unknown>[]).map((item) => item[String(step['field'])]);
    ensureEqual([...shown].sort(), [...(step['exact'] as unknown[])].sort(), `${step['field']} in the console's JSON`);
  },
  latency: checkLatency,
  audit: ({ stack }, step) => checkAudit(stack, step),
  replayReport: ({ stack }, step) => checkReplayReport(stack, step),
};

export function checkIsSupported({ what = '', ...step }: Step, engines: Engines): void {
  if (what === 'rebalances' && !sharesTransport(engines))
    throw new UnsupportedError('check rebalances: the embedded queue has no consumer group that could be rebalanced');
  const process = step['process'] as string | undefined;
  if (process !== undefined && !['gateway', 'consumer'].includes(process))
    throw new UnsupportedError(`check ${what}: process ${process} is not known here`);
}

export async function check(context: CheckContext, step: Step): Promise<void> {
  const known = CHECKS[step.what ?? ''];
  if (known) await known(context, step);
  else await checkProcess(context, step);
}

/** Acknowledged events that are nowhere: no outcome, no dead letter, no waiting row; or applied without their effect. */
export async function lostEvents({ stack, ledger }: CheckContext): Promise<string[]> {
  const rows = await stack.rows<EventRow>('event_log');
  const effects = await effectKeys(stack);
  return ledger
    .ackedEvents()
    .filter((delivery) => {
      const row = rowOf(delivery, rows);
      if (!row) return true;
      return row.status === APPLIED && isCounted(row) && !effects.includes(row.msg_id_or_hash);
    })
    .map(({ text }) => text.slice(0, 300));
}

/** Event keys whose effect took place more than once. */
export async function doubledEvents(stack: Stack): Promise<string[]> {
  const effects = await effectKeys(stack);
  return effects.filter((eventKey, index) => effects.indexOf(eventKey) !== index);
}

/** The test handlers take every event that the catalogue lists, and leave an effect of it. */
function isCounted({ event_type, change_type }: EventRow): boolean {
  return findCatalogueRow(event_type, change_type) !== undefined;
}

async function effectKeys(stack: Stack): Promise<string[]> {
  return (await stack.rows<{ event_key: string }>('test_effect')).map(({ event_key }) => event_key);
}

function matchOf(step: Step): Record<string, string> {
  return (step['match'] ?? {}) as Record<string, string>;
}

async function rowsOf(stack: Stack, step: Step): Promise<EventRow[]> {
  const rows = await stack.rows<EventRow>('event_log');
  return rows.filter((row) => rowFits(row, matchOf(step)));
}

function rowFits(row: EventRow, match: Readonly<Record<string, string>>): boolean {
  const ofText: Record<string, string> = {};
  for (const [name, pattern] of Object.entries(match)) {
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
    if (column === undefined) ofText[name] = pattern;
    else if (!fits(row[column], pattern)) return false;
  }
  return fieldsFit(row.plaintext, ofText);
}

function countFits(step: Step, got: number, what: string): void {
  const { count, min, max, countIn } = step as { count?: number; min?: number; max?: number; countIn?: number[] };
  const match = step['match'] === undefined ? '' : ` for ${JSON.stringify(step['match'])}`;
  if (count !== undefined) ensure(got === count, `${what}${match}: expected ${count}, got ${got}`);
  if (min !== undefined) ensure(got >= min, `${what}${match}: expected at least ${min}, got ${got}`);
  if (max !== undefined) ensure(got <= max, `${what}${match}: expected at most ${max}, got ${got}`);
  if (countIn) ensure(countIn.includes(got), `${what}${match}: expected one of ${countIn.join(', ')}, got ${got}`);
}

async function checkEventLog({ stack }: CheckContext, step: Step): Promise<void> {
  const rows = await rowsOf(stack, step);
  countFits(step, rows.length, 'rows of the event table');
  if (step['xmlListLength']) {
    const { path, equals } = step['xmlListLength'] as { path: string; equals: number };
    ensure(rows.length > 0, 'no row whose list could be counted');
    for (const row of rows) ensureEqual(listLength(row.plaintext, path), equals, `length of ${path}`);
  }
  for (const [field, pattern] of Object.entries((step['fieldsNot'] ?? {}) as Record<string, string>)) {
    for (const row of rows) {
      // The fingerprint is a digest; what went into it shows in the other columns.
      const values = field === 'fingerprint' ? Object.values({ ...row, plaintext: '' }) : [valueNamed(row, field)];
      const bad = values.find((value) => fits(typeof value === 'number' ? String(value) : value, pattern));
      ensure(bad === undefined, `${field} must not be ${pattern}, got ${String(bad)}`);
    }
  }
}

function valueNamed(row: EventRow, field: string): unknown {
  const column = Object.hasOwn(COLUMNS, field) ? COLUMNS[field] : undefined;
  return column === undefined ? valuesAt(fieldsOf(row.plaintext) ?? {}, field)[0] : row[column];
}

function listLength(plaintext: string, path: string): number {
  let value: unknown = fieldsOf(plaintext);
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = value[0];
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return Array.isArray(value) ? value.length : -1;
}

async function checkEffects({ stack, ledger }: CheckContext, step: Step): Promise<void> {
  const keys = new Set((await rowsOf(stack, step)).map((row) => row.msg_id_or_hash));
  const count = (await effectKeys(stack)).filter((key) => keys.has(key)).length;
  countFits(step, count, 'effects');
  if (step['exactlyOneIfAnyAck'] === true && ledger.acked(matchOf(step)).length > 0)
    ensure(count === 1, `a delivery was answered success: expected exactly one effect, got ${count}`);
}

async function checkEffectsPerEvent({ stack, ledger }: CheckContext, step: Step): Promise<void> {
  const rows = await stack.rows<EventRow>('event_log');
  const effects = await effectKeys(stack);
  const events = ledger.ackedEvents(matchOf(step));
  ensure(events.length > 0, 'no event was acknowledged');
  for (const delivery of events) {
    const key = rowOf(delivery, rows)?.msg_id_or_hash;
    const count = effects.filter((effect) => effect === key).length;
    countFits({ ...step, match: undefined }, count, `effects of ${delivery.text.slice(0, 300)}`);
  }
}

interface SagaRow {
  readonly entity_key: string;
  readonly entity_id: string;
  readonly state: string;
  readonly version: number | string;
  readonly last_event_time: number | string | null;
}

interface ChangeRow {
  readonly id: number | string;
  readonly entity_key: string;
  readonly from_state: string;
  readonly to_state: string;
}

async function checkEntity({ stack }: CheckContext, step: Step): Promise<void> {
  const rows = await stack.rows<SagaRow>('saga');
  const key = String(step['key']);
  const found = rows.filter(({ entity_id }) => entity_id.split('/').map(decodeURIComponent).includes(key));
  ensure(found.length > 0, `no business row has the key ${key}`);
  for (const row of found) {
    // Who ended a relation is part of our states' names: DELETED_BY_USER is DELETED.
    const state = String(step['state'] ?? row.state);
    const fitsState = row.state === state || row.state.startsWith(`${state}_`);
    ensure(fitsState, `state of ${key}: expected ${state}, got ${row.state}`);
    if (step['lastEventTime'] !== undefined)
      ensureEqual(Number(row.last_event_time), step['lastEventTime'], `last event time of ${key}`);
  }
}

async function checkVersions({ stack }: CheckContext, step: Step): Promise<void> {
  if (step['equalsAppliedChanges'] !== true) throw new UnsupportedError('entityVersions without equalsAppliedChanges');
  const changes = await stack.rows<ChangeRow>('entity_change');
  const events = await stack.rows<EventRow>('event_log');
  for (const { entity_key, version } of await stack.rows<SagaRow>('saga')) {
    const applied = events.filter((row) => row.entity_key === entity_key && row.status === APPLIED).length;
    const changed = changes.filter((change) => change.entity_key === entity_key).length;
    ensureEqual([Number(version), changed], [applied, applied], `version and changes of ${entity_key}`);
  }
}

/** A change that did not begin where the one before it had ended has overwritten it. */
async function lostUpdates(stack: Stack): Promise<number> {
  const changes = (await stack.rows<ChangeRow>('entity_change')).sort((a, b) => Number(a.id) - Number(b.id));
  let lost = 0;
  for (const { entity_key, state } of await stack.rows<SagaRow>('saga')) {
    const own = changes.filter((change) => change.entity_key === entity_key);
    lost += own.filter((change, index) => index > 0 && own[index - 1]?.to_state !== change.from_state).length;
    if (own.length > 0 && own.at(-1)?.to_state !== state) lost += 1;
  }
  return lost;
}

async function checkDeadLetters({ stack }: CheckContext, step: Step): Promise<void> {
  const items: any[] = [];
  for (let after: string | null = null; ;) {
    const { json } = await stack.admin(`dead-letters?limit=1000${after === null ? '' : `&after=${after}`}`);
    for (const item of json.items as { id: number }[]) items.push((await stack.admin(`events/${item.id}`)).json);
    after = json.next as string | null;
    if (after === null) break;
  }
  const found = items.filter(({ plaintext }) => fieldsFit(plaintext as string, matchOf(step)));
  countFits(step, found.length, 'dead letters');
  const views: Readonly<Record<string, (item: any) => unknown>> = {
    originalText: (item) => item.plaintext,
    attempts: (item) => item.attempt,
    reason: (item) => item.errorMessage,
  };
  for (const item of found) {
    for (const field of (step['fields'] ?? []) as string[]) {
      const view = views[field];
      if (!view) throw new UnsupportedError(`field ${field} of a dead letter is not known here`);
      ensure(Boolean(view(item)), `a dead letter shows no ${field}`);
    }
    if (step['attemptsMax'] !== undefined)
      ensure(item.attempt <= step['attemptsMax'], `attempts of a dead letter: ${item.attempt}`);
  }
}

const GUARD_STATES: Readonly<Record<string, string>> = { R: 'RECEIVED', Q: 'QUEUED', P: 'PROCESSING', S: 'SUCCESS' };
/** "The long time to live": longer than any lease or claim. */
const SUCCESS_TTL_MS_MIN = 60_000;

async function checkGuardKey({ stack, ledger }: CheckContext, step: Step): Promise<void> {
  const redis = stack.servers.redis;
  if (!redis) throw new UnsupportedError('guardKey needs Redis');
  const delivery = ledger.byRef(String(step['ref'] ?? 'last'));
  const row = rowOf(delivery, await stack.rows<EventRow>('event_log'));
  const client = redis.client();
  try {
    const [key] = await client.keys(`*${row?.msg_id_or_hash ?? 'none'}*`);
    const value = key === undefined ? '' : ((await client.get(key)) ?? '');
    const state = GUARD_STATES[value[0] ?? ''] ?? 'none';
    ensureEqual(state, step['state'], 'state of the guard key');
    const ttlMs = key === undefined ? 0 : await client.pttl(key);
    if (state === 'SUCCESS') ensure(ttlMs > SUCCESS_TTL_MS_MIN, `the guard key lives for ${ttlMs} ms only`);
  } finally {
    client.disconnect();
  }
}

async function checkConcurrency({ stack }: CheckContext, step: Step): Promise<void> {
  const endOf = (pid: number): number => stack.all.find((product) => product.pid === pid)?.ended?.at ?? Date.now();
  const max = concurrencyMax(stack.journal(), endOf);
  ensure(max <= Number(step['max']), `handlers at work on one event: expected at most ${step['max']}, got ${max}`);
}

async function checkLogs({ stack, profiles }: CheckContext, step: Step): Promise<void> {
  const filled = (texts: unknown): string[] =>
    ((texts ?? []) as string[]).map((text) =>
      text.replace(/\{(token|encodingAESKey):([^}]+)\}/g, (_, field: 'token' | 'encodingAESKey', app: string) =>
        String(profileOf(profiles, app)[field]),
      ),
    );
  for (const text of filled(step['mustNotContain'])) ensure(!stack.output.includes(text), `the log holds ${text}`);
  for (const text of filled(step['mustContain'])) ensure(stack.output.includes(text), `the log does not hold ${text}`);
}

async function checkLatency({ stack, ledger }: CheckContext, step: Step): Promise<void> {
  const maxMs = Number(step['maxMs']);
  const begun = Date.now();
  for (;;) {
    const delivery = ledger.deliveries.length > 0 ? ledger.byRef(String(step['ref'] ?? 'last')) : null;
    const row = delivery === null ? undefined : rowOf(delivery, await stack.rows<EventRow>('event_log'));
    if (row?.status === APPLIED) return;
    ensure(Date.now() - begun <= maxMs, `not applied within ${maxMs} ms`);
    await sleep(20);
  }
}
