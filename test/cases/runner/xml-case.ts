import { existsSync, readFileSync } from 'node:fs';
import { parseEvent } from '../../../src/wecom/parse-event.js';
import { valuesAt } from './field-paths.js';
import { onlyKnown } from './vocabulary.js';
import { CaseFailedError, ensure, ensureEqual } from './verdict.js';

interface XmlExpectation {
  readonly facts?: Readonly<Record<string, string>>;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly absent?: readonly string[];
}

/** A decrypted text and what the product's parser must make of it. */
export function runXmlCase(expectationPath: string): void {
  const textPath = expectationPath.replace(/\.expect\.json$/, '.xml');
  const expectation = JSON.parse(readFileSync(expectationPath, 'utf8')) as XmlExpectation;
  onlyKnown(expectation, ['about', 'facts', 'lists', 'absent'], 'expectation');
  ensure(existsSync(textPath), `there is no ${textPath}`);
  const parsed = parseEvent(readFileSync(textPath, 'utf8'), 'receive-id');
  if (parsed.kind === 'unparsed') throw new CaseFailedError(`the text does not parse: ${parsed.reason}`);
  const { fields } = parsed.event;
  const { facts = {}, lists = {}, absent = [] } = expectation;
  for (const [path, value] of Object.entries(facts)) ensureEqual(valuesAt(fields, path), [value], path);
  for (const [path, items] of Object.entries(lists)) {
    const found = valuesAt(fields, path);
    ensureEqual(path.includes('[*]') ? found : found[0], items, path);
  }
  for (const path of absent) ensure(valuesAt(fields, path)[0] === undefined, `${path} must be absent`);
  ensure(!('polluted' in {}), 'a global object has gained a property');
  everyLeafIsText(fields, '');
}

function everyLeafIsText(value: unknown, path: string): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) everyLeafIsText(item, path === '' ? name : `${path}.${name}`);
    return;
  }
  ensure(typeof value === 'string', `${path} is ${typeof value}, not text`);
}
