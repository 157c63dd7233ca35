import { Injectable } from '@nestjs/common';
import { TransactionConflictError } from '../database/database-errors.js';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { Clock } from '../runtime/clock.js';
import { AuditLog } from './audit-log.js';
import type { By } from './principal.js';

const CONFLICT_RETRIES_MAX = 5;
const CONFLICT_DELAY_MS = 20;

/** Transactions of this folder: each is run again when it loses a race, and holds the audit row of what it does. */
@Injectable()
export class AuditedWrites {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  now(): number {
    return this.clock.now();
  }

  read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.unitOfWork.read(work);
  }

  /** `work` may run several times; `now` is when it began. */
  async write<T>(work: (tx: Tx, now: number) => Promise<T>): Promise<T> {
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        return await this.unitOfWork.write((tx) => work(tx, this.clock.now()));
      } catch (error) {
        if (!(error instanceof TransactionConflictError) || conflicts > CONFLICT_RETRIES_MAX) throw error;
        await this.clock.sleep(CONFLICT_DELAY_MS * conflicts);
      }
    }
  }

  async record(tx: Tx, { actor, address }: By, action: string, target: string, detail: object = {}): Promise<void> {
    await this.audit.record(tx, { at: this.clock.now(), actor, action, target, detail: { ...detail, address } });
  }
}
