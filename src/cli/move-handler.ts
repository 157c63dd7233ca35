import { AdminApi, type AdminOption } from './admin-api.js';
import { writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { UsageError } from './cli-errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { pausedLines, type HandlerList } from './handler-rows.js';
import { printable } from './printable.js';

export type HandlerMove = 'pause' | 'resume';

export interface MoveHandlerOptions extends AdminOption, JsonOption {
  readonly reason?: string;
}

/** A resume answers when everything that waited has been woken. */
const RESUME_TIMEOUT_MS = 300_000;

/** Asked for twice, it is done once: both times it ends with 0. */
export async function moveHandler(
  context: CliContext,
  move: HandlerMove,
  handler: string,
  options: MoveHandlerOptions,
): Promise<ExitCode> {
  const { reason = '' } = options;
  if (move === 'pause' && reason.trim() === '')
    throw new UsageError('a pause needs --reason: whoever finds the handler paused has to know why');
  const api = AdminApi.open(context, options);
  try {
    const path = `handlers/${encodeURIComponent(handler)}/${move}`;
    const timeoutMs = move === 'resume' ? RESUME_TIMEOUT_MS : undefined;
    const { paused } = await api.post<HandlerList>(path, { reason }, timeoutMs);
    const pause = paused.find((one) => one.handler === handler) ?? null;
    if (options.json) writeJson(context, { handler, pause });
    else writeLines(context, pause === null ? [`${printable(handler)} runs its events`] : pausedLines([pause]));
    // Somebody else may have been as fast, the other way.
    return (pause !== null) === (move === 'pause') ? EXIT.ok : EXIT.notSo;
  } finally {
    api.close();
  }
}
