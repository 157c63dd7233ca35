import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { DeadLetterService } from './dead-letter-service.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { EntitiesController } from './entities.controller.js';
import { EventsController } from './events.controller.js';
import { StoredSummary } from './stored-summary.js';
import { SummaryController } from './summary.controller.js';

/** What operators do, on the admin port only. */
@Module({
  controllers: [EventsController, DeadLettersController, EntitiesController, SummaryController],
  providers: [AuditLog, DeadLetterService, StoredSummary],
})
export class AdminModule {}
