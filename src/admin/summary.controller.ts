import { Controller, Get, Inject, Optional, UseGuards } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { CONFIG, type Config } from '../config/config.js';
import { BacklogRegistry } from '../observability/backlog-registry.js';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { Transport } from '../transport/transport.js';
import { AdminGuard } from './admin.guard.js';
import { StoredSummary } from './stored-summary.js';

@Controller('admin/api/v1/summary')
@UseGuards(AdminGuard)
export class SummaryController {
  constructor(
    private readonly stored: StoredSummary,
    /** Null in the admin role: what waits there is told by whoever consumes it. */
    @Optional() @Inject(Transport) private readonly transport: Transport | null,
    private readonly backlogs: BacklogRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Everything that is somewhere: rows by status, what waits on the transport, in the spool and in the outbox. */
  @Get()
  @RouteConstraints(ADMIN_LISTENER)
  async summary(): Promise<object> {
    const { eventsTopic, eventsGroup, dlqTopic, dlqGroup, instance } = this.config;
    const [rows, events, deadLetters] = await Promise.all([
      this.stored.read(),
      this.transport?.backlog(eventsTopic, eventsGroup),
      this.transport?.backlog(dlqTopic, dlqGroup),
    ]);
    const depth = this.backlogs.depthOf('spool');
    return {
      instance,
      ...rows,
      backlog: { events: events?.unsettled ?? null, deadLetters: deadLetters?.unsettled ?? null },
      spool: depth === null ? null : { depth },
    };
  }
}
