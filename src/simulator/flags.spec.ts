import { describe, expect, it } from 'vitest';
import { parseFlags } from './flags.js';

describe('parseFlags', () => {
  it('has a default for everything and draws the seed', () => {
    expect(parseFlags([], {}, 42)).toEqual({
      kind: 'run',
      flags: {
        targets: ['http://127.0.0.1:3000'],
        admin: 'http://127.0.0.1:3001',
        dataFolder: './data',
        appsFile: null,
        app: 'demo',
        count: 1_000,
        duplicates: 1,
        isShuffled: false,
        window: 200,
        rate: 0,
        concurrency: 32,
        seed: 42,
        retries: 3,
        retryAfterMs: 5_000,
        timeoutMs: 5_000,
        settleTimeoutMs: 120_000,
        failShare: 0.02,
        hangUpShare: 0.01,
        isJson: false,
      },
    });
  });

  it('takes flags before the environment, and cuts the slash at the end of an address', () => {
    const env = { DATA_DIR: '/from/env', WECOM_APPS_FILE: '/apps.json' };
    const parsed = parseFlags(['--data', '/from/flag', '--target', 'https://example.org/gate/', '--seed=0'], env, 42);
    expect(parsed).toMatchObject({
      flags: { dataFolder: '/from/flag', appsFile: '/apps.json', targets: ['https://example.org/gate'], seed: 0 },
    });
    expect(parseFlags([], env, 42)).toMatchObject({ flags: { dataFolder: '/from/env' } });
  });

  it('takes several targets, and none of them besides', () => {
    const parsed = parseFlags(['--target', 'http://a:1', '--target', 'http://b:2/'], {}, 42);
    expect(parsed).toMatchObject({ flags: { targets: ['http://a:1', 'http://b:2'] } });
  });

  it('shows the help whatever else is asked for', () => {
    expect(parseFlags(['--count', '3', '--help'], {}, 42)).toEqual({ kind: 'help' });
  });

  it.each([
    [['--count', '0'], '--count has to be a whole number from 1'],
    [['--count', '1.5'], '--count'],
    [['--count', '1e3'], '--count'],
    [['--duplicates', '21'], '--duplicates'],
    [['--rate', '-1'], '--rate'],
    [['--fail-share', '1.1'], '--fail-share has to be a number from 0 to 1'],
    [['--fail-share', ''], '--fail-share'],
    [['--target', 'localhost:3000'], '--target has to be an address'],
    [['--cuont', '5'], '--cuont'],
    [['stray'], 'stray'],
  ])('refuses %j and names it', (args, reason) => {
    const parsed = parseFlags(args, {}, 42);
    expect(parsed.kind).toBe('wrong');
    expect(parsed.kind === 'wrong' && parsed.reason).toContain(reason);
  });
});
