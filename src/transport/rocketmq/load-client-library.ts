import type { ClientLibrary } from './fenced-clients.js';
import { RocketMqClientMissingError } from './rocketmq-client-missing-error.js';

/** The one place that loads the client, so that a process on another transport needs none of it. */
export async function loadClientLibrary(): Promise<ClientLibrary> {
  try {
    return await import('rocketmq-client-nodejs');
  } catch (cause) {
    throw new RocketMqClientMissingError({ cause });
  }
}
