import { describe, expect, it } from 'vitest';
import { bodyOf, orderingKeyOf, ROCKETMQ_BODY_BYTES_MAX, toRocketMq } from './rocketmq-message.js';
import { rocketMqName } from './rocketmq-names.js';

describe('a message on RocketMQ', () => {
  it.each([
    ['key', 'body'],
    ['k\0 007 中文 %00', ''],
    ['', '\0'],
    ['x'.repeat(500), ' '],
  ])('brings key %j and body %j back as they were', (orderingKey, body) => {
    const message = toRocketMq({ orderingKey, body });
    expect(message.messageGroup).toMatch(/^[\w-]{1,64}$/);
    expect([...message.properties.values()].join('')).toMatch(/^[\x20-\x7e]*$/);
    expect(message.body.length).toBeGreaterThan(0);
    expect(orderingKeyOf({ messageId: '1', ...message })).toBe(orderingKey);
    expect(bodyOf({ messageId: '1', ...message })).toBe(body);
  });

  it('has one group for each key', () => {
    const groupOf = (orderingKey: string): string => toRocketMq({ orderingKey, body: 'x' }).messageGroup;
    expect(groupOf('a')).toBe(groupOf('a'));
    expect(groupOf('a')).not.toBe(groupOf('b'));
  });

  it('is refused when nobody could receive it', () => {
    const body = 'x'.repeat(ROCKETMQ_BODY_BYTES_MAX);
    expect(toRocketMq({ orderingKey: 'a', body }).body).toHaveLength(ROCKETMQ_BODY_BYTES_MAX);
    expect(() => toRocketMq({ orderingKey: 'a', body: `${body}x` })).toThrow(RangeError);
  });

  it('of somebody else is ordered by its group, or by nothing', () => {
    const foreign = { messageId: 'id', body: Buffer.from([0xff]), properties: new Map<string, string>() };
    expect(orderingKeyOf({ ...foreign, messageGroup: 'theirs' })).toBe('theirs');
    expect(orderingKeyOf({ ...foreign, messageGroup: '' })).toBe('id');
    expect(orderingKeyOf({ ...foreign, properties: new Map([['orderingKey', '%']]) })).toBe('%');
    expect(bodyOf(foreign)).toBe('\uFFFD');
  });
});

describe('a name on RocketMQ', () => {
  it('has hyphens for dots, and its namespace in front', () => {
    expect(rocketMqName('', 'wecom.events.dlq')).toBe('wecom-events-dlq');
    expect(rocketMqName('prod', 'wecom.events')).toBe('prod%wecom-events');
  });
});
