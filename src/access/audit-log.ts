import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/unit-of-work.js';

export interface AuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly from?: number;
  readonly to?: number;
  readonly beforeId?: number;
  readonly limit: number;
}

interface RawEntry extends Omit<AuditEntry, 'detail'> {
  readonly id: number;
  readonly detail: string;
}

/** What people did, written in the transaction that did it. The SQL is portable. */
@Injectable()
export class AuditLog {
  async record(tx: Tx, { at, actor, action, target, detail }: AuditEntry): Promise<void> {
    await tx.manager.query('INSERT INTO audit (at, actor, action, target, detail) VALUES (?, ?, ?, ?, ?)', [
      ...[at, actor, action, target, JSON.stringify(detail)],
    ]);
  }

  /** Newest first. */
  async list(tx: Tx, filter: AuditFilter): Promise<(AuditEntry & { readonly id: number })[]> {
    const wanted = [
      ['actor = ?', filter.actor],
      ['action = ?', filter.action],
      ['target = ?', filter.target],
      ['at >= ?', filter.from],
      ['at < ?', filter.to],
      ['id < ?', filter.beforeId],
    ].filter(([, value]) => value !== undefined);
    const where = wanted.length > 0 ? `WHERE ${wanted.map(([sql]) => sql).join(' AND ')}` : '';
    const rows: RawEntry[] = await tx.manager.query(
      `SELECT id, at, actor, action, target, detail FROM audit ${where} ORDER BY id DESC LIMIT ?`,
      [...wanted.map(([, value]) => value), filter.limit],
    );
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }));
  }
}
