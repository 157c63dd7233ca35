import { describe, expect, it } from 'vitest';
import { connectionSettings, producerSettings } from './client-settings.js';

const topics = { create: true, partitions: 1, replicationFactor: 0, retentionMs: 1 };
const plain = { engine: 'kafka', brokers: ['a:1', 'b:2'], sasl: null, tls: null, topics } as const;
const sasl = { mechanism: 'SCRAM-SHA-512', username: 'u', password: 'p' } as const;
const tls = { ca: 'CA', certificate: { cert: 'CERT', key: 'KEY' } };

describe('settings of the client', () => {
  it.each([
    ['plaintext', plain],
    ['sasl_plaintext', { ...plain, sasl }],
    ['ssl', { ...plain, tls }],
    ['sasl_ssl', { ...plain, sasl, tls: { ca: null, certificate: null } }],
  ])('speak %s', (protocol, broker) => {
    expect(connectionSettings(broker, 'me')).toMatchObject({
      'security.protocol': protocol,
      'bootstrap.servers': 'a:1,b:2',
    });
  });

  it('hand over credentials and certificates', () => {
    expect(connectionSettings({ ...plain, sasl, tls }, 'me')).toMatchObject({
      'sasl.mechanisms': 'SCRAM-SHA-512',
      'sasl.username': 'u',
      'sasl.password': 'p',
      'ssl.ca.pem': 'CA',
      'ssl.certificate.pem': 'CERT',
      'ssl.key.pem': 'KEY',
    });
  });

  it.each([10, 150, 1_500])('let a message of %i ms end before the publish does', (publishTimeoutMs) => {
    const settings = producerSettings(publishTimeoutMs, 1);
    expect(settings['message.timeout.ms']).toBeLessThan(publishTimeoutMs);
    expect(settings['message.timeout.ms']).toBeGreaterThanOrEqual(settings['linger.ms'] as number);
  });

  it('wait for all replicas in sync and keep the order of a partition over resends', () => {
    expect(producerSettings(1_500, 1)).toMatchObject({ acks: -1, 'enable.idempotence': true });
  });
});
