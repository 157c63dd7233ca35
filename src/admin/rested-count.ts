import type { Clock } from '../runtime/clock.js';

/** So that asking often costs 2 % of the event loop at most. */
const REST_FACTOR = 50;

/**
 * A count that is dear: everybody who asks meanwhile shares one, and after it comes a rest of fifty times what it took, in
 * which the last one is told again.
 */
export class RestedCount<T> {
  private known: { readonly value: T } | null = null;
  private restUntil = 0;
  private counting: Promise<T> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly count: () => Promise<T>,
  ) {}

  async read(): Promise<T> {
    if (this.known && this.clock.monotonic() < this.restUntil) return this.known.value;
    this.counting ??= this.measured().finally(() => (this.counting = null));
    return this.counting;
  }

  private async measured(): Promise<T> {
    const began = this.clock.monotonic();
    const value = await this.count();
    const now = this.clock.monotonic();
    this.known = { value };
    this.restUntil = now + (now - began) * REST_FACTOR;
    return value;
  }
}
