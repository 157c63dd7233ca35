import { Body, NotFoundException, Param, ParseIntPipe, Query, Req } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { AdminController, AdminGet, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { DecisionTail } from './decision-tail.js';
import { EventDetailQuery, EventQuery, LookupBody, TailQuery } from './event-query.js';
import { EventSearch } from './event-search.js';
import { EventDetailView, EventListView, EventPageView, eventView } from './event-view.js';
import { filterOfQuery } from './filter-of-query.js';
import { HistoryView, TailView } from './history-view.js';
import { pageView } from './page-view.js';
import { checkTextSearch, PayloadLooks } from './payload-looks.js';

@AdminController('events')
export class EventsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly events: EventSearch,
    private readonly decisions: DecisionTail,
    private readonly looks: PayloadLooks,
  ) {}

  @AdminGet('', 'viewer', EventPageView, 'Events, newest received first')
  async search(@Query(adminValidation()) query: EventQuery, @Req() request: AdminRequest): Promise<EventPageView> {
    checkTextSearch(query, request);
    return pageView(await this.events.page(filterOfQuery(query), query.after ?? null, query.limit));
  }

  @AdminPost(
    'lookup',
    'viewer',
    EventListView,
    'What became of events known by their keys; those without a row are missing',
  )
  async lookup(@Body(adminValidation()) { eventKeys }: LookupBody): Promise<EventListView> {
    const limit = eventKeys.length;
    const rows = await this.unitOfWork.read((tx) => this.eventLog.search(tx, { eventKeys, limit }));
    return { items: rows.map(eventView) };
  }

  @AdminGet('tail', 'viewer', TailView, 'Live tail: decisions as they are made. Ask again with lastId as afterId')
  tail(@Query(adminValidation()) { afterId, limit }: TailQuery): Promise<TailView> {
    return this.decisions.after(afterId, limit);
  }

  @AdminGet(':id', 'viewer', EventDetailView, 'One event, with its plaintext for those who may see it')
  async event(
    @Param('id', ParseIntPipe) id: number,
    @Query(adminValidation()) { payload }: EventDetailQuery,
    @Req() request: AdminRequest,
  ): Promise<EventDetailView> {
    const row = await this.row(id);
    const plaintext = payload === 'false' ? null : await this.looks.at(row, request);
    return { ...eventView(row), plaintext };
  }

  @AdminGet(
    ':id/history',
    'viewer',
    HistoryView,
    'Every decision in order, with its reason; first what the gateway saw',
  )
  async history(@Param('id', ParseIntPipe) id: number): Promise<HistoryView> {
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
