/** A plaintext, or its fields by the names that WeCom gives them; nested ones as objects, repeated ones as arrays. */
export type TestEvent = string | TestFields;
export interface TestFields {
  readonly [name: string]: string | number | TestFields | readonly TestFields[];
}

/** Writes the decrypted text of an event; `ToUserName` and `CreateTime` are filled in where the fields have none. */
export function plaintextOf(event: TestEvent, receiveId: string, nowSeconds: number): string {
  if (typeof event === 'string') return event;
  return `<xml>${elements({ ToUserName: receiveId, FromUserName: 'sys', CreateTime: nowSeconds, ...event })}</xml>`;
}

function elements(fields: TestFields): string {
  return Object.entries(fields)
    .map(([name, value]) => (isList(value) ? value.map((one) => element(name, one)).join('') : element(name, value)))
    .join('');
}

function element(name: string, value: string | number | TestFields): string {
  if (typeof value === 'object') return `<${name}>${elements(value)}</${name}>`;
  // "]]>" would end the section: it is cut in two.
  const text = typeof value === 'number' ? String(value) : `<![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
  return `<${name}>${text}</${name}>`;
}

function isList(value: TestFields[string]): value is readonly TestFields[] {
  return Array.isArray(value);
}
