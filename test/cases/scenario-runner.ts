import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { GatewayInProcess } from '../support/gateway-in-process.js';
import { envelopeOf, queryString, seal, signed } from '../support/sealer.js';
import { until } from '../support/until.js';
import { WecomClient, type Answer, type RequestParts } from '../support/wecom-client.js';
import { check } from './scenario-checks.js';
import { generatedText } from './scenario-texts.js';
import { INPUTS, profiles, type Expectation, type Scenario, type Step } from './scenario.js';

/** What tells a case that its faults or checks are not known here: never counted as passed. */
export class UnsupportedError extends Error {}

export interface Faults {
  inject(step: Step): void;
}

const ANSWER_LIMIT_MS = 5_000;
const REJECT_LIMIT_MS = 1_000;
/** How long a sender waits before it counts a delivery as not answered. */
const SENDER_LIMIT_MS = 8_000;

type Result = Answer | 'closed';

/** Runs a case file against the real service; nothing here looks at a case's id. */
export class ScenarioRunner {
  private readonly clients = new Map<string, WecomClient>();

  constructor(
    private readonly gateway: GatewayInProcess,
    private readonly faults: Faults,
  ) {}

  async run(scenario: Scenario): Promise<void> {
    for (const step of scenario.steps) await this.step(step);
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'verify':
        return this.expected(step, this.verify(step));
      case 'callback':
        for (let n = 0; n < Number(step.repeat ?? 1); n += 1) await this.expected(step, this.callback(step));
        return;
      case 'request':
        return this.expected(step, this.raw(step));
      case 'parallel':
        await Promise.all((step.steps as Step[]).map((inner) => this.step(inner)));
        return;
      case 'fault':
        return this.faults.inject(step);
      case 'settle':
        return until(() => this.gateway.isSettled(), Number(step.maxMs ?? 15_000), 'everything is settled');
      case 'check':
        return check(this.gateway, step);
      case 'admin':
        return this.adminStep(step);
      default:
        throw new UnsupportedError(`step ${step.do}`);
    }
  }

  private client(app: string): WecomClient {
    const known = this.clients.get(app);
    if (known) return known;
    const credentials = profiles()[app];
    if (!credentials) throw new UnsupportedError(`profile ${app}`);
    const client = new WecomClient(this.gateway.callbackBase, app, credentials);
    this.clients.set(app, client);
    return client;
  }

  private async verify(step: Step): Promise<Result> {
    const client = this.client(step.app);
    const needed = (step.needsIn ?? []) as string[];
    const receiveId = (step.seal?.receiveId as string | undefined) ?? client.credentials.receiveId;
    for (;;) {
      const { encrypt } = seal(client.credentials, step.plain as string, receiveId);
      if (!needed.every((character) => encrypt.includes(character))) continue;
      const query = { ...signed(client.credentials.token, encrypt), echostr: encrypt };
      const path = `/wecom/callbacks/${step.app as string}?${queryString(query)}`;
      return client.request({ method: 'GET', path, headers: (step.headers ?? {}) as Record<string, string> });
    }
  }

  private async callback(step: Step): Promise<Result> {
    const client = this.client(step.app);
    const text = (step.xml ?? step.text ?? generatedText(step.gen)) as string;
    const sealed = seal(client.credentials, text, step.seal?.receiveId as string | undefined);
    const { query, encrypt } = mutated(step, sealed, client.credentials.token);
    const headers = step.headers as Record<string, string> | undefined;
    const parts: Partial<RequestParts> = {
      ...(headers ? { headers } : {}),
      ...(step.chunks ? { chunks: step.chunks as { everyBytes: number; overMs: number } } : {}),
      timeoutMs: Number(step.senderTimeoutMs ?? SENDER_LIMIT_MS),
    };
    return client.post(query, envelopeOf(client.credentials, encrypt), parts).catch(() => 'closed' as const);
  }

  private async raw(step: Step): Promise<Result> {
    const target = (step.target as string)
      .replace(/\{callback:([^}]*)\}/, (_, app: string) => `/wecom/callbacks/${app}`)
      .replace('{now}', String(Math.floor(Date.now() / 1000)));
    const body = step.bodyFile
      ? readFileSync(join(INPUTS, step.bodyFile as string))
      : (step.bodyText as string | undefined);
    const headers = (step.headers ?? {}) as Record<string, string>;
    const parts = { method: step.method as string, path: target, headers, ...(body === undefined ? {} : { body }) };
    return this.client('self')
      .request(parts)
      .catch(() => 'closed' as const);
  }

  private async adminStep(step: Step): Promise<void> {
    if (step.action !== 'view') throw new UnsupportedError(`admin ${step.action as string}`);
    const found = await this.gateway.admin(`events?msgId=${encodeURIComponent(step.id as string)}`);
    const view = await this.gateway.admin(`events/${found.json.items[0]?.id as number}`);
    expect(view.status).toBe(step.expect?.status ?? 200);
  }

  private async expected(step: Step, pending: Promise<Result>): Promise<void> {
    const result = await pending;
    if (step.expect) assertAnswer(result, step.expect, JSON.stringify(step).slice(0, 200));
  }
}

