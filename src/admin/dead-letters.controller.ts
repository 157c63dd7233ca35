import { Body, Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog } from '../event-log/event-log.js';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { AdminGuard, type AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { DeadLetterService, type ItemResult } from './dead-letter-service.js';
import { DeadLetterBody, EventQuery } from './event-query.js';
import { eventView, type EventView } from './event-view.js';

@Controller('admin/api/v1/dead-letters')
@UseGuards(AdminGuard)
export class DeadLettersController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly service: DeadLetterService,
  ) {}

  /** Events that wait for a person, newest first. */
  @Get()
  @RouteConstraints(ADMIN_LISTENER)
  async list(
    @Query(adminValidation()) query: EventQuery,
  ): Promise<{ items: EventView[]; nextBeforeId: number | null }> {
    const { from, to, ...rest } = query;
    const filter = { ...rest, receivedFrom: from, receivedTo: to, statuses: ['DEAD' as const] };
    const rows = await this.unitOfWork.read((tx) => this.eventLog.search(tx, filter));
    return { items: rows.map(eventView), nextBeforeId: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null };
  }

  /** Has dead letters run again. Each item's answer says what its row is now; its outcome is what the row says later. */
  @Post('redrive')
  @HttpCode(200)
  @RouteConstraints(ADMIN_LISTENER)
  async redrive(
    @Body(adminValidation()) body: DeadLetterBody,
    @Req() request: AdminRequest,
  ): Promise<{ items: ItemResult[] }> {
    return { items: await this.service.run('redrive', body.items, request.actor ?? '') };
  }

  /** Ends waiting events (dead, parked, in retry) without an effect, for good. */
  @Post('discard')
  @HttpCode(200)
  @RouteConstraints(ADMIN_LISTENER)
  async discard(
    @Body(adminValidation()) body: DeadLetterBody,
    @Req() request: AdminRequest,
  ): Promise<{ items: ItemResult[] }> {
    return { items: await this.service.run('discard', body.items, request.actor ?? '') };
  }
}
