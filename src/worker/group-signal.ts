import type { LeasedItem } from './work-item.js';

/** Aborts with the first reason among the group's leases and lanes. `stop` ends the listening. */
export function groupSignal(group: readonly LeasedItem[]): { signal: AbortSignal; stop: () => void } {
  const abort = new AbortController();
  const sources = new Set<AbortSignal>();
  for (const item of group) {
    sources.add(item.lease.signal);
    if (item.stop) sources.add(item.stop);
    if (item.origin.kind === 'message') sources.add(item.origin.delivery.signal);
  }
  const onAbort = (event: Event): void => abort.abort((event.target as AbortSignal).reason);
  for (const source of sources) {
    if (source.aborted) abort.abort(source.reason);
    source.addEventListener('abort', onAbort, { once: true });
  }
  const stop = (): void => {
    for (const source of sources) source.removeEventListener('abort', onAbort);
  };
  return { signal: abort.signal, stop };
}
