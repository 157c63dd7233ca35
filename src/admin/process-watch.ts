import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HealthRegistry, type PartHealth } from '../observability/health-registry.js';
import { Metrics } from '../observability/metrics.js';
import { Clock, type Timer } from '../runtime/clock.js';
import { sampleAt, type Sample } from './samples.js';

const SAMPLE_MS = 10_000;
/** An hour of them. */
const SAMPLES_MAX = 361;
/** Answered before they were late: WeCom takes what is missing here for a failure. */
const SUCCESS = new Set(['published', 'spooled', 'duplicate']);

export interface PartState extends PartHealth {
  readonly name: string;
  /** Since when it is as it is, as far as this process saw it. */
  readonly since: number;
}

/**
 * Remembers for an hour what the metrics only know as a sum, and since when each part of the process is as it is, so that
 * the console can say "in the last five minutes" without a monitoring system.
 */
@Injectable()
export class ProcessWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private samples: Sample[] = [];
  private readonly parts = new Map<string, PartState>();
  private timer: Timer | null = null;

  constructor(
    private readonly metrics: Metrics,
    private readonly health: HealthRegistry,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.look();
    this.timer = this.clock.every(SAMPLE_MS, () => void this.look());
  }

  beforeApplicationShutdown(): void {
    this.timer?.cancel();
  }

  /** Null when this process answers no callbacks. */
  async callbacks(windowMs: number): Promise<{ earlier: Sample; later: Sample } | null> {
    const later = await this.sample();
    if (!later) return null;
    return { earlier: sampleAt(this.samples, later.at - windowMs) ?? later, later };
  }

  dependencies(): PartState[] {
    this.lookAtParts();
    return [...this.parts.values()];
  }

  private async look(): Promise<void> {
    this.lookAtParts();
    const sample = await this.sample();
    if (sample) this.samples = [...this.samples, sample].slice(-SAMPLES_MAX);
  }

  private lookAtParts(): void {
    const now = this.clock.now();
    for (const [name, part] of Object.entries(this.health.check().parts)) {
      const known = this.parts.get(name);
      const since = part.since ?? (known?.status === part.status ? known.since : now);
      this.parts.set(name, { name, ...part, since });
    }
  }

  private async sample(): Promise<Sample | null> {
    const seconds = this.metrics.registry.getSingleMetric('wecom_callback_answer_seconds');
    if (!seconds) return null;
    const { values } = (await seconds.get()) as { values: readonly HistogramValue[] };
    const counts = new Map<number, number>();
    for (const { metricName, labels, value } of values) {
      if (!metricName?.endsWith('_bucket') || !SUCCESS.has(String(labels['answer']))) continue;
      const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
      counts.set(bound, (counts.get(bound) ?? 0) + value);
    }
    const buckets = [...counts].map(([leSeconds, count]) => ({ leSeconds, count }));
    return {
      at: this.clock.now(),
      answers: await this.totals('wecom_callbacks_total', 'answer'),
      refused: await this.totals('wecom_callbacks_refused_total', 'code'),
      buckets: buckets.sort((a, b) => a.leSeconds - b.leSeconds),
    };
  }

  private async totals(name: string, label: string): Promise<Record<string, number>> {
    const metric = await this.metrics.registry.getSingleMetric(name)?.get();
    const totals: Record<string, number> = {};
    for (const { labels, value } of metric?.values ?? []) {
      const key = String(labels[label]);
      totals[key] = (totals[key] ?? 0) + value;
    }
    return totals;
  }
}

interface HistogramValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}
