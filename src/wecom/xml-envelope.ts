const ROOT_START = /(?:<\?xml [^<>]*\?>[ \t\r\n]*)?<xml>[ \t\r\n]*/y;
const ROOT_END = /<\/xml[ \t\r\n]*>[ \t\r\n]*$/y;
const START_TAG = /<([A-Za-z_][\w.-]*)[ \t\r\n]*(\/?)>/y;
const END_TAG = /<\/([A-Za-z_][\w.-]*)[ \t\r\n]*>[ \t\r\n]*/y;
const SPACE = /[ \t\r\n]*/y;
const CDATA_START = '<![CDATA[';
const CDATA_END = ']]>';

/**
 * The text of the only `Encrypt` below the root `xml`, or null. Knows the shape that every documented envelope has and
 * nothing else: leaves of text or CDATA, no attribute, no nesting. A DOCTYPE, a comment, an entity or a second
 * `Encrypt` is refused, since two readers could disagree about what it means. Passes over the text once.
 */
export function scanXmlEnvelope(text: string, start: number): string | null {
  let encrypt: string | null = null;
  let position = start + (matchAt(ROOT_START, text, start)?.[0].length ?? 0);
  if (position === start) return null;
  while (matchAt(ROOT_END, text, position) === null) {
    const tag = matchAt(START_TAG, text, position);
    if (tag === null) return null;
    const [whole, name, selfClosing] = tag;
    position += whole.length;
    let value = '';
    if (selfClosing === '') {
      const content = readContent(text, position);
      if (content === null) return null;
      const endTag = matchAt(END_TAG, text, content.end);
      if (endTag?.[1] !== name) return null;
      value = content.value;
      position = content.end + (endTag?.[0].length ?? 0);
    } else {
      position += matchAt(SPACE, text, position)?.[0].length ?? 0;
    }
    if (name !== 'Encrypt') continue;
    if (encrypt !== null) return null;
    encrypt = value;
  }
  return encrypt;
}

/** Text up to the next tag: CDATA as it is, the rest trimmed. Base64 has no use for entities, so `&` is a trick. */
function readContent(text: string, start: number): { value: string; end: number } | null {
  let value = '';
  let position = start;
  for (;;) {
    const markup = text.indexOf('<', position);
    if (markup === -1) return null;
    const plain = text.slice(position, markup).trim();
    if (plain.includes('&') || plain.includes('>')) return null;
    value += plain;
    if (!text.startsWith(CDATA_START, markup)) return { value, end: markup };
    const end = text.indexOf(CDATA_END, markup + CDATA_START.length);
    if (end === -1) return null;
    value += text.slice(markup + CDATA_START.length, end);
    position = end + CDATA_END.length;
  }
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}
