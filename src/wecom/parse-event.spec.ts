import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BINARY_PREFIX } from './cipher.js';
import type { FieldTree, WecomEvent } from './event.js';
import { parseEvent } from './parse-event.js';

function event(plaintext: string, receiveId = 'receive-id'): WecomEvent {
  const parsed = parseEvent(plaintext, receiveId);
  if (parsed.kind === 'unparsed') throw new Error(parsed.reason);
  return parsed.event;
}

function fields(inner: string): FieldTree {
  return event(`<xml>${inner}</xml>`).fields;
}

/** Without the null prototypes, to compare with literals. */
function plain(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree));
}

describe('the head of an XML event', () => {
  it.each([
    ['Event', '<MsgType>event</MsgType><Event>click</Event><InfoType>x</InfoType>', 'click'],
    ['InfoType', '<InfoType>suite_ticket</InfoType>', 'suite_ticket'],
    ['Event without MsgType', '<Event>device_checkin_data_report</Event>', 'device_checkin_data_report'],
    ['InfoType beside MsgType', '<MsgType>event</MsgType><Event></Event><InfoType>x</InfoType>', 'x'],
    ['MsgType of a message', '<MsgType>future_type</MsgType>', 'future_type'],
  ])('takes its type from %s', (_, inner, eventType) => {
    expect(event(`<xml>${inner}</xml>`).eventType).toBe(eventType);
  });

  it.each([
    ['an event without a name', '<MsgType>event</MsgType>'],
    ['an event with an empty name', '<MsgType>event</MsgType><Event/>'],
    ['two names', '<MsgType>event</MsgType><Event>a</Event><Event>b</Event>'],
    ['elements inside the name', '<Event><A/></Event>'],
    ['no type at all', '<Content>x</Content>'],
    ['nothing', ''],
  ])('does not guess a type for %s', (_, inner) => {
    expect(parseEvent(`<xml>${inner}</xml>`, 'r')).toEqual({ kind: 'unparsed', reason: 'no-event-type' });
  });

  it.each([
    [
      'AuthCorpId',
      '<ToUserName>t</ToUserName><CorpId>c</CorpId><PaidCorpId>p</PaidCorpId><AuthCorpId>a</AuthCorpId>',
      'a',
    ],
    ['PaidCorpId', '<ToUserName>t</ToUserName><CorpId>c</CorpId><PaidCorpId>p</PaidCorpId><AuthCorpId/>', 'p'],
    ['CorpId', '<ToUserName>t</ToUserName><CorpId>c</CorpId>', 'c'],
    ['ToUserName', '<CorpId></CorpId><ToUserName>t</ToUserName>', 't'],
    ['the receive id', '<SuiteId>s</SuiteId>', 'receive-id'],
  ])('takes the tenant from %s', (_, inner, corpId) => {
    expect(event(`<xml><InfoType>x</InfoType>${inner}</xml>`).corpId).toBe(corpId);
  });

  it.each([
    ['CreateTime', '<TimeStamp>2</TimeStamp><CreateTime>1796000400</CreateTime>', 1796000400],
    ['TimeStamp', '<TimeStamp>1796000400</TimeStamp>', 1796000400],
    ['nothing', '', null],
    ['no digits', '<CreateTime>1796000400.5</CreateTime>', null],
    ['a sign', '<CreateTime>-1</CreateTime>', null],
    ['milliseconds', '<CreateTime>1796000400123</CreateTime>', null],
  ])('takes its time from %s', (_, inner, createTime) => {
    expect(event(`<xml><InfoType>x</InfoType>${inner}</xml>`).createTime).toBe(createTime);
  });

  it('has a message id only when it is a message', () => {
    expect(event('<xml><MsgType>text</MsgType><MsgId>0012</MsgId></xml>').msgId).toBe('0012');
    expect(event('<xml><MsgType>text</MsgType><MsgId></MsgId></xml>').msgId).toBeNull();
    expect(event('<xml><MsgType>event</MsgType><Event>x</Event><MsgId>12</MsgId></xml>').msgId).toBeNull();
  });

  it('has a change type where the family has one', () => {
    expect(event('<xml><Event>x</Event><ChangeType>y</ChangeType></xml>').changeType).toBe('y');
    expect(event('<xml><Event>x</Event><UpdateDetail>y</UpdateDetail></xml>').changeType).toBeNull();
  });

  it('parses behind a byte order mark', () => {
    expect(event('\ufeff<xml><Event>x</Event></xml>').eventType).toBe('x');
    expect(event('\ufeff{"msgtype":"text"}').eventType).toBe('text');
  });
});

