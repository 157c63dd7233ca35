import { FAULTS } from './world/faults.js';
import type { ScheduleResult } from './schedule.js';

/** What one process has to tell of one schedule; it goes between threads. */
export interface Told {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly hits: readonly (readonly [fault: string, count: number])[];
  readonly steps: number;
  readonly events: number;
  readonly cpuMs: number;
}

export function told({ seed, violations, hits, steps, events }: ScheduleResult, cpuMs: number): Told {
  return { seed, violations, hits: [...hits], steps, events, cpuMs };
}

/** Adds up a run. */
export class Tally {
  schedules = 0;
  readonly failed: Told[] = [];
  private steps = 0;
  private events = 0;
  private cpuMs = 0;
  private readonly hits = new Map<string, number>(FAULTS.map((fault) => [fault, 0]));

  add(one: Told): void {
    this.schedules += 1;
    this.steps += one.steps;
    this.events += one.events;
    this.cpuMs += one.cpuMs;
    for (const [fault, count] of one.hits) this.hits.set(fault, (this.hits.get(fault) ?? 0) + count);
    if (one.violations.length > 0) this.failed.push(one);
  }

  /** Faults that never struck: the run says nothing about them. */
  get missing(): string[] {
    return [...this.hits].filter(([, count]) => count === 0).map(([fault]) => fault);
  }

  lines(seconds: number): string[] {
    const { schedules } = this;
    const per = (total: number): string => (total / Math.max(1, schedules)).toFixed(0);
    return [
      `${schedules} schedules, ${this.failed.length} failed, ${(schedules / seconds).toFixed(1)} a second, ` +
        `${(schedules / Math.max(0.001, this.cpuMs / 1_000)).toFixed(1)} a second of one core`,
      `${per(this.events)} events and ${per(this.steps)} steps in each`,
      ...[...this.hits].map(([fault, count]) => `  ${fault.padEnd(24)} ${count}`),
    ];
  }
}
