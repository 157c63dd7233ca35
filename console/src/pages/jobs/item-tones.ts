import type { Tone } from '../../parts/tone.js';

export const FORECAST_TONES: Readonly<Record<string, Tone>> = {
  'would-apply': 'good',
  'would-wait': 'warn',
  'would-be-stale': 'calm',
  'would-be-rejected': 'odd',
  'would-expire': 'calm',
  'would-be-dead': 'bad',
  'would-be-discarded': 'calm',
  'already-changed': 'calm',
  'not-found': 'calm',
};

export const RESULT_TONES: Readonly<Record<string, Tone>> = {
  redriven: 'good',
  discarded: 'calm',
  'changed-meanwhile': 'warn',
  'not-dead': 'warn',
  'not-waiting': 'warn',
  'not-found': 'bad',
};