describe('the fields', () => {
  it('makes a list of what repeats and text of what does not', () => {
    const tree = fields('<Event>x</Event><A>1</A><A>2</A><A><B>3</B></A><C><D>4</D></C>');
    expect(plain(tree)).toEqual({ Event: 'x', A: ['1', '2', { B: '3' }], C: { D: '4' } });
  });

  it('makes a list of a listed element at any count', () => {
    const chat = '<Event>change_external_chat</Event><ChangeType>update</ChangeType>';
    expect(fields(chat).MemChangeList).toBeUndefined();
    expect(plain(fields(`${chat}<MemChangeList/>`).MemChangeList)).toEqual({ Item: [] });
    expect(plain(fields(`${chat}<MemChangeList><Item>a</Item></MemChangeList>`).MemChangeList)).toEqual({
      Item: ['a'],
    });
    const documents = fields('<Event>doc_change</Event><ChangeType>delete_doc</ChangeType>');
    expect(documents.DocId).toEqual([]);
    expect(documents.FormId).toBeUndefined();
  });

  it('does not make a list of a JSON list', () => {
    const tree = event('{"Event":"doc_change","ChangeType":"delete_doc","DocId":["a"]}').fields;
    expect(tree.DocId).toEqual(['a']);
  });

  it('makes lists inside the elements of lists', () => {
    const tree = fields('<Event>sys_approval_change</Event><ApprovalInfo><SpRecord><A/></SpRecord></ApprovalInfo>');
    expect(plain(tree.ApprovalInfo)).toEqual({ SpRecord: [{ A: '', Details: [] }], Notifyer: [], Comments: [] });
  });

  it('keeps names that are special in JavaScript as plain data, at every level', () => {
    const tree = fields(
      '<Event>x</Event><__proto__><polluted>yes</polluted></__proto__><A><__proto__>b</__proto__></A>',
    );
    expect(Object.keys(tree)).toEqual(['Event', '__proto__', 'A']);
    expect(Object.getPrototypeOf(tree)).toBeNull();
    expect(Object.getPrototypeOf(tree.A)).toBeNull();
    expect('toString' in tree).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are text in JSON too, and lists are lists', () => {
    const tree = event(
      '{"msgtype":"mixed","a":7300000000000000001,"b":true,"c":null,"d":[1,[2],{"e":"f"}],"g":[]}',
    ).fields;
    const rest = { a: '7300000000000000001', b: 'true', c: '', d: ['1', ['2'], { e: 'f' }], g: [] };
    expect(plain(tree)).toEqual({ msgtype: 'mixed', ...rest });
  });
});

describe('JSON bodies', () => {
  it('reads a message of the AI bot', () => {
    const text =
      '{"msgid":"CAIQ1","aibotid":"A","from":{"userid":"u","corpid":"wpX"},"msgtype":"text","create_time":1796000400}';
    const head = { corpId: 'wpX', eventType: 'text', changeType: null, msgId: 'CAIQ1', createTime: 1796000400 };
    expect(event(text)).toMatchObject(head);
  });

  it('reads an event of the AI bot inside one corp', () => {
    const text = '{"msgid":"m","msgtype":"event","from":{"userid":"u"},"event":{"eventtype":"enter_chat"}}';
    const head = { corpId: '', eventType: 'enter_chat', msgId: 'm', createTime: null };
    expect(event(text, '')).toMatchObject(head);
  });

  it('reads a payment', () => {
    const text =
      '{"id":"p1","event_type":"TRANSACTION.SUCCESS","create_time":"2026-11-30T20:00:00+08:00","resource":{}}';
    const head = { corpId: 'receive-id', eventType: 'TRANSACTION.SUCCESS', msgId: 'p1', createTime: 1796040000 };
    expect(event(text)).toMatchObject(head);
  });

  it('reads an XML body that is spelled as JSON', () => {
    const text = '{"ToUserName":"ww","CreateTime": 1409659813,"MsgType":"text","MsgId":4561255354251345929}';
    const head = { corpId: 'ww', eventType: 'text', msgId: '4561255354251345929', createTime: 1409659813 };
    expect(event(text)).toMatchObject(head);
  });

  it.each([
    ['an event without a name', '{"msgtype":"event","event":{}}'],
    ['an event whose name is null', '{"msgtype":"event","event":{"eventtype":null}}'],
    ['an event that is no object', '{"msgtype":"event","event":"enter_chat"}'],
    ['no type', '{}'],
  ])('does not guess a type for %s', (_, text) => {
    expect(parseEvent(text, 'r')).toEqual({ kind: 'unparsed', reason: 'no-event-type' });
  });

  it.each(['2026-11-30', '2026-13-30T20:00:00Z', 'yesterday'])('does not guess a time from %s', (time) => {
    expect(event(`{"id":"p","event_type":"X","create_time":"${time}"}`).createTime).toBeNull();
  });
});

describe('a text that is no event', () => {
  it.each([
    ['nothing', '', 'empty'],
    ['blanks', ' \n', 'empty'],
    ['words', 'hello', 'not-well-formed'],
    ['bytes that are not UTF-8', `${BINARY_PREFIX}Yf8=`, 'not-utf8'],
    ['another root', '<html><Event>x</Event></html>', 'wrong-root'],
    ['a root in another case', '<XML><Event>x</Event></XML>', 'wrong-root'],
    ['an array', '[{"msgtype":"text"}]', 'wrong-root'],
    ['a JSON string', '"text"', 'wrong-root'],
    ['a DTD', '<!DOCTYPE xml><xml><Event>x</Event></xml>', 'doctype'],
  ])('is unparsed: %s', (_, plaintext, reason) => {
    expect(parseEvent(plaintext, 'r')).toEqual({ kind: 'unparsed', reason });
  });

  it('never makes it throw', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '<xml>', '{', '<', BINARY_PREFIX),
        (text, prefix) => {
          expect(['event', 'unparsed']).toContain(parseEvent(prefix + text, 'r').kind);
        },
      ),
    );
  });
});
