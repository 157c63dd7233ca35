import { OUTCOMES } from '../../../src/event-log/status.js';
import type { GuardMove } from '../ports/sim-guard.js';
import { Check, type View } from './check.js';

/**
 * I11: SUCCESS stands only where `event_log` holds an outcome, and with a healthy guard no two workers have the lease of
 * one event while both are unexpired. Neither is a promise by itself; both are what makes the promises cheap.
 */
export class GuardTruth extends Check {
  private readonly leases = new Map<string, Map<string, number>>();

  constructor() {
    super('I11 the guard tells the truth');
  }

  override onGuardLoss(): void {
    this.leases.clear();
  }

  override onGuardMove({ step, key, token, ttlMs, result, holder }: GuardMove, view: View): void {
    const leases = this.leases.get(key) ?? new Map<string, number>();
    this.leases.set(key, leases);
    if (step === 'acquire' && isAcquired(result)) {
      for (const [other, until] of leases)
        if (other !== token && until > view.now + 1)
          this.violate(`${token} got ${key.slice(0, 12)}, which ${other} has`);
      leases.set(token, view.now + ttlMs);
    }
    if (step === 'renew' && result === 'done') leases.set(token, view.now + ttlMs);
    if (step === 'release' || step === 'complete') {
      leases.delete(token);
      for (const [other, until] of leases)
        if (until > view.now + 1 && result === 'done' && holder !== other)
          this.violate(`${token} took the lease of ${other} away by ${step}`);
    }
    if (step === 'complete' && result === 'done') this.checkOutcome(key, view);
  }

  private checkOutcome(key: string, view: View): void {
    const row = view.find('event_log', 'msg_id_or_hash', key.slice(key.indexOf(':') + 1));
    if (!row || !(OUTCOMES as readonly unknown[]).includes(row['status']))
      this.violate(`${key.slice(0, 12)} is SUCCESS, and its row says ${String(row?.['status'] ?? 'nothing')}`);
  }
}

function isAcquired(result: unknown): boolean {
  return (result as { kind?: string }).kind === 'acquired';
}
