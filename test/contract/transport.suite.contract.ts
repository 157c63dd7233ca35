import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/transport/transport.js';
import { transportMutants, type TransportMutant } from './transport.mutants.js';
import { SqliteHarness } from './transport.sqlite-harness.js';
import { transportScenarios } from './transport.suite.js';

// A right transport needs a fraction of this; a broken one is waited for all of it.
const PATIENCE_MS = 800;

class MutantHarness extends SqliteHarness {
  constructor(private readonly mutant: TransportMutant) {
    super(PATIENCE_MS);
  }

  override async make(): Promise<Transport> {
    return this.mutant.spoil(await super.make());
  }

  override async reopen(): Promise<Transport> {
    return this.mutant.spoil(await super.reopen());
  }
}

describe('the transport contract itself', () => {
  for (const mutant of transportMutants) {
    for (const beginning of mutant.caughtBy) {
      it(`a transport that ${mutant.name} fails "${beginning} …"`, async () => {
        const scenario = transportScenarios.find(({ name }) => name.startsWith(beginning))!;
        const harness = new MutantHarness(mutant);
        try {
          await expect(scenario.run(harness)).rejects.toThrow();
        } finally {
          await harness.close();
        }
      });
    }
  }
});
