import { describe, expect, it } from 'vitest';
import type { ClientError, TopicDescription } from './kafka-client.js';
import { judge, newTopic } from './topics-check.js';

const wanted = { create: true, partitions: 12, replicationFactor: 0, retentionMs: 1_000 };
const options = { topics: ['t'], wanted, messageBytesMax: 5 };

function described(...partitions: { leader?: unknown; isr?: number; replicas?: number }[]): TopicDescription {
  return {
    name: 't',
    partitions: partitions.map(({ leader = { id: 1 }, isr = 3, replicas = 3 }, partition) => ({
      partition,
      leader,
      isr: Array.from({ length: isr }),
      replicas: Array.from({ length: replicas }),
    })),
  };
}

describe('a new topic', () => {
  it.each([
    [1, 0, 1, '1'],
    [2, 0, 2, '1'],
    [3, 0, 3, '2'],
    [9, 0, 3, '2'],
    [9, 5, 5, '2'],
  ])(
    'on %i brokers with factor %i has %i copies, of which %s must have a record',
    (brokers, factor, copies, insync) => {
      const topic = newTopic('t', brokers, { ...options, wanted: { ...wanted, replicationFactor: factor } });
      expect(topic).toMatchObject({ topic: 't', num_partitions: 12, replication_factor: copies });
      expect(topic.config).toMatchObject({
        'min.insync.replicas': insync,
        'retention.ms': '1000',
        'max.message.bytes': '5',
      });
    },
  );
});

describe('judging a topic', () => {
  it('finds nothing wrong with one that has its copies', () => {
    expect(judge(described({}, {}), 3)).toEqual([]);
    expect(judge(described({ replicas: 1, isr: 1 }), 1)).toEqual([]);
  });

  it.each<[string, TopicDescription, string]>([
    ['that is not there', { name: 't', partitions: [], error: new Error('unknown') as ClientError }, 'missing'],
    ['that has too few copies for its brokers', described({}, { replicas: 1, isr: 1 }), 'weak'],
    ['whose copies are behind', described({ isr: 2 }), 'weak'],
    ['without a leader', described({ leader: null }), 'weak'],
  ])('warns of one %s', (_, topic, kind) => {
    expect(judge(topic, 3)).toMatchObject([{ topic: 't', kind, reason: expect.any(String) }]);
  });
});
