import { afterEach, beforeEach, describe, it } from 'vitest';
import type { Transport } from '../../src/transport/transport.js';
import { lifecycleScenarios } from './transport.lifecycle-scenarios.js';
import { deliveryScenarios } from './transport.scenarios.js';

/** What a transport can do beyond the port's promise, or cannot: declared by each adapter. */
export interface TransportFeatures {
  /** A second group on one topic gets every message too. Otherwise it is refused. */
  readonly secondGroup: boolean;
  /** Another instance of the same group takes over what a dead one held: the harness has a `peer`. */
  readonly takeover: boolean;
  /** A settle that resolved is never forgotten, also not in a crash. */
  readonly settleIsDurable: boolean;
  /** How long the server waits for a message in hand before it gives it to others; null when it has no such limit. */
  readonly visibilityMs: number | null;
  /** The largest body, in bytes. */
  readonly bodyBytesMax: number;
}

/** One transport with data of its own. Every scenario gets a fresh one. */
export interface TransportHarness {
  readonly features: TransportFeatures;
  /** How long a scenario waits for what must happen. */
  readonly patienceMs: number;
  /** An open transport without messages; topics spring into being. */
  make(): Promise<Transport>;
  /** Crash: leaves the present instance as it is, without a close, and opens another on the data as they lie there. */
  reopen(): Promise<Transport>;
  /** A second instance beside the present one, on the same data. Only with the feature `takeover`. */
  peer?(): Promise<Transport>;
  /** From now on publishes are not acknowledged. */
  fail(): Promise<void>;
  heal(): Promise<void>;
  /** Closes all instances, crashed ones too, and removes the data. */
  close(): Promise<void>;
}

export interface TransportScenario {
  readonly name: string;
  /** Does not apply to a transport that lacks it. */
  readonly needs?: 'takeover' | 'settleIsDurable';
  run(harness: TransportHarness): Promise<void>;
}

export const transportScenarios = [...deliveryScenarios, ...lifecycleScenarios];

/** Checks every sentence of the port's promise against one adapter. */
export function describeTransport(
  name: string,
  features: TransportFeatures,
  createHarness: () => TransportHarness,
): void {
  describe(`transport contract: ${name}`, () => {
    let harness: TransportHarness;

    beforeEach(() => {
      harness = createHarness();
    });
    afterEach(() => harness.close());

    for (const scenario of transportScenarios) {
      const { name: sentence, needs } = scenario;
      // A skipped test is one that should have run here; what an adapter declares it lacks is none.
      if (needs === undefined || features[needs]) it(sentence, () => scenario.run(harness), 120_000);
    }
  });
}
