import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forDialect } from './for-dialect.js';

/**
 * For the purge: outcomes by age. On SQLite it is partial, so that rows that wait cost nothing and no other query is led
 * to it; on MySQL the status in it spares a look at each old row that waits.
 */
export class IndexOutcomes1796000000002 implements MigrationInterface {
  readonly name = 'IndexOutcomes1796000000002';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, {
      sqlite: [
        `CREATE INDEX ix_event_log_decided_at ON event_log (decided_at)
          WHERE status IN ('APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED')`,
      ],
      mysql: ['CREATE INDEX ix_event_log_decided_at ON event_log (decided_at, status)'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await forDialect(runner, {
      sqlite: ['DROP INDEX ix_event_log_decided_at'],
      mysql: ['DROP INDEX ix_event_log_decided_at ON event_log'],
    });
  }
}
