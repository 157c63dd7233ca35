import type { Env } from './env.js';
import { readKafka, type KafkaConfig } from './kafka-config.js';
import { readRocketMq, type RocketMqConfig } from './rocketmq-config.js';

/** Which engine wall 2 runs on. */
export type TransportConfig = { readonly engine: 'sqlite' } | KafkaConfig | RocketMqConfig;

/** The engine of wall 2 and what it needs; faults are added to `faults`. */
export function readTransport(env: Env, faults: string[]): TransportConfig {
  switch (env.TRANSPORT) {
    case 'kafka':
      return readKafka(env, faults);
    case 'rocketmq':
      return readRocketMq(env, faults);
    default:
      return { engine: 'sqlite' };
  }
}
