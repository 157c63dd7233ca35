import { writeFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { EventLog, type EventIdentity, type RowState } from '../../src/event-log/event-log.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { wecomIdsOf } from '../../src/wecom/wecom-ids.js';
import { EntityTypeRegistry } from '../../src/entity-types/entity-type-registry.js';
import type { GatewayOptions } from '../../src/wecom-gateway.module.js';
import { GatewayInProcess } from './gateway-in-process.js';
import { GatewayProcess } from './gateway-process.js';

export const APPS = {
  shop: { token: 'shopToken', encodingAESKey: 'x'.repeat(42) + 'A', receiveId: 'wwtest' },
  other: {
    ...{ token: 'otherToken', encodingAESKey: 'y'.repeat(42) + 'A', receiveId: 'wwtest' },
    next: { token: 'nextToken', encodingAESKey: 'z'.repeat(42) + 'A' },
  },
};

/** The service in this process, whose rows a test may write as workers would have. */
// After the CreateTime of every text: one that is far ahead of its arrival would be taken for another time.
const RECEIVED_AT = 1_796_100_000_000;

export class AdminRig {
  private keys = 0;
  private isHere = true;

  private constructor(
    public gateway: GatewayInProcess,
    private readonly folder: string,
    private readonly env: Record<string, string>,
    private readonly options: Omit<GatewayOptions, 'config'>,
  ) {}

  static async start(
    env: Record<string, string> = {},
    options: Omit<GatewayOptions, 'config'> = {},
  ): Promise<AdminRig> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-admin-'));
    const file = join(folder, 'apps.json');
    await writeFile(file, JSON.stringify(APPS));
    const settings = { WECOM_APPS_FILE: file, ...env };
    return new AdminRig(await GatewayInProcess.start(settings, options), folder, settings, options);
  }

  get(path: string): Promise<{ status: number; json: any }> {
    return this.gateway.admin(path);
  }

  post(path: string, body: unknown = {}): Promise<{ status: number; json: any }> {
    return this.gateway.admin(path, body);
  }

  /** Rows of the given texts, keys counted up; returns nothing, since who needs a row asks the API. */
  async put(
    texts: readonly string[],
    state: Partial<RowState> & Pick<RowState, 'status'>,
    app = 'shop',
  ): Promise<void> {
    const unitOfWork = this.gateway.gateway.app.get(UnitOfWork);
    const eventLog = this.gateway.gateway.app.get(EventLog);
    const at = { attempt: 1, laneSeq: null, dueAt: null, errorCode: null, errorMessage: null, decidedAt: 1 };
    for (let from = 0; from < texts.length; from += 500) {
      const rows = texts.slice(from, from + 500).map((text) => ({ ...this.identity(text, app), ...at, ...state }));
      await unitOfWork.write((tx) => eventLog.insert(tx, rows));
    }
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.gateway.gateway.app.get(UnitOfWork).read(({ manager }) => manager.query<Row[]>(sql, [...values]));
  }

  async write(sql: string, values: readonly unknown[] = []): Promise<void> {
    await this.gateway.gateway.app.get(UnitOfWork).write(({ manager }) => manager.query(sql, [...values]));
  }

  /** Stops the service and starts another one on the same data. */
  async restart(): Promise<void> {
    const { dataDir } = this.gateway;
    await this.gateway.gateway.stop();
    this.gateway = await GatewayInProcess.startIn(dataDir, this.env, this.options);
  }

  /** Starts the service as a process of its own on the same data, in place of the one here. The caller ends it. */
  async startProcess(): Promise<GatewayProcess> {
    if (this.isHere) await this.gateway.gateway.stop();
    this.isHere = false;
    return GatewayProcess.start(this.gateway.dataDir, this.env);
  }

  /** After such a process has ended: the service here again. */
  async takeBack(): Promise<void> {
    this.gateway = await GatewayInProcess.startIn(this.gateway.dataDir, this.env, this.options);
    this.isHere = true;
  }

  async stop(): Promise<void> {
    if (!this.isHere) await this.takeBack();
    await this.gateway.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private identity(plaintext: string, app: string): EventIdentity {
    const parsed = parseEvent(plaintext, 'wwtest');
    const event = parsed.kind === 'event' ? parsed.event : null;
    this.keys += 1;
    const entity = event && this.gateway.gateway.app.get(EntityTypeRegistry).entityOf(app, event);
    return {
      ...{ app, plaintext, corpId: event?.corpId ?? 'wwtest', eventType: event?.eventType ?? 'unparsed' },
      ...{ eventKey: this.keys.toString(16).padStart(64, '0'), changeType: event?.changeType ?? null },
      ...{ entityKey: entity?.key ?? null, msgId: event?.msgId ?? null, createTime: event?.createTime ?? null },
      ...{ receivedAt: RECEIVED_AT + this.keys, facts: '{}', wecomIds: event ? wecomIdsOf(event) : [] },
    };
  }
}
