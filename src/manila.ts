// Days in Manila, which is UTC+8 all year.

/** Seconds that Manila is ahead of UTC. */
export const MANILA_OFFSET = 8 * 3600;
/** Seconds of a day. */
export const DAY = 86_400;

/** The number of the Manila day in which an instant lies, counted from 1970. @param at unix seconds */
export const manilaDay = (at: number): number => Math.floor((at + MANILA_OFFSET) / DAY);

/** The last second of the Manila day in which an instant lies, in unix seconds. @param at unix seconds */
export const endOfManilaDay = (at: number): number => manilaDay(at) * DAY + DAY - 1 - MANILA_OFFSET;

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const calendarDay = (at: number): Date => new Date((at + MANILA_OFFSET) * 1000);

/** True for a time, in unix seconds, that has a day in the calendar. A service may say any number. */
export const isDay = (at: unknown): at is number => typeof at === 'number' && at > 0 && at < 250_000_000_000;

/** `Tuesday, 15 December 2026`: the Manila day of an instant, or the number of one without. @param at unix seconds */
export function longDay(at: number): string {
  if (!isDay(at)) return String(at);
  const day = calendarDay(at);
  return `${WEEKDAYS[day.getUTCDay()]}, ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** `15 Dec`, or `15 Dec 2027` in another year than now; the number of a time without a day. @param at unix seconds @param now unix seconds */
export function shortDay(at: number, now: number): string {
  if (!isDay(at)) return String(at);
  const day = calendarDay(at);
  const year = day.getUTCFullYear();
  const short = `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]!.slice(0, 3)}`;
  return year === calendarDay(now).getUTCFullYear() ? short : `${short} ${year}`;
}

/** `in 3 days`, `tomorrow`, `9 days ago`: by the calendar of Manila. */
export function fromNow(at: number, now: number): string {
  const days = manilaDay(at) - manilaDay(now);
  if (days === 0) return at < now ? 'earlier today' : 'today';
  if (days === 1) return 'tomorrow';
  if (days === -1) return 'yesterday';
  const count = Math.abs(days).toLocaleString('en');
  return days > 0 ? `in ${count} days` : `${count} days ago`;
}
