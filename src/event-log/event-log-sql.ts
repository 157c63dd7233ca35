import { places } from '../database/sql-lists.js';
import type { EventFilter, EventRow } from './event-log.js';
import type { EventStatus } from './status.js';

export const RUNNABLE_SQL = "status IN ('RETRY', 'PARKED', 'REDRIVEN')";
export const WAITING_SQL = "status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')";

/** In the order in which `insertRows` gives its values. */
export const COLUMNS = [
  ...['corp_id', 'event_type', 'msg_id_or_hash', 'app', 'change_type', 'entity_key', 'msg_id', 'create_time'],
  ...['status', 'generation', 'attempt', 'lane_seq', 'due_at', 'plaintext', 'received_at', 'facts'],
  ...['error_code', 'error_message', 'decided_at'],
] as const;

export interface RawRow {
  readonly id: number;
  readonly corp_id: string;
  readonly event_type: string;
  readonly msg_id_or_hash: string;
  readonly app: string;
  readonly change_type: string | null;
  readonly entity_key: string | null;
  readonly msg_id: string | null;
  readonly create_time: number | null;
  readonly status: EventStatus;
  readonly generation: number;
  readonly attempt: number;
  readonly run_token: string | null;
  readonly lane_seq: number | null;
  readonly due_at: number | null;
  /** Bytes where the text holds a NUL. */
  readonly plaintext: string | Uint8Array;
  readonly received_at: number;
  readonly facts: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly decided_at: number;
}

export function rowFrom(raw: RawRow): EventRow {
  return {
    id: raw.id,
    corpId: raw.corp_id,
    eventType: raw.event_type,
    eventKey: raw.msg_id_or_hash,
    app: raw.app,
    changeType: raw.change_type,
    entityKey: raw.entity_key,
    msgId: raw.msg_id,
    createTime: raw.create_time,
    status: raw.status,
    generation: raw.generation,
    attempt: raw.attempt,
    runToken: raw.run_token,
    laneSeq: raw.lane_seq,
    dueAt: raw.due_at,
    plaintext: typeof raw.plaintext === 'string' ? raw.plaintext : Buffer.from(raw.plaintext).toString('utf8'),
    receivedAt: raw.received_at,
    facts: raw.facts,
    errorCode: raw.error_code,
    errorMessage: raw.error_message,
    decidedAt: raw.decided_at,
  };
}

export function searchClauses(filter: EventFilter): { sql: string[]; values: unknown[] } {
  const sql: string[] = [];
  const values: unknown[] = [];
  const add = (clause: string, ...given: readonly unknown[]): void => {
    sql.push(clause);
    values.push(...given);
  };
  const equal: readonly (readonly [string, string | undefined])[] = [
    ['app', filter.app],
    ['corp_id', filter.corpId],
    ['event_type', filter.eventType],
    ['change_type', filter.changeType],
    ['entity_key', filter.entityKey],
    ['msg_id', filter.msgId],
    ['error_code', filter.errorCode],
  ];
  for (const [column, value] of equal) if (value !== undefined) add(`${column} = ?`, value);
  if (filter.statuses?.length) add(`status IN (${places(filter.statuses)})`, ...filter.statuses);
  if (filter.eventKeys?.length) add(`msg_id_or_hash IN (${places(filter.eventKeys)})`, ...filter.eventKeys);
  if (filter.text !== undefined) add("plaintext LIKE ? ESCAPE '!'", `%${filter.text.replace(/[!%_]/g, '!$&')}%`);
  if (filter.receivedFrom !== undefined) add('received_at >= ?', filter.receivedFrom);
  if (filter.receivedTo !== undefined) add('received_at < ?', filter.receivedTo);
  if (filter.beforeId !== undefined) add('id < ?', filter.beforeId);
  return { sql, values };
}
