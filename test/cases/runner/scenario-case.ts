import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminAction, checkAdmin } from './admin-actions.js';
import { checkBusPut, noteOfBusPut, putOnBus } from './bus-put.js';
import { check, checkIsSupported, doubledEvents, lostEvents, type CheckContext } from './checks.js';
import { instanceOf, needInstance, type Engines } from './engines.js';
import { ensureExchange, ensureNoExceptionPage, isAck } from './expectations.js';
import { checkFault, Faults, noteOf } from './faults.js';
import { exchange, type Exchange } from './http-exchange.js';
import { Ledger, rowOf, type EventRow } from './ledger.js';
import { messageOf, publishedMessages } from './messages.js';
import { crashesOf } from './process-checks.js';
import { sleep } from './product-process.js';
import { profileOf, type Profiles } from './profiles.js';
import { ensureReplaysAddUp } from './replays.js';
import { headersOf, sealStep } from './sealing.js';
import type { Stack } from './stack.js';
import { checkStartWith, startWith } from './start-with.js';
import { TextGenerator, type Generator } from './texts.js';
import { checkVocabulary, type Scenario, type Step } from './vocabulary.js';
import { ensure, UnsupportedError, CaseFailedError } from './verdict.js';

const SENDER_LIMIT_MS = 5_000;
const SETTLE_LIMIT_MS = 15_000;
const LAST_SETTLE_LIMIT_MS = 90_000;
/** So many that each of a few processes has a partition with one of them. */
const OTHER_KEYS = 8;

/** Throws `UnsupportedError` when a case asks for what is not known here or cannot be had on these engines. */
export function checkScenario(scenario: Scenario, engines: Engines, profiles: Profiles): string[] {
  checkVocabulary(scenario);
  const notes = new Set<string>();
  for (const step of allSteps(scenario.steps)) {
    if (step['instance'] !== undefined) needInstance(step['instance'], step.do, engines);
    if (step['app'] !== undefined) profileOf(profiles, String(step['app']));
    const note = step.do === 'fault' ? noteOf(step, engines) : noteOfPut(step, engines);
    if (note !== null) notes.add(note);
    if (step.do === 'fault') checkFault(step, engines);
    if (step.do === 'check') checkIsSupported(step, engines);
    if (step.do === 'admin') checkAdmin(step);
    if (step.do === 'bus.put') checkBusPut(step);
    if (step.do === 'startWith') checkStartWith(step);
    if (step.do === 'redeliver') needInstance(step['to'], 'redeliver', engines);
    if (step.do === 'redeliver' && ![undefined, 'bus'].includes(step['via'] as string | undefined))
      throw new UnsupportedError(`redeliver via ${step['via']} is not known here`);
    if (step.do === 'request' && String(step['target']).includes('{console}'))
      throw new UnsupportedError('request {console}: the console is not built yet');
    if (step.do === 'request' && /\{(?!callback:|now\})/.test(String(step['target'])))
      throw new UnsupportedError(`request: a placeholder in ${step['target']} is not known here`);
  }
  return [...notes];
}

function noteOfPut(step: Step, engines: Engines): string | null {
  if (step.do === 'bus.put') return noteOfBusPut(step);
  if (step.do !== 'redeliver' || instanceOf(step['to']) === 1) return null;
  return `redeliver to ${step['to']}: the ${engines.transport} decides who gets it, so it is put under ${OTHER_KEYS} ordering keys`;
}

/** How many processes a case begins with: all that it names, but those that it starts itself. */
export function instancesOf({ steps }: Scenario): number {
  const named = allSteps(steps).map((step) => {
    const isStart = step.do === 'fault' && /^(gateway|consumer)\.start$/.test(step.what ?? '');
    return Math.max(instanceOf(step['to']), instanceOf(step['instance']) - (isStart ? 1 : 0));
  });
  return Math.max(1, ...named);
}

function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...allSteps([...(step.steps ?? []), ...(step.step ? [step.step] : [])])]);
}

/** Runs a scenario over the real product; nothing here looks at a case's id. */
export class ScenarioCase {
  private readonly ledger = new Ledger();
  private readonly texts = new TextGenerator();
  private readonly faults: Faults;
  private heapAtStart = 0;

