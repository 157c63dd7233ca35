import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTables, forDialect } from './for-dialect.js';
import type { MysqlColumns } from './mysql-columns.js';

/** Redrives and discards of many events: the job, and one row an item with what was seen and what became of it. */
export class CreateRedriveJobs1796000000002 implements MigrationInterface {
  readonly name = 'CreateRedriveJobs1796000000002';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: SQLITE_UP, mysql: mysqlUp });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropTables(runner, TABLES);
  }
}

const TABLES = ['redrive_item', 'redrive_job'];

const SQLITE_UP = [
  `CREATE TABLE redrive_job (
    id INTEGER PRIMARY KEY AUTOINCREMENT, created_at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    reason TEXT NOT NULL, filter TEXT, rate_max INTEGER NOT NULL, dry_run INTEGER NOT NULL, status TEXT NOT NULL,
    paused_from TEXT, collect_cursor TEXT, total INTEGER NOT NULL, forecast_done INTEGER NOT NULL,
    done INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, lease_token TEXT, lease_holder TEXT,
    lease_until INTEGER NOT NULL)`,
  `CREATE TABLE redrive_item (
    job_id INTEGER NOT NULL, place INTEGER NOT NULL, event_id INTEGER NOT NULL, generation INTEGER NOT NULL,
    forecast TEXT, forecast_reason TEXT, result TEXT, result_reason TEXT, done_at INTEGER,
    PRIMARY KEY (job_id, place)) WITHOUT ROWID`,
  'CREATE INDEX ix_redrive_job_status ON redrive_job (status)',
  'CREATE INDEX ix_redrive_item_job_id_result ON redrive_item (job_id, result)',
  'CREATE INDEX ix_redrive_item_job_id_forecast ON redrive_item (job_id, forecast)',
];

const mysqlUp = ({ id, table }: MysqlColumns): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS redrive_job (
    ${id}, created_at BIGINT NOT NULL, actor VARCHAR(255) NOT NULL, action VARCHAR(16) NOT NULL,
    reason MEDIUMTEXT NOT NULL, filter MEDIUMTEXT, rate_max INT NOT NULL, dry_run TINYINT NOT NULL,
    status VARCHAR(16) NOT NULL, paused_from VARCHAR(16), collect_cursor VARCHAR(128), total BIGINT NOT NULL,
    forecast_done BIGINT NOT NULL, done BIGINT NOT NULL, started_at BIGINT, finished_at BIGINT, lease_token VARCHAR(64),
    lease_holder VARCHAR(255), lease_until BIGINT NOT NULL,
    KEY ix_redrive_job_status (status)) ${table}`,
  `CREATE TABLE IF NOT EXISTS redrive_item (
    job_id BIGINT NOT NULL, place BIGINT NOT NULL, event_id BIGINT NOT NULL, generation INT NOT NULL,
    forecast VARCHAR(32), forecast_reason MEDIUMTEXT, result VARCHAR(32), result_reason MEDIUMTEXT, done_at BIGINT,
    PRIMARY KEY (job_id, place),
    KEY ix_redrive_item_job_id_result (job_id, result),
    KEY ix_redrive_item_job_id_forecast (job_id, forecast)) ${table}`,
];
