import { AuditLog } from '../../src/access/audit-log.js';
import { DeadLetterService } from '../../src/admin/dead-letter-service.js';
import { TransactionConflictError } from '../../src/database/database-errors.js';
import { UnitOfWork, type Tx } from '../../src/database/unit-of-work.js';
import { BUILT_IN_ENTITY_TYPES } from '../../src/entity-types/built-in.js';
import { EntityTypeRegistry } from '../../src/entity-types/entity-type-registry.js';
import type { EventLog } from '../../src/event-log/event-log.js';
import { MysqlEventLog } from '../../src/event-log/mysql/mysql-event-log.js';
import { HandlerPauses } from '../../src/handlers/handler-pauses.js';
import { HandlerRegistry, type RegisteredHandler } from '../../src/handlers/handler-registry.js';
import type { WecomHandler } from '../../src/handlers/wecom-handler.js';
import { MemoryIdempotencyStore } from '../../src/idempotency/embedded/memory-idempotency-store.js';
import { EventLeases } from '../../src/idempotency/event-leases.js';
import { LeaseWatchdog } from '../../src/idempotency/lease-watchdog.js';
import { Log } from '../../src/observability/log.js';
import { createLogger } from '../../src/observability/logger.js';
import { Metrics } from '../../src/observability/metrics.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SystemRandom } from '../../src/runtime/system-random.js';
import { SqlOutbox } from '../../src/saga/sql-outbox.js';
import { MysqlSagaStore } from '../../src/saga/mysql/mysql-saga-store.js';
import type { KeyedEntity } from '../../src/saga/saga-store.js';
import type { StateMachine } from '../../src/saga/state-machine.js';
import { encodeMessage } from '../../src/transport/message-codec.js';
import { eventKey } from '../../src/wecom/event-key.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { EffectTransaction } from '../../src/worker/effect-transaction.js';
import { EventConsumer } from '../../src/worker/event.consumer.js';
import { EventFinisher } from '../../src/worker/event-finisher.js';
import { EventProcessor } from '../../src/worker/event-processor.js';
import { FailureWriter } from '../../src/worker/failure-writer.js';
import { HandlerRunner } from '../../src/worker/handler-runner.js';
import { KnownRows } from '../../src/worker/known-rows.js';
import { MessageReader } from '../../src/worker/message-reader.js';
import { MessageRunner } from '../../src/worker/message-runner.js';
import { PausedRows } from '../../src/worker/paused-rows.js';
import { Pauses } from '../../src/worker/pauses.js';
import { Rereads } from '../../src/worker/rereads.js';
import { RetryConsumer } from '../../src/worker/retry-consumer.js';
import { RowRunner } from '../../src/worker/row-runner.js';
import { RowSteps } from '../../src/worker/row-steps.js';
import { WorkItemFactory } from '../../src/worker/work-item-factory.js';
import { WorkerMetrics } from '../../src/worker/worker-metrics.js';
import type { WorkerOptions } from '../../src/worker/worker-options.js';
import { RecordedDelivery } from './recorded-delivery.js';
import { note, type PlainHandle } from './plain-handlers.js';
import { LATEST_THING, STRICT_THING, thingXml } from './worker-rig.js';

const OPTIONS: WorkerOptions = {
  ...{ retryPolicy: { delaysMs: [50, 100] }, dlqTopic: 'dlq', conflictRetriesMax: 3, conflictDelayMs: 20 },
  ...{ backoffMs: 50, backoffMsMax: 200, hideMs: 31_000, hideEveryMs: 10_000, retryPollMs: 50, retryBatchMax: 50 },
  ...{ retryLanes: 4, outboxPollMs: 500, outboxBatchMax: 50, outboxAttemptsMax: 3, outboxTimeoutMs: 10_000 },
  ...{ rereadPatienceMs: 600_000, rereadEveryMs: 5_000 },
};

const ENTITY_TYPES = new EntityTypeRegistry([...BUILT_IN_ENTITY_TYPES, STRICT_THING, LATEST_THING]);

/** Counts the races that transactions lost: each is run again, so nothing else shows them. */
class CountingUnitOfWork extends UnitOfWork {
  conflictCount = 0;

  constructor(private readonly inner: UnitOfWork) {
    super();
  }

  override async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.inner.write(work);
    } catch (error) {
      if (error instanceof TransactionConflictError) this.conflictCount += 1;
      throw error;
    }
  }

  override read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.inner.read(work);
  }

  override trouble(): { since: number; reason: string } | null {
    return this.inner.trouble();
  }
}

/** One function for all events, or whole handlers by their events. */
export type HandlersOfTest = PlainHandle | Readonly<Record<string, WecomHandler>>;

class OneHandler extends HandlerRegistry {
  constructor(
    private readonly own: HandlersOfTest,
    private readonly machines: Readonly<Record<string, StateMachine>>,
  ) {
    super(null as never, null as never);
  }

  override handlerOf(eventType: string): RegisteredHandler {
    const { own } = this;
    const plain = (handle: PlainHandle): WecomHandler => ({ handle: (event, context) => handle(context, event) });
    const handler = typeof own === 'function' ? plain(own) : own[eventType];
    if (!handler) throw new Error(`no handler for ${eventType}`);
    return {
      name: 'plain',
      handler,
      machine: this.machines[eventType] ?? null,
      builtIn: false,
    };
  }
}

