/** How a case ended. `unsupported` is neither passed nor failed: something in it is not known here, or cannot be had. */
export type Verdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly reason: string };

export interface CaseReport {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** What a reader of the verdict has to know, such as a fault that was injected at a port. */
  readonly notes: readonly string[];
  readonly ms: number;
}

/** A step, fault, check, field or engine that is not known here. */
export class UnsupportedError extends Error {
  readonly code = 'CASE_UNSUPPORTED';
}

/** The product did something else than the case expects. */
export class CaseFailedError extends Error {
  readonly code = 'CASE_FAILED';
}

export function ensure(condition: boolean, reason: string | (() => string)): asserts condition {
  if (!condition) throw new CaseFailedError(typeof reason === 'string' ? reason : reason());
}

/** Compares by JSON, which is what cases are made of. */
export function ensureEqual(got: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(expected)];
  ensure(left === right, `${what}: expected ${right}, got ${left}`);
}

export function verdictOf(error: unknown): Verdict {
  if (error instanceof UnsupportedError) return { kind: 'unsupported', reason: error.message };
  if (error instanceof CaseFailedError) return { kind: 'failed', reason: error.message };
  return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
