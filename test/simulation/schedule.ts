import { readPayload, scanSegment } from '../../src/callback/spool-frame.js';
import type { SpooledMessage } from '../../src/callback/spool.js';
import { SeededRandom } from '../../src/simulator/seeded-random.js';
import { MemoryDisk } from '../support/memory-disk.js';
import type { Check, View } from './checks/check.js';
import { makeChecks } from './checks/checks.js';
import { Database } from './database/database.js';
import type { Data } from './database/sql-expression.js';
import { Broker } from './ports/broker.js';
import { connectDeliveries } from './ports/sim-transport.js';
import { GuardServer } from './ports/sim-guard.js';
import { Gateway } from './roles/gateway.js';
import type { HandlerHabits } from './roles/handlers.js';
import type { Mutation } from './roles/mutation.js';
import { Operator } from './roles/operator.js';
import { DATABASE, DLQ_TOPIC, EVENTS_TOPIC, GROUP } from './roles/settings.js';
import { Worker } from './roles/worker.js';
import { Calamities } from './world/calamities.js';
import { APPS_OF_SIMULATION, FakeWecom, type SentEvent, type WecomHabits } from './world/fake-wecom.js';
import { drawProfile, NO_FAULTS, type Fault, type FaultProfile } from './world/faults.js';
import { Host, type Life } from './world/life.js';
import { World, type CrashPoint } from './world/world.js';

export interface ScheduleOptions {
  readonly seed: number;
  readonly mutation?: Mutation | null;
  readonly isTold?: boolean;
  /** A sweep: these crashes and no other fault. */
  readonly crashPoints?: readonly CrashPoint[];
}

export interface ScheduleResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly hits: ReadonlyMap<Fault, number>;
  readonly labels: ReadonlyMap<string, number>;
  readonly history: readonly string[];
  readonly steps: number;
  readonly virtualMs: number;
  readonly events: number;
}

/** Faults stop when WeCom has sent everything and this much has passed. */
const UNREST_MS = 5_000;
const SAFETY_MS_MAX = 90_000;
/** Bounded: the longest line of retries, leases and sessions that must run out, several times over. */
const LIVENESS_MS = 240_000;
const CROWDED_CHANCE = 0.4;
/** Of those: two lanes serve each object from the start. */
const TWO_LANES_CHANCE = 0.4;
const LOOK_MS = 500;
const RESTART_MS_MAX = 4_000;

/** One history of the whole system, decided by one seed. */
export class Schedule {
  readonly world: World;
  readonly guard: GuardServer;
  readonly broker: Broker;
  readonly database: Database;
  readonly wecom: FakeWecom;
  readonly checks: readonly Check[];
  readonly disks = new Map<Host, MemoryDisk>();
  readonly view: View;
  isOrderMixed = false;
  /** All that happens, happens to a few objects and at nearly one time, and several workers have it in hand. */
  readonly isCrowded: boolean;
  private readonly gateways = new Map<Life, Gateway>();
  private readonly receivedAt = new Map<string, number>();
  private readonly mutation: Mutation | null;
  private readonly random: SeededRandom;
  private readonly handlerHabits: HandlerHabits;

  constructor(private readonly options: ScheduleOptions) {
    const { seed } = options;
    this.mutation = options.mutation ?? null;
    const random = (this.random = new SeededRandom(seed, 'schedule'));
    const profile: FaultProfile = options.crashPoints ? NO_FAULTS : drawProfile(new SeededRandom(seed, 'profile'));
    const world = (this.world = new World(seed, profile));
    world.crashPoints = (options.crashPoints ?? profile.crashPoints).map((point) => ({ ...point }));
    if (options.isTold) world.history = [];
    this.guard = new GuardServer(world);
    this.broker = new Broker(world);
    const later = (ms: number, act: () => void): void => world.later(ms, act);
    this.database = new Database({ later, lockWaitMs: DATABASE.lockWaitMs });
    this.isCrowded = random.chance(CROWDED_CHANCE);
    this.handlerHabits = {
      buggyPercent: random.pick([0, 10, 25, 50]),
      slowPercent: random.pick(this.isCrowded ? [0, 20, 20] : [0, 0, 20]),
    };
    this.wecom = new FakeWecom(world, this.habits(random), (request, event) => this.post(request, event));
    this.view = this.makeView();
    this.checks = makeChecks();
    this.connectChecks();
  }

