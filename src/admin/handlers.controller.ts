import { Body, Param, Req } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { HandlerPauses, type HandlerPause } from '../handlers/handler-pauses.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { AdminController, AdminGet, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { byOf } from './by-of.js';
import { REASON_LENGTH_MAX } from './event-query.js';
import { HandlerFigureReader, WAITING_COUNT_MAX } from './handler-figures.js';
import { HandlerPauseService } from './handler-pause-service.js';
import { shown } from './view-fields.js';

export class HandlerPauseBody {
  @ApiProperty({ type: String, required: false, maxLength: REASON_LENGTH_MAX, description: 'Why, for the audit' })
  @IsString()
  @MaxLength(REASON_LENGTH_MAX)
  reason = '';
}

export class HandlerPauseView {
  @shown.text()
  handler!: string;

  @shown.time()
  pausedAt!: number;

  @shown.text()
  actor!: string;

  @shown.text()
  reason!: string;

  @shown.integer({
    description: `Events that wait for it to be resumed, without those parked behind them; ${WAITING_COUNT_MAX + 1}: more`,
  })
  waiting!: number;
}

export class HandlerView {
  @shown.text({ description: 'event or event/changeType' })
  event!: string;

  @shown.text()
  name!: string;

  @shown.flag()
  builtIn!: boolean;

  @shown.text({ nullable: true })
  machine!: string | null;

  @shown.text({ nullable: true })
  entityType!: string | null;

  @shown.one(['strict', 'latest'], { nullable: true })
  order!: string | null;

  @shown.counts({ description: 'Events received since `since` that it takes, by status' })
  statuses!: Record<string, number>;

  @shown.integer({ description: 'Runs begun for them' })
  runs!: number;

  @shown.integer({ description: 'Those of them that did not end well' })
  failedRuns!: number;
}

export class HandlersView {
  @shown.list(() => HandlerView)
  items!: HandlerView[];

  @shown.list(() => HandlerPauseView, { description: 'Also of handlers that this process does not have' })
  paused!: HandlerPauseView[];

  @shown.time({ description: 'From when on events are counted: an hour ago, or since the newest ten thousand' })
  since!: number;
}

@AdminController('handlers')
export class HandlersController {
  constructor(
    private readonly handlers: HandlerRegistry,
    private readonly entityTypes: EntityTypeRegistry,
    private readonly figures: HandlerFigureReader,
    private readonly pauses: HandlerPauses,
    private readonly service: HandlerPauseService,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @AdminGet('', 'viewer', HandlersView, 'Which code takes which event, how that went, and what is paused')
  async list(): Promise<HandlersView> {
    const { since, byEvent } = await this.figures.read();
    const items = this.handlers.list().map(({ event, name, builtIn, machine }): HandlerView => {
      const [eventType = '', ...rest] = event.split('/');
      const type = this.entityTypes.typeOf(eventType, rest.length > 0 ? rest.join('/') : null);
      const { statuses = {}, runs = 0, failedRuns = 0 } = byEvent.get(event) ?? {};
      return {
        ...{ event, name, builtIn, machine: machine?.name ?? null },
        ...{ entityType: type?.name ?? null, order: type?.order ?? null, statuses, runs, failedRuns },
      };
    });
    return { items, paused: await this.paused(), since };
  }

  @AdminPost(':name/pause', 'operator', HandlersView, 'Its events wait, at no cost of an attempt, until it is resumed')
  async pause(
    @Param('name') name: string,
    @Body(adminValidation()) { reason }: HandlerPauseBody,
    @Req() request: AdminRequest,
  ): Promise<HandlersView> {
    await this.service.pause(name, reason, byOf(request));
    return this.list();
  }

  @AdminPost(':name/resume', 'operator', HandlersView, 'Runs its events again, those that wait at once')
  async resume(
    @Param('name') name: string,
    @Body(adminValidation()) { reason }: HandlerPauseBody,
    @Req() request: AdminRequest,
  ): Promise<HandlersView> {
    await this.service.resume(name, reason, byOf(request));
    return this.list();
  }

  private async paused(): Promise<HandlerPauseView[]> {
    return this.unitOfWork.read(async (tx) => {
      const known: HandlerPause[] = await this.pauses.list(tx);
      const views: HandlerPauseView[] = [];
      for (const pause of known) views.push({ ...pause, waiting: await this.figures.waitingFor(tx, pause.handler) });
      return views;
    });
  }
}
