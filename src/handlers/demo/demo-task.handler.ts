import { textAt } from '../../entity-types/fields.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import type { WecomEvent } from '../../wecom/event.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';

/** What `npm run simulate` fails on purpose, so that retries and dead letters can be seen. Only with the demo app. */
@BuiltInHandler()
@WecomEventHandler({ event: 'demo_task' })
export class DemoTaskHandler implements WecomHandler {
  async handle({ fields }: WecomEvent, { attempt }: HandlerContext): Promise<void> {
    if (textAt(fields, 'Fatal') === '1')
      throw new UnrecoverableError('the simulator asked for it', { code: 'DEMO_FATAL' });
    const failTimes = Number(textAt(fields, 'FailTimes') ?? '0');
    if (attempt <= failTimes) throw new Error(`the simulator asked for ${failTimes} failure(s)`);
  }
}
