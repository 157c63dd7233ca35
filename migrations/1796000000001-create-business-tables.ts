import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Business tables of the built-in handlers. */
export class CreateBusinessTables1796000000001 implements MigrationInterface {
  readonly name = 'CreateBusinessTables1796000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = ['customer_group_member', 'customer_group', 'customer_relation', 'approval_order'];
    for (const table of tables) await runner.query(`DROP TABLE ${table}`);
  }
}

const UP = [
  `CREATE TABLE approval_order (
    entity_key TEXT NOT NULL PRIMARY KEY, sp_no TEXT NOT NULL, sp_name TEXT NOT NULL, template_id TEXT NOT NULL,
    applyer_user_id TEXT NOT NULL, status TEXT NOT NULL, effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_relation (
    entity_key TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, external_user_id TEXT NOT NULL, status TEXT NOT NULL,
    add_state TEXT NOT NULL, effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_group (
    entity_key TEXT NOT NULL PRIMARY KEY, chat_id TEXT NOT NULL, status TEXT NOT NULL, member_version TEXT NOT NULL,
    members_incomplete INTEGER NOT NULL, effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_group_member (
    entity_key TEXT NOT NULL, member_id TEXT NOT NULL, joined_at INTEGER, PRIMARY KEY (entity_key, member_id))`,
];
