import { describe, expect, it } from 'vitest';
import { parseCommand, SERVICE_NAMES, UsageError } from './command.js';

const UP = { kind: 'up', brokers: 1, redis: 'single', isNative: false, yes: false };

describe('a command of the services', () => {
  it('means all of them when it names none, and each once', () => {
    expect(parseCommand(['up'])).toEqual({ ...UP, names: SERVICE_NAMES });
    expect(parseCommand(['up', 'redis', 'redis', 'kafka'])).toEqual({ ...UP, names: ['redis', 'kafka'] });
  });

  it.each([
    [['up', 'kafka', '--brokers', '3'], { ...UP, names: ['kafka'], brokers: 3 }],
    [['up', '--brokers=3', 'kafka'], { ...UP, names: ['kafka'], brokers: 3 }],
    [['up', 'redis', '--cluster'], { ...UP, names: ['redis'], redis: 'cluster' }],
    [
      ['up', 'redis', '--sentinel', '--native', '--yes'],
      { ...UP, names: ['redis'], redis: 'sentinel', isNative: true, yes: true },
    ],
    [['down', 'mysql'], { kind: 'down', names: ['mysql'], withData: false }],
    [['down', 'mysql', '--data'], { kind: 'down', names: ['mysql'], withData: true }],
    [['down', '--volumes', 'mysql'], { kind: 'down', names: ['mysql'], withData: true }],
    [['status', '--json', 'mysql'], { kind: 'status', names: ['mysql'], json: true }],
    [['install', 'mysql', '--yes'], { kind: 'install', names: ['mysql'], yes: true }],
    [[], { kind: 'help' }],
    [['up', 'nonsense', '--help'], { kind: 'help' }],
  ])('reads %j', (args, command) => {
    expect(parseCommand(args)).toEqual(command);
  });

  it.each([
    [['start'], 'there is no "start"'],
    [['up', 'postgres'], 'there is no service "postgres"'],
    [['down', 'redis', '--json'], '"down" does not take --json'],
    [['up', 'redis', '--cluster=3'], '--cluster takes no value'],
    [['up', 'kafka', '--brokers', '2'], '--brokers is 1 or 3'],
    [['up', 'kafka', '--brokers'], '--brokers is 1 or 3'],
    [['up', 'redis', '--brokers', '3'], '--brokers is for kafka'],
    [['up', 'mysql', '--cluster'], '--cluster is for redis'],
    [['up', 'redis', '--cluster', '--sentinel'], 'exclude each other'],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommand(args)).toThrow(UsageError);
    expect(() => parseCommand(args)).toThrow(message);
  });
});
