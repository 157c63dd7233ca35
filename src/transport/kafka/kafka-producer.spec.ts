import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Trouble } from '../trouble.js';
import type { ClientError, KafkaClient } from './kafka-client.js';
import { KafkaProducer } from './kafka-producer.js';

const CODES = { ERR__FATAL: -150, ERR_MSG_SIZE_TOO_LARGE: 10, ERR_INVALID_MSG: 2, ERR__TIMED_OUT: -185 };

function clientError(code: number, message = 'failed'): ClientError {
  return Object.assign(new Error(message), { code });
}

type Listener = (...args: any[]) => void;

/** A client without brokers: a test answers for them. */
class ScriptedProducer {
  static made: ScriptedProducer[] = [];
  connected: ((error: ClientError | null, metadata: unknown) => void) | null = null;
  readonly opaques: unknown[] = [];
  isDisconnected = false;
  private readonly listeners = new Map<string, Listener>();

  constructor() {
    ScriptedProducer.made.push(this);
  }

  connect(_options: unknown, callback: (error: ClientError | null, metadata: unknown) => void): void {
    this.connected = callback;
  }

  on(event: string, listener: Listener): void {
    this.listeners.set(event, listener);
  }

  emit(event: string, ...args: unknown[]): void {
    this.listeners.get(event)?.(...args);
  }

  produce(_topic: string, _partition: null, _value: Buffer, _key: Buffer, _time: number, opaque: unknown): void {
    this.opaques.push(opaque);
  }

  report(error: ClientError | null): void {
    this.emit('delivery-report', error, { opaque: this.opaques.shift() });
  }

  setPollInBackground(): void {}
  poll(): void {}

  disconnect(_limit: number, callback: () => void): void {
    this.isDisconnected = true;
    callback();
  }
}

const client = { Producer: ScriptedProducer, CODES: { ERRORS: CODES } } as unknown as KafkaClient;
const message = { orderingKey: 'a', body: 'a1' };
const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

describe('KafkaProducer', () => {
  let clock: ManualClock;
  let trouble: Trouble;
  let producer: KafkaProducer;
  let connections: number;

  beforeEach(() => {
    ScriptedProducer.made = [];
    connections = 0;
    clock = new ManualClock();
    trouble = new Trouble(clock, () => undefined);
    const options = { settings: {}, publishTimeoutMs: 1_000 };
    producer = new KafkaProducer(client, clock, trouble, options, () => (connections += 1));
    producer.start();
  });
  afterEach(async () => {
    trouble.close();
    await producer.close();
  });

  const latest = (): ScriptedProducer => ScriptedProducer.made.at(-1)!;
  async function connect(): Promise<ScriptedProducer> {
    latest().connected!(null, {});
    await turn();
    return latest();
  }

  it('refuses to publish at once while no broker was reached, and says why', async () => {
    latest().emit('event.error', clientError(-1, 'authentication failure'));
    latest().emit('event.error', clientError(-1, 'all broker connections are down'));
    latest().connected!(clientError(-195, 'transport failure'), {});
    await turn();
    expect(trouble.state()?.reason).toBe('authentication failure');
    await expect(producer.publish('t', [message])).rejects.toMatchObject({
      code: 'TRANSPORT_BROKERS_AWAY',
      message: expect.stringContaining('authentication failure'),
    });
  });

  it('resolves when each message is acknowledged', async () => {
    const native = await connect();
    let isDone = false;
    const publishing = producer.publish('t', [message, message]).then(() => (isDone = true));
    native.report(null);
    await turn();
    expect(isDone).toBe(false);
    native.report(null);
    await publishing;
    expect(trouble.state()).toBeNull();
  });

  it('rejects when one message is not acknowledged, and is in trouble until the next one is', async () => {
    const native = await connect();
    const publishing = producer.publish('t', [message, message]);
    native.report(null);
    native.report(clientError(CODES.ERR__TIMED_OUT, 'timed out'));
    await expect(publishing).rejects.toThrow('timed out');
    expect(trouble.state()?.reason).toBe('timed out');
    const next = producer.publish('t', [message]);
    native.report(null);
    await next;
    expect(trouble.state()).toBeNull();
  });

  it('waits no longer than its limit, whatever the client does', async () => {
    await connect();
    const publishing = producer.publish('t', [message]);
    const refused = expect(publishing).rejects.toMatchObject({ code: 'TIME_LIMIT' });
    await clock.advance(1_000);
    await refused;
    expect(trouble.state()).not.toBeNull();
  });

  it('is in trouble as soon as no broker is left, without any publish', async () => {
    const native = await connect();
    native.emit('event.error', clientError(-1, 'one broker is away'));
    expect(trouble.state()).toBeNull();
    native.emit('event.error', clientError(-1, 'all broker connections are down'));
    expect(trouble.state()?.reason).toBe('one broker is away');
  });

  it('is not troubled by a message that no broker would take', async () => {
    const native = await connect();
    const publishing = producer.publish('t', [message]);
    native.report(clientError(CODES.ERR_MSG_SIZE_TOO_LARGE));
    await expect(publishing).rejects.toThrow();
    expect(trouble.state()).toBeNull();
  });

  it('begins anew when the client has given up on itself', async () => {
    const native = await connect();
    const publishing = producer.publish('t', [message]);
    native.report(clientError(CODES.ERR__FATAL, 'out of order'));
    await expect(publishing).rejects.toThrow();
    await turn();
    expect(native.isDisconnected).toBe(true);
    expect(ScriptedProducer.made).toHaveLength(2);
    const second = await connect();
    expect(connections).toBe(2);
    const again = producer.publish('t', [message]);
    second.report(null);
    await again;
  });
});
