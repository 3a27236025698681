// Days and months in Manila, which is UTC+8 all year.

/** Seconds that Manila is ahead of UTC. */
export const MANILA_OFFSET = 8 * 3600;
export const DAY = 86_400;
/** Seconds of each unit of a duration. */
export const UNITS: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: DAY, w: 7 * DAY};

/** Days since 1 January 1970 in Manila. @param at unix seconds */
export const manilaDay = (at: number): number => Math.floor((at + MANILA_OFFSET) / DAY);

/** Last second of a Manila day, in unix seconds. @param day days since 1970 */
export const endOfDay = (day: number): number => day * DAY + DAY - 1 - MANILA_OFFSET;

/** Last second of the Manila day, in unix seconds. @param at unix seconds within the day */
export const endOfManilaDay = (at: number): number => endOfDay(manilaDay(at));

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Returns a date whose UTC fields show the time in Manila. @param at unix seconds */
export const toManila = (at: number): Date => new Date((at + MANILA_OFFSET) * 1000);

/** `14:03:20` in Manila. @param at milliseconds since the epoch */
export const timeOfDay = (at: number): string => new Date(at + MANILA_OFFSET * 1000).toISOString().slice(11, 19);

/** True if the unix seconds have a calendar day. The API may send any number. */
export const isDay = (at: unknown): at is number => typeof at === 'number' && at > 0 && at < 250_000_000_000;

/** `Tuesday, 15 December 2026` in Manila, or the number if it has no calendar day. @param at unix seconds */
export function longDay(at: number): string {
  if (!isDay(at)) return String(at);
  const day = toManila(at);
  return `${WEEKDAYS[day.getUTCDay()]}, ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** `15 Dec`, or `15 Dec 2027` if `now` is in another year. Both are unix seconds. */
export const shortDay = (at: number, now: number): string => dayText(at, now, 3);

/** `15 December`, or `15 December 2027` if `now` is in another year. @param letters of the month; all by default */
export function dayText(at: number, now: number, letters?: number): string {
  if (!isDay(at)) return String(at);
  const day = toManila(at);
  const year = day.getUTCFullYear();
  const short = `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]!.slice(0, letters)}`;
  return year === toManila(now).getUTCFullYear() ? short : `${short} ${year}`;
}

/** `in 3 days`, `tomorrow`, `9 days ago`, by the calendar of Manila. Both times are unix seconds. */
export function relativeDay(at: number, now: number): string {
  const days = manilaDay(at) - manilaDay(now);
  if (days === 0) return at < now ? 'earlier today' : 'today';
  if (days === 1) return 'tomorrow';
  if (days === -1) return 'yesterday';
  const count = Math.abs(days).toLocaleString('en');
  return days > 0 ? `in ${count} days` : `${count} days ago`;
}

export interface Month {
  readonly year: number;
  readonly month: number;
}

/** First second of the month in Manila, in unix seconds. */
export const startOfMonth = ({year, month}: Month): number => Date.UTC(year, month - 1, 1) / 1000 - MANILA_OFFSET;

/** Returns the month `count` months later, or earlier if negative. */
export function monthAfter({year, month}: Month, count = 1): Month {
  const at = year * 12 + month - 1 + count;
  return {year: Math.floor(at / 12), month: (at % 12) + 1};
}

export function monthOf(at: number): Month {
  const day = toManila(at);
  return {year: day.getUTCFullYear(), month: day.getUTCMonth() + 1};
}

/** `2026-10` */
export const monthText = ({year, month}: Month): string => `${year}-${String(month).padStart(2, '0')}`;
