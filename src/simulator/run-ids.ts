import { hash } from 'node:crypto';

/**
 * Ids of one run. They hold the start time and the seed, so that no run meets what an earlier one left in the service,
 * while the same seed still plays the same histories.
 */
export class RunIds {
  private count = 0;
  private readonly prefix: string;
  private readonly digits: string;

  constructor(
    seed: number,
    private readonly startedAtMs: number,
  ) {
    this.prefix = `${startedAtMs.toString(36)}${seed.toString(36)}`;
    this.digits = `${String(startedAtMs % 86_400_000).padStart(8, '0')}${String(seed % 1_000).padStart(3, '0')}`;
  }

  /** Letters of both cases and digits, as the ids of customers and groups have them. */
  opaque(head: string): string {
    return `${head}${this.prefix}Ab${this.next()}`;
  }

  /** Digits past 2^53: whoever takes it for a number merges orders. */
  approvalNumber(): string {
    const date = new Date(this.startedAtMs).toISOString().slice(0, 10).replaceAll('-', '');
    return `${date}${this.digits}${String(this.next()).padStart(6, '0')}`;
  }

  /** The classic form: 19 digits. */
  longMessageId(): string {
    return `${this.startedAtMs}${String(this.next()).padStart(6, '0')}`;
  }

  /** The newer form: base64 with its three special characters. */
  base64MessageId(): string {
    return `${hash('sha256', `${this.prefix}/${this.next()}`, 'base64').slice(0, 30)}==`;
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }
}
