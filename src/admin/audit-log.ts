import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/unit-of-work.js';

export interface AuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

@Injectable()
export class AuditLog {
  async record(tx: Tx, { at, actor, action, target, detail }: AuditEntry): Promise<void> {
    await tx.manager.query('INSERT INTO audit (at, actor, action, target, detail) VALUES (?, ?, ?, ?, ?)', [
      ...[at, actor, action, target, JSON.stringify(detail)],
    ]);
  }

  async latest(tx: Tx, limit: number): Promise<AuditEntry[]> {
    const rows: (Omit<AuditEntry, 'detail'> & { detail: string })[] = await tx.manager.query(
      'SELECT at, actor, action, target, detail FROM audit ORDER BY id DESC LIMIT ?',
      [limit],
    );
    return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as Record<string, unknown> }));
  }
}
