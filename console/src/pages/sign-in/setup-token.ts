/** Of `#token=…`; null when there is none. */
export function setupTokenOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') || null;
}
