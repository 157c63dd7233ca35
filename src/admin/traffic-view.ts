import { shown } from './view-fields.js';

export class ArrivalStepView {
  @shown.time({ description: 'Begin of the minute' })
  at!: number;

  @shown.counts({ description: 'Events that arrived in it, by what they are now' })
  statuses!: Record<string, number>;
}

export class ArrivalsView {
  @shown.time({ description: 'When they were counted' })
  at!: number;

  @shown.time({ description: 'Begin of the first minute' })
  from!: number;

  @shown.list(() => ArrivalStepView, { description: 'The last 60 minutes; the last one is not over' })
  steps!: ArrivalStepView[];
}

export class AnswersView {
  @shown.time({ description: 'Begin of the window: windowMs ago, or the start of this process' })
  from!: number;

  @shown.time({ description: 'Its end' })
  to!: number;

  @shown.counts({ description: 'Verified callbacks by answer: published, spooled, duplicate, not-durable' })
  answers!: Record<string, number>;

  @shown.counts({ description: 'Refused ones by code' })
  refused!: Record<string, number>;

  @shown.integer({ description: 'Answered success' })
  answered!: number;

  @shown.integer({ description: 'Of these, within 100 ms' })
  withinAim!: number;

  @shown.integer({ nullable: true, description: 'Half of them took no longer; a bound of the histogram. -1: over 5 s' })
  p50Ms!: number | null;

  @shown.integer({ nullable: true })
  p95Ms!: number | null;

  @shown.integer({ nullable: true })
  p99Ms!: number | null;
}

export class TrafficView {
  @shown.text({ description: 'The process that answers' })
  instance!: string;

  @shown.view(() => ArrivalsView)
  arrivals!: ArrivalsView;

  @shown.view(() => AnswersView, { nullable: true, description: 'Of this process; null when it takes no callbacks' })
  callbacks!: AnswersView | null;
}

export class DependencyView {
  @shown.text()
  name!: string;

  @shown.one(['up', 'degraded', 'down'])
  status!: string;

  @shown.time({ description: 'Since when, as far as this process saw it; looked at every 10 s' })
  since!: number;

  @shown.text({ nullable: true })
  reason!: string | null;
}

export class DependenciesView {
  @shown.text({ description: 'The process that answers' })
  instance!: string;

  @shown.time({ description: 'When this was read' })
  at!: number;

  @shown.list(() => DependencyView)
  items!: DependencyView[];
}
