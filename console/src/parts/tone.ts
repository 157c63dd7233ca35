export type Tone = 'good' | 'calm' | 'warn' | 'bad' | 'info' | 'odd';

/** What a status means for whoever looks: fine, no matter, wait, act. */
export const STATUS_TONES: Readonly<Record<string, Tone>> = {
  APPLIED: 'good',
  STALE: 'calm',
  REJECTED: 'odd',
  EXPIRED: 'calm',
  DISCARDED: 'calm',
  RETRY: 'warn',
  PARKED: 'warn',
  REDRIVEN: 'info',
  DEAD: 'bad',
  DUPLICATE: 'calm',
};

/** In the order in which charts and lists show them. */
export const STATUS_ORDER = [
  ...(['APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED'] as const),
  ...(['RETRY', 'PARKED', 'REDRIVEN', 'DEAD'] as const),
];
