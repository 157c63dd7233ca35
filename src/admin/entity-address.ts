/**
 * An entity key in a form for a path. Keys hold `/` and `%2F`; proxies decode the one, merge the other, and differ in
 * which.
 */
export function entityRefOf(entityKey: string): string {
  return Buffer.from(entityKey, 'utf8').toString('base64url');
}

/** Null for what `entityRefOf` never made: two spellings of one address would be two pages in a cache. */
export function entityKeyOfRef(ref: string): string | null {
  const key = Buffer.from(ref, 'base64url').toString('utf8');
  return key !== '' && entityRefOf(key) === ref ? key : null;
}