  constructor(
    private readonly stack: Stack,
    private readonly profiles: Profiles,
    private readonly inputs: string,
  ) {
    this.faults = new Faults(stack, this.ledger);
  }

  async run({ steps }: Scenario): Promise<void> {
    this.heapAtStart = Number(await this.stack.product?.ask({ ask: 'heap' }));
    for (const [index, step] of steps.entries()) {
      try {
        await this.step(step, 0);
        await this.stack.pointDone();
      } catch (error) {
        if (!(error instanceof CaseFailedError)) throw error;
        throw new CaseFailedError(`step ${index + 1} (${nameOf(step)}): ${error.message}`);
      }
    }
    await this.ensureRules();
  }

  /** What holds in every case, whether it says so or not. */
  private async ensureRules(): Promise<void> {
    const missed = this.stack.pointsNotReached;
    ensure(missed.length === 0, `a fault was never injected: ${missed.join(', ')} was not reached`);
    const crashes = crashesOf(this.stack);
    ensure(crashes.length === 0, `a process has ended by itself: ${crashes.join('; ')}`);
    if (this.ledger.deliveries.length === 0) return;
    await this.faults.lift();
    await this.stack.settle(LAST_SETTLE_LIMIT_MS);
    await ensureReplaysAddUp(this.stack);
    const context = this.context();
    const lost = await lostEvents(context);
    ensure(lost.length === 0, `at the end: ${lost.length} acknowledged event(s) lost, the first: ${lost[0]}`);
    const doubled = await doubledEvents(this.stack);
    ensure(doubled.length === 0, `at the end: ${doubled.length} effect(s) too many`);
    const rows = await this.stack.rows<EventRow>('event_log');
    const published = publishedMessages(this.stack.journal());
    const kept = this.ledger
      .refused()
      .filter(
        (one) => rowOf(one, rows) ?? published.find(({ app, plaintext }) => app === one.app && plaintext === one.text),
      );
    ensure(
      kept.length === 0,
      () => `at the end: a refused callback was published or stored as an event: ${kept[0]?.text}`,
    );
    ensure(crashesOf(this.stack).length === 0, 'at the end: a process has ended by itself');
  }

  private async step(step: Step, iteration: number): Promise<void> {
    if (step['delayMs'] !== undefined) await sleep(Number(step['delayMs']));
    switch (step.do) {
      case 'verify':
      case 'callback':
        return this.sealed(step, step.do, iteration);
      case 'request':
        return this.expected(step, await this.raw(step));
      case 'redeliver':
        return this.redeliver(step);
      case 'parallel':
        return this.together((step.steps ?? []).map((inner) => this.step(inner, iteration)));
      case 'parallelRepeat':
        return this.together(Array.from({ length: Number(step['times']) }, (_, n) => this.step(innerOf(step), n)));
      case 'repeat':
        return this.repeat(step);
      case 'bus.put':
        return putOnBus(step, this.stack, profileOf(this.profiles, 'self'), this.texts);
      case 'fault':
        return this.faults.inject(step);
      case 'admin':
        return adminAction(step, this.stack, this.ledger);
      case 'settle':
        return this.stack.settle(Number(step['maxMs'] ?? SETTLE_LIMIT_MS));
      case 'wait':
        return sleep(Number(step['ms']));
      case 'until':
        return this.until(step);
      case 'startWith':
        return startWith(step, this.stack, this.profiles);
      case 'check':
        return check(this.context(), step);
      default:
        throw new UnsupportedError(`step ${step.do} is not known here`);
    }
  }

  private context(): CheckContext {
    const { stack, ledger, profiles, heapAtStart } = this;
    return { stack, ledger, profiles, heapAtStart };
  }

