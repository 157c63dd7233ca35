import { describe, expect, it } from 'vitest';
import { SERVICE_NAMES } from './command.js';
import { missingPackages } from './installer.js';
import { FIRST_PORTS, firstPort, planService, portVariable, settingsLine } from './plan.js';

// The least port that Linux gives to outgoing connections; a server that wants it may find it taken.
const EPHEMERAL = 32_768;

describe('the plan of a service', () => {
  it('gives no port to two services, whatever their layout, and none that systems give to clients', () => {
    const variants = [
      { brokers: 1, redis: 'single' as const },
      { brokers: 3, redis: 'cluster' as const },
      { brokers: 3, redis: 'sentinel' as const },
    ];
    for (const variant of variants) {
      const ports = SERVICE_NAMES.flatMap((name) => planService(name, '/x', {}, variant).ports);
      expect(ports.filter((port, at) => ports.indexOf(port) !== at)).toEqual([]);
      expect(ports.filter((port) => port >= EPHEMERAL)).toEqual([]);
    }
  });

  it('takes another first port from the variable of the service', () => {
    expect(firstPort('kafka', {})).toBe(FIRST_PORTS.kafka);
    expect(firstPort('kafka', { SERVICES_KAFKA_PORT: '' })).toBe(FIRST_PORTS.kafka);
    const { settings } = planService(
      'kafka',
      '/x',
      { [portVariable('kafka')]: '20000' },
      { brokers: 3, redis: 'single' },
    );
    expect(settings['KAFKA_BROKERS']).toBe('127.0.0.1:20000,127.0.0.1:20003,127.0.0.1:20006');
    for (const wrong of ['x', '80', '60000', '1.5'])
      expect(() => firstPort('kafka', { SERVICES_KAFKA_PORT: wrong })).toThrow('SERVICES_KAFKA_PORT must be a port');
  });

  it('prints settings that a shell takes as they are', () => {
    expect(settingsLine({ GUARD: 'redis', REDIS_URL: 'redis://127.0.0.1:1/0' })).toBe(
      'GUARD=redis REDIS_URL=redis://127.0.0.1:1/0',
    );
    expect(settingsLine({ KAFKA_BROKERS: 'a:1;b:2' })).toBe("KAFKA_BROKERS='a:1;b:2'");
  });

  it('names each package that is missing once', () => {
    const services = [
      planService('redis', '/x', {}),
      planService('kafka', '/x', {}),
      planService('rocketmq', '/x', {}),
    ];
    const packages = missingPackages(services, () => false);
    expect(packages).toEqual(expect.arrayContaining(['redis-server', 'openjdk-17-jre-headless']));
    expect(new Set(packages).size).toBe(packages.length);
    expect(missingPackages(services, () => true)).toEqual([]);
  });
});
