import type { FieldTree, FieldValue } from '../../../src/wecom/event.js';
import { parseEvent } from '../../../src/wecom/parse-event.js';
import { CaseFailedError } from './verdict.js';

type Found = FieldValue | undefined;

/** All values at a path below the root; `[i]` picks one element of a list and `[*]` all. */
export function valuesAt(tree: FieldTree, path: string): Found[] {
  let values: Found[] = [tree];
  for (const step of path.split('.')) {
    const [, name = '', index] = /^(.*?)(?:\[(\*|\d+)\])?$/.exec(step) ?? [];
    values = values.map((value) => memberOf(value, name));
    if (index === undefined) continue;
    values = values.flatMap((value) => {
      if (!Array.isArray(value)) throw new CaseFailedError(`${path}: ${name} is not a list`);
      return index === '*' ? value : [value[Number(index)]];
    });
  }
  return values;
}

/** Own members only: a path named `constructor` must find what the text holds, not what every object has. */
function memberOf(value: Found, name: string): Found {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The fields of a decrypted text, or null where it does not parse. */
export function fieldsOf(plaintext: string): FieldTree | null {
  const parsed = parseEvent(plaintext, '');
  return parsed.kind === 'event' ? parsed.event.fields : null;
}

/** `*` stands for any characters. */
export function fits(value: unknown, pattern: string): boolean {
  if (typeof value !== 'string') return false;
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(value);
}

export function fieldsFit(plaintext: string, match: Readonly<Record<string, string>>): boolean {
  const fields = fieldsOf(plaintext);
  if (fields === null) return Object.keys(match).length === 0;
  return Object.entries(match).every(([path, pattern]) => fits(valuesAt(fields, path)[0], pattern));
}
