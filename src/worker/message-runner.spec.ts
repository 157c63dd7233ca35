import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { note } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
const open = async (options: Parameters<typeof WorkerRig.open>[0] = {}): Promise<void> => {
  rig = await WorkerRig.open(options);
};
afterEach(() => rig.close());

describe('what follows a message that was given back', () => {
  beforeEach(() => open());

  it('comes back with it, also when it is a second delivery of one behind it (simulation seed 34)', async () => {
    const [first, second] = [1, 2].map((second) => rig.delivery(thingXml('strict_thing', 'a', second)));
    const again = rig.again(second!);
    const elsewhere = rig.delivery(thingXml('strict_thing', 'b', 1));
    await rig.guard.acquire(first!.guardKey, 'another', 30_000, 600_000);
    await rig.consume(first!, second!, again, elsewhere, rig.again(elsewhere));
    expect(await rig.statuses(first!, second!, elsewhere)).toEqual([null, null, 'APPLIED']);
    for (const one of [first!, second!, again]) expect([one.settledCount, one.cameBackAfterMs]).toEqual([0, [1_000]]);
    expect(elsewhere.settledCount).toBe(1);
  });
});

describe('a group that took too long together', () => {
  it('lets nothing overtake the one of them that somebody else has taken since', async () => {
    let runs = 0;
    await open({
      maxLifeMs: 30_000,
      handlers: {
        strict_thing: async (context) => {
          runs += 1;
          if (runs === 1) await rig.clock.sleep(60_000, context.signal);
          await note(context);
        },
      },
    });
    const [first, second] = [1, 2].map((second) => rig.delivery(thingXml('strict_thing', 'a', second)));
    const release = rig.guard.release.bind(rig.guard);
    rig.guard.release = async (key, token) => {
      const result = await release(key, token);
      if (key === first!.guardKey) await rig.guard.acquire(key, 'another', 30_000, 600_000);
      return result;
    };
    await rig.consume(first!, second!);
    expect(await rig.statuses(first!, second!)).toEqual([null, null]);
    expect([first!.cameBackAfterMs, second!.cameBackAfterMs]).toEqual([[1_000], [1_000]]);
  });
});
