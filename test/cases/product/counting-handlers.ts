import type { Type } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forDialect } from '../../../migrations/for-dialect.js';
import { ApprovalHandler } from '../../../src/handlers/approval/approval.handler.js';
import { CustomerGroupHandler } from '../../../src/handlers/customer-group/customer-group.handler.js';
import { CustomerRelationHandler } from '../../../src/handlers/customer-relation/customer-relation.handler.js';
import {
  HANDLER_METADATA,
  WecomEventHandler,
  type HandlerOptions,
} from '../../../src/handlers/wecom-event-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../../../src/handlers/wecom-handler.js';
import { EVENT_CATALOGUE } from '../../../src/wecom/event-catalogue.js';
import type { WecomEvent } from '../../../src/wecom/event.js';
import { handlerFaults } from './handler-faults.js';
import { journal, wallClock } from './journal.js';

/** Effects of the test handlers, without a unique key: a second effect has to show. */
export class CreateTestEffect1796000900000 implements MigrationInterface {
  readonly name = 'CreateTestEffect1796000900000';

  up(runner: QueryRunner): Promise<void> {
    return forDialect(runner, {
      sqlite: ['CREATE TABLE test_effect (id INTEGER PRIMARY KEY AUTOINCREMENT, event_key TEXT NOT NULL)'],
      mysql: [
        `CREATE TABLE test_effect (
          id BIGINT PRIMARY KEY AUTO_INCREMENT, event_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL)`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE test_effect');
  }
}

/** Managers of the transactions in which a test handler has run; the port faults look for them at the commit. */
export const handledIn = new WeakSet<object>();

const BUILT_IN: readonly Type<WecomHandler>[] = [ApprovalHandler, CustomerRelationHandler, CustomerGroupHandler];

/**
 * Test handlers for every event that the catalogue lists; those of built-in handlers do the built-in work besides, under
 * the same state machine. Events that nobody has listed have no handler.
 */
export function countingHandlers(): Type<WecomHandler>[] {
  const builtIn = BUILT_IN.map((type) => {
    const options = Reflect.getMetadata(HANDLER_METADATA, type) as HandlerOptions;
    return { options, inner: new type() };
  });
  const taken = new Set(builtIn.flatMap(({ options }) => names(options.event, options.changeType)));
  const listed = EVENT_CATALOGUE.map(({ eventType, changeType }): HandlerOptions => ({
    event: eventType,
    ...(changeType === null ? {} : { changeType }),
  }));
  const others = listed.filter(({ event, changeType }) => !names(event, changeType).some((name) => taken.has(name)));
  return [...builtIn, ...others.map((options) => ({ options, inner: null }))].map(({ options, inner }) =>
    countingHandler(options, inner),
  );
}

function names(event: string, changeType: string | readonly string[] | undefined): string[] {
  const changeTypes = [changeType ?? []].flat();
  return changeTypes.length === 0 ? [event] : changeTypes.map((type) => `${event}/${type}`);
}

function countingHandler(options: HandlerOptions, inner: WecomHandler | null): Type<WecomHandler> {
  @WecomEventHandler(options)
  class CountingHandler implements WecomHandler {
    async handle(event: WecomEvent, context: HandlerContext): Promise<void> {
      const { manager, eventKey } = context;
      journal({ kind: 'began', eventKey, pid: process.pid, at: wallClock() });
      handledIn.add(manager);
      try {
        await handlerFaults.around(event, context, async () => {
          await manager.query('INSERT INTO test_effect (event_key) VALUES (?)', [eventKey]);
          await inner?.handle(event, context);
        });
      } finally {
        journal({ kind: 'ended', eventKey, pid: process.pid, at: wallClock() });
      }
    }
  }
  return CountingHandler;
}
