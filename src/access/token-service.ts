import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Random } from '../runtime/random.js';
import type { AdminRole, Permission } from './admin-role.js';
import { AuditedWrites } from './audited-writes.js';
import { digest } from './digest.js';
import type { By, Principal } from './principal.js';
import { TokenStore, type AdminToken } from './token-store.js';
import { canonicalName } from './user-rules.js';
import { checkName } from './user-service.js';

/** Scanners that look for secrets in repositories and logs find them by `wcg_[A-Za-z0-9]{43}`. */
export const TOKEN_PREFIX = 'wcg_';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 43 of 62: 256 bits. */
const LETTERS_COUNT = 43;
const TOKEN = /^wcg_[A-Za-z0-9]{43}$/;
export const TOKENS_MAX = 1_000;
const ENDED_KEPT_MS = 90 * 86_400_000;
const TOUCH_EVERY_MS = 60_000;

export interface TokenFields {
  readonly name: string;
  readonly role: AdminRole;
  readonly permissions: readonly Permission[];
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
}

/** Tokens for machines: shown once, stored as digests. */
@Injectable()
export class TokenService {
  constructor(
    private readonly writes: AuditedWrites,
    private readonly tokens: TokenStore,
    private readonly random: Random,
  ) {}

  list(): Promise<AdminToken[]> {
    return this.writes.read((tx) => this.tokens.list(tx, TOKENS_MAX));
  }

  /** `token` is told here and nowhere else. */
  async create(fields: TokenFields, by: By): Promise<AdminToken & { readonly token: string }> {
    const name = canonicalName(fields.name);
    checkName(name);
    const { role, permissions, expiresAt } = fields;
    if (expiresAt !== null && expiresAt <= this.writes.now())
      throw new BadRequestException(['expiresAt must be in the future']);
    const token = TOKEN_PREFIX + this.letters();
    return this.writes.write(async (tx, createdAt) => {
      await this.tokens.removeEnded(tx, createdAt - ENDED_KEPT_MS);
      if ((await this.tokens.count(tx)) >= TOKENS_MAX)
        throw new ConflictException(`there are ${TOKENS_MAX} tokens already`);
      const stored = { name, role, permissions, expiresAt, createdAt, createdBy: by.actor, tokenHash: digest(token) };
      const created = await this.tokens.create(tx, stored);
      await this.writes.record(tx, by, 'token.create', `token:${created.id}`, { name, role, permissions, expiresAt });
      return { ...created, token };
    });
  }

  /** Revoking it again changes nothing. Throws 404. */
  async revoke(id: number, by: By): Promise<void> {
    await this.writes.write(async (tx, now) => {
      const token = await this.tokens.byId(tx, id);
      if (token === null) throw new NotFoundException(`no token has the id ${id}`);
      if (await this.tokens.revoke(tx, id, now))
        await this.writes.record(tx, by, 'token.revoke', `token:${id}`, { name: token.name });
    });
  }

  /** Whose token it is; null when it is none, was revoked or has expired. */
  async find(token: string): Promise<Principal | null> {
    // What cannot be one is not looked up.
    if (!TOKEN.test(token)) return null;
    const now = this.writes.now();
    const found = await this.writes.read((tx) => this.tokens.byHash(tx, digest(token)));
    if (found === null || found.revokedAt !== null) return null;
    if (found.expiresAt !== null && found.expiresAt <= now) return null;
    if ((found.lastUsedAt ?? 0) + TOUCH_EVERY_MS <= now)
      await this.writes.write((tx) => this.tokens.touch(tx, found.id, now));
    return { actor: `token:${found.name}`, role: found.role, permissions: found.permissions, session: null };
  }

  /** Each letter equally likely: bytes beyond the last multiple of 62 are left out. */
  private letters(): string {
    let text = '';
    while (text.length < LETTERS_COUNT) {
      for (const byte of this.random.bytes(LETTERS_COUNT)) {
        if (byte < 4 * LETTERS.length && text.length < LETTERS_COUNT) text += LETTERS[byte % LETTERS.length];
      }
    }
    return text;
  }
}
