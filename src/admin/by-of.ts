import type { By } from '../access/principal.js';
import type { AdminRequest } from './admin.guard.js';

/** Who sends a request, and from where. */
export function byOf({ actor = '', ip: address }: AdminRequest): By {
  return { actor, address };
}
