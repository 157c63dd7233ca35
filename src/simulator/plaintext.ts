/** Elements in document order: a text becomes CDATA, a number plain digits, nested elements a group. */
export type Elements = readonly (readonly [name: string, value: string | number | Elements])[];

/** A callback's inner XML, spelled as WeCom spells it. */
export function plaintextOf(elements: Elements): string {
  return `<xml>${write(elements)}</xml>`;
}

function write(elements: Elements): string {
  return elements.map(([name, value]) => `<${name}>${content(value)}</${name}>`).join('');
}

function content(value: string | number | Elements): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `<![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
  return write(value);
}
