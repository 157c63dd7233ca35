import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultSpec, JournalLine } from '../product/control.js';
import { hasMariaDb, startMariaDb, type MariaDbServer } from '../../support/mariadb-server.js';
import { RedisServer } from '../../support/redis-server.js';
import { startBroker, type TestBroker } from '../../support/test-broker.js';
import { ADMIN_TOKEN, AdminClient, type AdminAnswer } from './admin-client.js';
import type { Engines } from './engines.js';
import { underWay } from './messages.js';
import { ProductProcess, sleep } from './product-process.js';
import { isReplaying, type Replay } from './replays.js';
import { CaseFailedError, UnsupportedError } from './verdict.js';

/** Short, so that a dead letter does not take the minute of the defaults. */
const RETRY_DELAYS = '300,1000,3000';
const STABLE_MS = 150;
/** A member that died keeps its partitions for a session of 10 s, which no case knows of. */
const TAKEOVER_MS = 20_000;
/** A RocketMQ has to know all topics before it starts: so many cases, and starts from empty volumes in them. */
const PREFIXES = Array.from({ length: 120 }, (_, index) => `case${index}`);
// A partition is worked off by one process.
const PARTITIONS = '4';

/** `ended`: the process is gone, and nobody is there to go on. */
type PointWork = () => Promise<'go on' | 'ended'>;

/** Engines of a whole run: started once, emptied for each case. */
export class Servers {
  private constructor(
    readonly engines: Engines,
    readonly redis: RedisServer | null,
    readonly maria: MariaDbServer | null,
    readonly broker: TestBroker | null,
  ) {}

  private given = 0;

  /** Topics and groups that no case before has used. */
  nextPrefix(): string {
    const prefix = PREFIXES[(this.given += 1) - 1];
    if (prefix === undefined) throw new Error('no topics are left');
    return prefix;
  }

  static async start(engines: Engines): Promise<Servers> {
    if (engines.store === 'mariadb' && !hasMariaDb) throw new UnsupportedError('there is no mariadbd on this machine');
    const redis = engines.guard === 'redis' ? await RedisServer.start() : null;
    const maria = engines.store === 'mariadb' ? await startMariaDb() : null;
    const { transport } = engines;
    const isShared = transport === 'kafka' || transport === 'rocketmq';
    const broker = isShared ? await startBroker({ transport, prefixes: PREFIXES }) : null;
    return new Servers(engines, redis, maria, broker);
  }

  /** Up and writable again, whatever a case has done to them. */
  async heal(): Promise<void> {
    const { redis, maria } = this;
    if (redis) {
      const client = redis.client();
      const isUp = await client.ping().then(
        () => true,
        () => false,
      );
      if (isUp) await client.replicaof('NO', 'ONE');
      client.disconnect();
      if (!isUp) await redis.run();
    }
    if (!maria) return;
    const isUp = await maria.root.query('SET GLOBAL wait_timeout = DEFAULT').then(
      () => true,
      () => false,
    );
    if (!isUp) await maria.start();
  }

  async stop(): Promise<void> {
    await this.redis?.stop();
    await this.maria?.stop();
    await this.broker?.stop();
  }
}

/** The product and what it stands on, for one case. */
export class Stack {
  /** By number; the first is 1. */
  private readonly instances = new Map<number, ProductProcess>();
  readonly all: ProductProcess[] = [];
  /** Whatever the processes of this case have written. */
  output = '';
  /** Faults that a process which starts anew has to meet again. */
  private lasting: FaultSpec[] = [];
  /** Replays of many that the case has begun. */
  readonly replays: Replay[] = [];
  private readonly adminClient = new AdminClient();
  private readonly settings: Record<string, string> = {};
  private databaseUrl = '';
  private topics: Record<string, string> = {};
  private faultCount = 0;
  /** What is to be done at points of handling that have not been reached yet. */
  private readonly atPoints = new Map<string, PointWork>();
  private pointWork: Promise<void> = Promise.resolve();

  private constructor(
    readonly servers: Servers,
    readonly profilesPath: string,
    private folder: string,
    private readonly instanceCount: number,
  ) {}

  static async start(servers: Servers, profilesPath: string, instanceCount: number): Promise<Stack> {
    // The case before may have failed in the middle of an outage.
    await servers.heal();
    const stack = new Stack(servers, profilesPath, await newFolder(), instanceCount);
    await stack.empty();
    await stack.startAll();
    return stack;
  }

