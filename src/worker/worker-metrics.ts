import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { EventStatus } from '../event-log/status.js';
import { Metrics } from '../observability/metrics.js';

const PAUSE_CAUSES = ['infrastructure', 'conflict'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];
const RUN_RESULTS = ['ok', 'failed'] as const;
export type RunResult = (typeof RUN_RESULTS)[number];

@Injectable()
export class WorkerMetrics {
  private readonly decisions: Counter<'event_type' | 'status'>;
  private readonly duplicates: Counter<'event_type'>;
  private readonly latency: Histogram<'status'>;
  private readonly pauses: Counter<'cause'>;
  private readonly newerMessages: Counter;
  private readonly runs: Counter<'handler' | 'result'>;
  private readonly begun = new Set<string>();

  constructor(private readonly metrics: Metrics) {
    const registers = [metrics.registry];
    this.decisions = new Counter({
      name: 'wecom_events_decided_total',
      help: 'Decisions written into event_log, by status: outcomes and waiting statuses.',
      labelNames: ['event_type', 'status'],
      registers,
    });
    this.duplicates = new Counter({
      name: 'wecom_events_duplicate_total',
      help: 'Messages whose event had a row already.',
      labelNames: ['event_type'],
      registers,
    });
    this.latency = new Histogram({
      name: 'wecom_event_latency_seconds',
      help: 'From the arrival of the callback at the gateway to the commit of a decision.',
      labelNames: ['status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600],
      registers,
    });
    this.pauses = new Counter({
      name: 'wecom_worker_pauses_total',
      help: 'Times that the worker backed off because infrastructure was away or a transaction lost a race.',
      labelNames: ['cause'],
      registers,
    });
    // A series that begins with its first pause would have no increase.
    for (const cause of PAUSE_CAUSES) this.pauses.inc({ cause }, 0);
    this.newerMessages = new Counter({
      name: 'wecom_messages_newer_total',
      help: 'Deliveries of messages of a version that this worker does not know; they wait for one that does.',
      registers,
    });
    this.runs = new Counter({
      name: 'wecom_handler_runs_total',
      help: 'Events that a handler ran for, by how that ended: ok, failed. A failed group counts when its parts are run.',
      labelNames: ['handler', 'result'],
      registers,
    });
  }

  decided(eventType: string, status: EventStatus, latencyMs: number): void {
    this.decisions.inc({ event_type: this.metrics.bounded('event_type', eventType), status });
    this.latency.observe({ status }, Math.max(0, latencyMs) / 1000);
  }

  duplicate(eventType: string): void {
    this.duplicates.inc({ event_type: this.metrics.bounded('event_type', eventType) });
  }

  newer(): void {
    this.newerMessages.inc();
  }

  paused(cause: PauseCause): void {
    this.pauses.inc({ cause });
  }

  ran(handler: string, result: RunResult, events: number): void {
    const label = this.metrics.bounded('handler', handler);
    // Failures would else begin with the first one, and have no increase.
    if (!this.begun.has(label)) for (const one of RUN_RESULTS) this.runs.inc({ handler: label, result: one }, 0);
    this.begun.add(label);
    this.runs.inc({ handler: label, result }, events);
  }
}
