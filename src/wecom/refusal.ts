/** The stage at which a callback was refused. Refusals are outcomes: anybody may post rubbish to a public URL. */
export type RefusalReason =
  | 'bad-envelope'
  | 'bad-signature'
  | 'bad-base64'
  | 'decrypt-failed'
  | 'bad-padding'
  | 'illegal-buffer'
  | 'receive-id-mismatch';

export interface Refusal<Reason extends RefusalReason = RefusalReason> {
  readonly ok: false;
  readonly error: Reason;
  /** Number of the official libraries, so that an operator finds it in WeCom's own pages (path/90307). */
  readonly officialCode: number;
}

const OFFICIAL_CODES: Readonly<Record<RefusalReason, number>> = {
  'bad-signature': -40001,
  'bad-envelope': -40002,
  'receive-id-mismatch': -40005,
  'decrypt-failed': -40007,
  'bad-padding': -40008,
  'illegal-buffer': -40008,
  'bad-base64': -40010,
};

export function refuse<Reason extends RefusalReason>(error: Reason): Refusal<Reason> {
  return { ok: false, error, officialCode: OFFICIAL_CODES[error] };
}
