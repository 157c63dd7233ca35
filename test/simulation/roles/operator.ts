import { AuditedWrites } from '../../../src/access/audited-writes.js';
import { AuditLog } from '../../../src/access/audit-log.js';
import {
  DeadLetterService,
  type Action,
  type ItemResult,
  type SeenItem,
} from '../../../src/admin/dead-letter-service.js';
import { HandlerPauseService } from '../../../src/admin/handler-pause-service.js';
import { RedriveJobRunner } from '../../../src/admin/redrive-job-runner.js';
import { RedriveJobService } from '../../../src/admin/redrive-job-service.js';
import { RedriveJobSteps } from '../../../src/admin/redrive-job-steps.js';
import { RedriveJobStore } from '../../../src/admin/redrive-job-store.js';
import type { UnitOfWork } from '../../../src/database/unit-of-work.js';
import type { EventLog, EventRow } from '../../../src/event-log/event-log.js';
import { WAITING } from '../../../src/event-log/status.js';
import { HandlerPauses } from '../../../src/handlers/handler-pauses.js';
import type { HandlerRegistry } from '../../../src/handlers/handler-registry.js';
import { SeededRandom } from '../../../src/simulator/seeded-random.js';
import type { Database } from '../database/database.js';
import { SimClock, SimLog, SimRandom } from '../ports/sim-runtime.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';
import { HANDLER_NAMES } from './handlers.js';
import { Wiring, type Mutation } from './mutation.js';
import { openStores } from './worker.js';

const HANDLERS = { list: () => HANDLER_NAMES.map((name) => ({ name })) } as unknown as HandlerRegistry;
const LOOK_MS = 3_000;
/** More than there can be: the one dead letter that a whole line waits for has to be on the page. */
const ROWS_MAX = 100;
/** Afterwards a dead letter is redriven no more, so that everything comes to its end. */
const GENERATIONS_MAX = 2;

export interface OperatorHabits {
  readonly usesJobs: boolean;
  /** Share of looks at which something that still waits is thrown away. */
  readonly discards: number;
  /** Share of looks at which a handler is paused, or one that is paused resumed. */
  readonly pauses: number;
}

const BY = { actor: 'operator', address: '' };

/**
 * A person at the console, who redrives and discards, at times twice and with an old page, and pauses handlers; and the
 * jobs of redrives.
 */
export class Operator {
  onReport: (action: Action, seen: SeenItem, result: ItemResult) => void = () => undefined;
  private readonly unitOfWork: UnitOfWork;
  private readonly eventLog: EventLog;
  private readonly service: DeadLetterService;
  private readonly jobs: RedriveJobService;
  private readonly pauses = new HandlerPauses();
  private readonly pauseService: HandlerPauseService;
  private readonly runner: RedriveJobRunner;
  private readonly clock: SimClock;
  private readonly random: SeededRandom;
  private oldPage: EventRow[] = [];

  constructor(
    private readonly world: World,
    life: Life,
    database: Database,
    private readonly habits: OperatorHabits,
    mutation: Mutation | null,
  ) {
    const wiring = new Wiring(world, mutation);
    this.random = new SeededRandom(world.seed, `habits of ${life.name}`);
    const clock = (this.clock = new SimClock(world, life));
    const [random, log] = [new SimRandom(world.seed, life), new SimLog(world, life)];
    const { unitOfWork, eventLog, sagas } = openStores(world, life, database, wiring);
    this.unitOfWork = unitOfWork;
    this.eventLog = eventLog;
    const [audit, store] = [new AuditLog(), new RedriveJobStore()];
    this.service = new DeadLetterService(unitOfWork, eventLog, sagas, audit, clock);
    this.jobs = new RedriveJobService(unitOfWork, store, audit, clock, random);
    const writes = new AuditedWrites(unitOfWork, audit, clock);
    this.pauseService = new HandlerPauseService(writes, this.pauses, eventLog, HANDLERS, clock, log);
    const steps = new RedriveJobSteps(unitOfWork, store, null as never, null as never, this.service, clock);
    const options = { token: random.token(), instance: life.name, stopLimitMs: 1_000 };
    this.runner = new RedriveJobRunner(unitOfWork, store, steps, clock, log, options);
  }

  start(): void {
    if (this.habits.usesJobs) this.runner.onApplicationBootstrap();
    void this.watch();
  }

  private async watch(): Promise<void> {
    for (;;) {
      await this.clock.sleep(LOOK_MS * (0.5 + this.random.fraction()));
      // The database may be away; a person tries again.
      await this.pauseOrResume().catch(() => undefined);
      await this.act().catch(() => undefined);
    }
  }

  /** Whoever was paused is resumed when the faults stop, or after a while. */
  private async pauseOrResume(): Promise<void> {
    const paused = await this.unitOfWork.read((tx) => this.pauses.names(tx));
    for (const handler of paused) {
      if (this.world.isCalmed || this.random.chance(this.habits.pauses))
        await this.pauseService.resume(handler, '', BY);
    }
    if (this.world.isCalmed || !this.random.chance(this.habits.pauses)) return;
    this.world.hit('handler-paused');
    await this.pauseService.pause(this.random.pick(HANDLER_NAMES), '', BY);
  }

  private async act(): Promise<void> {
    const page = await this.unitOfWork.read((tx) =>
      this.eventLog.search(tx, { statuses: [...WAITING], limit: ROWS_MAX }),
    );
    const isRace = !this.world.isCalmed && this.oldPage.length > 0 && this.random.chance(0.2);
    if (isRace) this.world.hit('operator-race');
    const shown = isRace ? this.oldPage : page;
    this.oldPage = page;
    const dead = shown.filter(({ status }) => status === 'DEAD');
    const [given, hopeless] = [
      dead.filter(({ generation }) => generation < GENERATIONS_MAX),
      dead.filter(({ generation }) => generation >= GENERATIONS_MAX),
    ];
    if (!this.world.isCalmed && this.random.chance(this.habits.discards)) {
      const one = shown[this.random.upTo(Math.max(0, shown.length - 1))];
      if (one) await this.run('discard', [one]);
    }
    if (hopeless.length > 0) await this.run('discard', hopeless);
    if (given.length === 0) return;
    if (this.habits.usesJobs && this.random.chance(0.6)) {
      const items = given.map(({ id, generation }) => ({ id, generation }));
      await this.jobs.create({ action: 'redrive', items, rate: 50, dryRun: false, reason: 'again' }, 'operator');
      return;
    }
    const clicks = [this.run('redrive', given)];
    // Somebody clicks twice.
    if (this.random.chance(0.3)) clicks.push(this.run('redrive', given));
    await Promise.all(clicks);
  }

  private async run(action: Action, rows: readonly EventRow[]): Promise<void> {
    for (const { id, generation } of rows) {
      const seen = { id, generation };
      const [result] = await this.service.run(action, [seen], { actor: 'operator', reason: '' });
      if (result) this.onReport(action, seen, result);
    }
  }
}
