import { performance } from 'node:perf_hooks';
import { Clock, type Timer } from './clock.js';

/** The machine's own time. */
export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }

  override monotonic(): number {
    return performance.now();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(asError(signal.reason));
        return;
      }
      const stop = (): void => {
        clearTimeout(handle);
        reject(asError(signal?.reason));
      };
      const handle = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  override after(ms: number, task: () => void): Timer {
    const handle = setTimeout(task, ms);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  }

  override every(ms: number, task: () => void): Timer {
    const handle = setInterval(task, ms);
    handle.unref();
    return { cancel: () => clearInterval(handle) };
  }

  override nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
