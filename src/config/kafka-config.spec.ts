import { describe, expect, it } from 'vitest';
import { Env } from './env.js';
import { parseBrokers, readKafka, type KafkaConfig } from './kafka-config.js';

const KAFKA = { KAFKA_BROKERS: 'a:9092' };

function read(env: Partial<Env>): { config: KafkaConfig; faulty: string[] } {
  const faults: string[] = [];
  const config = readKafka(Object.assign(new Env(), env), faults);
  return { config, faulty: faults.map((fault) => fault.split(/[:,]/)[0]!) };
}

describe('settings of Kafka', () => {
  it('take brokers, a login and certificates', () => {
    const { config, faulty } = read({
      ...KAFKA,
      KAFKA_BROKERS: 'a:9092, b:9093',
      KAFKA_SASL_MECHANISM: 'PLAIN',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: 'p',
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA: 'CA',
      KAFKA_CREATE_TOPICS: 'false',
      TRANSPORT_RETENTION_DAYS: 2,
    });
    expect(faulty).toEqual([]);
    expect(config).toEqual({
      engine: 'kafka',
      brokers: ['a:9092', 'b:9093'],
      sasl: { mechanism: 'PLAIN', username: 'u', password: 'p' },
      tls: { ca: 'CA', certificate: null },
      topics: { create: false, partitions: 12, replicationFactor: 0, retentionMs: 172_800_000 },
    });
  });

  it.each<[string, Partial<Env>]>([
    ['KAFKA_BROKERS', { KAFKA_BROKERS: undefined }],
    ['KAFKA_BROKERS', { KAFKA_BROKERS: 'kafka://a:9092' }],
    ['KAFKA_SASL_USERNAME', { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_PASSWORD: 'p' }],
    ['KAFKA_SASL_PASSWORD', { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'u' }],
    ['KAFKA_SASL_MECHANISM', { KAFKA_SASL_USERNAME: 'u' }],
    ['KAFKA_TLS', { KAFKA_TLS_CA: 'CA' }],
    ['KAFKA_TLS_CERT', { KAFKA_TLS: 'true', KAFKA_TLS_CERT: 'CERT' }],
  ])('refuse what is missing or contradicts itself: %s', (name, env) => {
    expect(read({ ...KAFKA, ...env }).faulty).toEqual([name]);
  });
});

describe('parseBrokers', () => {
  it('reads names, IPv4 and IPv6 addresses', () => {
    expect(parseBrokers('kafka-1.svc:9092, 10.0.0.1:1,[::1]:9,')).toEqual([
      'kafka-1.svc:9092',
      '10.0.0.1:1',
      '[::1]:9',
    ]);
  });

  it.each(['', ' , ', 'a', 'a:0', 'a:70000', 'a:b', 'u@a:1', '::1:9', 'a:1;b:2'])('refuses %j', (text) => {
    expect(parseBrokers(text)).toBeNull();
  });
});
