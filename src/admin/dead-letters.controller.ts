import { Body, Query, Req } from '@nestjs/common';
import { AdminController, AdminGet, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { DeadLetterService } from './dead-letter-service.js';
import { ErrorGroups, ErrorGroupsView } from './error-groups.js';
import { DeadLetterBody, DeadLetterQuery } from './event-query.js';
import { EventSearch } from './event-search.js';
import { EventPageView } from './event-view.js';
import { filterOfQuery } from './filter-of-query.js';
import { ItemResultsView } from './item-result-view.js';
import { pageView } from './page-view.js';
import { checkTextSearch } from './payload-looks.js';

@AdminController('dead-letters')
export class DeadLettersController {
  constructor(
    private readonly events: EventSearch,
    private readonly groups: ErrorGroups,
    private readonly service: DeadLetterService,
  ) {}

  @AdminGet('', 'viewer', EventPageView, 'Events that wait for a person, newest received first')
  async list(@Query(adminValidation()) query: DeadLetterQuery, @Req() request: AdminRequest): Promise<EventPageView> {
    checkTextSearch(query, request);
    const filter = { ...filterOfQuery(query), statuses: ['DEAD' as const] };
    return pageView(await this.events.page(filter, query.after ?? null, query.limit));
  }

  @AdminGet('groups', 'viewer', ErrorGroupsView, 'Dead letters by what they died of, largest group first')
  byError(): Promise<ErrorGroupsView> {
    return this.groups.list();
  }

  @AdminPost(
    'redrive',
    'operator',
    ItemResultsView,
    'Has dead letters run again, at once. For many, or with a rate: redrive-jobs',
  )
  async redrive(
    @Body(adminValidation()) { items, reason }: DeadLetterBody,
    @Req() { actor = '' }: AdminRequest,
  ): Promise<ItemResultsView> {
    return { items: await this.service.run('redrive', items, { actor, reason }) };
  }

  @AdminPost(
    'discard',
    'operator',
    ItemResultsView,
    'Ends waiting events (dead, parked, in retry) without an effect, for good',
  )
  async discard(
    @Body(adminValidation()) { items, reason }: DeadLetterBody,
    @Req() { actor = '' }: AdminRequest,
  ): Promise<ItemResultsView> {
    return { items: await this.service.run('discard', items, { actor, reason }) };
  }
}
