import type { FieldTree, FieldValue } from '../wecom/event.js';

/** The text at a dot path, or null when it is missing, empty, or not a leaf. */
export function textAt(fields: FieldTree, path: string): string | null {
  let value: FieldValue | undefined = fields;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || Array.isArray(value)) return null;
    value = value[name];
  }
  return typeof value === 'string' && value !== '' ? value : null;
}