  /** All come to their end before the first failure is told: none goes on behind the case. */
  private async together(steps: readonly Promise<void>[]): Promise<void> {
    const failed = (await Promise.allSettled(steps)).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** One after another, but never later than the pace that `withinMs` asks for. */
  private async repeat(step: Step): Promise<void> {
    const times = Number(step['times']);
    const paceMs = step['withinMs'] === undefined ? Infinity : Number(step['withinMs']) / times;
    const begun = performance.now();
    const running: Promise<void>[] = [];
    for (let n = 0; n < times; n += 1) {
      const round = this.step(innerOf(step), n);
      round.catch(() => undefined);
      running.push(round);
      const untilNextMs = paceMs * (n + 1) - (performance.now() - begun);
      await Promise.race([
        round.catch(() => undefined),
        ...(Number.isFinite(paceMs) ? [sleep(Math.max(0, untilNextMs))] : []),
      ]);
    }
    await this.together(running);
  }

  private async sealed(step: Step, kind: 'verify' | 'callback', iteration: number): Promise<void> {
    const app = String(step['app']);
    const text = String(
      step['plain'] ?? step['xml'] ?? step['text'] ?? this.texts.text(step['gen'] as Generator, iteration),
    );
    const profile = profileOf(this.profiles, app);
    const { query, body } = sealStep(step, profile, text, kind);
    const type = profile.envelope === 'json' ? 'application/json' : 'text/xml';
    const sentAt = Date.now();
    const result = await exchange(this.stack.callbackBaseOf(instanceOf(step['instance'])), {
      method: kind === 'verify' ? 'GET' : 'POST',
      path: `/wecom/callbacks/${app}?${query}`,
      headers: headersOf(step, kind === 'verify' ? {} : { 'Content-Type': type }),
      ...(kind === 'verify' ? {} : { body: Buffer.from(body) }),
      ...(step['chunks'] ? { chunks: step['chunks'] as { everyBytes: number; overMs: number } } : {}),
      timeoutMs: Number(step['senderTimeoutMs'] ?? SENDER_LIMIT_MS + Number(step['chunks']?.overMs ?? 0)),
    });
    if (kind === 'callback') this.ledger.add({ app, text, sentAt, result: resultOf(result) });
    this.expected(step, result);
  }

  private raw(step: Step): Promise<Exchange> {
    const path = String(step['target'])
      .replace(/\{callback:([^}]*)\}/, (_, app: string) => `/wecom/callbacks/${app}`)
      .replace('{now}', String(Math.floor(Date.now() / 1000)));
    const { bodyFile, bodyText } = step as { bodyFile?: string; bodyText?: string };
    const body = bodyFile === undefined ? bodyText : readFileSync(join(this.inputs, bodyFile));
    return exchange(this.stack.callbackBaseOf(instanceOf(step['instance'])), {
      method: String(step['method'] ?? 'GET'),
      path,
      headers: headersOf(step, {}),
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
      timeoutMs: SENDER_LIMIT_MS,
    });
  }

  private expected(step: Step, result: Exchange): void {
    ensureNoExceptionPage(result);
    if (step.expect) ensureExchange(result, step.expect);
  }

  private async redeliver(step: Step): Promise<void> {
    const { body, orderingKey } = messageOf(this.ledger.byRef(String(step['ref'] ?? 'last')), this.stack.journal());
    const isForOther = instanceOf(step['to']) !== 1;
    const keys = isForOther ? Array.from({ length: OTHER_KEYS }, (_, n) => `redelivered-${n}`) : [orderingKey];
    for (const key of keys) await this.stack.product?.ask({ ask: 'publish', topic: 'events', orderingKey: key, body });
  }

  private async until(step: Step): Promise<void> {
    const maxMs = Number(step['maxMs'] ?? LAST_SETTLE_LIMIT_MS);
    const deadline = Date.now() + maxMs;
    for (;;) {
      const asked = { do: 'check', what: 'ready', value: true };
      const ready = await check(this.context(), asked).then(
        () => true,
        () => false,
      );
      if (ready) return;
      ensure(Date.now() < deadline, `${String(step['ready'])} not ready within ${maxMs} ms`);
      await sleep(50);
    }
  }
}

function innerOf(step: Step): Step {
  if (!step.step) throw new UnsupportedError(`${step.do} without a step`);
  return step.step;
}

function resultOf(result: Exchange): 'ack' | 'rejected' | 'other' {
  if (isAck(result)) return 'ack';
  return result.kind === 'answer' && result.status >= 400 && result.status < 500 ? 'rejected' : 'other';
}

function nameOf({ do: name, what, action }: Step): string {
  return [name, what ?? action].filter((part) => part !== undefined).join(' ');
}
