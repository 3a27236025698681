// Days in English and Filipino words: `friday`, `next friday`, `Dec 15`, `12/15/2026`, `net 30`, `bukas`, `katapusan`.

import {DAY, MONTHS, toManila, manilaDay} from '../common/manila.js';

/** A day counted from 1970, or the reason why the text names no day. */
export type DayReading =
  | {readonly day: number; readonly note?: string}
  | {readonly fault: string; readonly readings?: readonly [string, string]};

export type Direction = 'coming' | 'nearest' | 'past';

export interface DayOptions {
  /** Unix seconds. */
  readonly now: number;
  /** Where to look for a day given without year, month or week. Default: `coming`. */
  readonly toward?: Direction;
  /** Reads 11/12/2026 month first with a note, and `14` as days from now. Only where the user sees the reading. */
  readonly lenient?: boolean;
}

const WEEKDAY_WORDS = [
  'sunday sun linggo',
  'monday mon lunes',
  'tuesday tue tues martes',
  'wednesday wed weds miyerkules miyerkoles',
  'thursday thu thur thurs huwebes',
  'friday fri biyernes',
  'saturday sat sabado',
];
const MONTH_WORDS = [
  'january jan enero',
  'february feb pebrero',
  'march mar marso',
  'april apr abril',
  'may mayo',
  'june jun hunyo',
  'july jul hulyo',
  'august aug agosto',
  'september sep sept setyembre',
  'october oct oktubre',
  'november nov nobyembre',
  'december dec disyembre',
];
/** By count. */
const COUNT_WORDS = ['', 'a an one isang', 'two dalawang', 'three tatlong', 'four', 'five', 'six', 'seven'];
/** From yesterday on. */
const RELATIVE_DAYS = [
  /^(?:yesterday|kahapon)$/,
  /^(?:today|ngayon(?:g araw)?)$/,
  /^(?:tomorrow|tmrw|bukas)$/,
  /^(?:(?:the )?day after tomorrow|makalawa)$/,
];

const MONTH = '(?<month>[a-z]+)\\.?';
const DATE = '(?:the |ika-?|a-)?(?<date>\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?:,? *(?<year>\\d{4}))?';
/** Month names before or after the date, and the form of spreadsheets: `15-dec-26`. */
const NAMED_MONTH = [
  new RegExp(`^${MONTH} ${DATE}${YEAR}$`),
  new RegExp(`^${DATE}(?: of| ng)? ${MONTH}${YEAR}$`),
  /^(?<date>\d{1,2})-(?<month>[a-z]{3,})(?:-(?<year>\d{4}|\d{2}))?$/,
];
const DATE_ALONE = /^(?:the (\d{1,2})|(?:the )?(\d{1,2})(?:st|nd|rd|th)|ika-?(\d{1,2}))(?: of the month)?$/;
const SPAN =
  /^(?:in |net |\+ ?|sa )?(\d{1,4}|[a-z]+) ?-?(days?|d|araw|weeks?|wks?|w|linggo|months?|buwan)(?: from (?:now|today))?( ago)?$/;
const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}|\d{2}))?$/;
const WEEKDAY = /^(?:on |this |coming |sa |ngayong )?([a-z]+)$/;
const NEXT = /^(?:next|sa susunod na) ([a-z]+)$/;
const LAST = /^(?:last|nakaraang) ([a-z]+)$/;
const END_WORDS = /^(?:(?:the )?end of (?:the |this )?month|month ?end|eom|(?:sa )?katapusan(?: ng buwan)?)$/;

/** A day without a year that passed at most this many days ago is ambiguous. */
const RECENT_DAYS = 90;

const utcDay = (year: number, month: number, date: number): number => Date.UTC(year, month, date) / 1000 / DAY;
const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
const indexIn = (lists: readonly string[], word: string) => lists.findIndex((list) => list.split(' ').includes(word));

