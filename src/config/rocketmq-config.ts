/** Which proxy of RocketMQ, and as whom. The secret key is never to be logged. */
export interface RocketMqConfig {
  readonly engine: 'rocketmq';
  /** `host:port`, several separated by `;`: what the client takes. */
  readonly endpoints: string;
  readonly namespace: string;
  readonly credentials: { readonly accessKey: string; readonly secretKey: string } | null;
}

export interface RocketMqSettings {
  readonly endpoints: string | undefined;
  readonly namespace: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A body may nearly double on its way (quotes in JSON), and a message holds 4 MB. */
export const ROCKETMQ_CALLBACK_BYTES_MAX = 2_000_000;
const ENDPOINTS = /^[A-Za-z0-9._-]+:\d{1,5}(?:;[A-Za-z0-9._-]+:\d{1,5})*$/;

/** What is wrong with the settings by themselves is added to `faults`. */
export function readRocketMq(settings: RocketMqSettings, faults: string[]): RocketMqConfig {
  const { endpoints = '', namespace, accessKey, secretKey } = settings;
  if (endpoints === '') faults.push('ROCKETMQ_ENDPOINTS: must be set with TRANSPORT=rocketmq');
  else if (!ENDPOINTS.test(endpoints)) faults.push('ROCKETMQ_ENDPOINTS: must be host:port, several separated by ";"');
  if (accessKey === '' && secretKey !== '') faults.push('ROCKETMQ_ACCESS_KEY: must be set when ROCKETMQ_SECRET_KEY is');
  if (accessKey !== '' && secretKey === '') faults.push('ROCKETMQ_SECRET_KEY: must be set when ROCKETMQ_ACCESS_KEY is');
  return { engine: 'rocketmq', endpoints, namespace, credentials: accessKey === '' ? null : { accessKey, secretKey } };
}

/** RocketMQ's names hold no dot, so the adapter writes a hyphen: two names that differ in nothing else would be one. */
export function isOneRocketMqName(first: string, second: string): boolean {
  return first.replaceAll('.', '-') === second.replaceAll('.', '-');
}
