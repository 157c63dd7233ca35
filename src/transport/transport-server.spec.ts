import { Controller, Module, type LoggerService, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Ctx,
  EventPattern,
  MessagePattern,
  Payload,
  RpcException,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { concat, of, throwError } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../runtime/system-clock.js';
import { DeliveryContext } from './delivery-context.js';
import { SqliteTransport } from './sqlite/sqlite-transport.js';
import { TransportServer, type TransportServerOptions } from './transport-server.js';
import type { Delivery } from './transport.js';

const TOPIC = 'wecom.events';
const DEADLINE_MS = 5_000;

class RecordingLogger implements LoggerService {
  readonly errors: unknown[] = [];

  log(): void {}
  warn(): void {}
  error(message: unknown): void {
    this.errors.push(message);
  }
}

interface Seen {
  readonly bodies: string[];
  readonly context: DeliveryContext;
}

/** What the consumers below do and saw; each test begins with an empty one. */
let script: { seen: Seen[]; consume: (batch: readonly Delivery[], time: number) => unknown };

@Controller()
class EventConsumer {
  @EventPattern<string>(TOPIC)
  consume(@Payload() batch: readonly Delivery[], @Ctx() context: DeliveryContext): unknown {
    script.seen.push({ bodies: batch.map(({ body }) => body), context });
    return script.consume(batch, script.seen.length);
  }
}

@Controller()
class SecondConsumer {
  @EventPattern<string>(TOPIC)
  consume(): void {}
}

@Controller()
class RequestConsumer {
  @MessagePattern<string>(TOPIC)
  consume(): void {}
}

const settleAll = async (batch: readonly Delivery[]): Promise<void> => {
  await Promise.all(batch.map((delivery) => delivery.settle()));
};

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers.length = 0;
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition did not come');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function setUp(options: Partial<TransportServerOptions> = {}) {
  const transport = new SqliteTransport(new SystemClock(), {
    path: ':memory:',
    groupCommitMax: 100,
    defaultComeBackMs: 10,
  });
  transport.open();
  closers.push(() => transport.close());
  const topics = { [TOPIC]: { group: 'workers', lanes: 2, batchSizeMax: 10 } };
  const server = new TransportServer(transport, { topics, stopLimitMs: 1_000, ...options });
  const logger = new RecordingLogger();
  script = { seen: [], consume: settleAll };
  const unsettled = async (): Promise<number | null> => (await transport.backlog(TOPIC, 'workers')).unsettled;
  return { transport, server, logger, unsettled };
}

function moduleOf(controllers: Type[]): Type {
  @Module({ controllers })
  class TestModule {}
  return TestModule;
}

async function start(server: TransportServer, logger: LoggerService, controllers: Type[] = [EventConsumer]) {
  const root = moduleOf(controllers);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, { strategy: server, logger });
  closers.push(() => app.close());
  await app.listen();
  return app;
}

