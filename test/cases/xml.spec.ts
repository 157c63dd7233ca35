import { describe, expect, it } from 'vitest';
import { openEnvelope } from '../../src/wecom/envelope.js';
import type { FieldTree, FieldValue, WecomEvent } from '../../src/wecom/event.js';
import { eventKey } from '../../src/wecom/event-key.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { callbacksOf, listCaseFiles, readCaseJson, readCaseText, readProfile } from './read-case.js';

interface Expectation {
  readonly facts: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly absent: readonly string[];
}

const TITLES: Readonly<Record<string, string>> = {
  'xml-01': 'leading zeros in ids are kept',
  'xml-02': '64-bit message ids are exact',
  'xml-03': 'a MsgId that is base64 text is an opaque string',
  'xml-04': 'one, two or no Item make a list',
  'xml-05': 'an approval keeps every node, approver and copy at its level',
  'xml-06': 'extended attributes keep their nested Text',
  'xml-07': 'an empty AgentID is empty or absent',
  'xml-08': 'entities are decoded outside CDATA and left alone inside',
  'xml-10': 'element names that are special in JavaScript are plain data',
  'xml-11': 'events that nobody has listed yet keep their name and fields',
  'xml-12': 'a third-party event has its type, time and tenant',
};

const files = listCaseFiles('xml');
const texts = files.filter((file) => files.includes(file.replace('.xml', '.expect.json')) && file.endsWith('.xml'));

function parse(plaintext: string): WecomEvent {
  const parsed = parseEvent(plaintext, 'receive-id');
  if (parsed.kind === 'unparsed') throw new Error(parsed.reason);
  return parsed.event;
}

/** All values at a path; `[i]` picks one element of a list and `[*]` all. Throws where a list is none. */
function valuesAt(tree: FieldTree, path: string): (FieldValue | undefined)[] {
  let values: (FieldValue | undefined)[] = [tree];
  for (const step of path.split('.')) {
    const [, name = '', index] = /^(.*?)(?:\[(\*|\d+)\])?$/.exec(step) ?? [];
    values = values.map((value) => (value as FieldTree)[name]);
    if (index === undefined) continue;
    values = values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Error(`${path}: ${name} is not a list`);
      return index === '*' ? value : [value[Number(index)]];
    });
  }
  return values;
}

function check(tree: FieldTree, { facts, lists, absent }: Expectation): void {
  for (const [path, value] of Object.entries(facts)) expect(valuesAt(tree, path), path).toEqual([value]);
  for (const [path, items] of Object.entries(lists)) {
    const found = valuesAt(tree, path);
    expect(path.includes('[*]') ? found : found[0], path).toEqual(items);
  }
  for (const path of absent) expect(valuesAt(tree, path), path).toEqual([undefined]);
}

describe('the parser cases', () => {
  it.each(texts.map((file) => [file.slice(0, 6), TITLES[file.slice(0, 6)], file]))('%s: %s (%s)', (_, __, file) => {
    const { fields } = parse(readCaseText(`xml/${file}`));
    check(fields, readCaseJson<Expectation>(`xml/${file.replace('.xml', '.expect.json')}`));
  });

  it('none is left out', () => {
    expect(texts).toHaveLength(21);
    expect([...new Set(texts.map((file) => file.slice(0, 6)))]).toEqual(Object.keys(TITLES));
    const expectations = files.filter((file) => file.endsWith('.expect.json'));
    expect(texts.map((file) => file.replace('.xml', '.expect.json'))).toEqual(expectations);
  });
});

describe('what the files do not say', () => {
  it('xml-07: an envelope may have any kind of empty AgentID', () => {
    for (const agentId of ['<AgentID><![CDATA[]]></AgentID>', '<AgentID></AgentID>', '<AgentID/>', '']) {
      const body = `<xml><ToUserName><![CDATA[ww]]></ToUserName>${agentId}<Encrypt><![CDATA[QUJD]]></Encrypt></xml>`;
      expect(openEnvelope(Buffer.from(body))).toMatchObject({ ok: true, encrypt: 'QUJD' });
    }
  });

  it.each(files.filter((file) => file.endsWith('.body.xml')))(
    'xml-09: %s is refused before any entity counts',
    (file) => {
      const begun = performance.now();
      const body = readCaseText(`xml/${file}`);
      expect(openEnvelope(Buffer.from(body))).toMatchObject({ ok: false, error: 'bad-envelope', officialCode: -40002 });
      expect(parseEvent(body, 'r')).toEqual({ kind: 'unparsed', reason: 'doctype' });
      expect(performance.now() - begun).toBeLessThan(200);
    },
  );

  it('xml-09: a DTD inside the decrypted text is refused as such', () => {
    expect(callbacksOf('xml-09').map(({ plaintext }) => parseEvent(plaintext, 'r'))).toEqual([
      { kind: 'unparsed', reason: 'doctype' },
    ]);
  });

  it('xml-10: no object of the process gains a property', () => {
    parse(readCaseText('xml/xml-10-special-names.xml'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('xml-11: unknown events are known by their own names', () => {
    const event = (file: string): WecomEvent => parse(readCaseText(`xml/xml-11-${file}.xml`));
    expect(event('unknown-change')).toMatchObject({
      eventType: 'change_external_contact',
      changeType: 'brand_new_change',
    });
    expect(event('unknown-event')).toMatchObject({ eventType: 'future_event', changeType: null });
    expect(event('unknown-msgtype')).toMatchObject({ eventType: 'future_type', msgId: '7300000000000002401' });
  });

  it('xml-12: type, time, tenant and key come from the right fields', () => {
    const callbacks = callbacksOf('xml-12');
    const keys = callbacks.map(({ app, plaintext }) => {
      const { receiveId } = readProfile(app);
      const parsed = parseEvent(plaintext, receiveId);
      expect(parsed).toMatchObject({
        kind: 'event',
        event: {
          corpId: 'wpQ7dXbwAAk3Lr9tZpYhC0eVnJ2sUg01',
          eventType: 'change_external_contact',
          changeType: 'add_external_contact',
          createTime: 1796000400,
          msgId: null,
        },
      });
      return eventKey({ receiver: app, parsed, receiveId, plaintext, volatile: [] });
    });
    expect(new Set(keys).size).toBe(2);
  });
});
