import { approvalPlaintext } from './approval-history.js';
import type { Surroundings } from './history.js';
import { plaintextOf } from './plaintext.js';

export interface FailingEvent {
  readonly plaintext: string;
  /** No retry helps. */
  readonly endsDead: boolean;
}

const TEXTS = ['在吗？', 'a < b && c > d', '👍 收到', 'the end of a section: ]]>'] as const;
const UNKNOWN_STATUS = '8';

/** A text message: no built-in handler takes it, and its MsgId alone names it. */
export function textMessage({ corpId, ids, random }: Surroundings, second: number): string {
  return plaintextOf([
    ['ToUserName', corpId],
    ['FromUserName', 'ZhangSan'],
    ['CreateTime', second],
    ['MsgType', 'text'],
    ['Content', random.pick(TEXTS)],
    ['MsgId', random.chance(0.5) ? ids.base64MessageId() : ids.longMessageId()],
    ['AgentID', 1000002],
  ]);
}

/** WeCom adds events every month: one that nobody has heard of is ordinary. */
export function unknownEvent({ corpId, ids, random }: Surroundings, second: number): string {
  return plaintextOf([
    ['ToUserName', corpId],
    ['FromUserName', 'sys'],
    ['CreateTime', second],
    ['MsgType', 'event'],
    ['Event', random.pick(['simulated_future_event', 'simulated_other_event'])],
    ['FutureId', ids.opaque('ft')],
  ]);
}

/**
 * An event on which a handler fails: mostly once, so that a retry heals it; rarely twice (the second retry comes after
 * 10 s) or for good. The approval shows a status that WeCom's documents leave undefined, and is a dead letter.
 */
export function failingEvent({ corpId, ids, random }: Surroundings, second: number): FailingEvent {
  const draw = random.fraction();
  if (draw >= 0.9) {
    const plaintext = approvalPlaintext(corpId, ids.approvalNumber(), second, UNKNOWN_STATUS, 1, []);
    return { plaintext, endsDead: true };
  }
  const isFatal = draw >= 0.8;
  const plaintext = plaintextOf([
    ['ToUserName', corpId],
    ['FromUserName', 'sys'],
    ['CreateTime', second],
    ['MsgType', 'event'],
    ['Event', 'demo_task'],
    ['TaskId', ids.opaque('task')],
    ['FailTimes', !isFatal && draw >= 0.7 ? 2 : 1],
    ['Fatal', isFatal ? 1 : 0],
  ]);
  return { plaintext, endsDead: isFatal };
}
