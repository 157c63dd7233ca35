import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forDialect } from './for-dialect.js';

/** Redrives and discards of many events: the job, and one row an item with what was seen and what became of it. */
export class CreateRedriveJobs1796000030001 implements MigrationInterface {
  readonly name = 'CreateRedriveJobs1796000030001';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: [...SQLITE, ...INDEXES], mysql: [...MYSQL, ...INDEXES] });
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = ['DROP TABLE redrive_item', 'DROP TABLE redrive_job'];
    await forDialect(runner, {
      sqlite: ['DROP INDEX ix_audit_actor', ...tables],
      mysql: ['DROP INDEX ix_audit_actor ON audit', ...tables],
    });
  }
}

const SQLITE = [
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
];

const ASCII = 'CHARACTER SET ascii COLLATE ascii_bin';
const MYSQL = [
  `CREATE TABLE redrive_job (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, created_at BIGINT NOT NULL, actor VARCHAR(128) NOT NULL,
    action VARCHAR(16) ${ASCII} NOT NULL, reason TEXT NOT NULL, filter MEDIUMTEXT, rate_max INT NOT NULL,
    dry_run TINYINT NOT NULL, status VARCHAR(16) ${ASCII} NOT NULL, paused_from VARCHAR(16) ${ASCII},
    collect_cursor VARCHAR(128) ${ASCII}, total BIGINT NOT NULL, forecast_done BIGINT NOT NULL, done BIGINT NOT NULL,
    started_at BIGINT, finished_at BIGINT, lease_token VARCHAR(32) ${ASCII}, lease_holder VARCHAR(128),
    lease_until BIGINT NOT NULL) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4`,
  `CREATE TABLE redrive_item (
    job_id BIGINT NOT NULL, place BIGINT NOT NULL, event_id BIGINT NOT NULL, generation INT NOT NULL,
    forecast VARCHAR(32) ${ASCII}, forecast_reason TEXT, result VARCHAR(32) ${ASCII}, result_reason TEXT,
    done_at BIGINT, PRIMARY KEY (job_id, place)) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4`,
];

const INDEXES = [
  'CREATE INDEX ix_redrive_job_status ON redrive_job (status)',
  'CREATE INDEX ix_redrive_item_job_id_result ON redrive_item (job_id, result)',
  'CREATE INDEX ix_redrive_item_job_id_forecast ON redrive_item (job_id, forecast)',
  'CREATE INDEX ix_audit_actor ON audit (actor)',
];
