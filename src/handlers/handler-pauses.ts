import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import type { Tx } from '../database/unit-of-work.js';

export interface HandlerPause {
  /** The name of the handler's class. */
  readonly handler: string;
  readonly pausedAt: number;
  readonly actor: string;
  readonly reason: string;
}

interface RawPause {
  readonly handler: string;
  readonly paused_at: number;
  readonly actor: string;
  readonly reason: string;
}

/**
 * Which handlers are paused. It is read in the transaction of each run, so a pause holds in all processes from its commit
 * on: no run that begins later calls the handler. The SQL is portable.
 */
@Injectable()
export class HandlerPauses {
  async names(tx: Tx): Promise<ReadonlySet<string>> {
    const rows: Pick<RawPause, 'handler'>[] = await tx.manager.query('SELECT handler FROM handler_pause');
    return new Set(rows.map(({ handler }) => handler));
  }

  async list(tx: Tx): Promise<HandlerPause[]> {
    const rows: RawPause[] = await tx.manager.query(
      'SELECT handler, paused_at, actor, reason FROM handler_pause ORDER BY handler',
    );
    return rows.map(({ handler, paused_at, actor, reason }) => ({ handler, pausedAt: paused_at, actor, reason }));
  }

  /** Rejects with the driver's duplicate-key error when another operator was faster. */
  async add(tx: Tx, { handler, pausedAt, actor, reason }: HandlerPause): Promise<void> {
    await tx.manager.query('INSERT INTO handler_pause (handler, paused_at, actor, reason) VALUES (?, ?, ?, ?)', [
      ...[handler, pausedAt, actor, reason],
    ]);
  }

  /** False when it was not paused. */
  async remove(tx: Tx, handler: string): Promise<boolean> {
    return (await changedRows(tx, 'DELETE FROM handler_pause WHERE handler = ?', [handler])) > 0;
  }
}
