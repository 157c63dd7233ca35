import { Inject, Query } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { Clock } from '../runtime/clock.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { adminValidation } from './admin-validation.js';
import { ArrivalCounts } from './arrivals.js';
import { TrafficQuery } from './event-query.js';
import { ProcessWatch } from './process-watch.js';
import { between, quantileBound, type Sample } from './samples.js';
import { DependenciesView, TrafficView, type AnswersView } from './traffic-view.js';

const AIM_SECONDS = 0.1;

@AdminController('traffic')
export class TrafficController {
  constructor(
    private readonly watch: ProcessWatch,
    private readonly arrivals: ArrivalCounts,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @AdminGet('', 'viewer', TrafficView, 'Events of the last hour by the minute, and how callbacks were answered lately')
  async traffic(@Query(adminValidation()) { windowMs }: TrafficQuery): Promise<TrafficView> {
    const { at, from, steps } = await this.arrivals.read();
    const seen = await this.watch.callbacks(windowMs);
    return {
      instance: this.config.instance,
      arrivals: { at, from, steps: [...steps] },
      callbacks: seen && answersView(seen.earlier, seen.later),
    };
  }

  @AdminGet('dependencies', 'viewer', DependenciesView, 'Each part of this process: whether it is well, and since when')
  dependencies(): DependenciesView {
    const items = this.watch.dependencies().map(({ name, status, since, reason }) => ({
      ...{ name, status, since, reason: reason ?? null },
    }));
    return { instance: this.config.instance, at: this.clock.now(), items };
  }
}

function answersView(earlier: Sample, later: Sample): AnswersView {
  const { answers, refused, buckets } = between(earlier, later);
  const bound = (share: number): number | null => {
    const seconds = quantileBound(buckets, share);
    if (seconds === null) return null;
    // The largest bucket has no bound that JSON could say.
    return seconds === Infinity ? -1 : Math.ceil(seconds * 1_000);
  };
  return {
    ...{ from: earlier.at, to: later.at, answers, refused },
    answered: buckets.at(-1)?.count ?? 0,
    withinAim: buckets.find(({ leSeconds }) => leSeconds === AIM_SECONDS)?.count ?? 0,
    ...{ p50Ms: bound(0.5), p95Ms: bound(0.95), p99Ms: bound(0.99) },
  };
}
