import { Module, type Provider } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { CONFIG, type Config } from '../config/config.js';
import { Random } from '../runtime/random.js';
import { AppsController } from './apps.controller.js';
import { ArrivalCounts } from './arrivals.js';
import { AuditController } from './audit.controller.js';
import { Balance } from './balance.js';
import { DeadLetterService } from './dead-letter-service.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { DecisionTail } from './decision-tail.js';
import { EntitiesController } from './entities.controller.js';
import { EntityReader } from './entity-reader.js';
import { ErrorGroups } from './error-groups.js';
import { EventSearch } from './event-search.js';
import { EventsController } from './events.controller.js';
import { Forecaster } from './forecaster.js';
import { HandlerFigureReader } from './handler-figures.js';
import { HandlerPauseService } from './handler-pause-service.js';
import { HandlersController } from './handlers.controller.js';
import { PayloadLooks } from './payload-looks.js';
import { ProcessWatch } from './process-watch.js';
import { QueuesController } from './queues.controller.js';
import { RedriveJobReader } from './redrive-job-reader.js';
import { RedriveJobRunner, RUNNER_OPTIONS, type RunnerOptions } from './redrive-job-runner.js';
import { RedriveJobService } from './redrive-job-service.js';
import { RedriveJobSteps } from './redrive-job-steps.js';
import { RedriveJobStore } from './redrive-job-store.js';
import { RedriveJobsController } from './redrive-jobs.controller.js';
import { RowReader } from './row-reader.js';
import { SessionController } from './session.controller.js';
import { SetupController } from './setup.controller.js';
import { StatusCounts } from './status-counts.js';
import { StoredMetrics } from './stored-metrics.js';
import { StoredSummary } from './stored-summary.js';
import { SummaryController } from './summary.controller.js';
import { TokensController } from './tokens.controller.js';
import { TrafficController } from './traffic.controller.js';
import { UsersController } from './users.controller.js';

const runnerOptions: Provider = {
  provide: RUNNER_OPTIONS,
  inject: [CONFIG, Random],
  useFactory: ({ instance, shutdownLimitMs }: Config, random: Random): RunnerOptions => ({
    ...{ token: random.token(), instance, stopLimitMs: shutdownLimitMs },
  }),
};

/** What operators do, on the admin port only. */
@Module({
  imports: [AccessModule],
  controllers: [
    ...[EventsController, DeadLettersController, RedriveJobsController, EntitiesController, QueuesController],
    ...[SummaryController, HandlersController, AppsController, AuditController, TrafficController],
    ...[SessionController, SetupController, UsersController, TokensController],
  ],
  providers: [
    ...[
      DeadLetterService,
      PayloadLooks,
      EventSearch,
      ErrorGroups,
      DecisionTail,
      EntityReader,
      StatusCounts,
      StoredSummary,
    ],
    ...[Balance, Forecaster, runnerOptions, RedriveJobStore, RedriveJobSteps, RedriveJobRunner, RedriveJobService],
    ...[RedriveJobReader, StoredMetrics, ProcessWatch, ArrivalCounts, HandlerFigureReader, HandlerPauseService],
    RowReader,
  ],
})
export class AdminModule {}
