import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { expect, it } from 'vitest';
import { LentRunner } from './lent-runner.js';

it('ends when the statement under way has ended, so that none comes between commit and the next transaction', async () => {
  const order: string[] = [];
  let answer = (): void => undefined;
  const shared = {
    query: () => new Promise<void>((resolve) => (answer = () => (order.push('statement'), resolve()))),
  } as unknown as QueryRunner;
  const writer = {
    createEntityManager: (runner: QueryRunner) =>
      ({ query: (sql: string) => runner.query(sql) }) as unknown as EntityManager,
    createQueryRunner: () => shared,
    driver: { databaseConnection: { isTransaction: true } },
  } as unknown as DataSource;
  const lent = new LentRunner(writer);
  const statement = lent.manager.query('INSERT …');
  const ended = lent.end().then(() => order.push('end'));
  await expect(lent.manager.query('INSERT …')).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' });
  answer();
  await Promise.all([statement, ended]);
  expect(order).toEqual(['statement', 'end']);
});
