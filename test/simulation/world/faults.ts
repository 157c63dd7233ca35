import type { SeededRandom } from '../../../src/simulator/seeded-random.js';
import type { CrashPoint } from './world.js';

/** Everything that may go wrong. A run over many seeds has to have hit each of them. */
export const FAULTS = [
  ...(['crash', 'handler-kills', 'pause', 'lost-request', 'lost-reply', 'slow-call', 'partition', 'outage'] as const),
  ...(['guard-flush', 'guard-failover', 'disk-full', 'disk-error', 'torn-write', 'lost-write', 'clock-step'] as const),
  ...(['wecom-duplicate', 'wecom-disorder', 'wecom-retry', 'wecom-answer-lost', 'redelivery', 'rebalance'] as const),
  ...(['repartition', 'double-publish', 'moved-to-dlq', 'lock-timeout', 'deadlock-at-random'] as const),
  ...(['abandoned-transaction', 'late-commit', 'operator-race', 'handler-fails', 'handler-slow'] as const),
  ...(['handler-paused'] as const),
] as const;
export type Fault = (typeof FAULTS)[number];

/** How much of each fault a schedule has. Most have some of them only: a storm of all hides what two can do. */
export interface FaultProfile {
  /** Chance at each call, by kind. */
  readonly perCall: { crash: number; lostRequest: number; lostReply: number; slow: number; deadlock: number };
  /** Times within the schedule. */
  readonly times: Readonly<Record<Calamity, number>>;
  /** Ends at one kind of step: by chance alone hardly any process ends between two given ones. */
  readonly crashPoints: readonly CrashPoint[];
}

export const CALAMITIES = [
  ...(['crash', 'pause', 'partition', 'outage', 'guard-flush', 'guard-failover', 'disk-full', 'disk-error'] as const),
  ...(['clock-step', 'redelivery', 'rebalance', 'repartition', 'moved-to-dlq'] as const),
] as const;
export type Calamity = (typeof CALAMITIES)[number];

const TIMES_MAX: Readonly<Record<Calamity, number>> = {
  crash: 4,
  pause: 3,
  partition: 3,
  outage: 2,
  'guard-flush': 2,
  'guard-failover': 1,
  'disk-full': 1,
  'disk-error': 2,
  'clock-step': 2,
  redelivery: 5,
  rebalance: 3,
  repartition: 3,
  'moved-to-dlq': 1,
};
const ENABLED_CHANCE = 0.45;

/** Where a promise hangs between the step before and the step after. */
const CRASH_LABELS = [
  ...(['guard.claim', 'guard.confirm', 'guard.acquire', 'guard.start', 'guard.complete', 'guard.release'] as const),
  ...(['broker.publish events', 'broker.settle events', 'broker.settle dlq', 'disk.append'] as const),
  ...(['db.start', 'db.commit', 'db.rollback', 'db.insert saga', 'db.update saga', 'db.select saga locking'] as const),
  ...(['db.insert event_log', 'db.update event_log', 'db.insert outbox', 'disk.sync', 'disk.remove'] as const),
] as const;
const CRASH_POINTS_MAX = 3;
const CRASH_SKIP_MAX = 10;

export const NO_FAULTS: FaultProfile = {
  perCall: { crash: 0, lostRequest: 0, lostReply: 0, slow: 0, deadlock: 0 },
  times: Object.fromEntries(CALAMITIES.map((kind) => [kind, 0])) as Record<Calamity, number>,
  crashPoints: [],
};

export function drawProfile(random: SeededRandom): FaultProfile {
  const rate = (max: number): number => (random.chance(ENABLED_CHANCE) ? max * random.fraction() : 0);
  const perCall = {
    crash: rate(0.002),
    lostRequest: rate(0.02),
    lostReply: rate(0.03),
    slow: rate(0.03),
    deadlock: rate(0.02),
  };
  const times = Object.fromEntries(
    CALAMITIES.map((kind) => [kind, random.chance(ENABLED_CHANCE) ? 1 + random.upTo(TIMES_MAX[kind] - 1) : 0]),
  ) as Record<Calamity, number>;
  const count = random.chance(ENABLED_CHANCE) ? 1 + random.upTo(CRASH_POINTS_MAX - 1) : 0;
  const crashPoints = Array.from({ length: count }, () => ({
    ...{ label: random.pick(CRASH_LABELS), when: random.pick(['before', 'after'] as const) },
    skip: random.upTo(CRASH_SKIP_MAX),
  }));
  return { perCall, times, crashPoints };
}
