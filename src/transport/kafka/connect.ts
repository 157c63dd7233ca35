import type { Clock } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import type { ClientError, ClusterMetadata } from './kafka-client.js';

// The metadata request holds a thread of the pool for as long as no broker answers, so it is kept short.
const METADATA_LIMIT_MS = 2_000;
// Own limit as well: with a wrong password the client may go on for ever without a word.
const CONNECT_LIMIT_MS = METADATA_LIMIT_MS + 2_000;
const RECONNECT_AFTER_MS = 500;
const LOOK_EVERY_MS = 100;

interface Connectable {
  connect(
    options: { timeout: number },
    callback: (error: ClientError | null | undefined, metadata: ClusterMetadata) => void,
  ): unknown;
}

interface Attempts<T> {
  readonly create: () => T;
  readonly failed: (error: unknown) => void;
  /** Called now and then while it waits: a client tells why it cannot connect only to those who ask. */
  readonly look?: (native: T) => void;
  /** Lets go of an instance that has not connected. */
  readonly dispose: (native: T) => void;
}

/** Tries with a new instance each time until one has reached a broker. Rejects only when `signal` aborts. */
export async function connectUntil<T extends Connectable>(
  clock: Clock,
  signal: AbortSignal,
  { create, failed, look, dispose }: Attempts<T>,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const native = create();
    const looking = clock.every(LOOK_EVERY_MS, () => look?.(native));
    try {
      await within(clock, CONNECT_LIMIT_MS, 'connecting to Kafka', unlessAborted(signal, reached(native)));
      return native;
    } catch (error) {
      dispose(native);
      failed(error);
    } finally {
      looking.cancel();
    }
    await clock.sleep(RECONNECT_AFTER_MS, signal);
  }
}

function reached(native: Connectable): Promise<void> {
  return new Promise((resolve, reject) => {
    native.connect({ timeout: METADATA_LIMIT_MS }, (error) => (error ? reject(error) : resolve()));
  });
}

/** `work`, or a rejection with the signal's reason as soon as it aborts. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
