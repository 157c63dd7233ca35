import { AuditLog } from '../../src/access/audit-log.js';
import { AuditedWrites } from '../../src/access/audited-writes.js';
import { DeadLetterService } from '../../src/admin/dead-letter-service.js';
import { HandlerPauseService } from '../../src/admin/handler-pause-service.js';
import { MemoryClusterLock } from '../../src/cluster/memory-cluster-lock.js';
import { BUILT_IN_ENTITY_TYPES } from '../../src/entity-types/built-in.js';
import { defineEntityType, type EntityType } from '../../src/entity-types/entity-type.js';
import { EntityTypeRegistry } from '../../src/entity-types/entity-type-registry.js';
import { textAt } from '../../src/entity-types/fields.js';
import { EventLog, type EventRow, type RowState } from '../../src/event-log/event-log.js';
import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import { HandlerPauses } from '../../src/handlers/handler-pauses.js';
import { EventLeases } from '../../src/idempotency/event-leases.js';
import { LeaseWatchdog } from '../../src/idempotency/lease-watchdog.js';
import { createLogger } from '../../src/observability/logger.js';
import { Log } from '../../src/observability/log.js';
import { Metrics } from '../../src/observability/metrics.js';
import { Outbox } from '../../src/saga/outbox.js';
import { SagaStore } from '../../src/saga/saga-store.js';
import { SqlOutbox } from '../../src/saga/sql-outbox.js';
import { SqliteSagaStore } from '../../src/saga/sqlite/sqlite-saga-store.js';
import { decodeMessage, encodeMessage } from '../../src/transport/message-codec.js';
import { eventKey } from '../../src/wecom/event-key.js';
import { parseEvent, UNPARSED_EVENT_TYPE } from '../../src/wecom/parse-event.js';
import { CommandSender } from '../../src/worker/command-sender.js';
import { DeadLetterConsumer } from '../../src/worker/dead-letter.consumer.js';
import { EffectTransaction } from '../../src/worker/effect-transaction.js';
import { EventConsumer } from '../../src/worker/event.consumer.js';
import { EventFinisher } from '../../src/worker/event-finisher.js';
import { EventProcessor } from '../../src/worker/event-processor.js';
import { FailureWriter } from '../../src/worker/failure-writer.js';
import { HandlerRunner } from '../../src/worker/handler-runner.js';
import { KnownRows } from '../../src/worker/known-rows.js';
import { MessageReader } from '../../src/worker/message-reader.js';
import { MessageRunner } from '../../src/worker/message-runner.js';
import { OutboxBatch } from '../../src/worker/outbox-batch.js';
import { OutboxRelay } from '../../src/worker/outbox-relay.js';
import { PausedRows } from '../../src/worker/paused-rows.js';
import { Pauses } from '../../src/worker/pauses.js';
import { Rereads } from '../../src/worker/rereads.js';
import { RetryConsumer } from '../../src/worker/retry-consumer.js';
import { RowRunner } from '../../src/worker/row-runner.js';
import { RowSteps } from '../../src/worker/row-steps.js';
import { WorkItemFactory } from '../../src/worker/work-item-factory.js';
import { WorkerMetrics } from '../../src/worker/worker-metrics.js';
import type { WorkerOptions } from '../../src/worker/worker-options.js';
import { openBusinessDatabase, type BusinessDatabase } from './business-database.js';
import { ManualClock } from './manual-clock.js';
import { PlainHandlers, type PlainHandlerOptions } from './plain-handlers.js';
import { RecordedDelivery, RecordingTransport } from './recorded-delivery.js';
import { ScriptedGuard } from './scripted-guard.js';
import { ScriptedUnitOfWork, StoreActs } from './scripted-unit-of-work.js';
import { SeededRandom } from './seeded-random.js';

/** What a test changes of the worker. */
export interface RigOptions extends PlainHandlerOptions {
  readonly entityTypes?: readonly EntityType[];
  readonly worker?: Partial<WorkerOptions>;
  readonly leaseTtlMs?: number;
  readonly maxLifeMs?: number;
}

export const DLQ_TOPIC = 'wecom.events.dlq';

