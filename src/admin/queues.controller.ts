import { UnitOfWork } from '../database/unit-of-work.js';
import { WAITING, type WaitingStatus } from '../event-log/status.js';
import { Clock } from '../runtime/clock.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { StatusCounts } from './status-counts.js';
import { shown } from './view-fields.js';

export class QueueView {
  @shown.one(WAITING)
  status!: WaitingStatus;

  @shown.integer()
  count!: number;

  @shown.time({ nullable: true, description: 'Arrival of the one that waits longest' })
  oldestReceivedAt!: number | null;

  @shown.integer({ nullable: true })
  oldestId!: number | null;
}

export class QueuesView {
  @shown.time({ description: 'When this was read' })
  at!: number;

  @shown.list(() => QueueView, { description: 'RETRY, PARKED, DEAD, REDRIVEN' })
  items!: QueueView[];
}

@AdminController('queues')
export class QueuesController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly counts: StatusCounts,
    private readonly clock: Clock,
  ) {}

  @AdminGet('', 'viewer', QueuesView, 'Rows that wait: how many, and since when')
  async list(): Promise<QueuesView> {
    const counts = await this.counts.waiting();
    const items: QueueView[] = [];
    for (const status of WAITING) {
      const [oldest] = await this.unitOfWork.read(({ manager }) =>
        manager.query<{ id: number; received_at: number }[]>(
          'SELECT id, received_at FROM event_log WHERE status = ? ORDER BY received_at, id LIMIT 1',
          [status],
        ),
      );
      const { id: oldestId = null, received_at: oldestReceivedAt = null } = oldest ?? {};
      items.push({ status, count: counts[status] ?? 0, oldestReceivedAt, oldestId });
    }
    return { at: this.clock.now(), items };
  }
}
