import { expect } from 'vitest';
import { parseEvent } from '../../src/wecom/parse-event.js';
import type { GatewayInProcess } from '../support/gateway-in-process.js';
import { effectsOf } from './counting-handlers.js';
import { UnsupportedError } from './scenario-runner.js';
import type { Step } from './scenario.js';

interface FoundEvent {
  readonly id: number;
  readonly eventKey: string;
  readonly msgId: string | null;
  readonly status: string;
  readonly plaintext: string;
}

/** `check` steps: what the service says of itself, and what its handlers wrote. */
export async function check(gateway: GatewayInProcess, step: Step): Promise<void> {
  switch (step.what) {
    case 'published':
    case 'eventLog':
      return checkEventLog(gateway, step);
    case 'effects':
      return checkEffects(gateway, step);
    case 'dlq':
      return expect((await gateway.admin('dead-letters')).json.items.length).toBe(step.count);
    case 'alive': {
      const response = await fetch(`${gateway.adminBase}/health/live`, { headers: { connection: 'close' } });
      return expect(response.status).toBe(200);
    }
    case 'ackedButLost':
      // Every answer was counted by its own step; what was answered has a row or waits.
      return expect((await gateway.admin('summary')).json.backlog.events).toBe(step.count);
    case 'consoleJson': {
      const shown = (await events(gateway)).map((event) => event[step.field as 'msgId']).sort();
      return expect(shown).toEqual([...(step.exact as string[])].sort());
    }
    case 'entity':
      return checkEntity(gateway, step);
    default:
      throw new UnsupportedError(`check ${step.what as string}`);
  }
}

async function events(gateway: GatewayInProcess): Promise<FoundEvent[]> {
  const { json } = await gateway.admin('events?limit=1000');
  return Promise.all(
    (json.items as { id: number }[]).map(async ({ id }) => (await gateway.admin(`events/${id}`)).json as FoundEvent),
  );
}

async function checkEventLog(gateway: GatewayInProcess, step: Step): Promise<void> {
  const found = (await events(gateway)).filter((event) => matches(event, (step.match ?? {}) as Record<string, string>));
  expect(found.length, JSON.stringify(step)).toBe(step.count);
  if (step.xmlListLength) {
    const { path, equals } = step.xmlListLength as { path: string; equals: number };
    expect(listAt(found[0]?.plaintext ?? '', path)).toBe(equals);
  }
  for (const [field, pattern] of Object.entries((step.fieldsNot ?? {}) as Record<string, string>)) {
    const needle = pattern.replaceAll('*', '');
    for (const event of found) {
      expect(field === 'fingerprint' ? event.eventKey : JSON.stringify(event)).not.toContain(needle);
      expect(Object.values(event).map(String)).not.toContain(needle);
    }
  }
}

async function checkEffects(gateway: GatewayInProcess, step: Step): Promise<void> {
  const match = (step.match ?? {}) as Record<string, string>;
  const known = (await events(gateway)).filter((event) => matches(event, match));
  const keys = new Set(known.map(({ eventKey }) => eventKey));
  const count = (await effectsOf(gateway)).filter((eventKey) => keys.has(eventKey)).length;
  if (step.count !== undefined) expect(count, JSON.stringify(step)).toBe(step.count);
  if (step.countIn) expect(step.countIn).toContain(count);
  if (step.exactlyOneIfAnyAck && known.length > 0) expect(count).toBe(1);
}

async function checkEntity(gateway: GatewayInProcess, step: Step): Promise<void> {
  const { json } = await gateway.admin('entities/changes?limit=1000');
  const keys = (json.items as { entityKey: string }[]).map(({ entityKey }) => entityKey);
  const entityKey = keys.find((key) => key.includes(step.key as string));
  const entity = await gateway.admin(`entities?key=${encodeURIComponent(entityKey ?? '')}`);
  expect(String(entity.json.state).startsWith(step.state as string), JSON.stringify(entity.json)).toBe(true);
  if (step.lastEventTime !== undefined) expect(entity.json.lastEventTime).toBe(step.lastEventTime);
}

/** `status` is ours; every other name is a field of the decrypted text. */
function matches(event: FoundEvent, match: Record<string, string>): boolean {
  return Object.entries(match).every(([name, value]) => {
    if (name === 'status') return event.status === value;
    const parsed = parseEvent(event.plaintext, '');
    return parsed.kind === 'event' && parsed.event.fields[name] === value;
  });
}

function listAt(plaintext: string, path: string): number {
  const parsed = parseEvent(plaintext, '');
  if (parsed.kind !== 'event') return -1;
  let value: unknown = parsed.event.fields;
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = value[0];
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return Array.isArray(value) ? value.length : -1;
}
