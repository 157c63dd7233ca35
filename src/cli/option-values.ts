import { InvalidArgumentError } from 'commander';

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
// With a zone, or at least without a time: a bare local time would mean another moment on each machine.
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A reader for a whole number of an option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It has to be a whole number from ${min} to ${max}.`);
  };
}

/** `2h` (ago), an ISO time with a zone, a date (UTC), or milliseconds since 1970; kept as text until now is known. */
export function timeText(text: string): string {
  if (/^\d{1,6}[smhd]$/.test(text) || /^\d{11,16}$/.test(text)) return text;
  if (ISO.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('It has to be 30m, 2h or 7d (ago), 2026-12-01T08:00:00Z, or milliseconds since 1970.');
}

/** Milliseconds since 1970 of what `timeText` let through. */
export function timeOf(text: string, now: number): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text);
}

/** For an option that may be given several times, or once with commas. */
export function collected(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').filter((part) => part !== '')];
}

/** An address without the slash at its end, and without a user: what stands on a command line is seen by everybody. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It has to be http(s)://host:port.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('It must hold no user and no password.');
  return text.replace(/\/+$/, '');
}