  /** The one that is asked when a case names none: the first that runs. */
  get product(): ProductProcess | null {
    return this.alive[0] ?? this.instance(1);
  }

  instance(number: number): ProductProcess | null {
    return this.instances.get(number) ?? null;
  }

  get callbackBase(): string {
    return `http://127.0.0.1:${this.product?.port ?? 1}`;
  }

  callbackBaseOf(instance: number): string {
    return instance === 1 ? this.callbackBase : `http://127.0.0.1:${this.instance(instance)?.port ?? 1}`;
  }

  private get alive(): ProductProcess[] {
    const inOrder = [...this.instances].sort(([a], [b]) => a - b);
    return inOrder.map(([, product]) => product).filter(({ isAlive }) => isAlive);
  }

  get adminBase(): string {
    return `http://127.0.0.1:${this.product?.adminPort ?? 1}`;
  }

  get folderPath(): string {
    return this.folder;
  }

  /** Everything from empty volumes. */
  async fresh(faults: readonly FaultSpec[]): Promise<void> {
    for (const number of this.instances.keys()) await this.endProduct('SIGKILL', number);
    await this.removeFolders();
    this.folder = await newFolder();
    await this.empty();
    this.lasting = [...faults];
    this.replays.length = 0;
    this.adminClient.forget();
    await this.startAll();
  }

  /** Settings count from the next start. */
  set(name: string, value: string): void {
    this.settings[name] = value;
  }

  env(dataDir = this.folder): Record<string, string> {
    const { guard, store, transport } = this.servers.engines;
    return {
      ...{ PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, ADMIN_TOKEN, LOG_LEVEL: 'debug' },
      ...{ GUARD: guard, STORE: store, TRANSPORT: transport, RETRY_DELAYS, WECOM_APPS_FILE: this.profilesPath },
      ...(this.servers.redis ? { REDIS_URL: this.servers.redis.url } : {}),
      ...this.topics,
      ...(this.databaseUrl === '' ? {} : { DATABASE_URL: this.databaseUrl }),
      ...this.settings,
    };
  }

  private async startAll(): Promise<void> {
    for (let number = 1; number <= this.instanceCount; number += 1) await this.startProduct(number);
  }

  async startProduct(number = 1): Promise<void> {
    if (this.instance(number)?.isAlive) return;
    const env = {
      ...this.env(this.folderOf(number)),
      CASE_JOURNAL: this.journalPath,
      CASE_FAULTS: JSON.stringify(this.lasting),
    };
    const product = ProductProcess.spawn(
      env,
      (point) => this.reached(product, point),
      (text) => (this.output += text),
    );
    this.all.push(product);
    this.instances.set(number, product);
    if (!(await product.started()))
      throw new CaseFailedError(`the product did not start:\n${this.output.slice(-2_000)}`);
  }

  async endProduct(signal: NodeJS.Signals, number = 1): Promise<void> {
    const product = this.instance(number);
    if (!product?.isAlive) return;
    product.signal(signal);
    if (!(await product.waitForEnd())) throw new CaseFailedError(`the product did not end after ${signal}`);
  }

  async restartProduct(): Promise<void> {
    const running = [...this.instances].filter(([, { isAlive }]) => isAlive).map(([number]) => number);
    for (const number of running) await this.endProduct('SIGTERM', number);
    for (const number of running.length === 0 ? [1] : running) await this.startProduct(number);
  }

  /** A fault inside the product; one that lasts is met again by a process that starts later. */
  async fault(given: FaultSpec): Promise<void> {
    // What happens so many times happens so often in all processes together.
    const turns = given['times'] === undefined ? {} : { turns: `fault-${(this.faultCount += 1)}` };
    const fault: FaultSpec = { ...given, ...turns };
    if (fault['times'] === undefined) this.lasting.push(fault);
    for (const product of this.alive) await product.ask({ ask: 'fault', fault });
  }

  /** Does `work` when the product is at that point of handling; the product stands still meanwhile. */
  async at(point: string, work: PointWork): Promise<void> {
    this.atPoints.set(point, work);
    await this.product?.ask({ ask: 'arm', point });
  }

  /** A fault that was never injected proves nothing. */
  get pointsNotReached(): string[] {
    return [...this.atPoints.keys()];
  }

  /** Until what was to be done at a point is done. */
  pointDone(): Promise<void> {
    return this.pointWork;
  }

  async rows<Row>(table: string): Promise<Row[]> {
    return (await this.product?.ask({ ask: 'rows', table })) as Row[];
  }

