import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';

/** What the watchdog warns of, counted. */
@Injectable()
export class LeaseMetrics {
  private readonly lost: Counter<'reason'>;
  private readonly renewalsFailed: Counter;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.lost = new Counter({
      name: 'wecom_leases_lost_total',
      help: 'Leases that ended before their handler: lost (another worker has the event), max_life (LEASE_MAX_LIFE_MS).',
      labelNames: ['reason'],
      registers,
    });
    this.renewalsFailed = new Counter({
      name: 'wecom_lease_renewals_failed_total',
      help: 'Renewals that the guard did not answer.',
      registers,
    });
    // A series that begins with its first loss would have no increase.
    for (const reason of ['lost', 'max_life']) this.lost.inc({ reason }, 0);
  }

  /** By the name of the log line. */
  warned(event: string, { leases }: Readonly<Record<string, unknown>>): void {
    if (event === 'lease.lost') this.lost.inc({ reason: 'lost' });
    else if (event === 'lease.max_life_reached') this.lost.inc({ reason: 'max_life' });
    else if (event === 'lease.renewal_failed') this.renewalsFailed.inc(typeof leases === 'number' ? leases : 1);
  }
}
