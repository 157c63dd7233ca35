import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Type } from '@nestjs/common';
import { WecomEventHandler } from '../../src/handlers/wecom-event-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../../src/handlers/wecom-handler.js';
import type { WecomEvent } from '../../src/wecom/event.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { GatewayInProcess } from '../support/gateway-in-process.js';

/** Effects of the test handlers, without a unique key: a second effect has to show. */
export class CreateTestEffect1796000900000 implements MigrationInterface {
  readonly name = 'CreateTestEffect1796000900000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE test_effect (id INTEGER PRIMARY KEY AUTOINCREMENT, event_key TEXT NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE test_effect');
  }
}

/** One handler an event type: each writes its effect inside the event's transaction. */
export function countingHandlers(eventTypes: readonly string[]): Type<WecomHandler>[] {
  return eventTypes.map((event) => {
    @WecomEventHandler({ event })
    class CountingHandler implements WecomHandler {
      async handle(_event: WecomEvent, { manager, eventKey }: HandlerContext): Promise<void> {
        await manager.query('INSERT INTO test_effect (event_key) VALUES (?)', [eventKey]);
      }
    }
    return CountingHandler;
  });
}

/** Event keys of all effects: of the test handlers, and of the built-in ones by the ledger. */
export async function effectsOf(gateway: GatewayInProcess): Promise<string[]> {
  const rows = await gateway.gateway.app
    .get(UnitOfWork)
    .read<{ event_key: string }[]>(({ manager }) => manager.query('SELECT event_key FROM test_effect'));
  const { json } = await gateway.admin('entities/changes?limit=1000');
  return [
    ...rows.map((row) => row.event_key),
    ...(json.items as { eventKey: string }[]).map(({ eventKey }) => eventKey),
  ];
}
