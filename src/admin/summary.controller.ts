import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { CONFIG, type Config } from '../config/config.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog } from '../event-log/event-log.js';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { Outbox } from '../saga/outbox.js';
import { SagaStore } from '../saga/saga-store.js';
import { Transport } from '../transport/transport.js';
import { AdminGuard } from './admin.guard.js';

@Controller('admin/api/v1/summary')
@UseGuards(AdminGuard)
export class SummaryController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly outbox: Outbox,
    private readonly transport: Transport,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Everything that is somewhere: rows by status, what waits on the transport and in the outbox. */
  @Get()
  @RouteConstraints(ADMIN_LISTENER)
  async summary(): Promise<object> {
    const { eventsTopic, eventsGroup, dlqTopic, dlqGroup, instance } = this.config;
    const rows = await this.unitOfWork.read(async (tx) => ({
      statuses: Object.fromEntries(await this.eventLog.counts(tx)),
      outbox: await this.outbox.counts(tx),
      lastChangeId: await this.sagas.lastChangeId(tx),
    }));
    const [events, deadLetters] = await Promise.all([
      this.transport.backlog(eventsTopic, eventsGroup),
      this.transport.backlog(dlqTopic, dlqGroup),
    ]);
    return { instance, ...rows, backlog: { events: events.unsettled, deadLetters: deadLetters.unsettled } };
  }
}
