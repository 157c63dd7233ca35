import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const common = { setupFiles: ['test/support/nothing-left.ts'], testTimeout: 20_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    // Tests wait for servers and timers more than they work: on two cores, one at a time leaves most of both idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['src/**/*.spec.ts', 'test/rules/**/*.spec.ts', 'test/services/**/*.spec.ts'],
        },
      },
      // The console's pure parts; what it draws is tried in a browser.
      { test: { ...common, name: 'console', include: ['console/src/**/*.spec.ts'] } },
      { test: { ...common, name: 'contract', include: ['test/contract/**/*.contract.ts'] } },
      { test: { ...common, name: 'cases', include: ['test/cases/**/*.spec.ts'] } },
      // The parts of the simulation; long runs of it are `npm run test:sim`.
      { test: { ...common, name: 'sim', include: ['test/simulation/**/*.sim-spec.ts'], testTimeout: 120_000 } },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['test/e2e/**/*.e2e-spec.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      // The built console in Chromium, on data that the simulator makes (npm run test:browser).
      {
        test: {
          ...common,
          name: 'browser',
          include: ['test/browser/**/*.browser-spec.ts'],
          // A page takes a second; on a machine that is busy with other suites ten.
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      // Pictures for docs/console.md (npm run screenshots).
      {
        test: {
          ...common,
          name: 'screenshots',
          include: ['test/browser/screenshots.ts'],
          testTimeout: 300_000,
          hookTimeout: 240_000,
        },
      },
      // Needs real services (npm run test:int); not part of `npm test`.
      {
        test: {
          ...common,
          name: 'int',
          include: ['test/integration/**/*.int-spec.ts'],
          testTimeout: 60_000,
          // MySQL takes five seconds to set up its data on an idle machine.
          hookTimeout: 120_000,
        },
      },
      // Damaged input for as long as FUZZ_SECONDS says (npm run test:fuzz).
      {
        test: {
          ...common,
          name: 'fuzz',
          include: ['test/fuzz/**/*.fuzz-spec.ts'],
          testTimeout: 86_400_000,
          hookTimeout: 60_000,
        },
      },
      // Minutes of load on real services that fail on the way (npm run test:chaos).
      { test: { ...common, name: 'chaos', include: ['test/chaos/**/*.chaos-spec.ts'] } },
    ],
  },
});