describe('TransportServer', () => {
  it('hands a consumer batches of deliveries and says where they came from', async () => {
    const { transport, server, logger, unsettled } = setUp();
    await transport.publish(TOPIC, [
      { orderingKey: 'a', body: 'a1' },
      { orderingKey: 'b', body: 'b1' },
    ]);
    await start(server, logger);
    await until(async () => (await unsettled()) === 0);
    expect(script.seen).toHaveLength(1);
    expect(script.seen[0]!.bodies).toEqual(['a1', 'b1']);
    const { context } = script.seen[0]!;
    expect(context).toBeInstanceOf(DeliveryContext);
    expect([context.getTopic(), context.getGroup()]).toEqual([TOPIC, 'workers']);
    expect(logger.errors).toEqual([]);
  });

  it('serves a hybrid application beside its HTTP server', async () => {
    const { transport, server, logger, unsettled } = setUp();
    const app = await NestFactory.create(moduleOf([EventConsumer]), new FastifyAdapter(), { logger });
    closers.push(() => app.close());
    app.connectMicroservice<MicroserviceOptions>({ strategy: server });
    await app.startAllMicroservices();
    await transport.publish(TOPIC, [{ orderingKey: 'a', body: 'a1' }]);
    await until(async () => script.seen.length === 1 && (await unsettled()) === 0);
  });

  const failures: [string, () => unknown][] = [
    ['rejects', () => Promise.reject(new Error('the consumer failed'))],
    [
      'throws',
      () => {
        throw new Error('the consumer failed');
      },
    ],
    [
      'throws an RpcException',
      () => {
        throw new RpcException('the consumer failed');
      },
    ],
    [
      'returns a stream that fails',
      () =>
        concat(
          of(1),
          throwError(() => new Error('the consumer failed')),
        ),
    ],
  ];
  it.each(failures)('settles nothing when a consumer %s, logs it once and delivers again', async (_, fail) => {
    const { transport, server, logger, unsettled } = setUp();
    let atSecond: number | null = null;
    script.consume = async (batch, time) => {
      if (time === 1) return fail();
      atSecond = await unsettled();
      return settleAll(batch);
    };
    await start(server, logger);
    await transport.publish(TOPIC, [{ orderingKey: 'a', body: 'a1' }]);
    await until(async () => script.seen.length === 2 && (await unsettled()) === 0);
    expect(atSecond).toBe(1);
    expect(logger.errors).toHaveLength(1);
    expect(String(logger.errors[0])).toContain('the consumer failed');
  });

  it('holds the batch until the stream that a consumer returned has ended', async () => {
    const { transport, server, logger, unsettled } = setUp({
      topics: { [TOPIC]: { group: 'g', lanes: 1, batchSizeMax: 1 } },
    });
    let endFirst: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (endFirst = resolve));
    script.consume = async (batch, time) => {
      await settleAll(batch);
      return time === 1 ? concat(of(1), gate) : of(2);
    };
    await start(server, logger);
    await transport.publish(TOPIC, [
      { orderingKey: 'a', body: 'a1' },
      { orderingKey: 'b', body: 'b1' },
    ]);
    await until(async () => (await unsettled()) === 1);
    expect(script.seen).toHaveLength(1);
    endFirst();
    await until(async () => (await unsettled()) === 0);
  });

  it('tells a processing hook the outcome without depending on what the hook does with it', async () => {
    const { transport, server, logger, unsettled } = setUp();
    const hooks: string[] = [];
    server.setOnProcessingStartHook((_, context, done) => {
      hooks.push(`start ${(context as DeliveryContext).getTopic()}`);
      void done();
    });
    server.setOnProcessingEndHook(() => hooks.push('end'));
    script.consume = (batch, time) => (time === 1 ? Promise.reject(new Error('once')) : settleAll(batch));
    await start(server, logger);
    await transport.publish(TOPIC, [{ orderingKey: 'a', body: 'a1' }]);
    await until(async () => (await unsettled()) === 0 && hooks.length === 4);
    expect(hooks).toEqual([`start ${TOPIC}`, 'end', `start ${TOPIC}`, 'end']);
  });

  it('waits for batches in hand when it closes, and leaves the transport open', async () => {
    const { transport, server, logger } = setUp();
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    script.consume = (batch) => gate.then(() => settleAll(batch));
    const app = await start(server, logger);
    await transport.publish(TOPIC, [{ orderingKey: 'a', body: 'a1' }]);
    await until(() => script.seen.length === 1);
    const closed = app.close();
    finish();
    await closed;
    await transport.publish(TOPIC, [{ orderingKey: 'a', body: 'a2' }]);
    expect(await transport.backlog(TOPIC, 'workers')).toEqual({ unsettled: 1 });
    expect(script.seen).toHaveLength(1);
  });

  const wrong: [string, Type[], TransportServerOptions['topics'], RegExp][] = [
    [
      'a topic has no consumer',
      [EventConsumer],
      {
        [TOPIC]: { group: 'g', lanes: 1, batchSizeMax: 1 },
        'wecom.events.dlq': { group: 'g', lanes: 1, batchSizeMax: 1 },
      },
      /wecom\.events\.dlq: it is subscribed but has no consumer/,
    ],
    [
      'a consumer has no subscription options',
      [EventConsumer],
      {},
      /wecom\.events: it has a consumer but no subscription/,
    ],
    [
      'a topic has two consumers',
      [EventConsumer, SecondConsumer],
      { [TOPIC]: { group: 'g', lanes: 1, batchSizeMax: 1 } },
      /two consumers/,
    ],
    [
      'a consumer waits for requests',
      [RequestConsumer],
      { [TOPIC]: { group: 'g', lanes: 1, batchSizeMax: 1 } },
      /MessagePattern/,
    ],
    [
      'the transport refuses the subscription',
      [EventConsumer],
      { [TOPIC]: { group: 'g', lanes: 0, batchSizeMax: 1 } },
      /lanes/,
    ],
  ];
  it.each(wrong)('stops the start when %s', async (_, controllers, topics, message) => {
    const { server, logger } = setUp({ topics });
    await expect(start(server, logger, controllers)).rejects.toThrow(message);
  });
});
