import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultSpec, JournalLine } from '../product/control.js';
import { hasMariaDb, startMariaDb, type MariaDbServer } from '../../support/mariadb-server.js';
import { RedisServer } from '../../support/redis-server.js';
import type { Engines } from './engines.js';
import { ProductProcess, sleep } from './product-process.js';
import { CaseFailedError, UnsupportedError } from './verdict.js';

export const ADMIN_TOKEN = 'case-runner-admin-token-0123456789';
/** Short, so that a dead letter does not take the minute of the defaults. */
const RETRY_DELAYS = '300,1000,3000';
const STABLE_MS = 150;

/** `ended`: the process is gone, and nobody is there to go on. */
type PointWork = () => Promise<'go on' | 'ended'>;

/** Engines of a whole run: started once, emptied for each case. */
export class Servers {
  private constructor(
    readonly engines: Engines,
    readonly redis: RedisServer | null,
    readonly maria: MariaDbServer | null,
  ) {}

  static async start(engines: Engines): Promise<Servers> {
    if (engines.store === 'mariadb' && !hasMariaDb) throw new UnsupportedError('there is no mariadbd on this machine');
    const redis = engines.guard === 'redis' ? await RedisServer.start() : null;
    const maria = engines.store === 'mariadb' ? await startMariaDb() : null;
    return new Servers(engines, redis, maria);
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
  }
}

/** The product and what it stands on, for one case. */
export class Stack {
  product: ProductProcess | null = null;
  readonly all: ProductProcess[] = [];
  /** Whatever the processes of this case have written. */
  output = '';
  /** Faults that a process which starts anew has to meet again. */
  private lasting: FaultSpec[] = [];
  private readonly settings: Record<string, string> = {};
  private databaseUrl = '';
  /** What is to be done at points of handling that have not been reached yet. */
  private readonly atPoints = new Map<string, PointWork>();
  private pointWork: Promise<void> = Promise.resolve();

  private constructor(
    readonly servers: Servers,
    readonly profilesPath: string,
    private folder: string,
  ) {}

  static async start(servers: Servers, profilesPath: string): Promise<Stack> {
    // The case before may have failed in the middle of an outage.
    await servers.heal();
    const stack = new Stack(servers, profilesPath, await newFolder());
    await stack.empty();
    await stack.startProduct();
    return stack;
  }

  get callbackBase(): string {
    return `http://127.0.0.1:${this.product?.port ?? 1}`;
  }

  get adminBase(): string {
    return `http://127.0.0.1:${this.product?.adminPort ?? 1}`;
  }

  get folderPath(): string {
    return this.folder;
  }

  /** Everything from empty volumes. */
  async fresh(faults: readonly FaultSpec[]): Promise<void> {
    await this.endProduct('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
    this.folder = await newFolder();
    await this.empty();
    this.lasting = [...faults];
    await this.startProduct();
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
      ...(this.databaseUrl === '' ? {} : { DATABASE_URL: this.databaseUrl }),
      ...this.settings,
    };
  }

  async startProduct(): Promise<void> {
    if (this.product?.isAlive) return;
    const env = { ...this.env(), CASE_JOURNAL: this.journalPath, CASE_FAULTS: JSON.stringify(this.lasting) };
    const product = ProductProcess.spawn(
      env,
      (point) => this.reached(product, point),
      (text) => (this.output += text),
    );
    this.all.push(product);
    this.product = product;
    if (!(await product.started()))
      throw new CaseFailedError(`the product did not start:\n${this.output.slice(-2_000)}`);
  }

  async endProduct(signal: NodeJS.Signals): Promise<void> {
    const { product } = this;
    if (!product?.isAlive) return;
    product.signal(signal);
    if (!(await product.waitForEnd())) throw new CaseFailedError(`the product did not end after ${signal}`);
  }

  async restartProduct(): Promise<void> {
    await this.endProduct('SIGTERM');
    await this.startProduct();
  }

  /** A fault inside the product; one that lasts is met again by a process that starts later. */
  async fault(fault: FaultSpec): Promise<void> {
    if (fault['times'] === undefined) this.lasting.push(fault);
    if (this.product?.isAlive) await this.product.ask({ ask: 'fault', fault });
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

  async admin(
    path: string,
    body?: unknown,
    base = this.adminBase,
  ): Promise<{ status: number; json: any; text: string }> {
    const response = await fetch(`${base}/admin/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: parsedOrNull(text) };
  }

  /** Waits until nothing is in flight: on the transport, in the spool, in the outbox, or in a row that runs again by itself. */
  async settle(maxMs: number): Promise<void> {
    const deadline = Date.now() + maxMs;
    let stillSince: number | null = null;
    for (;;) {
      const busy = await this.busyWith().catch((error: unknown) => `no summary: ${String(error)}`);
      if (busy !== null) stillSince = null;
      else if ((stillSince ??= Date.now()) + STABLE_MS <= Date.now()) return;
      if (Date.now() > deadline) throw new CaseFailedError(`not settled within ${maxMs} ms: ${busy ?? 'unstable'}`);
      await sleep(30);
    }
  }

  async stop(): Promise<void> {
    for (const product of this.all.filter(({ isAlive }) => isAlive)) {
      product.signal('SIGKILL');
      await product.waitForEnd();
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private async busyWith(): Promise<string | null> {
    const { status, json } = await this.admin('summary');
    if (status !== 200) return `summary answers ${status}`;
    const { RETRY = 0, REDRIVEN = 0, PARKED = 0, DEAD = 0 } = json.statuses as Record<string, number>;
    const { backlog, spool, outbox } = json;
    // What is parked behind a dead letter waits for a person.
    const parked = DEAD > 0 ? 0 : PARKED;
    const waiting = Number(backlog.events) + Number(backlog.deadLetters) + Number(spool?.depth ?? 0);
    const sum = RETRY + REDRIVEN + parked + waiting + Number(outbox.pending);
    return sum === 0 ? null : JSON.stringify({ statuses: json.statuses, backlog, spool, outbox });
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
    if (maria) this.databaseUrl = maria.url(await maria.createDatabase());
    writeFileSync(this.journalPath, '');
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'wecom-case-'));
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
