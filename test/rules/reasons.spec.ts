import { describe, expect, it } from 'vitest';
import { Translator } from '../../console/src/i18n/phrases.js';
import { REASONS_ZH_CN } from '../../console/src/i18n/reasons-zh-cn.js';
import { zhCn } from '../../console/src/i18n/zh-cn.js';
import { normalisedMessage } from '../../src/event-log/error-group.js';
import { reasonTemplates } from '../support/reason-templates.js';

const { groups } = REASONS_ZH_CN;
const ZH_CN = new Translator(REASONS_ZH_CN);
const [status, reason] = ['DEAD', 'applied'];

const TEXTS = reasonTemplates({
  without: [
    // Programs, and what refuses callbacks, fills queues or tells of engines: no event's row has these reasons.
    ...['access', 'callback', 'cli', 'cluster', 'config', 'observability', 'redis', 'runtime', 'simulator', 'testing'],
    ...['database/mysql', 'database/sqlite', 'database/schema-state.ts', 'idempotency/lease-metrics.ts'],
    ...['transport/kafka', 'transport/rocketmq', 'transport/sqlite'],
    // Of a command in the outbox.
    'worker/command-sender.ts',
    // Single words; the type of the table's words has them all.
    'wecom',
  ],
  tellers: { foreign: 2, told: 1, UnrecoverableError: 0, WecomApiUnavailableError: 0 },
  thrown: ['database', 'entity-types', 'event-log', 'handlers', 'idempotency', 'saga', 'wecom-api', 'worker'],
  returning: ['textOf', 'wrongField'],
  standsFor: {
    ...{ status, 'row.status': status, 'row?.status': status, 'decision.reason': reason, 'moved.reason': reason },
    ...{ 'result.reason': reason, 'next.reason': 'cannot work', 'parsed.reason': 'not-well-formed' },
    'worker/work-item-factory.ts: reason': 'not JSON',
    'wecom-api/wecom-api.ts: reason': 'an empty answer',
  },
});

/** What errors say that are never an event's: `…` stands for what varies. */
const NEVER_WRITTEN = new Set([
  // Infrastructure is away, the lease or the process: it costs no attempt and is tried again.
  ...['the database is not available', 'the transaction has to run again', 'a duplicate key without a row'],
  ...['an entity has another version', 'the idempotency store did not answer', 'the lease on … is no longer ours'],
  ...['the lease ended before the transaction could begin', 'the worker stops', 'roll back'],
  // It has the handler's error as its cause, which is written.
  'a handler failed',
  // Of the purge.
  'the purge of … lost … races in a row',
  // It stops the start.
  '…: mend the entityTypes given to WecomGatewayModule.forRoot',
  // They cannot happen.
  ...['a write outside a transaction', 'a masked hash is always below the number of shards', 'not a row'],
  'the entity … was not loaded',
]);

const isWritten = ({ text }: { text: string }): boolean => !NEVER_WRITTEN.has(text.replace(/\bw\d+x\b/g, '…'));

describe('a reason that the source has', () => {
  const written = TEXTS.filter(isWritten);

  it.each(written.map((found) => [found.at, found.text, found.words] as const))(
    'is said in Chinese by the console: %s, "%s"',
    (_, text, words) => {
      const said = ZH_CN.say(text, Object.keys(groups))?.text ?? '';
      expect(said, 'console/src/i18n/reasons-zh-cn.ts lacks it').toMatch(/[\u4e00-\u9fff]/);
      for (const word of words) expect(said.split(word), `${word} is there once`).toHaveLength(2);
      expect(said).not.toMatch(/[{}]|undefined/);
    },
  );

  it('is said in Chinese as an error group shows it too, where what varies has no name', () => {
    const messages = written.map(({ text }) => text).filter((text) => ZH_CN.say(text, ['message']));
    const failures = Object.keys(REASONS_ZH_CN.words['failure'] ?? {}).map(
      (word) => `the text does not parse: ${word}`,
    );
    const why = written.map(({ text }) => text).filter((text) => ZH_CN.say(text, ['foreign']));
    const foreign = why.map((text) => `not a message of this service: ${text}`);
    const shown = [...messages, ...failures, ...foreign].map(normalisedMessage);
    expect(shown.filter((text) => !ZH_CN.say(text, ['message']))).toEqual([]);
  });

  it('is behind each sentence of the table', () => {
    const met = new Set(written.flatMap(({ text }) => ZH_CN.say(text, Object.keys(groups))?.sentences ?? []));
    const sentences = Object.values(groups).flatMap((group) => Object.keys(group));
    expect(sentences.filter((sentence) => !met.has(sentence))).toEqual([]);
  });

  it('is behind each exception of this test', () => {
    const found = new Set(TEXTS.map(({ text }) => text.replace(/\bw\d+x\b/g, '…')));
    expect([...NEVER_WRITTEN].filter((text) => !found.has(text))).toEqual([]);
  });
});

describe('the table', () => {
  const rows = Object.values(groups).flatMap((group) => Object.entries(group));
  const namesIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

  it.each(rows)('says all of "%s"', (sentence, said) => {
    expect(namesIn(said)).toEqual(namesIn(sentence));
  });

  it('names a status as the rest of the console does', () => {
    for (const [code, name] of Object.entries(zhCn.statuses)) {
      expect(ZH_CN.say(`the event is ${code}`, ['reason'])?.text).toBe(`该事件是“${name}”`);
    }
  });
});