/** Reads the Manila day that a text names; undefined if the text has no known form. */
export function readDay(typed: string, {now, lenient = false, toward = 'coming'}: DayOptions): DayReading | undefined {
  const text = typed.trim().toLowerCase().replace(/\s+/g, ' ');
  if (text.length > 40) return undefined;
  const today = manilaDay(now);
  const manilaNow = toManila(now);
  const [year, month] = [manilaNow.getUTCFullYear(), manilaNow.getUTCMonth()];
  const dayInYear = (namedMonth: number, date: number, namedYear?: number, isSure = false): DayReading => {
    const years = namedYear === undefined ? [year - 1, year, year + 1] : [namedYear];
    const days = years
      .filter((each) => date >= 1 && date <= daysInMonth(each, namedMonth))
      .map((each) => utcDay(each, namedMonth, date));
    const [only] = days;
    if (only === undefined) return {fault: noDayText(namedYear ?? year, namedMonth, date)};
    if (namedYear !== undefined) return {day: only};
    const past = days.findLast((day) => day <= today) ?? only;
    const next = days.find((day) => day >= today) ?? days.at(-1)!;
    if (toward === 'past') return {day: past};
    if (toward === 'nearest') return {day: today - past < next - today ? past : next};
    if (!lenient && !isSure && past < today && today - past <= RECENT_DAYS)
      return {
        fault: 'That day has just passed, and the next one is a year away.',
        readings: [isoDay(past), isoDay(next)],
      };
    return {day: next};
  };
  const weekday = manilaNow.getUTCDay();

  const relative = RELATIVE_DAYS.findIndex((form) => form.test(text));
  if (relative >= 0) return {day: today + relative - 1};
  if (END_WORDS.test(text)) return {day: utcDay(year, month, daysInMonth(year, month))};
  if (/^(?:the )?end of next month$/.test(text)) return {day: utcDay(year, month + 1, daysInMonth(year, month + 1))};
  if (/^(?:the )?end of (?:the |this )?year$/.test(text)) return {day: utcDay(year, 11, 31)};
  const net = /^net ?(\d{1,3})$/.exec(text) ?? (lenient ? /^(\d{1,3})$/.exec(text) : null);
  if (net) return {day: today + Number(net[1])};
  const span = SPAN.exec(text);
  if (span) {
    const count = /^\d/.test(span[1]!) ? Number(span[1]) : indexIn(COUNT_WORDS, span[1]!);
    if (count >= 0) return spanFrom(today, manilaNow, count * (span[3] ? -1 : 1), span[2]!);
  }

  const weekdayIn = (form: RegExp): number => indexIn(WEEKDAY_WORDS, form.exec(text)?.[1] ?? '');
  const nextDay = weekdayIn(NEXT);
  // `next friday` is in the week that starts on the coming Monday.
  if (nextDay >= 0) return {day: today + 7 - ((weekday + 6) % 7) + ((nextDay + 6) % 7)};
  const lastDay = weekdayIn(LAST);
  if (lastDay >= 0) return {day: today - (((weekday - lastDay + 6) % 7) + 1)};
  const namedDay = weekdayIn(WEEKDAY);
  if (namedDay >= 0)
    return toward === 'past'
      ? {day: today - ((weekday - namedDay + 7) % 7)}
      : {day: today + ((namedDay - weekday + 6) % 7) + 1};

  const alone = DATE_ALONE.exec(text);
  if (alone) return dateAlone(Number(alone[1] ?? alone[2] ?? alone[3]), {today, year, month, toward});
  for (const form of NAMED_MONTH) {
    const {month: name = '', date, year: yearText} = form.exec(text)?.groups ?? {};
    const monthIndex = indexIn(MONTH_WORDS, name);
    if (monthIndex >= 0)
      return dayInYear(monthIndex, Number(date), yearText === undefined ? undefined : fullYear(yearText));
  }
  const numbers = NUMBERS.exec(text);
  return numbers ? readNumbers(numbers, dayInYear, lenient) : undefined;
}

/** `February 30 does not exist.` @param month from 0 */
export const noDayText = (year: number, month: number, date: number): string =>
  `${MONTHS[month]!} ${date} does not exist. That month has ${daysInMonth(year, month)} days.`;

const fullYear = (text: string): number => Number(text.length === 2 ? `20${text}` : text);

interface Today {
  readonly today: number;
  readonly year: number;
  readonly month: number;
  readonly toward: Direction;
}

/** The nearest day with this date, such as the 15th, from today on; in the past if `toward` is `past`. */
function dateAlone(date: number, {today, year, month, toward}: Today): DayReading {
  const step = toward === 'past' ? -1 : 1;
  for (let away = 0; away < 3 && date >= 1 && date <= 31; away++) {
    const day = utcDay(year, month + step * away, date);
    const isInDirection = toward === 'past' ? day <= today : day >= today;
    if (date <= daysInMonth(year, month + step * away) && isInDirection) return {day};
  }
  return {fault: 'No month has that day.'};
}

function spanFrom(today: number, at: Date, count: number, unit: string): DayReading {
  if (/^(d|days?|araw)$/.test(unit)) return {day: today + count};
  if (/^(w|wk|linggo)/.test(unit) || unit.startsWith('week')) return {day: today + 7 * count};
  const month = at.getUTCMonth() + count;
  const first = new Date(Date.UTC(at.getUTCFullYear(), month, 1));
  const last = daysInMonth(first.getUTCFullYear(), first.getUTCMonth());
  return {day: utcDay(first.getUTCFullYear(), first.getUTCMonth(), Math.min(at.getUTCDate(), last))};
}

/** Reads 12/15/2026, 15.12.2026 or 12/15. An ambiguous order is a fault, or month first if lenient. */
function readNumbers(
  [, first, sign, second, yearText]: RegExpExecArray,
  dayInYear: (month: number, date: number, year?: number, isSure?: boolean) => DayReading,
  lenient: boolean,
): DayReading | undefined {
  // 15.12 and 15-12 may be other numbers, and 26-01-15 starts with the year.
  if (yearText?.length !== 4 && sign !== '/') return undefined;
  const [one, two] = [Number(first), Number(second)];
  const year = yearText === undefined ? undefined : fullYear(yearText);
  if (one > 12 && two > 12) return {fault: 'That month does not exist.'};
  if (one < 1 || two < 1) return {fault: 'That day does not exist.'};
  if (one > 12) return dayInYear(two - 1, one, year);
  if (two > 12 || one === two) return dayInYear(one - 1, two, year);
  const monthFirst = dayInYear(one - 1, two, year, true);
  if (lenient && 'day' in monthFirst) return {...monthFirst, note: 'read month first'};
  const dayFirst = dayInYear(two - 1, one, year, true);
  if (!('day' in monthFirst) || !('day' in dayFirst)) return monthFirst;
  return {fault: 'Day and month are ambiguous.', readings: [isoDay(monthFirst.day), isoDay(dayFirst.day)]};
}

/** `2026-12-15` @param day counted from 1970 */
const isoDay = (day: number): string => new Date(day * DAY * 1000).toISOString().slice(0, 10);
