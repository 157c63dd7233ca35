import { Controller, Get, NotFoundException, Query, UseGuards } from '@nestjs/common';
import { RouteConstraints } from '@nestjs/platform-fastify';
import { UnitOfWork } from '../database/unit-of-work.js';
import { ADMIN_LISTENER } from '../observability/listener.js';
import { SagaStore, type EntityChange } from '../saga/saga-store.js';
import { AdminGuard } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { ChangesQuery, EntityQuery } from './event-query.js';

@Controller('admin/api/v1/entities')
@UseGuards(AdminGuard)
export class EntitiesController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sagas: SagaStore,
  ) {}

  /** Where an entity stands, and how it got there. */
  @Get()
  @RouteConstraints(ADMIN_LISTENER)
  async entity(@Query(adminValidation()) { key }: EntityQuery): Promise<object> {
    const found = await this.unitOfWork.read((tx) => this.sagas.find(tx, key));
    if (!found) throw new NotFoundException('no event of this entity was applied');
    const changes = await this.unitOfWork.read((tx) => this.sagas.timeline(tx, key));
    return { key, ...found, changes };
  }

  /** The ledger of effects in commit order, for auditors. */
  @Get('changes')
  @RouteConstraints(ADMIN_LISTENER)
  async changes(@Query(adminValidation()) { afterId, limit }: ChangesQuery): Promise<{ items: EntityChange[] }> {
    return { items: await this.unitOfWork.read((tx) => this.sagas.changes(tx, afterId, limit)) };
  }
}
