/** What this process had counted at one moment, since its start. */
export interface Sample {
  readonly at: number;
  /** Verified callbacks by answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** Callbacks that were refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Answers of success by the upper bound of their bucket in seconds, each bucket with all smaller ones. */
  readonly buckets: readonly Bucket[];
}

export interface Bucket {
  /** Infinity for the last one. */
  readonly leSeconds: number;
  readonly count: number;
}

/** Counters of a process only grow, so what lies between two samples is their difference. */
export function between(earlier: Sample, later: Sample): Sample {
  return {
    at: later.at,
    answers: lessOf(later.answers, earlier.answers),
    refused: lessOf(later.refused, earlier.refused),
    buckets: later.buckets.map(({ leSeconds, count }) => {
      const before = earlier.buckets.find((bucket) => bucket.leSeconds === leSeconds)?.count ?? 0;
      return { leSeconds, count: count - before };
    }),
  };
}

/** The newest sample that is at least as old as `at`; the oldest one while none is. */
export function sampleAt(samples: readonly Sample[], at: number): Sample | null {
  return samples.findLast((sample) => sample.at <= at) ?? samples[0] ?? null;
}

/**
 * The upper bound of the bucket that holds the share: a histogram knows no more, and a value guessed inside of it would
 * look more exact than it is. Infinity: beyond the last bound. Null without an answer.
 */
export function quantileBound(buckets: readonly Bucket[], share: number): number | null {
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const wanted = Math.ceil(share * total);
  return buckets.find(({ count }) => count >= wanted)?.leSeconds ?? null;
}

function lessOf(
  later: Readonly<Record<string, number>>,
  earlier: Readonly<Record<string, number>>,
): Record<string, number> {
  const entries = Object.entries(later).map(([key, value]) => [key, value - (earlier[key] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value > 0));
}
