// The parts between the marks stand in both READMEs, word for word but for the package's name; see
// test/e2e/readme-handler.e2e-spec.ts, which compares them and runs them.

// readme:handler
import { textAt, UnrecoverableError, WecomEventHandler } from '../../src/index.js';
import type { HandlerContext, WecomEvent, WecomHandler } from '../../src/index.js';

@WecomEventHandler({ event: 'text' })
export class TextMessageHandler implements WecomHandler {
  async handle(event: WecomEvent, { manager, eventKey }: HandlerContext): Promise<void> {
    const sender = textAt(event.fields, 'FromUserName');
    if (!sender) throw new UnrecoverableError('a text message without a sender');
    // Commits together with the event's own row, or not at all.
    await manager.insert(InboxRow, { eventKey, sender, content: textAt(event.fields, 'Content') ?? '' });
  }
}
// readme:end

// readme:table
import { Column, Entity, PrimaryGeneratedColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

@Entity('inbox')
export class InboxRow {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ name: 'event_key', type: 'varchar', length: 64 })
  eventKey!: string;

  @Column({ type: 'varchar', length: 64 })
  sender!: string;

  @Column({ type: 'text' })
  content!: string;
}

export class CreateInbox1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE inbox (id INTEGER PRIMARY KEY, event_key TEXT NOT NULL, sender TEXT NOT NULL, content TEXT NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE inbox');
  }
}
// readme:end

// readme:start
import { loadConfig, startGateway, SystemRandom, systemConfigSources, type ConfigSources } from '../../src/index.js';

export function start(env: ConfigSources['env']) {
  return startGateway({
    config: loadConfig(systemConfigSources(env, new SystemRandom())),
    handlers: [TextMessageHandler],
    entities: [InboxRow],
    migrations: [CreateInbox1800000000000],
  });
}
// readme:end
