import { describe, expect, it } from 'vitest';
import { checkScenario } from './scenario-case.js';
import { UnsupportedError } from './verdict.js';
import type { Step } from './vocabulary.js';

const engines = { guard: 'redis', store: 'sqlite', transport: 'sqlite' };
const profiles = { self: { token: 't', encodingAESKey: 'k', receiveId: 'r' } };

function checked(...steps: Step[]): readonly string[] {
  return checkScenario({ id: 'x', title: '', steps }, engines, profiles);
}

describe('what a scenario may say', () => {
  it.each<[string, Step]>([
    ['step', { do: 'dance' }],
    ['field of a step', { do: 'callback', app: 'self', xml: '<xml/>', retries: 3 }],
    ['answer', { do: 'callback', app: 'self', xml: '<xml/>', expect: { answer: 'maybe' as 'ack' } }],
    ['expectation', { do: 'callback', app: 'self', xml: '<xml/>', expect: { colour: 1 } as object }],
    ['expectation inside anyOf', { do: 'callback', app: 'self', expect: { anyOf: [{ answer: 'no' as 'ack' }] } }],
    ['profile', { do: 'callback', app: 'nobody', xml: '<xml/>' }],
    ['override of the seal', { do: 'callback', app: 'self', xml: '<xml/>', seal: { padding: 3 } }],
    ['encoding', { do: 'verify', app: 'self', plain: '1', encode: 'twice' }],
    ['generator', { do: 'callback', app: 'self', gen: { kind: 'poem' } }],
    ['field of a generator', { do: 'callback', app: 'self', gen: { kind: 'text', rhymes: true } }],
    ['fault', { do: 'fault', what: 'redis.explode' }],
    ['name that every object has', { do: 'fault', what: 'constructor' }],
    ['field of a fault', { do: 'fault', what: 'redis.down', slowly: true }],
    ['point of handling', { do: 'fault', what: 'gateway.kill9', at: 'after-lunch' }],
    ['points in the wrong order', { do: 'fault', what: 'gateway.kill9', at: 'after-commit-before-publish' }],
    ['check', { do: 'check', what: 'mood' }],
    ['field of a check', { do: 'check', what: 'effects', count: 1, colour: 'red' }],
    ['process', { do: 'check', what: 'alive', process: 'butler' }],
    ['admin action', { do: 'admin', action: 'applaud' }],
    ['expectation of an admin action', { do: 'admin', action: 'view', ref: 'last', expect: { bodyExact: '' } }],
    ['setting', { do: 'startWith', set: { colour: 'red' }, expect: { refusedNaming: 'colour' } }],
    ['placeholder', { do: 'request', method: 'GET', target: '{elsewhere}/x' }],
    ['second instance', { do: 'fault', what: 'gateway.kill9', instance: 2 }],
    ['step inside a repeat', { do: 'repeat', times: 2, step: { do: 'dance' } }],
    ['step inside a parallel', { do: 'parallel', steps: [{ do: 'wait', ms: 1 }, { do: 'dance' }] }],
    ['record', { do: 'bus.put', gen: { events: 3 } }],
  ])('an unknown %s makes it unsupported', (_, step) => {
    expect(() => checked({ do: 'wait', ms: 1 }, step)).toThrow(UnsupportedError);
  });

  it('a field that no scenario has makes it unsupported', () => {
    const scenario = { id: 'x', title: '', steps: [], mustAlso: 'x' };
    expect(() => checkScenario(scenario, engines, profiles)).toThrow(/mustAlso is not known/);
  });

  it('faults of Redis need Redis as the guard', () => {
    const step = { do: 'fault', what: 'redis.flushall' };
    expect(checked(step)).toEqual([]);
    expect(() =>
      checkScenario({ id: 'x', title: '', steps: [step] }, { ...engines, guard: 'embedded' }, profiles),
    ).toThrow(UnsupportedError);
  });

  it('a fault that is injected at a port is told, once', () => {
    const step = { do: 'fault', what: 'broker.slow', ackDelayMs: 1 };
    expect(checked(step, step)).toEqual(['broker.slow injected at the Transport port (sqlite)']);
  });
});
