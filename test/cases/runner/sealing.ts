import { createHash, randomBytes } from 'node:crypto';
import { envelopeOf, queryString, seal } from '../../support/sealer.js';
import type { Profile } from './profiles.js';
import type { Step } from './vocabulary.js';

export interface SealedRequest {
  /** What follows `?`. */
  readonly query: string;
  readonly body: string;
}

/** Seals and signs as the platform does, with what the step changes; independent of the product's own crypto. */
export function sealStep(step: Step, profile: Profile, text: string, kind: 'callback' | 'verify'): SealedRequest {
  const overrides = (step['seal'] ?? {}) as Record<string, string | undefined>;
  const credentials = { ...profile, ...pick(overrides, ['token', 'encodingAESKey', 'envelope']) };
  const needed = (step['needsIn'] ?? []) as string[];
  let { encrypt } = seal(credentials, text, overrides['receiveId'] ?? profile.receiveId);
  while (!needed.every((character) => encrypt.includes(character)))
    ({ encrypt } = seal(credentials, text, overrides['receiveId'] ?? profile.receiveId));
  const times = { timestamp: timestampOf(overrides['timestamp']), nonce: overrides['nonce'] ?? nonce() };
  const mutate = (step['mutate'] ?? {}) as Record<string, string | boolean | null>;
  const signedOver = encrypt;
  if (typeof mutate['Encrypt'] === 'string') encrypt = mutate['Encrypt'];
  const signature = sign(credentials.token, times, mutate['resign'] === true ? encrypt : signedOver);
  const query = new Map<string, string>(Object.entries({ msg_signature: signature, ...times }));
  if (kind === 'verify') query.set('echostr', encrypt);
  for (const [name, value] of Object.entries(mutate)) {
    if (name === 'Encrypt' || name === 'resign') continue;
    if (value === null) query.delete(name);
    else query.set(name, value === 'upper' ? (query.get(name) ?? '').toUpperCase() : String(value));
  }
  for (const [name, value] of Object.entries((step['extraQuery'] ?? {}) as Record<string, string>))
    query.set(name, value === 'plain-valid' ? sha1([credentials.token, times.timestamp, times.nonce]) : value);
  return { query: queryString(Object.fromEntries(query)), body: envelopeOf(credentials, encrypt) };
}

/** Headers of a callback; null in a case removes one. */
export function headersOf(step: Step, defaults: Readonly<Record<string, string>>): Record<string, string> {
  const headers = new Map(Object.entries(defaults));
  for (const [name, value] of Object.entries((step['headers'] ?? {}) as Record<string, string | null>)) {
    for (const known of headers.keys()) if (known.toLowerCase() === name.toLowerCase()) headers.delete(known);
    if (value !== null) headers.set(name, value);
  }
  return Object.fromEntries(headers);
}

function sign(token: string, { timestamp, nonce }: { timestamp: string; nonce: string }, encrypt: string): string {
  return sha1([token, timestamp, nonce, encrypt]);
}

function sha1(parts: readonly string[]): string {
  return createHash('sha1')
    .update([...parts].sort().join(''))
    .digest('hex');
}

function nonce(): string {
  return randomBytes(6).toString('hex');
}

/** `now`, `now-600`, or a number. */
function timestampOf(given: string | undefined): string {
  const [, offset] = /^now([+-]\d+)?$/.exec(given ?? 'now') ?? [null, null];
  if (given !== undefined && !String(given).startsWith('now')) return String(given);
  return String(Math.floor(Date.now() / 1000) + Number(offset ?? 0));
}

function pick(from: Record<string, string | undefined>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}
