import {
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { AdminGuard } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { EventQuery, LookupBody } from './event-query.js';
import { eventView, type EventView } from './event-view.js';

/** Finds events and tells what became of them and why. Events have ids of our own here, safe in any path. */
@Controller('admin/api/v1/events')
@UseGuards(AdminGuard)
export class EventsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
  ) {}

  /** Newest first; `nextBeforeId` leads to the next page. */
  @Get()
  @RouteConstraints(ADMIN_LISTENER)
  async search(
    @Query(adminValidation()) query: EventQuery,
  ): Promise<{ items: EventView[]; nextBeforeId: number | null }> {
    const { status, from, to, ...rest } = query;
    const filter = { ...rest, statuses: status, receivedFrom: from, receivedTo: to };
    const rows = await this.unitOfWork.read((tx) => this.eventLog.search(tx, filter));
    const last = rows.length === query.limit ? rows.at(-1) : undefined;
    return { items: rows.map(eventView), nextBeforeId: last?.id ?? null };
  }

  /** What became of events known by their keys; keys without a row are missing from the answer. */
  @Post('lookup')
  @HttpCode(200)
  @RouteConstraints(ADMIN_LISTENER)
  async lookup(@Body(adminValidation()) { eventKeys }: LookupBody): Promise<{ items: EventView[] }> {
    const limit = eventKeys.length;
    const rows = await this.unitOfWork.read((tx) => this.eventLog.search(tx, { eventKeys, limit }));
    return { items: rows.map(eventView) };
  }

  @Get(':id')
  @RouteConstraints(ADMIN_LISTENER)
  async event(@Param('id', ParseIntPipe) id: number): Promise<EventView & { plaintext: string }> {
    const row = await this.row(id);
    return { ...eventView(row), plaintext: row.plaintext };
  }

  /** Every decision in order, with its reason; first what the gateway saw. */
  @Get(':id/history')
  @RouteConstraints(ADMIN_LISTENER)
  async history(@Param('id', ParseIntPipe) id: number): Promise<{ gateway: unknown; items: object[] }> {
    const row = await this.row(id);
    const items = await this.unitOfWork.read((tx) => this.eventLog.history(tx, row.eventKey));
    return { gateway: eventView(row).gateway, items };
  }

  private async row(id: number): Promise<EventRow> {
    const row = await this.unitOfWork.read((tx) => this.eventLog.byId(tx, id));
    if (!row) throw new NotFoundException(`no event has the id ${id}`);
    return row;
  }
}