  async run(): Promise<ScheduleResult> {
    const { world } = this;
    for (const topic of [EVENTS_TOPIC, DLQ_TOPIC]) this.broker.createGroup(topic, GROUP);
    connectDeliveries(world, this.broker);
    this.broker.start();
    world.onCrash = (life) => this.restartLater(life.host);
    this.addHosts();
    this.wecom.start();
    if (this.isCrowded && this.random.chance(TWO_LANES_CHANCE)) {
      this.isOrderMixed = true;
      this.broker.repartition();
    }
    new Calamities(world, this, new SeededRandom(this.options.seed, 'calamities')).plan();
    await world.scheduler.run(SAFETY_MS_MAX, () => this.wecom.isQuiet);
    await world.scheduler.run(world.now + UNREST_MS);
    world.tell('world', 'the faults stop');
    world.calm();
    if (!this.options.crashPoints) world.crashPoints = [];
    const end = world.now + LIVENESS_MS;
    while (world.now < end && !this.isAtRest()) await world.scheduler.run(world.now + LOOK_MS);
    for (const check of this.checks) check.atEnd(this.view);
    world.hits.set('lock-timeout', this.database.lockTimeouts);
    return {
      seed: this.options.seed,
      violations: world.violations,
      hits: world.hits,
      labels: world.labels,
      history: world.history ?? [],
      steps: world.scheduler.steps,
      virtualMs: world.now,
      events: this.wecom.events.length,
    };
  }

  /** For calamities: what lies on the disk of a host that loses its power now. */
  diskOf(host: Host): MemoryDisk {
    return this.disks.get(host)!;
  }

  private habits(random: SeededRandom): WecomHabits {
    const isSwept = this.options.crashPoints !== undefined;
    return {
      events: isSwept ? 6 : 6 + random.upTo(16),
      isCrowded: this.isCrowded,
      repeatsAfterStatus: random.chance(0.5),
      duplicateChance: random.pick([0, 0.2, 0.5]),
      disorderMs: random.pick([0, 500, 4_000]),
      failShare: random.pick([0, 0.1, 0.25]),
      slowShare: random.pick([0, 0.3]),
      killShare: !isSwept && random.chance(0.3) ? 0.15 : 0,
    };
  }

  private addHosts(): void {
    const { random } = this;
    const isSwept = this.options.crashPoints !== undefined;
    const gateways = isSwept ? 1 : 1 + random.upTo(2);
    const workers = isSwept ? 1 : (this.isCrowded ? 2 : 1) + random.upTo(2);
    for (let index = 1; index <= gateways; index += 1) this.addHost(`gateway${index}`, 'gateway');
    for (let index = 1; index <= workers; index += 1) this.addHost(`worker${index}`, 'worker');
    this.addHost('operator1', 'operator');
    for (const host of this.world.hosts) this.boot(host);
  }

  private addHost(name: string, role: Host['role']): void {
    const host = new Host(name, role);
    this.world.hosts.push(host);
    if (role === 'gateway') this.disks.set(host, new MemoryDisk());
  }

  private boot(host: Host): void {
    const life = host.start();
    this.world.tell(life.name, 'starts');
    const { world, guard, broker, database, mutation } = this;
    if (host.role === 'gateway') {
      const disk = this.diskOf(host);
      const gateway = new Gateway(world, life, { guard, broker, disk, apps: APPS_OF_SIMULATION }, mutation);
      // A gateway whose spool cannot be read does not start; whoever watches it starts it again.
      gateway.open().then(
        () => this.gateways.set(life, gateway),
        () => world.crash(life, 'its spool cannot be opened'),
      );
    } else if (host.role === 'worker') {
      const worker = new Worker(
        world,
        life,
        { guard, broker, database, truth: this.wecom, handlerHabits: this.handlerHabits },
        mutation,
      );
      void worker.start();
    } else {
      const random = new SeededRandom(this.options.seed, 'operator');
      const isSwept = this.options.crashPoints !== undefined;
      const habits = {
        usesJobs: random.chance(0.4),
        discards: random.pick([0, 0, 0.1]),
        pauses: isSwept ? 0 : random.pick([0, 0, 0.3]),
      };
      const operator = new Operator(world, life, database, habits, mutation);
      operator.onReport = (action, seen, result) => {
        for (const check of this.checks) check.onReport(action, seen, result, this.view);
      };
      operator.start();
    }
  }

  private restartLater(host: Host): void {
    const disk = this.disks.get(host);
    // What was not synced is lost, but for a part of it that happened to be written.
    if (disk) this.disks.set(host, this.crashDisk(disk));
    this.world.scheduler.after(100 + this.random.fraction() * RESTART_MS_MAX, null, () => this.boot(host));
  }

