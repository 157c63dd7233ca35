import { MemoryClusterLock } from '../../../src/cluster/memory-cluster-lock.js';
import { MysqlUnitOfWork } from '../../../src/database/mysql/mysql-unit-of-work.js';
import type { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { BUILT_IN_ENTITY_TYPES } from '../../../src/entity-types/built-in.js';
import { EntityTypeRegistry } from '../../../src/entity-types/entity-type-registry.js';
import type { EventLog } from '../../../src/event-log/event-log.js';
import { MysqlEventLog } from '../../../src/event-log/mysql/mysql-event-log.js';
import { HandlerPauses } from '../../../src/handlers/handler-pauses.js';
import { EventLeases } from '../../../src/idempotency/event-leases.js';
import type { IdempotencyStore } from '../../../src/idempotency/idempotency-store.js';
import { LeaseWatchdog } from '../../../src/idempotency/lease-watchdog.js';
import { SqlOutbox } from '../../../src/saga/sql-outbox.js';
import { MysqlSagaStore } from '../../../src/saga/mysql/mysql-saga-store.js';
import type { Outbox } from '../../../src/saga/outbox.js';
import type { SagaStore } from '../../../src/saga/saga-store.js';
import type { Transport } from '../../../src/transport/transport.js';
import { CommandSender } from '../../../src/worker/command-sender.js';
import { DeadLetterConsumer } from '../../../src/worker/dead-letter.consumer.js';
import { EffectTransaction } from '../../../src/worker/effect-transaction.js';
import { EventConsumer } from '../../../src/worker/event.consumer.js';
import { EventFinisher } from '../../../src/worker/event-finisher.js';
import { EventProcessor } from '../../../src/worker/event-processor.js';
import { FailureWriter } from '../../../src/worker/failure-writer.js';
import { HandlerRunner } from '../../../src/worker/handler-runner.js';
import { KnownRows } from '../../../src/worker/known-rows.js';
import { MessageReader } from '../../../src/worker/message-reader.js';
import { MessageRunner } from '../../../src/worker/message-runner.js';
import { OutboxBatch } from '../../../src/worker/outbox-batch.js';
import { OutboxRelay } from '../../../src/worker/outbox-relay.js';
import { PausedRows } from '../../../src/worker/paused-rows.js';
import { Pauses } from '../../../src/worker/pauses.js';
import { Rereads } from '../../../src/worker/rereads.js';
import { RetryConsumer } from '../../../src/worker/retry-consumer.js';
import { RowRunner } from '../../../src/worker/row-runner.js';
import { RowSteps } from '../../../src/worker/row-steps.js';
import { WorkItemFactory } from '../../../src/worker/work-item-factory.js';
import type { WorkerMetrics } from '../../../src/worker/worker-metrics.js';
import type { Database } from '../database/database.js';
import type { Broker } from '../ports/broker.js';
import { simDataSource } from '../ports/sim-data-source.js';
import { SimIdempotencyStore, type GuardServer } from '../ports/sim-guard.js';
import { SimClock, SimLog, SimRandom } from '../ports/sim-runtime.js';
import { SimTransport } from '../ports/sim-transport.js';
import { SimWecomApi, type Truth } from '../ports/sim-wecom-api.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';
import { SimHandlers, type HandlerHabits } from './handlers.js';
import { Wiring, type Mutation } from './mutation.js';
import {
  DATABASE,
  DLQ_TOPIC,
  EVENTS_TOPIC,
  GUARD_TIMEOUT_MS,
  LEASES,
  RENEW_EVERY_MS,
  subscription,
  WORKER,
} from './settings.js';

export interface WorkerServers {
  readonly guard: GuardServer;
  readonly broker: Broker;
  readonly database: Database;
  readonly truth: Truth;
  readonly handlerHabits: HandlerHabits;
}

const entityTypes = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);
const QUIET: Pick<WorkerMetrics, 'decided' | 'duplicate' | 'paused' | 'ran'> = {
  decided: () => undefined,
  duplicate: () => undefined,
  paused: () => undefined,
  ran: () => undefined,
};

