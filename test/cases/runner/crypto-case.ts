import { readFileSync } from 'node:fs';
import { decodeAesKey } from '../../../src/wecom/aes-key.js';
import { decrypt, encrypt } from '../../../src/wecom/cipher.js';
import { parseEvent } from '../../../src/wecom/parse-event.js';
import { verifySignature } from '../../../src/wecom/signature.js';
import { valuesAt } from './field-paths.js';
import { profileOf, type Profile, type Profiles } from './profiles.js';
import { onlyKnown } from './vocabulary.js';
import { CaseFailedError, ensure, ensureEqual, UnsupportedError } from './verdict.js';

interface Vector {
  readonly name?: string;
  readonly why?: string;
  readonly app?: string;
  readonly pad?: number;
  readonly text?: string;
  readonly byteLength?: number;
  readonly receiveId?: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly encrypt?: string;
  readonly echostr?: string;
  readonly msg_signature: string;
  readonly facts?: Readonly<Record<string, string>>;
  readonly expect?: string;
}

const VECTOR_FIELDS = [
  ...['name', 'why', 'about', 'app', 'pad', 'text', 'byteLength', 'receiveId', 'timestamp', 'nonce', 'encrypt'],
  ...['echostr', 'msg_signature', 'facts', 'expect'],
];
const FILE_FIELDS = [
  ...['schema', 'id', 'title', 'about', 'where', 'profiles', 'outcome', 'app', 'vectors'],
  ...['token', 'encodingAESKey', 'receiveId', 'alsoReceiveIds', 'verify', 'post'],
];

/** Fixed vectors through the product's signature check and cipher. Returns how many there were. */
export function runCryptoCase(path: string, profiles: Profiles): void {
  const file = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  onlyKnown(file, FILE_FIELDS, 'vector file');
  const own = typeof file['encodingAESKey'] === 'string' ? (file as unknown as Profile) : null;
  const listed = (file['vectors'] ?? []) as readonly Vector[];
  const vectors = [...listed, ...[file['verify'], file['post']].filter((vector) => vector !== undefined)] as Vector[];
  ensure(vectors.length > 0, 'the file holds no vector');
  for (const [index, vector] of vectors.entries()) {
    onlyKnown(vector, VECTOR_FIELDS, 'vector');
    const app = vector.app ?? (file['app'] as string | undefined);
    const profile = own ?? profileOf(profiles, app ?? '');
    runVector(vector, profile, vector.name ?? `vector ${index + 1}`);
  }
}

function runVector(vector: Vector, profile: Profile, where: string): void {
  if (vector.expect !== undefined && !['accept', 'reject'].includes(vector.expect))
    throw new UnsupportedError(`expectation "${vector.expect}" of a vector`);
  const ciphertext = vector.encrypt ?? vector.echostr ?? '';
  const parts = { token: profile.token, timestamp: vector.timestamp, nonce: vector.nonce, encrypt: ciphertext };
  const isSigned = verifySignature(parts, vector.msg_signature);
  const aesKey = decodeAesKey(profile.encodingAESKey);
  const opened = decrypt(ciphertext, aesKey, [profile.receiveId, ...(profile.alsoReceiveIds ?? [])]);
  if (vector.expect === 'reject') {
    ensure(!isSigned || !opened.ok, `${where}: must be refused (${vector.why ?? ''}), was accepted`);
    return;
  }
  ensure(isSigned, `${where}: the signature does not verify`);
  if (!opened.ok) throw new CaseFailedError(`${where}: does not decrypt: ${opened.error}`);
  if (vector.text !== undefined) ensureEqual(opened.plaintext, vector.text, `${where}: text`);
  if (vector.receiveId !== undefined) ensureEqual(opened.receiveId, vector.receiveId, `${where}: receive id`);
  if (vector.byteLength !== undefined)
    ensureEqual(Buffer.byteLength(opened.plaintext), vector.byteLength, `${where}: bytes`);
  const parsed = vector.facts === undefined ? null : parseEvent(opened.plaintext, opened.receiveId);
  for (const [path, value] of Object.entries(vector.facts ?? {}))
    ensureEqual(parsed?.kind === 'event' ? valuesAt(parsed.event.fields, path)[0] : undefined, value, path);
  // The same ciphertext means the same length field and padding.
  const sealed = encrypt(opened.plaintext, opened.receiveId, aesKey, opened.random16);
  ensureEqual(sealed, ciphertext, `${where}: sealed again`);
}
