import { pathWith } from '../api/client.js';

const EVENT_KEY = /^[0-9a-f]{64}$/i;
const ROW_ID = /^#(\d{1,15})$/;
// WeCom's MsgIds have more digits than any of its other ids, which may be digits alone as well (approval numbers: 12).
const MSG_ID = /^\d{16,20}$/;
// receiver/corp/type/id, each part escaped: no plus sign and no equals sign is left in it.
const ENTITY_KEY = /^[^/\s+=]+\/[^/\s+=]+\/[^/\s+=]+\/[^/\s+=]+$/;

/** Where a text leads that somebody looks for; null for none. */
export function addressOf(text: string): string | null {
  const wanted = text.trim();
  if (wanted === '') return null;
  const [, id] = ROW_ID.exec(wanted) ?? [];
  if (id !== undefined) return `/events/${id}`;
  if (EVENT_KEY.test(wanted)) return pathWith('/events', { eventKey: wanted.toLowerCase() });
  if (MSG_ID.test(wanted)) return pathWith('/events', { msgId: wanted });
  if (ENTITY_KEY.test(wanted)) return pathWith('/events', { entityKey: wanted });
  return pathWith('/events', { wecomId: wanted });
}
