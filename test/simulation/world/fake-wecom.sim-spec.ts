import { describe, expect, it } from 'vitest';
import { FakeWecom, type WecomHabits } from './fake-wecom.js';
import { NO_FAULTS } from './faults.js';
import { World } from './world.js';

const CROWDED: WecomHabits = {
  ...{ events: 22, repeatsAfterStatus: true, duplicateChance: 0, disorderMs: 0, failShare: 0, slowShare: 0 },
  ...{ killShare: 0, isCrowded: true },
};

describe('the simulated WeCom', () => {
  // A member deleted, created anew and deleted again within a second: found by seed 5214.
  it('takes two happenings of one text for one event, as every receiver has to', async () => {
    let sends = 0;
    let events = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const world = new World(seed, NO_FAULTS);
      const wecom = new FakeWecom(world, CROWDED, () => {
        sends += 1;
        return Promise.resolve({ kind: 'success', how: 'published', eventKey: '' });
      });
      wecom.start();
      await world.scheduler.run(30_000, () => wecom.isQuiet);
      const texts = wecom.events.map(({ app, plaintext }) => `${app} ${plaintext}`);
      expect(new Set(texts).size).toBe(texts.length);
      events += texts.length;
    }
    expect(sends).toBeGreaterThan(events);
  });
});