/** A strict and a latest type of object for tests, moved by events of their names. */
const byId = (name: string): Pick<EntityType, 'name' | 'events' | 'entityKey' | 'rank'> => ({
  name,
  events: [name],
  entityKey: ({ fields }) => textAt(fields, 'Id'),
  rank: ({ fields }) => Number(textAt(fields, 'Rank') ?? '0'),
});
export const STRICT_THING = defineEntityType({ ...byId('strict_thing'), order: 'strict' });
export const LATEST_THING = defineEntityType({ ...byId('latest_thing'), order: 'latest' });

const WORKER: WorkerOptions = {
  retryPolicy: { delaysMs: [1_000, 10_000, 60_000] },
  dlqTopic: DLQ_TOPIC,
  conflictRetriesMax: 3,
  conflictDelayMs: 20,
  backoffMs: 500,
  backoffMsMax: 2_000,
  hideMs: 31_000,
  hideEveryMs: 10_000,
  rereadPatienceMs: 600_000,
  rereadEveryMs: 5_000,
  retryPollMs: 200,
  retryBatchMax: 50,
  retryLanes: 4,
  outboxPollMs: 500,
  outboxBatchMax: 50,
  outboxAttemptsMax: 3,
  outboxTimeoutMs: 10_000,
};

/** The real worker on a real SQLite file; fakes only where a test has to steer: clock, guard, commits, deliveries. */
export class WorkerRig {
  readonly guard: ScriptedGuard;
  readonly transport = new RecordingTransport();
  readonly metrics = new Metrics();
  readonly acts = new StoreActs();
  readonly lock = new MemoryClusterLock();
  readonly options: WorkerOptions;
  readonly writes: ScriptedUnitOfWork;
  readonly eventLog: EventLog;
  readonly sagas: SagaStore;
  readonly outbox: Outbox;
  readonly consumer: EventConsumer;
  readonly retries: RetryConsumer;
  readonly relay: OutboxRelay;
  readonly deadLetters: DeadLetterConsumer;
  readonly operator: DeadLetterService;
  readonly pauses: HandlerPauseService;
  readonly watchdog: LeaseWatchdog;
  private readonly entityTypes: EntityTypeRegistry;
  private positions = 0;

  private constructor(
    readonly clock: ManualClock,
    readonly database: BusinessDatabase,
    rig: RigOptions,
  ) {
    const { transport, acts } = this;
    const guard = (this.guard = new ScriptedGuard(clock, { keysMax: 10_000 }));
    const { leaseTtlMs = 30_000, maxLifeMs = 120_000 } = rig;
    const options = (this.options = { ...WORKER, ...rig.worker });
    const types = [...BUILT_IN_ENTITY_TYPES, STRICT_THING, LATEST_THING, ...(rig.entityTypes ?? [])];
    const entityTypes = (this.entityTypes = new EntityTypeRegistry(types));
    const [random, log] = [new SeededRandom(), new Log(createLogger('silent', 'rig'))];
    const unitOfWork = (this.writes = new ScriptedUnitOfWork(database.unitOfWork));
    const eventLog = (this.eventLog = acts.watched<EventLog>('eventLog', new SqliteEventLog('rig')));
    const sagas = (this.sagas = acts.watched<SagaStore>('sagas', new SqliteSagaStore()));
    const outbox = (this.outbox = acts.watched<Outbox>('outbox', SqlOutbox.forSqlite()));
    const watchdogOptions = { leaseTtlMs, renewEveryMs: Math.floor(leaseTtlMs / 3), maxLifeMs };
    const watchdog = (this.watchdog = new LeaseWatchdog(guard, clock, watchdogOptions, { warn: () => undefined }));
    const leaseOptions = { leaseTtlMs, maxLifeMs, startMemoryMs: 600_000, successTtlMs: 3_600_000 };
    const leases = new EventLeases(guard, watchdog, clock, random, leaseOptions);
    const handlers = new PlainHandlers(rig);
    const factory = new WorkItemFactory(entityTypes, handlers);
    const failures = new FailureWriter(unitOfWork, eventLog, sagas, outbox, random, options);
    const handlerPauses = new HandlerPauses();
    const metrics = new WorkerMetrics(this.metrics);
    const handlerRunner = new HandlerRunner(handlerPauses, metrics, log);
    const effects = new EffectTransaction(unitOfWork, eventLog, sagas, outbox, handlerRunner, options);
    const finisher = new EventFinisher(unitOfWork, eventLog, leases, metrics, log);
    const [known, pauses] = [new KnownRows(unitOfWork, eventLog, leases), new Pauses(clock, random, metrics, options)];
    const processor = new EventProcessor(effects, failures, finisher, known, pauses, clock);
    const reader = new MessageReader(factory, clock);
    const messages = new MessageRunner(leases, processor, finisher, pauses, log);
    this.consumer = new EventConsumer(reader, messages, log, metrics);
    const steps = new RowSteps(unitOfWork, eventLog, failures, clock, random, options);
    const pausedRows = new PausedRows(unitOfWork, eventLog, handlerPauses, failures, clock);
    const rereads = new Rereads(unitOfWork, sagas, clock, log, options);
    const rows = new RowRunner(steps, pausedRows, rereads, leases, processor, factory);
    this.retries = new RetryConsumer(unitOfWork, eventLog, rows, clock, log, options);
    const sender = new CommandSender(transport, options);
    const batch = new OutboxBatch(unitOfWork, outbox, sender, clock, log, options);
    this.relay = new OutboxRelay(batch, this.lock, clock, log, options);
    this.deadLetters = new DeadLetterConsumer(reader, failures, clock, log);
    const audit = new AuditLog();
    this.operator = new DeadLetterService(unitOfWork, eventLog, sagas, audit, clock);
    const audited = new AuditedWrites(unitOfWork, audit, clock);
    this.pauses = new HandlerPauseService(audited, handlerPauses, eventLog, handlers, clock, log);
  }