/** The stores of MySQL as they are, on the simulated server. */
export function openStores(
  world: World,
  life: Life,
  database: Database,
  wiring: Wiring,
): { unitOfWork: UnitOfWork; eventLog: EventLog; sagas: SagaStore; outbox: Outbox } {
  const source = simDataSource(world, life, database, DATABASE);
  const clock = new SimClock(world, life);
  const unitOfWork = wiring.part<UnitOfWork>(
    'unitOfWork',
    new MysqlUnitOfWork(source, source, clock, DATABASE.statementLimitMs),
  );
  const eventLog = wiring.part<EventLog>('eventLog', new MysqlEventLog(life.name));
  const sagas = wiring.part<SagaStore>('sagas', new MysqlSagaStore(unitOfWork));
  return { unitOfWork, eventLog, sagas, outbox: wiring.part<Outbox>('outbox', SqlOutbox.forMysql()) };
}

/** The product's worker, wired by hand as its module does it. */
export class Worker {
  private readonly consumer: EventConsumer;
  private readonly deadLetters: DeadLetterConsumer;
  private readonly retries: RetryConsumer;
  private readonly relay: OutboxRelay;
  private readonly transport: Transport;

  constructor(world: World, life: Life, servers: WorkerServers, mutation: Mutation | null) {
    const wiring = new Wiring(world, mutation);
    const [clock, log] = [new SimClock(world, life), new SimLog(world, life)];
    const random = new SimRandom(world.seed, life);
    const metrics = QUIET as WorkerMetrics;
    const guard = wiring.part<IdempotencyStore>(
      'guard',
      new SimIdempotencyStore(world, life, servers.guard, GUARD_TIMEOUT_MS),
    );
    const { unitOfWork, eventLog, sagas, outbox } = openStores(world, life, servers.database, wiring);
    this.transport = wiring.part<Transport>('transport', new SimTransport(world, life, servers.broker));
    const watchdogOptions = {
      leaseTtlMs: LEASES.leaseTtlMs,
      renewEveryMs: RENEW_EVERY_MS,
      maxLifeMs: LEASES.maxLifeMs,
    };
    const watchdog = new LeaseWatchdog(guard, clock, watchdogOptions, {
      warn: (entry) => log.warn(String(entry['event']), entry),
    });
    const leases = wiring.part('leases', new EventLeases(guard, watchdog, clock, random, LEASES));
    const handlers = new SimHandlers(
      world,
      life,
      clock,
      new SimWecomApi(world, life, servers.truth),
      servers.handlerHabits,
    );
    const factory = new WorkItemFactory(entityTypes, handlers);
    const failures = wiring.part('failures', new FailureWriter(unitOfWork, eventLog, sagas, outbox, random, WORKER));
    const handlerPauses = new HandlerPauses();
    const runner = new HandlerRunner(handlerPauses, metrics, log);
    const effects = wiring.part('effects', new EffectTransaction(unitOfWork, eventLog, sagas, outbox, runner, WORKER));
    const finisher = wiring.part('finisher', new EventFinisher(unitOfWork, eventLog, leases, metrics, log));
    const known = wiring.part('known', new KnownRows(unitOfWork, eventLog, leases));
    const pauses = new Pauses(clock, random, metrics, WORKER);
    const processor = wiring.part('processor', new EventProcessor(effects, failures, finisher, known, pauses, clock));
    const reader = new MessageReader(factory, clock);
    const messages = wiring.part('messageRunner', new MessageRunner(leases, processor, finisher, pauses, log));
    this.consumer = wiring.part('consumer', new EventConsumer(reader, messages, log, metrics));
    const steps = wiring.part('rowSteps', new RowSteps(unitOfWork, eventLog, failures, clock, random, WORKER));
    const pausedRows = wiring.part('pausedRows', new PausedRows(unitOfWork, eventLog, handlerPauses, failures, clock));
    const rereads = new Rereads(unitOfWork, sagas, clock, log, WORKER);
    const rows = wiring.part('rowRunner', new RowRunner(steps, pausedRows, rereads, leases, processor, factory));
    this.retries = wiring.part('retries', new RetryConsumer(unitOfWork, eventLog, rows, clock, log, WORKER));
    const sender = wiring.part('sender', new CommandSender(this.transport, WORKER));
    const batch = new OutboxBatch(unitOfWork, outbox, sender, clock, log, WORKER);
    this.relay = new OutboxRelay(batch, new MemoryClusterLock(), clock, log, WORKER);
    this.deadLetters = wiring.part('deadLetters', new DeadLetterConsumer(reader, failures, clock, log));
  }

  async start(): Promise<void> {
    await this.transport.subscribe(subscription(EVENTS_TOPIC), (batch) => this.consumer.consume(batch));
    await this.transport.subscribe(subscription(DLQ_TOPIC), (batch) => this.deadLetters.consume(batch));
    this.retries.start();
    this.relay.start();
  }
}
