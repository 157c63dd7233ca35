import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditLog } from '../access/audit-log.js';
import type { EventRow } from '../event-log/event-log.js';
import { thingXml, WorkerRig } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
let dead: EventRow;

beforeEach(async () => {
  rig = await WorkerRig.open();
  const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
  dead = await rig.put(delivery, { status: 'DEAD', attempt: 1, dueAt: null });
});
afterEach(() => rig.close());

const audited = async (): Promise<unknown[]> => {
  const entries = await rig.writes.read((tx) => new AuditLog().list(tx, { limit: 100 }));
  return entries.reverse().map(({ actor, action, target, detail }) => [actor, action, target, detail['result']]);
};

describe('an operator who comes second', () => {
  it('is in the audit as well, with what came of it', async () => {
    const target = `event:${dead.id}`;
    for (const actor of ['kim', 'lee']) await rig.operator.run('redrive', [dead], { actor, reason: '' });
    await rig.operator.run('discard', [dead], { actor: 'mo', reason: '' });
    expect(await audited()).toEqual([
      ['kim', 'redrive', target, undefined],
      ['lee', 'redrive.missed', target, 'changed-meanwhile'],
      ['mo', 'discard.missed', target, 'changed-meanwhile'],
    ]);
  });

  it('in a job has the rows of the job for it, and the audit does not grow by them', async () => {
    await rig.operator.run('redrive', [dead], { actor: 'kim', reason: '' });
    await rig.operator.run('redrive', [dead], { actor: 'lee', reason: '', jobId: 7 });
    expect(await audited()).toHaveLength(1);
  });
});