  private crashDisk(disk: MemoryDisk): MemoryDisk {
    const unsynced = disk.unsyncedBytes();
    const kept = this.random.chance(0.5) ? this.random.upTo(unsynced) : 0;
    if (unsynced > 0) this.world.hit(kept > 0 && kept < unsynced ? 'torn-write' : 'lost-write');
    return disk.crash(kept);
  }

  private post(request: Parameters<Gateway['receive']>[0], event: SentEvent): ReturnType<Gateway['receive']> | null {
    const hosts = this.world.hosts.filter(({ role }) => role === 'gateway');
    const host = hosts[this.random.upTo(hosts.length - 1)]!;
    const gateway = host.life && this.gateways.get(host.life);
    if (!host.life || !gateway) return null;
    const life = host.life;
    return new Promise((resolve) => {
      this.world.scheduler.after(0, life, () => {
        const key = `${life.name} ${event.number}`;
        const receivedAt = this.receivedAt.get(key) ?? this.world.now;
        this.receivedAt.set(key, receivedAt);
        void gateway.receive(request).then((answer) => {
          if (answer.kind === 'success') this.accepted(event, life, receivedAt, answer);
          resolve(answer);
        });
      });
    });
  }

  private accepted(
    event: SentEvent,
    life: Life,
    receivedAt: number,
    { how, eventKey }: { how: string; eventKey: string },
  ): void {
    event.acceptedAt ??= this.world.now;
    this.world.tell(life.name, `answers success for event ${event.number} (${how})`);
    const answered = { event, gateway: life.name, receivedAt, how, eventKey };
    for (const check of this.checks) check.onAnswered(answered, this.view);
  }

  private isAtRest(): boolean {
    const { database, broker } = this;
    if (!this.wecom.isQuiet || this.world.hosts.some(({ life }) => life === null)) return false;
    if (broker.unsettled(EVENTS_TOPIC).length > 0 || broker.unsettled(DLQ_TOPIC).length > 0) return false;
    if ([...this.gateways].some(([life, { spool }]) => life.isAlive && spool.isHolding())) return false;
    if (
      database
        .rows('event_log')
        .some(({ waiting_key, due_at, status }) => waiting_key !== null || due_at !== null || status === 'DEAD')
    )
      return false;
    // A file whose frames are all published may still have to be removed.
    return database.rows('outbox').length === 0 && this.spooled().length === 0;
  }

  private makeView(): View {
    const { world, broker, database, wecom } = this;
    const isOrderMixed = (): boolean => this.isOrderMixed;
    return {
      get now() {
        return world.now;
      },
      get events() {
        return wecom.events;
      },
      get log() {
        return broker.log;
      },
      get isOrderMixed() {
        return isOrderMixed();
      },
      rows: (table) => database.rows(table),
      find: (table, column, value) => database.find(table, column, value),
      unsettled: (topic) => broker.unsettled(topic),
      spooled: () => this.spooled(),
    };
  }

  private spooled(): SpooledMessage[] {
    return [...this.disks.values()].flatMap((disk) =>
      disk.paths().flatMap((path) => {
        if (!path.endsWith('.spool')) return [];
        const { frames } = scanSegment(disk.durableContent(path));
        return frames.flatMap(({ payload }) => readPayload(payload) ?? []);
      }),
    );
  }

  private connectChecks(): void {
    const { world, view, checks } = this;
    for (const check of checks) check.violate = (what) => world.violate(check.name, what);
    this.database.onCommit.push((changes, { name }) => {
      if (world.history !== null && changes.length > 0)
        world.tell('database', `commits of ${name}: ${changes.map(describe).join(', ')}`);
      for (const check of checks) check.onCommit(changes, view);
    });
    this.broker.onPublish = (message) => {
      for (const check of checks) check.onPublish(message, view);
    };
    this.broker.onMoved = () => (this.isOrderMixed = true);
    this.guard.onStep = (move) => {
      for (const check of checks) check.onGuardMove(move, view);
    };
    this.guard.onLoss = () => {
      for (const check of checks) check.onGuardLoss();
    };
  }
}

function describe({ table, before, after }: { table: string; before: Data | null; after: Data | null }): string {
  const row = (after ?? before) as Data;
  const key = String(row['msg_id_or_hash'] ?? row['event_key'] ?? row['entity_key'] ?? row['id']).slice(0, 40);
  const status = row['status'] ?? row['state'] ?? row['to_state'] ?? '';
  return `${table} ${key.length === 40 ? key.slice(0, 8) : key} ${String(status)}${after === null ? ' gone' : ''}`;
}
