import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntityManager } from 'typeorm';
import type { App } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { systemConfigSources } from '../config/system-config-sources.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { EventLog, type EventRow, type EventStatus } from '../event-log/event-log.js';
import { startGateway, type RunningGateway } from '../gateway-app.js';
import { Clock } from '../runtime/clock.js';
import { Random } from '../runtime/random.js';
import { SystemRandom } from '../runtime/system-random.js';
import { encrypt } from '../wecom/cipher.js';
import { eventKey } from '../wecom/event-key.js';
import { parseEvent } from '../wecom/parse-event.js';
import { sign } from '../wecom/signature.js';
import type { GatewayOptions } from '../wecom-gateway.module.js';
import { plaintextOf, type TestEvent } from './plaintext.js';

export type { TestEvent, TestFields } from './plaintext.js';

export interface TestGatewayOptions extends Omit<GatewayOptions, 'config'> {
  /** Settings over those of a test: free ports, a folder that goes with the gateway, retries after 10 ms. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What became of a delivered event. */
export interface DeliveredEvent {
  readonly eventKey: string;
  /** An outcome, or `DEAD`, or `PARKED` behind a dead letter. */
  readonly status: EventStatus;
  /** Why, as the event's history says it. */
  readonly reason: string;
}

/** An event had neither an outcome nor a lasting place to wait when time was up. */
export class NotSettledError extends Error {
  readonly code = 'TEST_EVENT_NOT_SETTLED';

  constructor(key: string, row: EventRow | null, limitMs: number) {
    const where = row ? `it is ${row.status}: ${row.errorMessage ?? 'no error'}` : 'it has no row';
    super(`event ${key} was not settled within ${limitMs} ms: ${where}`);
    this.name = 'NotSettledError';
  }
}

const SETTLE_LIMIT_MS = 10_000;
const POLL_MS = 10;
const DEFAULTS = { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'error', RETRY_DELAYS: '10,10,10' };

/**
 * The whole service on the embedded engines inside a test's process, for tests of handlers: an event goes in as a sealed
 * callback over HTTP, and what it wrote is read from the database. Call `stop` at the end.
 */
export class TestGateway {
  private readonly app: App;

  private constructor(
    private readonly gateway: RunningGateway,
    private readonly folder: string,
    app: App,
  ) {
    this.app = app;
  }

  static async start({ env = {}, ...options }: TestGatewayOptions = {}): Promise<TestGateway> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-test-gateway-'));
    try {
      const settings = { ...DEFAULTS, DATA_DIR: folder, ...env };
      const config = loadConfig(systemConfigSources(settings, new SystemRandom()));
      const [app] = config.apps.values();
      return new TestGateway(await startGateway({ config, ...options }), folder, app!);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Delivers an event as WeCom does and waits until it is settled. Takes the plaintext, or its fields by WeCom's names:
   * `{ MsgType: 'event', Event: 'sys_approval_change', … }`. Rejects with `NotSettledError`.
   */
  async deliver(event: TestEvent): Promise<DeliveredEvent> {
    const clock = this.gateway.app.get(Clock);
    const plaintext = plaintextOf(event, this.receiveId, Math.floor(clock.now() / 1_000));
    await this.post(plaintext, clock);
    const key = this.keyOf(plaintext);
    const deadline = clock.monotonic() + SETTLE_LIMIT_MS;
    for (;;) {
      const found = await this.find(key);
      if (found && (await this.isSettled(found.row))) {
        return { eventKey: key, status: found.row.status, reason: found.reason };
      }
      if (clock.monotonic() > deadline) throw new NotSettledError(key, found?.row ?? null, SETTLE_LIMIT_MS);
      await clock.sleep(POLL_MS);
    }
  }

  /** Reads what is committed, for the test's assertions. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.gateway.app.get(UnitOfWork).read(({ manager }) => work(manager));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get receiveId(): string {
    return this.app.receiveIds[0] ?? '';
  }

  private async post(plaintext: string, clock: Clock): Promise<void> {
    const random = this.gateway.app.get(Random);
    const { token, aesKey } = this.app.credentials[0]!;
    const sealed = encrypt(plaintext, this.receiveId, aesKey, random.bytes(16));
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const nonce = random.bytes(8).toString('hex');
    const signature = sign({ token, timestamp, nonce, encrypt: sealed });
    const query = `msg_signature=${signature}&timestamp=${timestamp}&nonce=${nonce}`;
    const answer = await fetch(`http://127.0.0.1:${this.gateway.port}/wecom/callbacks/${this.app.name}?${query}`, {
      method: 'POST',
      headers: { connection: 'close' },
      body: `<xml><Encrypt><![CDATA[${sealed}]]></Encrypt></xml>`,
    });
    const body = await answer.text();
    if (body !== 'success') throw new Error(`the callback was answered ${answer.status}: ${body}`);
  }

  private keyOf(plaintext: string): string {
    const parsed = parseEvent(plaintext, this.receiveId);
    const types = this.gateway.app.get(EntityTypeRegistry);
    const type = parsed.kind === 'event' ? types.typeOf(parsed.event.eventType, parsed.event.changeType) : null;
    const volatile = type?.volatile ?? [];
    return eventKey({ receiver: this.app.name, parsed, receiveId: this.receiveId, plaintext, volatile });
  }

  private find(key: string): Promise<{ row: EventRow; reason: string } | null> {
    const log = this.gateway.app.get(EventLog);
    return this.gateway.app.get(UnitOfWork).read(async (tx) => {
      const [row] = await log.search(tx, { eventKeys: [key], limit: 1 });
      if (!row) return null;
      const history = await log.history(tx, key);
      return { row, reason: history.findLast(({ decision }) => decision === row.status)?.reason ?? '' };
    });
  }

  /** A parked event is settled when the one that it waits for is a dead letter: nothing moves it but an operator. */
  private async isSettled(row: EventRow): Promise<boolean> {
    if (row.status === 'RETRY' || row.status === 'REDRIVEN') return false;
    if (row.status !== 'PARKED' || row.entityKey === null) return true;
    const { entityKey } = row;
    const log = this.gateway.app.get(EventLog);
    const dead = await this.gateway.app
      .get(UnitOfWork)
      .read((tx) => log.search(tx, { entityKey, statuses: ['DEAD'], limit: 1 }));
    return dead.length > 0;
  }
}
