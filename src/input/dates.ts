// Reads typed dates as unix seconds. A date is the end of that day in Manila, which is UTC+8 all year.

import {endOfDay, endOfManilaDay, toManila, type Month, monthOf, MONTHS, monthText, UNITS} from '../common/manila.js';
import {noDayText, readDay, type Direction} from './date-words.js';
import {InvalidInput} from './invalid-input.js';
import {quote} from './money.js';

/** The last second of the year 9999, in unix seconds. Larger numbers are mistaken milliseconds. */
const MAX_TIME = 253_402_300_799;
/** September 2001, in unix seconds. Earlier dates have a mistyped year. */
const MIN_TIME = 1_000_000_000;

const examplesOf = (toward: Direction): string =>
  `Write a day as 2026-12-15, Dec 15, friday, ${toward === 'past' ? 'today or yesterday' : '+30d or end of month'}; a time as 2026-12-15T17:00:00+08:00 or unix seconds.`;

/** Unix seconds as text for {@link readDate}: `2026-12-15` for the end of a day in Manila, RFC 3339 otherwise. */
export function dateText(at: number): string {
  const manila = toManila(at).toISOString();
  return at === endOfManilaDay(at) ? manila.slice(0, 10) : manila.replace('.000Z', '+08:00');
}

const UNKNOWN_FORM = 'centavo does not understand this date.';

/**
 * Reads unix seconds, RFC 3339 or `+2h`. Days are read as their end in Manila: `2026-12-15`, `+30d`, `next friday`.
 * @param toward where to look for a day without a year
 */
export function readDate(text: string, now: number, toward: Direction = 'coming'): InvalidInput | number {
  const trimmed = text.trim();
  const fail: Fail = (why, hint = examplesOf(toward)) =>
    new InvalidInput(`${quote(trimmed)} is not a date.`, {code: 'invalid_date', why, hint});

  if (/^@?\d{1,16}$/.test(trimmed)) {
    const seconds = Number(trimmed.replace('@', ''));
    if (seconds > MAX_TIME)
      return fail(
        'It is too far away for unix seconds; it looks like milliseconds.',
        (place) => `Try: ${place} ${Math.floor(seconds / 1000)}`,
      );
    if (seconds < MIN_TIME) return fail('As unix seconds it is before 2001.');
    return seconds;
  }
  const relative = /^\+(\d{1,5})([smhdw])$/.exec(trimmed);
  if (relative) {
    const at = now + Number(relative[1]) * UNITS[relative[2]!]!;
    return relative[2] === 'd' || relative[2] === 'w' ? endOfManilaDay(at) : at;
  }
  const day = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(trimmed);
  if (day) return inRange(midnight(day, fail), fail, endOfDay(0));
  const instant = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|z|[+-]\d{2}:\d{2})?$/.exec(
    trimmed,
  );
  if (instant) return rfc3339(instant, fail);
  const words = readDay(trimmed, {now, toward});
  if (words && 'day' in words) return inRange(endOfDay(words.day), fail);
  if (words?.readings) {
    const [monthFirst, dayFirst] = words.readings;
    return fail(words.fault, `Write ${monthFirst} or ${dayFirst}.`);
  }
  return fail(words?.fault ?? UNKNOWN_FORM);
}

/** Reads a due date like {@link readDate}, but leniently: the user sees the reading. */
export function readTypedDate(text: string, now: number): InvalidInput | {readonly at: number; readonly note?: string} {
  const read = readDay(text, {now, lenient: true});
  if (read && 'day' in read) return {at: endOfDay(read.day), note: read.note};
  const at = readDate(text, now);
  if (!(at instanceof InvalidInput)) return {at};
  const {why} = at.details;
  const forms = 'Try: Dec 15, friday, next friday, 12/15/2026, +14d, 2 weeks, end of month.';
  return new InvalidInput(`${why === UNKNOWN_FORM ? 'Not a valid date.' : why} ${forms}`);
}

/** Reads `2026-10`, or a month name as the latest such month: `October`, `oct`. @param now unix seconds */
export function readMonthText(text: string, now: number): InvalidInput | Month {
  const typed = text.trim();
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(typed) ?? [];
  if (year !== undefined) return {year: Number(year), month: Number(number)};
  const named = typed.length < 3 ? -1 : MONTHS.findIndex((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  const today = monthOf(now);
  if (named >= 0) return {year: named < today.month ? today.year : today.year - 1, month: named + 1};
  return new InvalidInput(`${quote(typed)} is not a month.`, {
    code: 'invalid_month',
    hint: `For example: ${monthText(today)}, or ${MONTHS[today.month - 1]!.toLowerCase()}`,
  });
}

type Fail = (why: string, hint?: InvalidInput['details']['hint']) => InvalidInput;

/** @param seconds added before the check */
function inRange(from: InvalidInput | number, fail: Fail, seconds = 0): InvalidInput | number {
  if (from instanceof InvalidInput) return from;
  const at = from + seconds;
  return at < MIN_TIME || at > MAX_TIME ? fail('It must be between 2001 and 9999.') : at;
}

/** Unix seconds of midnight UTC; a failure if the day does not exist. */
function midnight([, year, month, date]: RegExpExecArray, fail: Fail): InvalidInput | number {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  if (at.getUTCMonth() !== Number(month) - 1 || at.getUTCDate() !== Number(date)) {
    const exists = Number(month) >= 1 && Number(month) <= 12;
    return fail(exists ? noDayText(Number(year), Number(month) - 1, Number(date)) : 'That month does not exist.');
  }
  return at.getTime() / 1000;
}

function rfc3339(match: RegExpExecArray, fail: Fail): InvalidInput | number {
  const [, , , , hours, minutes, seconds = '0', zone] = match;
  if (!zone) return fail('It has a time and no zone.', 'Add +08:00 for Manila, or Z for UTC.');
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    return fail('That time of day does not exist.');
  let offset = 0;
  if (zone !== 'Z' && zone !== 'z') {
    const [zoneHours = 0, zoneMinutes = 0] = zone.slice(1).split(':').map(Number);
    if (zoneHours > 14 || zoneMinutes > 59) return fail(`The zone ${zone} does not exist.`);
    offset = (zone.startsWith('-') ? -1 : 1) * (zoneHours * 3600 + zoneMinutes * 60);
  }
  return inRange(midnight(match, fail), fail, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) - offset);
}
