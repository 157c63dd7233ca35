import type { Text } from '../i18n/en.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The largest unit alone, rounded down: 42 s, 3 min, 5 h, 12 d. */
export function duration(ms: number, { common }: Pick<Text, 'common'>): string {
  if (ms < MINUTE) return common.seconds(Math.max(0, Math.floor(ms / SECOND)));
  if (ms < HOUR) return common.minutes(Math.floor(ms / MINUTE));
  if (ms < DAY) return common.hours(Math.floor(ms / HOUR));
  return common.days(Math.floor(ms / DAY));
}

/** How far a time is from now, in either direction. */
export function distance(at: number, now: number, text: Pick<Text, 'common'>): string {
  const ms = now - at;
  if (Math.abs(ms) < 2 * SECOND) return text.common.justNow;
  return ms > 0 ? text.common.ago(duration(ms, text)) : text.common.in(duration(-ms, text));
}

/** Local time to the millisecond, in the order that sorts. */
export function exactTime(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** The same, shorter: the day is left out for today, and milliseconds always. */
export function shortTime(at: number, now: number): string {
  const exact = exactTime(at);
  const time = exact.slice(11, 19);
  return exact.slice(0, 10) === exactTime(now).slice(0, 10) ? time : `${exact.slice(0, 10)} ${time}`;
}
