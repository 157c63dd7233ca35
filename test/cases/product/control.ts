/** A fault as the case names it: `what`, and its fields. */
export interface FaultSpec {
  readonly what: string;
  readonly [field: string]: any;
}

/** What the runner asks of the product under test, over Node's own channel to a child. */
export type Ask =
  | { readonly ask: 'fault'; readonly fault: FaultSpec }
  /** Stop at this point of handling, once, and tell. */
  | { readonly ask: 'arm'; readonly point: string }
  | { readonly ask: 'resume' }
  | { readonly ask: 'rows'; readonly table: string }
  | { readonly ask: 'publish'; readonly topic: 'events' | 'dlq'; readonly orderingKey: string; readonly body: string }
  | { readonly ask: 'heap' };

export type ToProduct = Ask & { readonly id: number };

export type FromProduct =
  | { readonly kind: 'started'; readonly port: number; readonly adminPort: number }
  | { readonly kind: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: string }
  | { readonly kind: 'point'; readonly point: string };

/** Lines of the journal, which outlives a killed process. */
export type JournalLine =
  | { readonly kind: 'published'; readonly topic: string; readonly orderingKey: string; readonly body: string }
  /** Put onto a topic, and settled there: what is between the two is under way. */
  | { readonly kind: 'sent' | 'settled'; readonly topic: string; readonly body: string }
  | { readonly kind: 'taken-away'; readonly topic: string }
  | {
      readonly kind: 'began' | 'ended';
      readonly eventKey: string;
      readonly pid: number;
      /** Milliseconds since 1970. */
      readonly at: number;
    };

/** Points of handling where a fault can be injected, each once a step of the protocol has been done or is about to be. */
export const POINTS = [
  ...['after-claim', 'before-publish', 'after-publish', 'before-confirm', 'after-acquire', 'before-commit'],
  ...['after-commit', 'before-mark', 'after-mark', 'before-settle'],
];

/** `after-claim-before-publish` is `after-claim`: the points follow each other in this order. */
export function pointOf(name: string): string | null {
  if (POINTS.includes(name)) return name;
  const [, after, before] = /^(after-[a-z]+)-(before-[a-z]+)$/.exec(name) ?? [];
  const [from, to] = [POINTS.indexOf(after ?? ''), POINTS.indexOf(before ?? '')];
  return after !== undefined && from >= 0 && to > from ? after : null;
}
