import { describe, expect, it } from 'vitest';
import { Translator } from './phrases.js';
import { errorMessageText, reasonText } from './reason-text.js';

const zh = (reason: string): string => reasonText(reason, 'zh-CN');

describe('a reason', () => {
  it('stands as it is in English', () => {
    expect(reasonText('CreateTime 5 is older than 9', 'en')).toBe('CreateTime 5 is older than 9');
    expect(errorMessageText('the handler Ping is paused', 'en')).toBe('the handler Ping is paused');
  });

  it.each([
    ['CreateTime 1700000005 is older than 1700000009', 'CreateTime 1700000005 早于已生效的 1700000009'],
    [
      'approval-order: PASSED → UNDONE by UNDONE, unconfirmed',
      '状态机 approval-order：PASSED → UNDONE，由 UNDONE 触发，未确认',
    ],
    ['approval-order: RUNNING is illegal in PASSED', '状态机 approval-order：在 PASSED 状态下不允许 RUNNING'],
    ['the event is DEAD in generation 2, not 1 as seen', '该事件在第 2 代是“死信”，不再是所见的第 1 代'],
    ['waits, at no cost of an attempt: the handler Ping is paused', '等待中，不计尝试次数：处理器 Ping 已暂停'],
    [
      'cannot work: RUN_UNFINISHED: attempts used up by runs that never ended',
      expect.stringContaining('无法处理，不再重试'),
    ],
  ])('"%s" is said in Chinese', (reason, expected) => {
    expect(zh(reason)).toEqual(expected);
  });

  it('of several parts is said part by part', () => {
    expect(
      zh(
        'member: NONE → PRESENT by create_user; CreateTime 9 is ahead, taken as 5, if MemberHandler does not fail again',
      ),
    ).toBe(
      '状态机 member：NONE → PRESENT，由 create_user 触发；CreateTime 9 超前，按 5 计，前提是处理器 MemberHandler 不再失败',
    );
    expect(zh('CreateTime 5 is older than 9; it still moves a/ww/member/v, a/ww/member/w')).toBe(
      'CreateTime 5 早于已生效的 9；但仍会推动 a/ww/member/v, a/ww/member/w',
    );
  });

  it.each([
    'something new',
    '',
    'CreateTime 5 is older than 9; it was a Monday',
    'something new; it still moves a/ww/member/v',
    'something new, if Ping does not fail again',
    'member: NONE → PRESENT by create_user, guessed',
    'the event is BURIED',
    'the text does not parse: too-blue',
    'not a message of this service: too blue',
    'failed 4 times for fun: E: no',
  ])('that is not known whole is shown as it stands, no half of it in Chinese: "%s"', (reason) => {
    expect(zh(reason)).toBe(reason);
  });
});

describe('the words of others', () => {
  it.each([
    [
      'run 2 failed, next one in 812 ms: E_BUSY: no: the handler, it failed',
      '第 2 次运行失败，812 毫秒后重试：E_BUSY: no: the handler, it failed',
    ],
    ['failed 4 times: Error: ', '已失败 4 次：Error: '],
    ['cannot work: E: one\nA: B → C by D', '无法处理，不再重试：E: one\nA: B → C by D'],
    ['cannot work: E: x; it still moves a/b', '无法处理，不再重试：E: x; it still moves a/b'],
    ['cannot work: E: applied', '无法处理，不再重试：E: applied'],
    [
      'redriven by an operator in job 7: $& {job}, if it does not fail again',
      '由操作员在任务 7 中重投：$& {job}, if it does not fail again',
    ],
  ])('stay as they are: %j', (reason, expected) => {
    expect(zh(reason)).toBe(expected);
  });

  it('are no reason, even if they sound like one', () => {
    for (const message of ['applied', 'A: B → C by D', 'failed 3 times: E: no']) {
      expect(errorMessageText(message, 'zh-CN')).toBe(message);
    }
    expect(errorMessageText('the handler Ping is paused', 'zh-CN')).toBe('处理器 Ping 已暂停');
  });

  it('may be long, and cost little', () => {
    const before = performance.now();
    for (const part of ['a, ', '; it still moves ', ': ', ' → ']) zh(part.repeat(2_000 / part.length));
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('a translator', () => {
  it('takes the first sentence that fits and can be said whole', () => {
    const sentences = { 'a {colour} b': '甲{colour}乙', 'a {thing} b': '甲《{thing}》乙' };
    const translator = new Translator({ groups: { group: sentences }, words: { colour: { red: '红' } } });
    expect(translator.say('a red b', ['group'])?.text).toBe('甲红乙');
    expect(translator.say('a constructor b', ['group'])?.text).toBe('甲《constructor》乙');
    expect(translator.say('a b', ['group'])).toBeNull();
  });
});
