import { Query } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { adminValidation } from './admin-validation.js';
import { AuditLog } from '../access/audit-log.js';
import { AuditQuery } from './event-query.js';
import { shown } from './view-fields.js';

export class AuditEntryView {
  @shown.integer()
  id!: number;

  @shown.time()
  at!: number;

  @shown.text()
  actor!: string;

  @shown.text()
  action!: string;

  @shown.text({ description: 'event:42, redrive-job:7, …' })
  target!: string;

  @shown.anything()
  detail!: object;
}

export class AuditPageView {
  @shown.list(() => AuditEntryView, { description: 'Newest first' })
  items!: AuditEntryView[];

  @shown.integer({ nullable: true, description: 'Give it as beforeId to get the next page; null at the end' })
  next!: number | null;
}

@AdminController('audit')
export class AuditController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditLog,
  ) {}

  @AdminGet('', 'viewer', AuditPageView, 'What people did, newest first')
  async list(@Query(adminValidation()) query: AuditQuery): Promise<AuditPageView> {
    const limit = query.limit + 1;
    const found = await this.unitOfWork.read((tx) => this.audit.list(tx, { ...query, limit }));
    const items = found.slice(0, query.limit);
    return { items, next: found.length > query.limit ? (items.at(-1)?.id ?? null) : null };
  }
}
