/** The object's own id, the last part of its key, as WeCom spells it. */
export function entityIdOf(entityKey: string): string {
  const last = entityKey.split('/').at(-1) ?? entityKey;
  try {
    return decodeURIComponent(last);
  } catch {
    // Half a character, or a key that was cut off: shown as it stands.
    return last;
  }
}

/** The key as an address holds it: base64url, as the service makes it. */
export function entityRefOf(entityKey: string): string {
  const bytes = new TextEncoder().encode(entityKey);
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
