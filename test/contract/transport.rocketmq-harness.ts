import { SystemClock } from '../../src/runtime/system-clock.js';
import type { Clock, Timer } from '../../src/runtime/clock.js';
import { fencedClients } from '../../src/transport/rocketmq/fenced-clients.js';
import { loadClientLibrary } from '../../src/transport/rocketmq/load-client-library.js';
import type {
  RocketMqClients,
  RocketMqConsumer,
  RocketMqProducer,
} from '../../src/transport/rocketmq/rocketmq-client.js';
import { ROCKETMQ_BODY_BYTES_MAX } from '../../src/transport/rocketmq/rocketmq-message.js';
import { RocketMqTransport } from '../../src/transport/rocketmq/rocketmq-transport.js';
import type { Transport } from '../../src/transport/transport.js';
import type { RocketMqServer } from '../support/rocketmq-server.js';
import type { TransportFeatures, TransportHarness } from './transport.suite.js';

const VISIBILITY_MS = 10_000;

export const rocketMqFeatures: TransportFeatures = {
  secondGroup: true,
  takeover: true,
  settleIsDurable: true,
  visibilityMs: VISIBILITY_MS,
  bodyBytesMax: ROCKETMQ_BODY_BYTES_MAX,
};

const never = <T>(): Promise<T> => new Promise(() => undefined);

/** A process that has ended: no timer of it fires any more, and nothing of it reaches the server. */
class Crash {
  isOver = false;

  /** Neither the question nor the answer gets through once it is over. */
  async unlessOver<T>(ask: () => Promise<T>): Promise<T> {
    if (this.isOver) return never();
    const answer = await ask();
    return this.isOver ? never() : answer;
  }
}

class CrashableClock extends SystemClock {
  constructor(private readonly crash: Crash) {
    super();
  }

  override after(ms: number, task: () => void): Timer {
    return super.after(ms, () => {
      if (!this.crash.isOver) task();
    });
  }
}

function crashable(
  clients: RocketMqClients,
  crash: Crash,
  made: (RocketMqProducer | RocketMqConsumer)[],
): RocketMqClients {
  const note = <C extends RocketMqProducer | RocketMqConsumer>(client: C): C => {
    made.push(client);
    return client;
  };
  return {
    producer: (topic) => {
      const client = note(clients.producer(topic));
      return {
        start: () => crash.unlessOver(() => client.start()),
        stop: () => crash.unlessOver(() => client.stop()),
        send: (message) => crash.unlessOver(() => client.send(message)),
        probe: () => crash.unlessOver(() => client.probe()),
      };
    },
    consumer: (topic, group) => {
      const client = note(clients.consumer(topic, group));
      return {
        get group() {
          return client.group;
        },
        start: () => crash.unlessOver(() => client.start()),
        stop: () => crash.unlessOver(() => client.stop()),
        receive: (visibilityMs) => crash.unlessOver(() => client.receive(visibilityMs)),
        ack: (message) => crash.unlessOver(() => client.ack(message)),
        hide: (message, ms) => crash.unlessOver(() => client.hide(message, ms)),
      };
    },
  };
}

/** Topics of its own on a shared server, by a namespace of its own. A crash cuts an instance off from the server. */
export class RocketMqHarness implements TransportHarness {
  readonly features = rocketMqFeatures;
  // One scenario waits for a message that comes back after a minute.
  readonly patienceMs = 90_000;
  private readonly transports: Transport[] = [];
  private readonly clients: (RocketMqProducer | RocketMqConsumer)[] = [];
  private readonly crashes: Crash[] = [];

  constructor(
    private readonly server: RocketMqServer,
    private readonly namespace: string,
  ) {}

  make(): Promise<Transport> {
    return this.open();
  }

  async reopen(): Promise<Transport> {
    for (const crash of this.crashes) crash.isOver = true;
    return this.open();
  }

  peer(): Promise<Transport> {
    return this.open();
  }

  async fail(): Promise<void> {
    this.server.pause();
  }

  async heal(): Promise<void> {
    this.server.resume();
  }

  async close(): Promise<void> {
    this.server.resume();
    await Promise.all(this.transports.filter((_, index) => !this.crashes[index]!.isOver).map((one) => one.close()));
    await Promise.all(this.clients.map((client) => client.stop()));
  }

  private async open(): Promise<Transport> {
    const crash = new Crash();
    const clock: Clock = new CrashableClock(crash);
    const clients = fencedClients(await loadClientLibrary(), clock, {
      endpoints: this.server.endpoints,
      credentials: null,
      requestTimeoutMs: 3_000,
      debug: () => undefined,
    });
    const transport = new RocketMqTransport(clock, crashable(clients, crash, this.clients), {
      namespace: this.namespace,
      publishLimitMs: 3_000,
      visibilityMs: VISIBILITY_MS,
      defaultComeBackMs: 20,
    });
    this.transports.push(transport);
    this.crashes.push(crash);
    return transport;
  }
}
