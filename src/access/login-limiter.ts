import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import type { Tx } from '../database/unit-of-work.js';
import type { AttemptRule } from './attempt-rule.js';
import { AttemptStore } from './attempt-store.js';
import { AuditedWrites } from './audited-writes.js';
import { addressGroup } from './client-address.js';
import { digest } from './digest.js';
import { ANONYMOUS } from './principal.js';
import { TooManyAttemptsError } from './too-many-attempts-error.js';
import { UserStore } from './user-store.js';

/** What an attempt counts for: an address always, a name where one is given. */
export interface Attempt {
  readonly address: string;
  readonly name: string | null;
}

/**
 * Slows guessing down, by name and by address. A name that does not exist is counted and locked as one that does, so that
 * neither tells which names there are.
 */
@Injectable()
export class LoginLimiter {
  private readonly rules: { readonly account: AttemptRule; readonly address: AttemptRule };

  constructor(
    private readonly attempts: AttemptStore,
    private readonly users: UserStore,
    private readonly writes: AuditedWrites,
    @Inject(CONFIG) { access }: Config,
  ) {
    const times = { windowMs: access.lockMs, pauseMs: access.lockMs };
    this.rules = {
      account: { ...times, attemptsMax: access.accountFailuresMax },
      address: { ...times, attemptsMax: access.addressFailuresMax },
    };
  }

  /** Counts an attempt before it is made. Rejects with `TooManyAttemptsError` while there is a pause. */
  async begin({ address, name }: Attempt): Promise<void> {
    const waitMs = await this.writes.write(async (tx, now) => {
      await this.attempts.forget(tx, now);
      const ofAddress = await this.attempts.count(tx, addressSubject(address), now, this.rules.address);
      if (ofAddress.kind === 'blocked') {
        if (ofAddress.isNew) await this.recordLock(tx, address, `address:${addressGroup(address)}`);
        return ofAddress.attempts.blockedUntil - now;
      }
      if (name === null) return 0;
      const ofAccount = await this.attempts.count(tx, accountSubject(name), now, this.rules.account);
      if (ofAccount.kind === 'allowed') return 0;
      if (ofAccount.isNew) await this.recordLock(tx, address, await this.targetOf(tx, name));
      return ofAccount.attempts.blockedUntil - now;
    });
    if (waitMs > 0) throw new TooManyAttemptsError(waitMs);
  }

  /** The attempt was right: the name starts anew, and the address has one less. */
  async succeeded(tx: Tx, { address, name }: Attempt): Promise<void> {
    await this.attempts.takeBack(tx, addressSubject(address));
    if (name !== null) await this.attempts.clear(tx, accountSubject(name));
  }

  /** It was neither right nor wrong, since it could not be looked at. */
  async undecided({ address, name }: Attempt): Promise<void> {
    await this.writes.write(async (tx) => {
      await this.attempts.takeBack(tx, addressSubject(address));
      if (name !== null) await this.attempts.takeBack(tx, accountSubject(name));
    });
  }

  /** False when nothing was counted. */
  unlock(tx: Tx, name: string): Promise<boolean> {
    return this.attempts.clear(tx, accountSubject(name));
  }

  /** Of those names that are locked: until when. */
  async lockedUntil(tx: Tx, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.attempts.blockedUntil(tx, names.map(accountSubject), this.writes.now());
    const locked = names.map((name) => [name, found.get(accountSubject(name)) ?? 0] as const);
    return new Map(locked.filter(([, until]) => until > 0));
  }

  /** What the audit names: what somebody typed for a name may have been a password. */
  async targetOf(tx: Tx, name: string): Promise<string> {
    return (await this.users.byName(tx, name)) === null ? 'user:(unknown)' : `user:${name}`;
  }

  private async recordLock(tx: Tx, address: string, target: string): Promise<void> {
    await this.writes.record(tx, { actor: ANONYMOUS, address }, 'login.locked', target);
  }
}

/** A digest, since what somebody typed for a name may have been a password. */
function accountSubject(name: string): string {
  return `account:${digest(name)}`;
}

function addressSubject(address: string): string {
  return `address:${addressGroup(address)}`;
}
