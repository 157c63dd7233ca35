/** A place in a list that is ordered by (received_at, id), newest first. */
export interface Position {
  readonly receivedAt: number;
  readonly id: number;
}

/** Opaque to clients, and made of letters and digits that no proxy touches. */
export function encodePosition({ receivedAt, id }: Position): string {
  return Buffer.from(`${receivedAt}.${id}`).toString('base64url');
}

/** Null for what `encodePosition` never made. */
export function decodePosition(text: string): Position | null {
  const [, receivedAt, id] = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  return receivedAt === undefined || id === undefined ? null : { receivedAt: Number(receivedAt), id: Number(id) };
}

/** Less than 0 when `a` comes first in the list: it is the newer one. */
export function comparePositions(a: Position, b: Position): number {
  return b.receivedAt - a.receivedAt || b.id - a.id;
}
