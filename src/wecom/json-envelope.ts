const SPACE = ' \t\r\n';
const LITERAL = /-?\d[\d.eE+-]*|true|false|null/y;

/**
 * The string under `encrypt` or `Encrypt` of a flat JSON object, or null. `JSON.parse` would take the last of two
 * members of one name in silence; here a second `encrypt` in either spelling is refused, and so is a nested value,
 * which no documented envelope has.
 */
export function scanJsonEnvelope(text: string, start: number): string | null {
  let encrypt: string | null = null;
  let position = skipSpace(text, start + 1);
  for (;;) {
    const name = readString(text, position);
    if (name === null) return null;
    position = skipSpace(text, name.end);
    if (text[position] !== ':') return null;
    position = skipSpace(text, position + 1);

    const string = readString(text, position);
    const end = string?.end ?? literalEnd(text, position);
    if (end === null) return null;
    if (name.value === 'encrypt' || name.value === 'Encrypt') {
      if (encrypt !== null || string === null) return null;
      encrypt = string.value;
    }
    position = skipSpace(text, end);
    if (text[position] === '}') break;
    if (text[position] !== ',') return null;
    position = skipSpace(text, position + 1);
  }
  return skipSpace(text, position + 1) === text.length ? encrypt : null;
}

function readString(text: string, start: number): { value: string; end: number } | null {
  if (text[start] !== '"') return null;
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  if (quote === -1) return null;
  const raw = text.slice(start, quote + 1);
  if (!raw.includes('\\')) return { value: raw.slice(1, -1), end: quote + 1 };
  try {
    // Some encoders write the slashes of base64 as `\/`. One string at a time, so nothing can nest or repeat.
    return { value: String(JSON.parse(raw)), end: quote + 1 };
  } catch {
    return null;
  }
}

/** A quote is part of the string when an odd number of backslashes stands before it. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text[before] === '\\') before--;
  return (quote - before) % 2 === 0;
}

function literalEnd(text: string, start: number): number | null {
  LITERAL.lastIndex = start;
  return LITERAL.test(text) ? LITERAL.lastIndex : null;
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && SPACE.includes(text.charAt(position))) position++;
  return position;
}
