import type { Data, Value } from './sql-expression.js';

export interface TableSchema {
  readonly unique: readonly (readonly string[])[];
  /** Columns that are NULL where an INSERT does not name them. */
  readonly nullable?: readonly string[];
  /** Columns that the server works out by itself. */
  readonly generated?: (row: Data) => Record<string, Value>;
}

const WAITING: readonly Value[] = ['RETRY', 'PARKED', 'REDRIVEN', 'DEAD'];

/** The keys of the migrations' tables; without a key two rows are never the same. */
export const SCHEMA: Readonly<Record<string, TableSchema>> = {
  event_log: {
    unique: [['corp_id', 'event_type', 'msg_id_or_hash']],
    nullable: ['run_token'],
    generated: ({ status, entity_key }) => ({
      waiting_key: WAITING.includes(status ?? null) ? (entity_key ?? null) : null,
    }),
  },
  wecom_id: { unique: [] },
  event_history: { unique: [] },
  saga: { unique: [['receiver', 'corp_id', 'entity_type', 'entity_id']] },
  entity_change: { unique: [] },
  outbox: { unique: [['idempotency_key']], nullable: ['error_message'] },
  audit: { unique: [] },
  redrive_job: {
    unique: [],
    nullable: ['paused_from', 'collect_cursor', 'started_at', 'finished_at', 'lease_holder'],
  },
  redrive_item: {
    unique: [['job_id', 'place']],
    nullable: ['forecast', 'forecast_reason', 'result', 'result_reason', 'done_at'],
  },
  handler_pause: { unique: [['handler']] },
  approval_order: { unique: [['entity_key']] },
  customer_relation: { unique: [['entity_key']] },
  customer_group: { unique: [['entity_key']] },
  customer_group_member: { unique: [['entity_key', 'member_id']] },
  member: { unique: [['entity_key']] },
  customer_tag: { unique: [['entity_key']] },
  // What the handlers of the simulation write: one row for each effect.
  ledger: { unique: [] },
};
