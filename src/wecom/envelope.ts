import { type Refusal, refuse } from './refusal.js';
import { scanJsonEnvelope } from './json-envelope.js';
import { scanXmlEnvelope } from './xml-envelope.js';

export type EnvelopeFormat = 'xml' | 'json';

export interface OpenedEnvelope {
  readonly ok: true;
  readonly encrypt: string;
  readonly format: EnvelopeFormat;
}

const UTF8_BOM = '\xef\xbb\xbf';
const FIRST_NON_BLANK = /[^ \t\r\n]/g;

/**
 * Finds the one `Encrypt` of a body that nobody has vouched for yet. No general parser works here: what it would spend
 * on entities, DTDs and deep nesting is what an attacker is after. The format is read from the first non-blank byte,
 * because Content-Type is whatever it likes to be, and it says nothing about the format of the text inside.
 */
export function openEnvelope(body: Buffer): OpenedEnvelope | Refusal<'bad-envelope'> {
  // A byte a character: markup and base64 are ASCII, and no byte of a longer UTF-8 sequence looks like ASCII.
  const bytes = body.toString('latin1');
  FIRST_NON_BLANK.lastIndex = bytes.startsWith(UTF8_BOM) ? UTF8_BOM.length : 0;
  const start = FIRST_NON_BLANK.exec(bytes)?.index ?? bytes.length;
  const format = bytes[start] === '{' ? 'json' : 'xml';
  const encrypt = format === 'json' ? scanJsonEnvelope(bytes, start) : scanXmlEnvelope(bytes, start);
  if (encrypt === null) return refuse('bad-envelope');
  return { ok: true, encrypt, format };
}
