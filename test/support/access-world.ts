import type { SignedIn } from '../../src/access/session-service.js';
import type { UserFields } from '../../src/access/user-service.js';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import { AccessRig } from './access-rig.js';
import { ShiftedClock } from './shifted-clock.js';

export const PASSWORD = 'correct horse battery';
export const OTHER = 'another long pass phrase';
export const BY = { actor: 'root', address: '127.0.0.1' };
export const MINUTE_MS = 60_000;
const SETTINGS = { LOGIN_FAILURES_MAX: '3', LOGIN_ADDRESS_FAILURES_MAX: '6', SESSION_IDLE_MINUTES: '30' };

/** Two admin processes, `here` and `there`, on one database. */
export class AccessWorld {
  clock!: ShiftedClock;
  unitOfWork!: UnitOfWork;
  here!: AccessRig;
  there!: AccessRig;

  open(unitOfWork: UnitOfWork): void {
    this.unitOfWork = unitOfWork;
    this.clock = new ShiftedClock();
    this.here = new AccessRig(unitOfWork, this.clock, SETTINGS);
    this.there = new AccessRig(unitOfWork, this.clock, SETTINGS);
  }

  /** From the address 10.0.0.n. */
  login(user: string, password = PASSWORD, rig = this.here, n = 1): Promise<SignedIn> {
    return rig.logins.login({ name: user, password }, from(n));
  }
}

export function fields(name: string, more: Partial<UserFields> = {}): UserFields {
  return { name, role: 'viewer', permissions: [], password: PASSWORD, ...more };
}

export function from(n = 1, sessionId: string | null = null): { address: string; sessionId: string | null } {
  return { address: `10.0.0.${n}`, sessionId };
}

/** `done`, or the name of the error's class. */
export async function results(work: readonly Promise<unknown>[]): Promise<string[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as Error).constructor.name));
}
