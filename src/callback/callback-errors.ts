import type { App } from '../config/config.js';

export type RefusalCode =
  | 'WECOM_APP_UNKNOWN'
  | 'WECOM_QUERY_INVALID'
  | 'WECOM_ENVELOPE_INVALID'
  | 'WECOM_SIGNATURE_INVALID'
  | 'WECOM_NOT_DECRYPTABLE'
  | 'WECOM_RECEIVE_ID_MISMATCH';

/** A callback that is not WeCom's, or not for us. It is never queued, and the answer does not tell why. */
export class CallbackRefusedError extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly app: string,
    /** For the log: no signature, no ciphertext, no plaintext. */
    readonly reason: string,
    readonly officialCode: number | null = null,
  ) {
    super(reason);
    this.name = 'CallbackRefusedError';
  }
}

/** The event could be kept nowhere: WeCom must not be told `success`. */
export class NotDurableError extends Error {
  readonly code = 'EVENT_NOT_DURABLE';

  constructor(
    readonly app: App,
    readonly eventKey: string,
    options: { cause: unknown },
  ) {
    super('neither the transport nor the spool could keep the event', options);
    this.name = 'NotDurableError';
  }
}