  journal(): JournalLine[] {
    let text = '';
    try {
      text = readFileSync(this.journalPath, 'utf8');
    } catch {
      return [];
    }
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalLine);
  }

  /** As an operator of the name `user`; without one, with all rights. */
  admin(path: string, body?: unknown, base = this.adminBase, user?: string): Promise<AdminAnswer> {
    return this.adminClient.ask(base, path, body, user);
  }

  /**
   * Waits until nothing is in flight: on the transport, in the spool, in the outbox, in a replay of many, or in a row that
   * runs again by itself.
   */
  async settle(maxMs: number): Promise<void> {
    await this.startOthersAgain();
    const limitMs = maxMs + (this.servers.broker ? TAKEOVER_MS : 0);
    const deadline = Date.now() + limitMs;
    let stillSince: number | null = null;
    for (;;) {
      const busy = await this.busyWith().catch((error: unknown) => `no summary: ${String(error)}`);
      if (busy !== null) stillSince = null;
      else if ((stillSince ??= Date.now()) + STABLE_MS <= Date.now()) return;
      if (Date.now() > deadline) throw new CaseFailedError(`not settled within ${limitMs} ms: ${busy ?? 'unstable'}`);
      await sleep(30);
    }
  }

  /**
   * One of several that was killed is started again, as its supervisor does: what is in its spool is on its disk, and
   * nobody else reads that. A case with one process says itself when it is started.
   */
  private async startOthersAgain(): Promise<void> {
    if (this.instanceCount === 1) return;
    for (const [number, { ended }] of [...this.instances])
      if (ended?.signal === 'SIGKILL') await this.startProduct(number);
  }

  async stop(): Promise<void> {
    for (const product of this.all.filter(({ isAlive }) => isAlive)) {
      product.signal('SIGKILL');
      await product.waitForEnd();
    }
    await this.removeFolders();
  }

  private async busyWith(): Promise<string | null> {
    const { status, json } = await this.admin('summary');
    if (status !== 200) return `summary answers ${status}`;
    const { RETRY = 0, REDRIVEN = 0, PARKED = 0, DEAD = 0 } = json.statuses as Record<string, number>;
    const { outbox } = json;
    const { backlog, spool } = await this.outside(json);
    // What is parked behind a dead letter waits for a person.
    const parked = DEAD > 0 ? 0 : PARKED;
    const waiting = Number(backlog.events) + Number(backlog.deadLetters) + spool;
    const sum = RETRY + REDRIVEN + parked + waiting + Number(outbox.pending);
    if (sum === 0) return (await isReplaying(this)) ? 'a replay goes on' : null;
    return JSON.stringify({ statuses: json.statuses, backlog, spool, outbox });
  }

  /** What waits outside of the database: each process sees its own spool, and a RocketMQ does not tell what it holds. */
  private async outside(summary: any): Promise<{ backlog: any; spool: number }> {
    let spool = 0;
    for (const product of this.alive) {
      const base = `http://127.0.0.1:${product.adminPort}`;
      const { json } = await this.admin('summary', undefined, base);
      spool += Number(json.spool?.depth ?? 0);
    }
    const told = summary.backlog as { events: number | null; deadLetters: number | null };
    const backlog = told.events === null ? { events: underWay(this.journal()), deadLetters: 0 } : told;
    return { backlog, spool };
  }

  private folderOf(number: number): string {
    return number === 1 ? this.folder : `${this.folder}-${number}`;
  }

  private async removeFolders(): Promise<void> {
    for (const number of new Set([1, ...this.instances.keys()]))
      await rm(this.folderOf(number), { recursive: true, force: true });
  }

  private reached(product: ProductProcess, point: string): void {
    const work = this.atPoints.get(point);
    this.atPoints.delete(point);
    this.pointWork = (async () => {
      const result = (await work?.()) ?? 'go on';
      if (result === 'go on' && product.isAlive) await product.ask({ ask: 'resume' });
    })();
    this.pointWork.catch(() => undefined);
  }

  private get journalPath(): string {
    return join(this.folder, 'case-journal.jsonl');
  }

  private async empty(): Promise<void> {
    const { redis, maria } = this.servers;
    if (redis) {
      const client = redis.client();
      await client.flushall();
      client.disconnect();
    }
    const { broker } = this.servers;
    if (broker) this.topics = { ...broker.env(this.servers.nextPrefix()), KAFKA_PARTITIONS: PARTITIONS };
    if (maria) this.databaseUrl = maria.url(await maria.createDatabase());
    writeFileSync(this.journalPath, '');
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'wecom-case-'));
}
