import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EventLog } from '../event-log/event-log.js';
import { normalisedMessage } from '../event-log/error-group.js';
import { Clock } from '../runtime/clock.js';
import { eventView, EventView } from './event-view.js';
import { shown } from './view-fields.js';

export class ErrorGroupView {
  @shown.text({ description: 'For the filter errorGroup' })
  group!: string;

  @shown.integer({ description: 'Dead letters in it' })
  count!: number;

  @shown.text()
  errorCode!: string;

  @shown.text({ description: 'The message less what varies from one event to the next' })
  message!: string;

  @shown.time({ description: 'Arrival of the oldest' })
  firstReceivedAt!: number;

  @shown.time({ description: 'Arrival of the newest' })
  lastReceivedAt!: number;

  @shown.view(() => EventView, { description: 'The newest of them' })
  example!: EventView;
}

export class ErrorGroupsView {
  @shown.list(() => ErrorGroupView, { description: 'Largest first' })
  items!: ErrorGroupView[];

  @shown.flag({ description: 'False when there are more groups than were looked at' })
  isComplete!: boolean;
}

// Each costs a count; groups that have no dead letter any more are passed over, but not for nothing.
const GROUPS_MAX = 2_000;
const DEAD_SQL = "error_group = ? AND status = 'DEAD'";

/**
 * Dead letters by what they died of. It goes from group to group along the index and counts each there, so that nothing
 * is sorted and no row is read but the examples'. The SQL is portable.
 */
@Injectable()
export class ErrorGroups {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly clock: Clock,
  ) {}

  async list(): Promise<ErrorGroupsView> {
    const items: ErrorGroupView[] = [];
    let group = await this.unitOfWork.read((tx) => nextGroup(tx, ''));
    for (let looks = 0; group !== null && looks < GROUPS_MAX; looks += 1) {
      const current: string = group;
      const view = await this.unitOfWork.read((tx) => this.view(tx, current));
      if (view) items.push(view);
      group = await this.unitOfWork.read((tx) => nextGroup(tx, current));
      await this.clock.nextTurn();
    }
    items.sort((a, b) => b.count - a.count || (a.group < b.group ? -1 : 1));
    return { items, isComplete: group === null };
  }

  private async view(tx: Tx, group: string): Promise<ErrorGroupView | null> {
    const [counted]: { total: number; first_at: number | null }[] = await tx.manager.query(
      `SELECT COUNT(*) AS total, MIN(received_at) AS first_at FROM event_log WHERE ${DEAD_SQL}`,
      [group],
    );
    const [newest]: { id: number }[] = await tx.manager.query(
      `SELECT id FROM event_log WHERE ${DEAD_SQL} ORDER BY received_at DESC, id DESC LIMIT 1`,
      [group],
    );
    const row = newest && (await this.eventLog.byId(tx, newest.id));
    if (!row || !counted) return null;
    return {
      group,
      count: Number(counted.total),
      errorCode: row.errorCode ?? '',
      message: normalisedMessage(row.errorMessage ?? ''),
      firstReceivedAt: counted.first_at ?? row.receivedAt,
      lastReceivedAt: row.receivedAt,
      example: eventView(row),
    };
  }
}

/** The first group behind `after`; it may hold no dead letter any more. */
async function nextGroup(tx: Tx, after: string): Promise<string | null> {
  const rows: { error_group: string }[] = await tx.manager.query(
    `SELECT error_group FROM event_log WHERE error_group > ? ORDER BY error_group LIMIT 1`,
    [after],
  );
  return rows[0]?.error_group ?? null;
}
