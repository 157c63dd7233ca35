import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which ranks an entity has met within its last second. Rows from before it remember none, which is what they knew.
 * Adding a column is repeated without harm only where the server says that it is there: hence the look.
 */
export class AddSecondRanks1796000000006 implements MigrationInterface {
  readonly name = 'AddSecondRanks1796000000006';

  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasColumn('saga', 'second_ranks')))
      await runner.query('ALTER TABLE saga ADD COLUMN second_ranks INT NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saga DROP COLUMN second_ranks');
  }
}
