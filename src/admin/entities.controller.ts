import { BadRequestException, Param, Query } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { SagaStore } from '../saga/saga-store.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { adminValidation } from './admin-validation.js';
import { EntityReader } from './entity-reader.js';
import { EntityView, LedgerView } from './entity-view.js';
import { ChangesQuery, EntityQuery } from './event-query.js';
import { keyOf } from './filter-of-query.js';

/** Keys of entities hold `/` and `%2F`, so they travel in the query, or in base64url as a path. */
@AdminController('entities')
export class EntitiesController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sagas: SagaStore,
    private readonly entities: EntityReader,
  ) {}

  @AdminGet('', 'viewer', EntityView, 'Where an entity stands, and how it got there, by its key')
  byKey(@Query(adminValidation()) { key, ref }: EntityQuery): Promise<EntityView> {
    if ((key === undefined) === (ref === undefined)) throw new BadRequestException(['give either key or ref']);
    return this.entities.entity(key ?? keyOf(ref ?? ''));
  }

  @AdminGet('changes', 'viewer', LedgerView, 'The ledger of effects in commit order, for auditors')
  async changes(@Query(adminValidation()) { afterId, limit }: ChangesQuery): Promise<LedgerView> {
    return { items: await this.unitOfWork.read((tx) => this.sagas.changes(tx, afterId, limit)) };
  }

  @AdminGet('by-ref/:ref', 'viewer', EntityView, 'The same by entityRef, the key in base64url')
  byRef(@Param('ref') ref: string): Promise<EntityView> {
    return this.entities.entity(keyOf(ref));
  }
}