function mutated(step: Step, sealed: ReturnType<typeof seal>, token: string) {
  let { query, encrypt } = sealed;
  const mutate = (step.mutate ?? {}) as Record<string, string | boolean | null>;
  if ('Encrypt' in mutate) encrypt = String(mutate['Encrypt']);
  if (mutate['resign'] === true) query = signed(token, encrypt);
  for (const [name, value] of Object.entries(mutate)) {
    if (name === 'Encrypt' || name === 'resign') continue;
    if (value === null) query = Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));
    else query = { ...query, [name]: value === 'upper' ? (query[name] ?? '').toUpperCase() : String(value) };
  }
  const extra = (step.extraQuery ?? {}) as Record<string, string>;
  for (const [name, value] of Object.entries(extra)) query = { ...query, [name]: value };
  return { query, encrypt };
}

function assertAnswer(result: Result, expectation: Expectation, where: string): void {
  if (expectation.anyOf) {
    const fits = expectation.anyOf.some((one) => passes(result, one, where));
    expect(fits, `${where}: ${JSON.stringify(result)}`).toBe(true);
  }
  if (expectation.answer === 'nack') {
    expect(result === 'closed' || result.status >= 500 || result.ms > ANSWER_LIMIT_MS, where).toBe(true);
    return;
  }
  if (result === 'closed') {
    expect(expectation.anyOf, `${where}: the connection was closed`).toBeDefined();
    return;
  }
  assertDetails(result, expectation, where);
}

function assertDetails(result: Answer, expectation: Expectation, where: string): void {
  const type = String(result.headers['content-type'] ?? '');
  if (expectation.answer === 'ack') {
    expect([result.status, result.body], where).toEqual([200, 'success']);
    expect(result.ms).toBeLessThan(ANSWER_LIMIT_MS);
  }
  if (expectation.answer === 'reject') {
    expect(result.status, where).toBeGreaterThanOrEqual(400);
    expect(result.status, where).toBeLessThan(500);
    expect(result.body.length, where).toBeLessThan(200);
    expect(result.ms, where).toBeLessThan(expectation.maxMs ?? REJECT_LIMIT_MS);
  }
  if (expectation.status !== undefined) expect(result.status, where).toBe(expectation.status);
  if (expectation.statusIn) expect(expectation.statusIn, where).toContain(result.status);
  if (expectation.bodyExact !== undefined) expect(result.body, where).toBe(expectation.bodyExact);
  if (expectation.contentTypeStarts) expect(type.startsWith(expectation.contentTypeStarts), type).toBe(true);
  if (expectation.contentLength !== undefined)
    expect(Number(result.headers['content-length'])).toBe(expectation.contentLength);
  for (const name of expectation.noHeader ?? []) expect(result.headers[name.toLowerCase()], where).toBeUndefined();
  if (expectation.notHtml) expect([type.includes('html'), result.body.includes('<')], where).toEqual([false, false]);
  if (expectation.noStack) expect(/\n\s+at |node_modules/.test(result.body), where).toBe(false);
  if (expectation.maxMs !== undefined) expect(result.ms, where).toBeLessThan(expectation.maxMs);
}

function passes(result: Result, expectation: Expectation, where: string): boolean {
  try {
    assertAnswer(result, expectation, where);
    return true;
  } catch {
    return false;
  }
}
