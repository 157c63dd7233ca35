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
}
