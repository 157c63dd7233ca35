import { describe, expect, it } from 'vitest';
import { exportedMetrics, promqlNames } from '../support/promql-names.js';

describe('names in PromQL', () => {
  it('are metrics with their matchers, and labels of groupings', () => {
    const text =
      'sum by (job, le) (rate(a_bucket{x="1,}", y!~"b|c"}[5m] offset 1h)) / on(job) group_left b > 0.5 unless c';
    expect(promqlNames(text)).toEqual({
      selectors: [
        {
          metric: 'a_bucket',
          matchers: [
            { label: 'x', operator: '=', value: '1,}' },
            { label: 'y', operator: '!~', value: 'b|c' },
          ],
        },
        { metric: 'b', matchers: [] },
        { metric: 'c', matchers: [] },
      ],
      groupings: ['job', 'le', 'job'],
    });
  });

  it.each(['sum(a', 'a{b=c}', 'a{b="c}', 'a § b'])('are refused where it is none: %s', (text) => {
    expect(() => promqlNames(text)).toThrow();
  });

  it('are compared with what a process exports', () => {
    const text =
      '# TYPE h histogram\nh_bucket{le="1",a="x"} 2\nh_sum{a="x"} 1\n# TYPE g gauge\n# TYPE c counter\nc{a="\\"} b"} 1\n';
    const exported = exportedMetrics(text);
    expect([...exported.keys()].sort()).toEqual(['c', 'g', 'h_bucket', 'h_count', 'h_sum']);
    expect([...(exported.get('h_bucket')?.keys() ?? [])]).toEqual(['le', 'a']);
    expect([...(exported.get('c')?.get('a') ?? [])]).toEqual(['\\"} b']);
  });
});
