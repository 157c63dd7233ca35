import { afterEach, expect, it } from 'vitest';
import type { HandlerCall } from '../handlers/wecom-handler.js';
import { note } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

const open = async (options: RigOptions): Promise<WorkerRig> => (rig = await WorkerRig.open(options));
const things = (...ids: string[]) => ids.map((id, at) => rig.delivery(thingXml('latest_thing', id, at + 1)));
const single = (context: Parameters<typeof note>[0]) => note(context, 'alone').then(() => undefined);
const noteAll = async (calls: readonly HandlerCall[]): Promise<void> => {
  for (const { context } of calls) await note(context, `of ${calls.length}`);
};

it('gives the events of a batch to one call, in their order', async () => {
  const seen: string[] = [];
  const many = async (calls: readonly HandlerCall[]): Promise<void> => {
    seen.push(...calls.map(({ event, context }) => `${context.move?.entityKey.at(-1)}@${event.createTime}`));
    await noteAll(calls);
  };
  await open({ many: { latest_thing: many } });
  const [a, b, again] = things('a', 'b', 'a');
  const other = rig.delivery(thingXml('strict_thing', 's', 1));
  await rig.consume(a!, other, b!, again!);
  expect(seen).toEqual(['a@1', 'b@2', 'a@3']);
  expect(await rig.statuses(a!, other, b!, again!)).toEqual(Array(4).fill('APPLIED'));
  expect(await rig.notes()).toEqual(['of 3', 'of 3', 'of 3', 'applied']);
});

it('gives an event that is alone to handle', async () => {
  await open({ handlers: { latest_thing: single }, many: { latest_thing: noteAll } });
  await rig.consume(...things('a'));
  expect(await rig.notes()).toEqual(['alone']);
});

it('gives it no event that is not applied', async () => {
  await open({ handlers: { latest_thing: single }, many: { latest_thing: noteAll } });
  const [stale, newer] = [2, 3].map((second) => rig.delivery(thingXml('latest_thing', 'a', second)));
  const older = rig.delivery(thingXml('latest_thing', 'a', 1));
  await rig.consume(stale!, older, newer!);
  expect(await rig.statuses(stale!, older, newer!)).toEqual(['APPLIED', 'STALE', 'APPLIED']);
  expect(await rig.notes()).toEqual(['of 2', 'of 2']);
});

it('halves a batch that fails down to the event at fault; the others take effect', async () => {
  const sizes: number[] = [];
  const many = async (calls: readonly HandlerCall[]): Promise<void> => {
    sizes.push(calls.length);
    await noteAll(calls);
    if (calls.some(({ context }) => context.move?.entityKey.endsWith('/bad'))) throw new Error('one of them');
  };
  const one: typeof single = async (context) => {
    if (context.move?.entityKey.endsWith('/bad')) throw new Error('this one');
    await single(context);
  };
  await open({ handlers: { latest_thing: one }, many: { latest_thing: many } });
  const all = things('a', 'b', 'c', 'bad', 'e', 'f', 'g', 'h');
  await rig.consume(...all);
  expect(await rig.statuses(...all)).toEqual(['APPLIED', 'APPLIED', 'APPLIED', 'RETRY', ...Array(4).fill('APPLIED')]);
  expect((await rig.row(all[3]!))?.errorMessage).toBe('this one');
  expect(await rig.notes(all[3])).toEqual([]);
  expect(await rig.notes()).toHaveLength(7);
  expect(sizes).toEqual([8, 4, 2, 2, 4]);
});

it('numbers the commands of each event by itself', async () => {
  const many = async (calls: readonly HandlerCall[]): Promise<void> => {
    for (const name of ['first', 'second'])
      for (const { context } of calls) context.outbox.add({ kind: 'topic', name, topic: 't', key: 'k', body: 'b' });
  };
  await open({ many: { latest_thing: many } });
  const all = things('a', 'b');
  await rig.consume(...all);
  const rows = await rig.database.query<{ idempotency_key: string; command: string }>(
    'SELECT * FROM outbox ORDER BY id',
  );
  const named = rows.map((row) => [row.idempotency_key, (JSON.parse(row.command) as { name: string }).name]);
  expect(named).toEqual(
    all.flatMap(({ eventKey: key }) => [
      [`${key}:0`, 'first'],
      [`${key}:1`, 'second'],
    ]),
  );
});
