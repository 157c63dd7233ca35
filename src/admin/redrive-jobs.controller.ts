import { Body, Param, ParseIntPipe, Query, Req } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AdminController, AdminGet, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { checkTextSearch } from './payload-looks.js';
import { JobItemsQuery, JobListQuery, RedriveJobBody } from './redrive-job-body.js';
import { RedriveJobReader } from './redrive-job-reader.js';
import { RedriveJobService } from './redrive-job-service.js';
import { RedriveJobStore } from './redrive-job-store.js';
import {
  JobItemPageView,
  JobOutcomesView,
  jobView,
  RedriveJobDetailView,
  RedriveJobPageView,
  RedriveJobView,
} from './redrive-job-view.js';

/** Redrives and discards of many events. The items are fixed when the job is made. */
@AdminController('redrive-jobs')
export class RedriveJobsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RedriveJobStore,
    private readonly reader: RedriveJobReader,
    private readonly service: RedriveJobService,
  ) {}

  @AdminPost('', 'operator', RedriveJobView, 'Makes a job. With dryRun it tells first what would become of each item')
  async create(@Body(adminValidation()) body: RedriveJobBody, @Req() request: AdminRequest): Promise<RedriveJobView> {
    checkTextSearch(body.filter ?? {}, request);
    return jobView(await this.service.create(body, request.actor ?? ''));
  }

  @AdminGet('', 'viewer', RedriveJobPageView, 'Jobs, newest first')
  async list(@Query(adminValidation()) { beforeId, limit }: JobListQuery): Promise<RedriveJobPageView> {
    const found = await this.unitOfWork.read((tx) => this.store.list(tx, beforeId, limit + 1));
    const items = found.slice(0, limit).map(jobView);
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @AdminGet(':id', 'viewer', RedriveJobDetailView, 'One job: progress, what the dry run says, results')
  job(@Param('id', ParseIntPipe) id: number): Promise<RedriveJobDetailView> {
    return this.reader.detail(id);
  }

  @AdminGet(':id/items', 'viewer', JobItemPageView, 'Item by item: forecast, result, and what its row says now')
  items(
    @Param('id', ParseIntPipe) id: number,
    @Query(adminValidation()) query: JobItemsQuery,
  ): Promise<JobItemPageView> {
    return this.reader.items(id, query);
  }

  @AdminGet(':id/outcomes', 'viewer', JobOutcomesView, 'Redriven items, counted by what their rows say now')
  outcomes(@Param('id', ParseIntPipe) id: number): Promise<JobOutcomesView> {
    return this.reader.outcomes(id);
  }

  @AdminPost(':id/start', 'operator', RedriveJobView, 'Runs a job whose dry run has ended')
  async start(@Param('id', ParseIntPipe) id: number, @Req() { actor = '' }: AdminRequest): Promise<RedriveJobView> {
    return jobView(await this.service.move(id, 'start', actor));
  }

  @AdminPost(':id/pause', 'operator', RedriveJobView, 'No further item is touched until it is resumed')
  async pause(@Param('id', ParseIntPipe) id: number, @Req() { actor = '' }: AdminRequest): Promise<RedriveJobView> {
    return jobView(await this.service.move(id, 'pause', actor));
  }

  @AdminPost(':id/resume', 'operator', RedriveJobView, 'Goes on where it was paused')
  async resume(@Param('id', ParseIntPipe) id: number, @Req() { actor = '' }: AdminRequest): Promise<RedriveJobView> {
    return jobView(await this.service.move(id, 'resume', actor));
  }

  @AdminPost(':id/cancel', 'operator', RedriveJobView, 'Ends it for good; items without a result stay as they are')
  async cancel(@Param('id', ParseIntPipe) id: number, @Req() { actor = '' }: AdminRequest): Promise<RedriveJobView> {
    return jobView(await this.service.move(id, 'cancel', actor));
  }
}
