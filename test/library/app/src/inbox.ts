import { Controller, Get, Module, Post, Body } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryGeneratedColumn, type MigrationInterface, type QueryRunner, Repository } from 'typeorm';
import { textAt, WecomEventHandler } from 'wecom-callback-gateway';
import type { HandlerContext, WecomEvent, WecomHandler } from 'wecom-callback-gateway';

@Entity('inbox')
export class InboxRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'event_key', type: 'varchar', length: 64 })
  eventKey!: string;

  @Column({ type: 'text' })
  content!: string;
}

export class CreateInbox1800000000000 implements MigrationInterface {
  readonly name = 'CreateInbox1800000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE inbox (id INTEGER PRIMARY KEY, event_key TEXT NOT NULL, content TEXT NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE inbox');
  }
}

@WecomEventHandler({ event: 'text' })
export class InboxHandler implements WecomHandler {
  async handle({ fields }: WecomEvent, { manager, eventKey }: HandlerContext): Promise<void> {
    await manager.insert(InboxRow, { eventKey, content: textAt(fields, 'Content') ?? '' });
  }
}

/** Routes of the user's own, on the same port as the callbacks. */
@Controller('inbox')
export class InboxController {
  constructor(@InjectRepository(InboxRow) private readonly inbox: Repository<InboxRow>) {}

  @Get()
  list(): Promise<InboxRow[]> {
    return this.inbox.find({ order: { id: 'ASC' } });
  }

  @Post('echo')
  echo(@Body() body: { text: string }): { text: string } {
    return { text: body.text };
  }
}

@Module({ imports: [TypeOrmModule.forFeature([InboxRow])], controllers: [InboxController] })
export class InboxModule {}
