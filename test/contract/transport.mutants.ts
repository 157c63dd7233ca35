import {
  Transport,
  type Backlog,
  type ConsumeBatch,
  type Delivery,
  type OutgoingMessage,
  type SubscribeOptions,
  type Subscription,
} from '../../src/transport/transport.js';

/** A right transport with one promise broken. */
export interface TransportMutant {
  readonly name: string;
  /** Scenarios (the beginning of their names) that must go red. */
  readonly caughtBy: readonly string[];
  spoil(transport: Transport): Transport;
}

class Wrapped extends Transport {
  constructor(protected readonly inner: Transport) {
    super();
  }

  override publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    return this.inner.publish(topic, messages);
  }

  override subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    return this.inner.subscribe(options, consume);
  }

  override backlog(topic: string, group: string): Promise<Backlog> {
    return this.inner.backlog(topic, group);
  }

  override trouble(): { since: number; reason: string } | null {
    return this.inner.trouble();
  }

  override close(): Promise<void> {
    return this.inner.close();
  }
}

/** Breaks what the consumer is given. */
function consuming(name: string, caughtBy: string[], change: (consume: ConsumeBatch) => ConsumeBatch): TransportMutant {
  class Mutant extends Wrapped {
    override subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
      return super.subscribe(options, change(consume));
    }
  }
  return { name, caughtBy, spoil: (transport) => new Mutant(transport) };
}

function publishing(name: string, caughtBy: string[], publish: Transport['publish']): TransportMutant {
  class Mutant extends Wrapped {
    override publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
      return publish.call(this.inner, topic, messages);
    }
  }
  return { name, caughtBy, spoil: (transport) => new Mutant(transport) };
}

function changed(delivery: Delivery, change: Partial<Delivery>): Delivery {
  const { position, orderingKey, body, signal } = delivery;
  return {
    position,
    orderingKey,
    body,
    signal,
    settle: () => delivery.settle(),
    comeBack: (delayMs) => delivery.comeBack(delayMs),
    ...change,
  };
}

const each =
  (change: (delivery: Delivery) => Delivery) =>
  (consume: ConsumeBatch): ConsumeBatch =>
  (batch) =>
    consume(batch.map(change));

const nothing = (): Promise<void> => Promise.resolve();

class StopsAtOnce extends Wrapped {
  override async subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    const subscription = await super.subscribe(options, consume);
    return { stop: () => subscription.stop(0) };
  }
}

class ForgetsToStop extends Wrapped {
  override async subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    await super.subscribe(options, consume);
    return { stop: nothing };
  }
}

class Unworried extends Wrapped {
  override trouble(): null {
    return null;
  }
}

export const transportMutants: readonly TransportMutant[] = [
  consuming(
    'settles before the consumer returns',
    ['delivers a message again', 'settles nothing before'],
    (consume) => async (batch) => {
      await Promise.all(batch.map((delivery) => delivery.settle()));
      await consume(batch.map((delivery) => changed(delivery, { settle: nothing, comeBack: nothing })));
    },
  ),
  consuming(
    'delivers two messages of a key at once',
    ['lets other keys go on', 'never has one key'],
    (consume) => async (batch) => {
      await Promise.all(batch.map((delivery) => consume([delivery])));
    },
  ),
  consuming('settles what a rejecting consumer left', ['delivers a message again'], (consume) => async (batch) => {
    await consume(batch).catch(() => Promise.all(batch.map((delivery) => delivery.settle())));
  }),
  consuming('settles what a returning consumer left', ['delivers only the rest'], (consume) => async (batch) => {
    await consume(batch);
    await Promise.all(batch.map((delivery) => delivery.settle()));
  }),
  consuming('delivers a batch backwards', ['delivers the messages of a key in'], (consume) => async (batch) => {
    await consume([...batch].reverse());
  }),
  consuming('delivers every batch twice', ['delivers each of 10,000'], (consume) => async (batch) => {
    await consume(batch.map((delivery) => changed(delivery, { settle: nothing, comeBack: nothing })));
    await consume(batch);
  }),
  consuming(
    'does not wait when a message comes back',
    ['delivers a message that comes back'],
    each((delivery) => changed(delivery, { comeBack: () => delivery.comeBack(0) })),
  ),
  consuming(
    'takes a message that comes back as settled',
    ['delivers a message that comes back'],
    each((delivery) => changed(delivery, { comeBack: () => delivery.settle() })),
  ),
  consuming(
    'forgets to settle',
    ['delivers the messages of a key in', 'does not deliver again after a crash'],
    each((delivery) => changed(delivery, { settle: nothing })),
  ),
  consuming(
    'accepts a settle after the lane was taken away',
    ['takes the lane away'],
    each((delivery) => changed(delivery, { settle: () => delivery.settle().catch(nothing) })),
  ),
  consuming(
    'never aborts a signal',
    ['takes the lane away', 'closes once'],
    each((delivery) => changed(delivery, { signal: new AbortController().signal })),
  ),
  consuming(
    'cuts a body at its first null byte',
    ['passes foreign bodies'],
    each((delivery) => changed(delivery, { body: delivery.body.split('\0')[0]! })),
  ),
  consuming(
    'gives what is held too long to somebody else',
    ['does not deliver a second time'],
    (consume) => async (batch) => {
      const held = consume(batch);
      const timer = setTimeout(() => void consume(batch), 300);
      await held;
      clearTimeout(timer);
    },
  ),
  publishing('acknowledges what it lost', ['keeps what was published'], nothing),
  publishing('acknowledges a publish that failed', ['rejects a publish'], async function (this: Transport, topic, all) {
    await this.publish(topic, all).catch(nothing);
  }),
  publishing(
    'publishes every message twice',
    ['delivers each of 10,000'],
    async function (this: Transport, topic, all) {
      await this.publish(topic, all);
      await this.publish(topic, all);
    },
  ),
  publishing(
    'loses one of the publishes that are under way together',
    ['keeps every message of many'],
    (() => {
      let underWay = 0;
      return async function (this: Transport, topic, all) {
        underWay += 1;
        if (underWay !== 20) await this.publish(topic, all);
        underWay -= 1;
      };
    })(),
  ),
  { name: 'aborts at once instead of waiting', caughtBy: ['stops cleanly'], spoil: (inner) => new StopsAtOnce(inner) },
  { name: 'goes on after a stop', caughtBy: ['stops cleanly'], spoil: (inner) => new ForgetsToStop(inner) },
  { name: 'hides that it fails', caughtBy: ['rejects a publish'], spoil: (inner) => new Unworried(inner) },
];