/**
 * A whole worker on MariaDB, in real time. Each has a guard of its own that knows nothing of the others, as if Redis had
 * lost its keys: wall 3 alone keeps them apart.
 */
export class MysqlWorker {
  readonly unitOfWork: CountingUnitOfWork;
  readonly eventLog: EventLog;
  readonly sagas: MysqlSagaStore;
  readonly consumer: EventConsumer;
  readonly retries: RetryConsumer;
  readonly failures: FailureWriter;
  readonly factory: WorkItemFactory;
  readonly operator: DeadLetterService;
  readonly guard: MemoryIdempotencyStore;

  constructor(
    unitOfWork: UnitOfWork,
    handle: HandlersOfTest = (context) => note(context).then(() => undefined),
    watched: (log: EventLog) => EventLog = (log) => log,
    machines: Readonly<Record<string, StateMachine>> = {},
  ) {
    const [clock, random] = [new SystemClock(), new SystemRandom()];
    const guard = (this.guard = new MemoryIdempotencyStore(clock, { keysMax: 100_000 }));
    const counted = (this.unitOfWork = new CountingUnitOfWork(unitOfWork));
    const eventLog = (this.eventLog = watched(new MysqlEventLog('worker')));
    const sagas = (this.sagas = new MysqlSagaStore(counted));
    const outbox = SqlOutbox.forMysql();
    const [log, metrics] = [new Log(createLogger('silent', 'worker')), new WorkerMetrics(new Metrics())];
    const times = { leaseTtlMs: 30_000, maxLifeMs: 120_000 };
    const watchdog = new LeaseWatchdog(guard, clock, { ...times, renewEveryMs: 10_000 }, { warn: () => undefined });
    const leases = new EventLeases(guard, watchdog, clock, random, {
      ...times,
      startMemoryMs: 600_000,
      successTtlMs: 3_600_000,
    });
    const factory = (this.factory = new WorkItemFactory(ENTITY_TYPES, new OneHandler(handle, machines)));
    const failures = (this.failures = new FailureWriter(counted, eventLog, sagas, outbox, random, OPTIONS));
    const handlerPauses = new HandlerPauses();
    const handlerRunner = new HandlerRunner(handlerPauses, metrics, log);
    const effects = new EffectTransaction(counted, eventLog, sagas, outbox, handlerRunner, OPTIONS);
    const finisher = new EventFinisher(counted, eventLog, leases, metrics, log);
    const [known, pauses] = [new KnownRows(counted, eventLog, leases), new Pauses(clock, random, metrics, OPTIONS)];
    const processor = new EventProcessor(effects, failures, finisher, known, pauses, clock);
    const runner = new MessageRunner(leases, processor, finisher, pauses, log);
    this.consumer = new EventConsumer(new MessageReader(factory, clock), runner, log, metrics);
    const steps = new RowSteps(counted, eventLog, failures, clock, random, OPTIONS);
    const pausedRows = new PausedRows(counted, eventLog, handlerPauses, failures, clock);
    const rereads = new Rereads(counted, sagas, clock, log, OPTIONS);
    const rows = new RowRunner(steps, pausedRows, rereads, leases, processor, factory);
    this.retries = new RetryConsumer(counted, eventLog, rows, clock, log, OPTIONS);
    this.operator = new DeadLetterService(counted, eventLog, sagas, new AuditLog(), clock);
  }

  consume(...batch: RecordedDelivery[]): Promise<void> {
    return this.consumer.consume(batch);
  }

  async close(): Promise<void> {
    await this.guard.close();
  }
}

let positions = 0;

/** The delivery of a decrypted text, as a gateway publishes it. */
export function deliveryOf(text: string): RecordedDelivery {
  const parsed = parseEvent(text, 'wwtest');
  if (parsed.kind !== 'event') throw new Error('no event');
  const { corpId, eventType, changeType, msgId, createTime } = parsed.event;
  const key = eventKey({ receiver: 'app', parsed, receiveId: 'wwtest', plaintext: text, volatile: [] });
  const entityKey = ENTITY_TYPES.entityOf('app', parsed.event)?.key ?? null;
  const body = encodeMessage({
    ...{ v: 1, eventKey: key, app: 'app', corpId, eventType, changeType, entityKey, msgId, createTime },
    ...{ plaintext: text, payloadKeyId: null, trace: null },
    gateway: { receivedAt: 1_800_000_000_000, instance: 'gateway', guard: 'claimed', spooledSince: null },
  });
  positions += 1;
  return new RecordedDelivery(`lane-0:${positions}`, entityKey ?? key, body, key, corpId);
}

/** An event of a thing; `what` tells events of one second apart. */
export function strict(id: string, second: number, what = ''): RecordedDelivery {
  return deliveryOf(thingXml('strict_thing', id, 1_700_000_000 + second, { what }));
}

export function latest(id: string, second: number, what = ''): RecordedDelivery {
  return deliveryOf(thingXml('latest_thing', id, 1_700_000_000 + second, { what }));
}

export function entity(id: number): KeyedEntity {
  const ref = { receiver: 'app', corpId: 'ww', entityType: 'thing', entityId: `${id}` };
  return { ref, key: `app/ww/thing/${id}` };
}