  static async open(options: RigOptions = {}): Promise<WorkerRig> {
    const clock = new ManualClock();
    const database = await openBusinessDatabase(clock);
    return new WorkerRig(clock, database, options);
  }

  /** Fails when a timer is left: a lease that nobody released, a watch that nobody cancelled. */
  async close(): Promise<void> {
    await this.database.close();
    if (this.clock.timerCount > 0) throw new Error(`${this.clock.timerCount} timer(s) left`);
  }

  /** The delivery of a decrypted text, as a gateway publishes it. */
  delivery(text: string, app = 'app'): RecordedDelivery {
    const parsed = parseEvent(text, 'wwtest');
    const volatile: string[] = [];
    const key = eventKey({ receiver: app, parsed, receiveId: 'wwtest', plaintext: text, volatile });
    const event = parsed.kind === 'event' ? parsed.event : null;
    const corpId = event?.corpId ?? 'wwtest';
    const entityKey = event ? (this.entityTypes.entityOf(app, event)?.key ?? null) : null;
    const body = encodeMessage({
      ...{ v: 1, eventKey: key, app, corpId, eventType: event?.eventType ?? UNPARSED_EVENT_TYPE },
      ...{ changeType: event?.changeType ?? null, entityKey, msgId: event?.msgId ?? null },
      ...{ createTime: event?.createTime ?? null, plaintext: text, payloadKeyId: null, trace: null },
      gateway: { receivedAt: this.clock.now(), instance: 'gateway', guard: 'claimed', spooledSince: null },
    });
    return new RecordedDelivery(this.position(), entityKey ?? key, body, key, corpId);
  }

  foreign(body: string): RecordedDelivery {
    return new RecordedDelivery(this.position(), 'foreign', body);
  }

  /** The same message once more. */
  again(delivery: RecordedDelivery): RecordedDelivery {
    const { orderingKey, body, eventKey: key, corpId } = delivery;
    return new RecordedDelivery(this.position(), orderingKey, body, key, corpId);
  }

  /** One batch, to its end; time goes on as it is needed. */
  consume(...batch: RecordedDelivery[]): Promise<void> {
    return this.drive(this.consumer.consume(batch));
  }

  retryPass(): Promise<boolean> {
    return this.drive(this.retries.pass());
  }

