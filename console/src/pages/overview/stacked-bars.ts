import type { EventStatus } from '../../api/views.js';
import { STATUS_ORDER } from '../../parts/tone.js';

export interface Step {
  readonly at: number;
  readonly statuses: Readonly<Record<string, number>>;
}

export interface Bar {
  readonly key: string;
  readonly status: EventStatus;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: { readonly at: number; readonly count: number };
}

export function totalsOf(steps: readonly Step[]): { all: number; peak: number; byStatus: Record<string, number> } {
  const byStatus: Record<string, number> = {};
  let all = 0;
  let peak = 0;
  for (const { statuses } of steps) {
    let inStep = 0;
    for (const [status, count] of Object.entries(statuses)) {
      byStatus[status] = (byStatus[status] ?? 0) + count;
      inStep += count;
    }
    all += inStep;
    peak = Math.max(peak, inStep);
  }
  return { all, peak, byStatus };
}

/** One bar a step, from the bottom up in the order of the statuses; one that is there is never too thin to be seen. */
export function stackedBars(
  steps: readonly Step[],
  { width, height, peak }: { width: number; height: number; peak: number },
): Bar[] {
  const slot = width / Math.max(1, steps.length);
  return steps.flatMap(({ at, statuses }, index) => {
    let top = height;
    return STATUS_ORDER.flatMap((status): Bar[] => {
      const count = statuses[status] ?? 0;
      if (count === 0) return [];
      const tall = Math.max(1.5, (count / peak) * (height - 12));
      top -= tall;
      const place = { x: index * slot + slot * 0.12, y: top, width: slot * 0.76, height: tall };
      return [{ key: `${at}-${status}`, status, ...place, title: { at, count } }];
    });
  });
}
