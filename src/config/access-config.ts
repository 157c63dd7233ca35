import { isIP, isIPv4 } from 'node:net';
import type { AccessConfig } from './config.js';
import type { Env } from './env.js';
import { partsOf } from './roles.js';

const MINUTE_MS = 60_000;

export function accessConfig(env: Env): AccessConfig {
  return {
    sessionIdleMs: env.SESSION_IDLE_MINUTES * MINUTE_MS,
    sessionMaxMs: env.SESSION_HOURS_MAX * 60 * MINUTE_MS,
    secureCookie: env.SESSION_COOKIE_SECURE === 'true',
    accountFailuresMax: env.LOGIN_FAILURES_MAX,
    addressFailuresMax: env.LOGIN_ADDRESS_FAILURES_MAX,
    lockMs: env.LOGIN_LOCK_MINUTES * MINUTE_MS,
    trustedProxies: proxiesOf(env),
  };
}

export function accessFaults(env: Env): string[] {
  const faults: string[] = [];
  if (env.SESSION_IDLE_MINUTES > env.SESSION_HOURS_MAX * 60)
    faults.push('SESSION_IDLE_MINUTES: must not be longer than SESSION_HOURS_MAX');
  if (env.LOGIN_ADDRESS_FAILURES_MAX < env.LOGIN_FAILURES_MAX)
    faults.push('LOGIN_ADDRESS_FAILURES_MAX: must not be less than LOGIN_FAILURES_MAX, or no account is ever locked');
  if (!proxiesOf(env).every(isAddressRange))
    faults.push('ADMIN_TRUSTED_PROXIES: must be IP addresses or CIDRs such as 10.0.0.0/8, separated by commas');
  return faults;
}

/** What works, and is worth a second thought. */
export function accessWarnings(env: Env): string[] {
  if (env.SESSION_COOKIE_SECURE === 'true' || !partsOf(env.ROLE).admin) return [];
  return ['SESSION_COOKIE_SECURE=false: whoever sees the traffic can take over a session of the console'];
}

function proxiesOf({ ADMIN_TRUSTED_PROXIES: text = '' }: Env): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** Not `0.0.0.0/0`: whoever trusts everybody lets each client choose its own address. */
function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  const width = Number(bits);
  return /^\d{1,3}$/.test(bits) && width >= 1 && width <= (isIPv4(address) ? 32 : 128);
}
