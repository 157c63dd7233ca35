/** The pair in use, or the one that a rotation leads to. */
export type KeyPair = 'current' | 'next';

/** What the gateway saw and decided, carried to the event's history because the gateway has no database. */
export interface GatewayFacts {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Name of the gateway process. */
  readonly instance: string;
  /** What `claim` answered: `claimed`, `unavailable` (the guard was down), `own-copy` (another's claim never ended). */
  readonly guard: 'claimed' | 'unavailable' | 'own-copy';
  /** Since when it waited in the spool (ms), or null when it was published at once. */
  readonly spooledSince: number | null;
  /** Which pair of token and key the callback was signed with: tells how far a rotation is. */
  readonly keyPair?: KeyPair;
}

/** Version 1 of the envelope on every transport (interface.md, "Message envelope"). JSON in UTF-8. */
export interface Message {
  readonly v: 1;
  readonly eventKey: string;
  /** The receiver: name of the app whose URL was called. */
  readonly app: string;
  readonly corpId: string;
  readonly eventType: string;
  readonly changeType: string | null;
  /** Null when the event belongs to no entity: nothing orders it. */
  readonly entityKey: string | null;
  readonly msgId: string | null;
  /** Seconds since 1970, or null. */
  readonly createTime: number | null;
  readonly plaintext: string;
  /** Null while payloads are not encrypted. */
  readonly payloadKeyId: string | null;
  /** W3C trace context, or null. */
  readonly trace: string | null;
  readonly gateway: GatewayFacts;
}
