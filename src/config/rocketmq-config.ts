import type { Env } from './env.js';

/** Which proxy of RocketMQ, and as whom. The secret key is never to be logged. */
export interface RocketMqConfig {
  readonly engine: 'rocketmq';
  /** `host:port`, several separated by `;`: what the client takes. */
  readonly endpoints: string;
  readonly namespace: string;
  readonly credentials: { readonly accessKey: string; readonly secretKey: string } | null;
}

/** A body may nearly double on its way (quotes in JSON), and a message holds 4 MB. */
export const ROCKETMQ_CALLBACK_BYTES_MAX = 2_000_000;
const ENDPOINTS = /^[A-Za-z0-9._-]+:\d{1,5}(?:;[A-Za-z0-9._-]+:\d{1,5})*$/;

/** What is wrong with the settings by themselves is added to `faults`. */
export function readRocketMq(env: Env, faults: string[]): RocketMqConfig {
  const { ROCKETMQ_ENDPOINTS: endpoints = '', ROCKETMQ_ACCESS_KEY: accessKey, ROCKETMQ_SECRET_KEY: secretKey } = env;
  if (endpoints === '') faults.push('ROCKETMQ_ENDPOINTS: must be set with TRANSPORT=rocketmq');
  else if (!ENDPOINTS.test(endpoints)) faults.push('ROCKETMQ_ENDPOINTS: must be host:port, several separated by ";"');
  if (accessKey === '' && secretKey !== '') faults.push('ROCKETMQ_ACCESS_KEY: must be set when ROCKETMQ_SECRET_KEY is');
  if (accessKey !== '' && secretKey === '') faults.push('ROCKETMQ_SECRET_KEY: must be set when ROCKETMQ_ACCESS_KEY is');
  if (env.DLQ_TOPIC !== env.EVENTS_TOPIC && isOneName(env.DLQ_TOPIC, env.EVENTS_TOPIC))
    faults.push('DLQ_TOPIC: is EVENTS_TOPIC for RocketMQ, which has hyphens for dots');
  if (env.DLQ_GROUP !== env.EVENTS_GROUP && isOneName(env.DLQ_GROUP, env.EVENTS_GROUP))
    faults.push('DLQ_GROUP: is EVENTS_GROUP for RocketMQ, which has hyphens for dots');
  if (env.BODY_BYTES_MAX > ROCKETMQ_CALLBACK_BYTES_MAX)
    faults.push(`BODY_BYTES_MAX: must be at most ${ROCKETMQ_CALLBACK_BYTES_MAX} with TRANSPORT=rocketmq`);
  const credentials = accessKey === '' ? null : { accessKey, secretKey };
  return { engine: 'rocketmq', endpoints, namespace: env.ROCKETMQ_NAMESPACE, credentials };
}

/** RocketMQ's names hold no dot, so the adapter writes a hyphen: two names that differ in nothing else would be one. */
function isOneName(first: string, second: string): boolean {
  return first.replaceAll('.', '-') === second.replaceAll('.', '-');
}
