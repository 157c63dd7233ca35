import { expect, it } from 'vitest';
import { progressOf } from './progress.js';

const job = { dryRun: true, total: 10, forecastDone: 4, done: 0, startedAt: null };

it.each([
  [
    { ...job, status: 'COLLECTING' },
    { phase: 'collect', done: 0, total: 10 },
  ],
  [
    { ...job, status: 'FORECASTING' },
    { phase: 'forecast', done: 4, total: 10 },
  ],
  [
    { ...job, status: 'DRAFT', forecastDone: 10 },
    { phase: 'forecast', done: 10, total: 10 },
  ],
  [
    { ...job, status: 'PAUSED' },
    { phase: 'forecast', done: 4, total: 10 },
  ],
  [
    { ...job, status: 'RUNNING', startedAt: 5 },
    { phase: 'run', done: 0, total: 10 },
  ],
  [
    { ...job, status: 'PAUSED', startedAt: 5, done: 3 },
    { phase: 'run', done: 3, total: 10 },
  ],
  [
    { ...job, status: 'CANCELLED', dryRun: false, done: 3 },
    { phase: 'run', done: 3, total: 10 },
  ],
] as const)('of %j is %j', (given, expected) => {
  expect(progressOf(given)).toEqual(expected);
});
