import { readFileSync } from 'node:fs';
import type { App } from '../config/config.js';
import { BUILT_IN_ENTITY_TYPES } from '../entity-types/built-in.js';
import { EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { decrypt as open } from '../wecom/cipher.js';
import { openEnvelope } from '../wecom/envelope.js';
import { eventKey } from '../wecom/event-key.js';
import { parseEvent } from '../wecom/parse-event.js';
import { verifySignature } from '../wecom/signature.js';
import { loadApps, pickApp, type AppsOption } from './apps.js';
import { readCapture, readTarget, type CapturedCallback } from './captured-callback.js';
import { say, writeJson, type CliContext, type JsonOption } from './cli-context.js';
import { NotSoError, UsageError } from './cli-errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { printable } from './printable.js';

export interface DecryptOptions extends AppsOption, JsonOption {
  readonly query?: string;
}

const CAPTURE_BYTES_MAX = 32 * 1_024 * 1_024;
type PairName = 'current' | 'next';

interface Opened {
  readonly pair: PairName;
  readonly plaintext: string;
  readonly receiveId: string;
}

/** Opens a captured callback with the keys of the apps file. `file` is a path, or `-` for standard input. */
export async function decrypt(context: CliContext, file: string, options: DecryptOptions): Promise<ExitCode> {
  const capture = withQuery(readCapture(await readInput(context, file)), options.query);
  const app = pickApp(loadApps(context, options), options.app ?? capture.app ?? undefined);
  const sealed = sealedOf(capture);
  const signature = signatureState(app, capture, sealed);
  if (signature === 'wrong') throw new NotSoError(wrongSignature(app, sealed));
  const opened = openWith(app, sealed, signature === 'not-checked' ? null : signature);
  const facts = factsOf(app, opened);
  const { pair, receiveId, plaintext } = opened;
  if (options.json) {
    const isSigned = signature !== 'not-checked';
    writeJson(context, {
      app: app.name,
      keyPair: pair,
      receiveId,
      signature: isSigned ? 'right' : 'not-checked',
      ...facts,
      plaintext,
    });
    return EXIT.ok;
  }
  if (signature === 'not-checked')
    say(
      context,
      'warning: the signature was not checked: give the query with --query, or a capture of the whole request',
    );
  say(context, `app ${app.name}, ${pair} pair of keys, receive id ${printable(receiveId)}`);
  for (const [name, value] of Object.entries(facts))
    if (value !== null) say(context, `${name} ${printable(String(value))}`);
  context.stdout.write(plaintext.endsWith('\n') ? plaintext : `${plaintext}\n`);
  return EXIT.ok;
}

async function readInput({ stdin }: CliContext, file: string): Promise<Buffer> {
  if (file !== '-') {
    try {
      return readFileSync(file);
    } catch (cause) {
      throw new UsageError(`cannot read ${file}`, { cause });
    }
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    parts.push(Buffer.from(part));
    size += part.length;
    if (size > CAPTURE_BYTES_MAX) throw new UsageError(`more than ${CAPTURE_BYTES_MAX} bytes: that is no callback`);
  }
  return Buffer.concat(parts);
}

function withQuery(capture: CapturedCallback, text: string | undefined): CapturedCallback {
  if (text === undefined) return capture;
  const { query, app } = readTarget(text);
  return { ...capture, query, app: app ?? capture.app };
}

/** `Encrypt` of the body, or `echostr` of a URL verification. */
function sealedOf({ body, query }: CapturedCallback): string {
  if (body.toString('latin1').trim() === '') {
    const echo = query?.['echostr']?.[0];
    if (echo !== undefined) return echo.replaceAll(' ', '+');
    throw new UsageError('the capture holds neither a body nor an echostr');
  }
  const envelope = openEnvelope(body);
  if (envelope.ok) return envelope.encrypt;
  throw new NotSoError(`not a callback: the body has not exactly one Encrypt (${envelope.officialCode})`);
}

function signatureState(app: App, { query }: CapturedCallback, sealed: string): PairName | 'not-checked' | 'wrong' {
  if (query === null || query['msg_signature'] === undefined) return 'not-checked';
  const [signature, timestamp, nonce] = ['msg_signature', 'timestamp', 'nonce'].map((name) => {
    const [value, ...others] = query[name] ?? [];
    if (value === undefined || others.length > 0) throw new NotSoError(`the query has not exactly one ${name}`);
    return value;
  }) as [string, string, string];
  const index = app.credentials.findIndex(({ token }) =>
    verifySignature({ token, timestamp, nonce, encrypt: sealed }, signature),
  );
  return index < 0 ? 'wrong' : index === 0 ? 'current' : 'next';
}

/** Which of the two is the wrong one: a key that opens it says that the token is. */
function wrongSignature(app: App, sealed: string): string {
  const results = app.credentials.map(({ aesKey }) => open(sealed, aesKey, app.receiveIds));
  const reason = 'the signature does not match (-40001)';
  return results.some((result) => result.ok)
    ? `${reason}, but the key opens it: the token of app ${app.name} is another one, or the query was changed on its way`
    : `${reason}, and the key does not open it: it is another app's, or its keys were changed`;
}

function openWith(app: App, sealed: string, signedBy: PairName | null): Opened {
  const names: readonly PairName[] = ['current', 'next'];
  const results = app.credentials.map(({ aesKey }) => open(sealed, aesKey, app.receiveIds));
  for (const [index, result] of results.entries()) {
    const pair = names[index] ?? 'current';
    if (result.ok && (signedBy === null || signedBy === pair)) return { pair, ...result };
  }
  const mismatch = results.find((result) => !result.ok && result.error === 'receive-id-mismatch');
  if (mismatch)
    throw new NotSoError(`wrong corp id: it is sealed for another receive id than those of app ${app.name} (-40005)`);
  const [first] = results;
  const why =
    first && !first.ok ? `${first.error}, ${first.officialCode}` : 'another pair of keys opens it than signed it';
  throw new NotSoError(
    `cannot be decrypted (${why}): the encodingAESKey of app ${app.name} is another one, or the text was cut`,
  );
}

/** What the service would make of it. Volatile fields are those of the built-in entity types. */
function factsOf(app: App, { plaintext, receiveId }: Opened) {
  const parsed = parseEvent(plaintext, receiveId);
  const registry = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);
  const event = parsed.kind === 'event' ? parsed.event : null;
  const type = event && registry.typeOf(event.eventType, event.changeType);
  const key = eventKey({ receiver: app.name, parsed, receiveId, plaintext, volatile: type?.volatile ?? [] });
  return {
    corpId: event?.corpId ?? null,
    eventType: event?.eventType ?? null,
    changeType: event?.changeType ?? null,
    createTime: event?.createTime ?? null,
    msgId: event?.msgId ?? null,
    eventKey: key,
    entityKey: event && entityKeyOf(registry, app, event),
    notParsed: parsed.kind === 'unparsed' ? parsed.reason : null,
  };
}

function entityKeyOf(
  registry: EntityTypeRegistry,
  app: App,
  event: Parameters<EntityTypeRegistry['entityOf']>[1],
): string | null {
  try {
    return registry.entityOf(app.name, event)?.key ?? null;
  } catch {
    return null;
  }
}
