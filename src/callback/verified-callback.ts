import type { FastifyRequest } from 'fastify';
import type { App } from '../config/config.js';
import type { KeyPair } from '../transport/message.js';
import type { WecomEvent } from '../wecom/event.js';
import type { RequestBudget } from './request-budget.js';

/** A callback whose signature was checked and whose text was decrypted. */
export interface VerifiedCallback {
  readonly app: App;
  readonly plaintext: string;
  readonly corpId: string;
  readonly eventType: string;
  /** Null for a text that does not parse: it is queued as it is and becomes a dead letter. */
  readonly event: WecomEvent | null;
  readonly eventKey: string;
  readonly entityKey: string | null;
  readonly keyPair: KeyPair;
  readonly receivedAt: number;
  /** The signed time of the request, seconds since 1970 by the sender's clock; null when it is no number. */
  readonly sentAt: number | null;
  readonly trace: string | null;
  readonly budget: RequestBudget;
}

export type GuardAnswer = 'claimed' | 'unavailable' | 'own-copy';

/** What the steps of the walk hand to each other on the request. */
export interface CallbackRequest extends FastifyRequest<{ Params: { app: string }; Body: Buffer | undefined }> {
  callback?: VerifiedCallback;
  guardAnswer?: GuardAnswer;
}
