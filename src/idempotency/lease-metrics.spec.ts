import { describe, expect, it } from 'vitest';
import { Metrics } from '../observability/metrics.js';
import { LeaseMetrics } from './lease-metrics.js';

describe('the metrics of leases', () => {
  it('begin at zero, and count what the watchdog warns of', async () => {
    const metrics = new Metrics();
    const leases = new LeaseMetrics(metrics);
    expect(await metrics.registry.metrics()).toContain('wecom_leases_lost_total{reason="lost"} 0');
    leases.warned('lease.lost', { key: 'k' });
    leases.warned('lease.max_life_reached', { key: 'k' });
    leases.warned('lease.max_life_reached', { key: 'l' });
    leases.warned('lease.renewal_failed', { leases: 3 });
    const text = await metrics.registry.metrics();
    expect(text).toContain('wecom_leases_lost_total{reason="lost"} 1');
    expect(text).toContain('wecom_leases_lost_total{reason="max_life"} 2');
    expect(text).toContain('wecom_lease_renewals_failed_total 3');
  });
});
