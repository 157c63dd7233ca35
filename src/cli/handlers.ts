import { AdminApi, type AdminOption } from './admin-api.js';
import { say, writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { handlerLines, type HandlerList } from './handler-rows.js';
import { timeText } from './printable.js';

export interface HandlersOptions extends AdminOption, JsonOption {}

/** Which code takes which event, how that went, and what is paused. */
export async function handlers(context: CliContext, options: HandlersOptions): Promise<ExitCode> {
  const api = AdminApi.open(context, options);
  try {
    const list = await api.get<HandlerList>('handlers');
    if (options.json) writeJson(context, list);
    else {
      writeLines(context, handlerLines(list));
      say(context, `counted from events received since ${timeText(list.since)} UTC`);
    }
    return EXIT.ok;
  } finally {
    api.close();
  }
}
