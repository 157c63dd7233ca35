import { join } from 'node:path';
import { kafkaService, rocketMqService } from './broker-services.js';
import { UsageError, type RedisLayout, type ServiceName } from './command.js';
import { databaseService } from './database-service.js';
import { redisService, valkeyService } from './redis-services.js';
import type { Service } from './service.js';

/**
 * First port of each. Below the range from which systems take ports for outgoing connections, and not those that the
 * servers of a distribution listen on.
 */
export const FIRST_PORTS: Readonly<Record<ServiceName, number>> = {
  redis: 16_379,
  valkey: 16_479,
  mariadb: 13_306,
  mysql: 13_307,
  kafka: 19_092,
  rocketmq: 18_081,
};
// The bus of a cluster's node is 10,000 above its port.
const PORT_MAX = 55_000;

export interface Variant {
  readonly brokers: number;
  readonly redis: RedisLayout;
}

/** `SERVICES_REDIS_PORT` and so on. */
export function portVariable(name: ServiceName): string {
  return `SERVICES_${name.toUpperCase()}_PORT`;
}

export function firstPort(name: ServiceName, env: Readonly<Record<string, string | undefined>>): number {
  const text = env[portVariable(name)];
  if (text === undefined || text === '') return FIRST_PORTS[name];
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1_024 || port > PORT_MAX)
    throw new UsageError(`${portVariable(name)} must be a port from 1024 to ${PORT_MAX}`);
  return port;
}

/** `root` is the folder of all services. */
export function planService(
  name: ServiceName,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  variant: Variant = { brokers: 1, redis: 'single' },
): Service {
  const [folder, port] = [join(root, name), firstPort(name, env)];
  switch (name) {
    case 'redis':
      return redisService(variant.redis, folder, port);
    case 'valkey':
      return valkeyService(folder, port);
    case 'kafka':
      return kafkaService(variant.brokers, folder, port);
    case 'rocketmq':
      return rocketMqService(folder, port);
    default:
      return databaseService(name, folder, port);
  }
}

/** As a line to paste in front of a command or, word by word, into .env. */
export function settingsLine(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => (/^[\w.,:/@=-]+$/.test(value) ? `${key}=${value}` : `${key}='${value}'`))
    .join(' ');
}
