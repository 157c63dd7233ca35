import type { WecomEvent } from '../../../src/wecom/event.js';
import type { HandlerContext } from '../../../src/handlers/wecom-handler.js';
import { fits, valuesAt } from '../runner/field-paths.js';
import type { FaultSpec } from './control.js';
import { takeTurn } from './journal.js';

interface Active {
  readonly fault: FaultSpec;
  timesLeft: number;
}

/**
 * How the test handler behaves. A fault without `match` or `times` is its behaviour until the next one; with `match` it
 * adds to others; with `times` it lies over the rest until it is used up.
 */
class HandlerFaults {
  private lasting: Active[] = [];
  private counted: Active[] = [];

  set(fault: FaultSpec): void {
    if (fault.what === 'handler.normal') {
      this.lasting = [];
      this.counted = [];
      return;
    }
    const active = { fault, timesLeft: Number(fault['times'] ?? Infinity) };
    if (fault['times'] !== undefined) this.counted.push(active);
    else if (fault['match'] === undefined) this.lasting = [active];
    else this.lasting.push(active);
  }

  /** Runs around the effect; `write` makes it. */
  async around(event: WecomEvent, context: HandlerContext, write: () => Promise<void>): Promise<void> {
    const fitting = [...this.counted, ...this.lasting].filter(({ fault }) => isFor(fault, event));
    for (const one of fitting) one.timesLeft -= 1;
    this.counted = this.counted.filter(({ timesLeft }) => timesLeft > 0);
    const active = fitting.filter(
      ({ fault }) => fault['turns'] === undefined || takeTurn(String(fault['turns']), Number(fault['times'])),
    );
    for (const { fault } of active) await before(fault, context);
    await write();
  }
}

export const handlerFaults = new HandlerFaults();

function isFor(fault: FaultSpec, { fields }: WecomEvent): boolean {
  const match = Object.entries((fault['match'] ?? {}) as Record<string, string>);
  return match.every(([path, pattern]) => fits(valuesAt(fields, path)[0], pattern));
}

async function before({ what, ...fault }: FaultSpec, { manager, signal, eventKey }: HandlerContext): Promise<void> {
  const ms = Number(fault['ms'] ?? 0);
  switch (what) {
    case 'handler.fail':
    case 'handler.failFor':
      throw new Error('the test handler was told to fail');
    case 'handler.slow':
    case 'handler.slowFor':
      return pause(ms, signal);
    case 'handler.stall':
      // A worker that hangs does not look at its signal either.
      await pause(ms);
      if (fault['then'] === 'throw') throw new Error('the test handler stalled and was told to fail');
      return;
    case 'handler.blockLoop': {
      const end = performance.now() + ms;
      while (performance.now() < end);
      return;
    }
    case 'handler.pauseBeforeWrite':
      await manager.query('SELECT COUNT(*) FROM test_effect WHERE event_key = ?', [eventKey]);
      return pause(ms, signal);
    default:
      throw new Error(`no handler fault ${what}`);
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
