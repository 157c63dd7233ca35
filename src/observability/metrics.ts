import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';

// A label takes what WeCom or a foreign record sends; each value is a time series for ever.
const LABEL_VALUES_MAX = 200;

/** The process's metrics. Modules bring their own; this knows none of them. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly seen = new Map<string, Set<string>>();

  /** Node's own metrics. For the program to call, once: collecting keeps observers alive as long as the process. */
  collectDefaults(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** The value, or `other` once a label has had too many values. */
  bounded(label: string, value: string): string {
    const values = this.seen.get(label) ?? new Set();
    this.seen.set(label, values);
    if (values.has(value)) return value;
    if (values.size >= LABEL_VALUES_MAX) return 'other';
    values.add(value);
    return value;
  }
}
