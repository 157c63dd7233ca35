import { ForbiddenException, Injectable } from '@nestjs/common';
import { AuditedWrites } from '../access/audited-writes.js';
import type { EventRow } from '../event-log/event-log.js';
import type { AdminRequest } from './admin.guard.js';
import { byOf } from './by-of.js';

/** What WeCom sent, decrypted, holds names and texts of people: it is shown to those alone who were granted `payload`. */
@Injectable()
export class PayloadLooks {
  constructor(private readonly writes: AuditedWrites) {}

  /** The plaintext, once it is on record who looked; null for those who may not. */
  async at({ id, eventKey, plaintext }: EventRow, request: AdminRequest): Promise<string | null> {
    if (!mayLook(request)) return null;
    await this.writes.write((tx) => this.writes.record(tx, byOf(request), 'payload.look', `event:${id}`, { eventKey }));
    return plaintext;
  }
}

/** A search in the plaintext tells it letter by letter, so it is for the same people. Throws 403. */
export function checkTextSearch({ text }: { readonly text?: string }, request: AdminRequest): void {
  if (text !== undefined && !mayLook(request))
    throw new ForbiddenException('searching in the plaintext (text) needs the permission payload');
}

function mayLook({ principal }: AdminRequest): boolean {
  return principal?.permissions.includes('payload') ?? false;
}
