import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type App, type AppCredentials, type Config } from '../config/config.js';
import type { KeyPair } from '../transport/message.js';
import { decrypt, type Decrypted } from '../wecom/cipher.js';
import { openEnvelope } from '../wecom/envelope.js';
import { verifySignature } from '../wecom/signature.js';
import { CallbackRefusedError } from './callback-errors.js';

export interface Opened extends Decrypted {
  readonly keyPair: KeyPair;
}

export type Query = Readonly<Record<string, unknown>>;

/** Finds the app, verifies, decrypts. Throws `CallbackRefusedError` for whatever is not WeCom's. */
@Injectable()
export class CallbackOpener {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'apps'>) {}

  app(name: string): App {
    const app = this.config.apps.get(name);
    if (!app)
      throw new CallbackRefusedError('WECOM_APP_UNKNOWN', name.slice(0, 64), 'no app of this name is configured');
    return app;
  }

  openBody(app: App, query: Query, body: Buffer | undefined): Opened {
    if (!body || body.length === 0) throw new CallbackRefusedError('WECOM_ENVELOPE_INVALID', app.name, 'an empty body');
    const envelope = openEnvelope(body);
    if (!envelope.ok) {
      const reason = 'the body has not exactly one Encrypt';
      throw new CallbackRefusedError('WECOM_ENVELOPE_INVALID', app.name, reason, envelope.officialCode);
    }
    return this.open(app, query, envelope.encrypt);
  }

  openEcho(app: App, query: Query): Opened {
    // A proxy that decoded the query twice made blanks of the plus signs; base64 has no blanks, so this is safe.
    const echo = only(app, query, 'echostr').replaceAll(' ', '+');
    return this.open(app, query, echo);
  }

  private open(app: App, query: Query, sealed: string): Opened {
    const signature = only(app, query, 'msg_signature');
    const [timestamp, nonce] = [only(app, query, 'timestamp'), only(app, query, 'nonce')];
    // During a rotation either pair may be the one; the signature tells which, before anything is decrypted.
    const signed = ({ token }: AppCredentials): boolean =>
      verifySignature({ token, timestamp, nonce, encrypt: sealed }, signature);
    const candidates = app.credentials.filter(signed);
    if (candidates.length === 0) {
      throw new CallbackRefusedError('WECOM_SIGNATURE_INVALID', app.name, 'the signature does not match', -40001);
    }
    const results = candidates.map(({ aesKey }) => decrypt(sealed, aesKey, app.receiveIds));
    const opened = results.findIndex((result) => result.ok);
    const result = results[opened];
    if (result?.ok) return { ...result, keyPair: candidates[opened] === app.credentials[0] ? 'current' : 'next' };
    const mismatch = results.find((result) => !result.ok && result.error === 'receive-id-mismatch');
    if (mismatch && !mismatch.ok) {
      throw new CallbackRefusedError(
        'WECOM_RECEIVE_ID_MISMATCH',
        app.name,
        'receive id mismatch',
        mismatch.officialCode,
      );
    }
    const [first] = results;
    const reason = `cannot decrypt: key or receive id (${first && !first.ok ? first.error : 'unknown'})`;
    throw new CallbackRefusedError(
      'WECOM_NOT_DECRYPTABLE',
      app.name,
      reason,
      first && !first.ok ? first.officialCode : null,
    );
  }
}

/** A parameter given twice could be read differently here and by a proxy. */
function only(app: App, query: Query, name: string): string {
  const value = query[name];
  if (typeof value === 'string' && value !== '') return value;
  const reason = `the query has not exactly one ${name}`;
  throw new CallbackRefusedError('WECOM_QUERY_INVALID', app.name, reason);
}
