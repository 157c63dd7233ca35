import { describe, expect, it } from 'vitest';
import { approvalXml, customerXml, groupXml, messageXml } from '../../test/support/texts.js';
import { parseEvent } from './parse-event.js';
import { WECOM_IDS_MAX, wecomIdsOf } from './wecom-ids.js';

function idsOf(text: string): string[] {
  const parsed = parseEvent(text, 'ww1');
  if (parsed.kind !== 'event') throw new Error('does not parse');
  return wecomIdsOf(parsed.event).map(({ name, value }) => `${name}=${value}`);
}

describe('wecomIdsOf', () => {
  it.each([
    [approvalXml('A-1', 1, 1), ['SpNo=A-1']],
    [customerXml('add_external_contact', 'wmAbC', 1), ['UserID=ZhangSan', 'ExternalUserID=wmAbC']],
    [groupXml('create', 'wr/1+=', 1), ['ChatId=wr/1+=']],
    [messageXml('7', 'hello', 1), ['UserID=LiSi']],
    [approvalXml('A', 1, 1, '<Applyer><UserId>Li</UserId></Applyer>'), ['SpNo=A', 'UserID=Li']],
  ])('finds the ids of %s', (text, expected) => {
    expect(idsOf(text)).toEqual(expected);
  });

  it('keeps each id once, and letter case apart', () => {
    const extra =
      '<SpNoStr>A</SpNoStr><Notifyer><UserId>wm</UserId></Notifyer><Notifyer><UserId>WM</UserId></Notifyer>';
    expect(idsOf(approvalXml('A', 1, 1, extra))).toEqual(['SpNo=A', 'UserID=wm', 'UserID=WM']);
  });

  it('bounds the ids of one event, and drops a value that no id is', () => {
    const many = Array.from({ length: 50 }, (_, n) => `<Notifyer><UserId>u${n}</UserId></Notifyer>`).join('');
    expect(idsOf(approvalXml('A', 1, 1, many))).toHaveLength(WECOM_IDS_MAX);
    expect(idsOf(approvalXml('x'.repeat(129), 1, 1))).toEqual([]);
  });

  it('is not misled by names that every object has', () => {
    expect(idsOf(approvalXml('A', 1, 1, '<constructor>x</constructor><__proto__>y</__proto__>'))).toEqual(['SpNo=A']);
  });
});
