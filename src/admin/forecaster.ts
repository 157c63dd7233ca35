import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import type { EntityOfEvent } from '../entity-types/entity-type-registry.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { HandlerPauses } from '../handlers/handler-pauses.js';
import { Clock } from '../runtime/clock.js';
import type { EntitySnapshot } from '../saga/decide.js';
import { SagaStore } from '../saga/saga-store.js';
import type { Action, SeenItem } from './dead-letter-service.js';
import { forecast, type Forecast } from './forecast.js';
import { RowReader } from './row-reader.js';

/** Entities whose imagined moves are remembered from one step of a dry run to the next. */
const ENTITIES_MAX = 10_000;

/** What the items looked at so far would have done, were they run. */
export interface Imagined {
  readonly entities: Map<string, EntitySnapshot>;
  /** Ids of strict rows that the job would have run: they wait no longer. */
  readonly run: Map<string, Set<number>>;
}

export function nothingImagined(): Imagined {
  return { entities: new Map(), run: new Map() };
}

/**
 * The dry run: what would become of each item, told from the entities as they stand and from the items before it. It
 * only reads. What a handler would do nobody can tell.
 */
@Injectable()
export class Forecaster {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly rows: RowReader,
    private readonly pauses: HandlerPauses,
    private readonly clock: Clock,
  ) {}

  async forecast(action: Action, items: readonly SeenItem[], imagined: Imagined): Promise<Forecast[]> {
    const ids = items.map(({ id }) => id);
    return this.unitOfWork.read(async (tx) => {
      const rows = new Map((await this.eventLog.search(tx, { ids, limit: ids.length })).map((row) => [row.id, row]));
      const forecasts: Forecast[] = [];
      const paused = await this.pauses.names(tx);
      for (const seen of items) {
        forecasts.push(await this.one(tx, action, seen, rows.get(seen.id) ?? null, imagined, paused));
      }
      return forecasts;
    });
  }

  private async one(
    tx: Tx,
    action: Action,
    seen: SeenItem,
    row: EventRow | null,
    imagined: Imagined,
    paused: ReadonlySet<string>,
  ): Promise<Forecast> {
    const { event, defect, entity, handler } = this.rows.read(row);
    const snapshot = entity && (await this.snapshot(tx, entity, imagined));
    const waiting = row && entity ? await this.waitingBefore(tx, row, entity, imagined) : 0;
    const answer = forecast({
      ...{ action, seen, row, event, defect, entity, snapshot, now: this.clock.now() },
      machine: handler?.machine ?? null,
      handler: handler?.name ?? null,
      isPaused: handler ? paused.has(handler.name) : false,
      before: { waiting },
    });
    if (row && entity) remember(imagined, entity, row, answer);
    return answer.forecast;
  }

  private async snapshot(tx: Tx, entity: EntityOfEvent, { entities }: Imagined): Promise<EntitySnapshot | null> {
    const known = entities.get(entity.key);
    if (known) return known;
    return (await this.sagas.load(tx, [{ key: entity.key }])).get(entity.key) ?? null;
  }

  private async waitingBefore(tx: Tx, row: EventRow, { type, key }: EntityOfEvent, { run }: Imagined): Promise<number> {
    if (type.order !== 'strict' || row.laneSeq === null) return 0;
    const rows: { id: number }[] = await tx.manager.query(
      `SELECT id FROM event_log WHERE entity_key = ? AND lane_seq < ? AND status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')
       ORDER BY lane_seq LIMIT 100`,
      [key, row.laneSeq],
    );
    const ran = run.get(key);
    return rows.filter(({ id }) => !ran?.has(id)).length;
  }
}

function remember(
  { entities, run }: Imagined,
  { type, key }: EntityOfEvent,
  row: EventRow,
  { forecast: { kind }, next }: { forecast: Forecast; next: EntitySnapshot | null },
): void {
  // Forgotten ones are told from where they stand now, which is what they are told from at the start as well.
  if (entities.size >= ENTITIES_MAX) entities.clear();
  if (run.size >= ENTITIES_MAX) run.clear();
  if (next) entities.set(key, next);
  const ends = kind === 'would-apply' || kind.startsWith('would-be-') || kind === 'would-expire';
  if (type.order !== 'strict' || !ends || kind === 'would-be-dead') return;
  const ran = run.get(key) ?? new Set();
  run.set(key, ran.add(row.id));
}