  /** Passes until nothing waits that time would bring; `ms` is how long it may take. */
  async retryFor(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      await this.retryPass();
      await this.clock.advance(this.options.retryPollMs);
    }
  }

  /** Moves time until the work has ended. */
  async drive<T>(work: Promise<T>, limitMs = 600_000): Promise<T> {
    let isDone = false;
    const watched = work.finally(() => (isDone = true));
    watched.catch(() => undefined);
    const end = this.clock.now() + limitMs;
    await this.clock.settle();
    while (!isDone && this.clock.now() < end) await this.clock.advance(50);
    if (!isDone) throw new Error(`the work did not end within ${limitMs} ms of its own time`);
    return watched;
  }

  /** Writes the delivery's row as another worker would have, in generation 0. */
  async put(delivery: RecordedDelivery, state: Partial<RowState> & Pick<RowState, 'status'>): Promise<EventRow> {
    const decoded = decodeMessage(delivery.body);
    if (decoded.kind !== 'message') throw new Error('only an event has a row');
    const { message } = decoded;
    const now = this.clock.now();
    const identity = { ...message, receivedAt: message.gateway.receivedAt, facts: JSON.stringify(message.gateway) };
    const waits = { attempt: 0, laneSeq: null, dueAt: null, errorCode: null, errorMessage: null, decidedAt: now };
    await this.database.unitOfWork.write((tx) => this.eventLog.insert(tx, [{ ...identity, ...waits, ...state }]));
    const row = await this.row(delivery);
    if (!row) throw new Error('the row was not written');
    return row;
  }

  async row({ eventKey: key }: Pick<RecordedDelivery, 'eventKey'>): Promise<EventRow | null> {
    const rows = await this.rows();
    return rows.find((row) => row.eventKey === key) ?? null;
  }

  /** In order of writing. */
  async rows(): Promise<EventRow[]> {
    const rows = await this.database.unitOfWork.read((tx) => this.eventLog.search(tx, { limit: 1_000 }));
    return rows.reverse();
  }

  async statuses(...deliveries: RecordedDelivery[]): Promise<(string | null)[]> {
    return Promise.all(deliveries.map(async (delivery) => (await this.row(delivery))?.status ?? null));
  }

  /** What handlers noted, in order of the commits. */
  async notes(delivery?: RecordedDelivery): Promise<string[]> {
    const notes = await this.database.query<{ event_key: string; text: string }>('SELECT * FROM note ORDER BY id');
    return notes.filter((row) => !delivery || row.event_key === delivery.eventKey).map(({ text }) => text);
  }

  async count(table: 'saga' | 'entity_change' | 'outbox' | 'event_history' | 'event_log'): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`);
    return row?.total ?? 0;
  }

  /** The row of an entity by the end of its key. */
  async entity(idPattern: string): Promise<RawEntity | undefined> {
    const rows = await this.database.query<RawEntity>('SELECT * FROM saga WHERE entity_key LIKE ?', [`%/${idPattern}`]);
    return rows[0];
  }

  /** A worker began the event's handler and died; its lease has run out. */
  async leaveUnfinishedStart({ guardKey }: RecordedDelivery): Promise<void> {
    await this.guard.acquire(guardKey, 'killed', 30_000, 600_000);
    await this.guard.start(guardKey, 'killed');
    await this.clock.advance(31_000);
    this.guard.calls.length = 0;
  }

  private position(): string {
    this.positions += 1;
    return `lane-0:${this.positions}`;
  }
}

export interface RawEntity {
  readonly version: number;
  readonly state: string;
  readonly last_event_time: number | null;
  readonly last_rank: number | null;
  readonly unconfirmed: number;
  readonly tombstone: number;
}

export interface ThingOptions {
  readonly rank?: number;
  /** Tells events of one thing and second apart. */
  readonly what?: string;
}

export function thingXml(
  kind: 'strict_thing' | 'latest_thing',
  id: string,
  createTime: number,
  { rank = 0, what = '' }: ThingOptions = {},
): string {
  return `<xml><ToUserName>wwtest</ToUserName><CreateTime>${createTime}</CreateTime><MsgType>event</MsgType><Event>${kind}</Event><Id>${id}</Id><Rank>${rank}</Rank><What>${what}</What></xml>`;
}
