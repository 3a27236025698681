// Reads typed durations and whole numbers.

import {MAX_TIMER_DELAY} from '../common/deadlines.js';
import {DAY, UNITS} from '../common/manila.js';
import {InvalidInput} from './invalid-input.js';
import {quote} from './money.js';

/** Reads a duration as seconds: `30s`, `5m`, `2h`, `3d`; a bare number is seconds. */
export function readDuration(text: string): InvalidInput | number {
  const match = /^(\d{1,7})([smhdw])?$/.exec(text.trim());
  if (match) return Number(match[1]) * UNITS[match[2] ?? 's']!;
  return new InvalidInput(`${quote(text)} is not a duration.`, {
    code: 'invalid_duration',
    hint: 'Write it as 30s, 5m, 2h or 3d.',
  });
}

/** Returns a typed duration with its unit: `30 s` for `30`. */
export const withUnit = (typed: string): string => typed.trim().replace(/^\d+$/, '$& s');

/** Reads whole days: `30d`, `2w`; a bare number is days. */
export function readWholeDays(text: string): InvalidInput | number {
  const seconds = readDuration(text.trim().replace(/^\d+$/, '$&d'));
  const days = seconds instanceof InvalidInput ? NaN : seconds / DAY;
  return Number.isInteger(days) && days > 0
    ? days
    : new InvalidInput(`${quote(text)} is not a number of whole days.`, {
        code: 'invalid_duration',
        hint: (place) => `For example: ${place} 30d`,
      });
}

/** Reads a time limit as seconds. Refuses 0 and more than a timer can wait. */
export function readTimeLimit(text: string): InvalidInput | number {
  const seconds = readDuration(text);
  const invalid = (problem: string, hint?: string) => new InvalidInput(problem, {code: 'invalid_duration', hint});
  if (seconds === 0) return invalid('cannot be 0.');
  if (seconds instanceof InvalidInput || seconds * 1000 <= MAX_TIMER_DELAY) return seconds;
  return invalid(`${withUnit(text)} is too long.`, 'The longest is 24d.');
}

export function readWholeNumber(
  text: string,
  {from, to, hint}: {readonly from: number; readonly to?: number; readonly hint?: string},
): InvalidInput | number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= from && value <= (to ?? Infinity)) return value;
  const range = to === undefined ? `of at least ${from}` : `from ${from} to ${to}`;
  return new InvalidInput(`${quote(text)} is not a whole number ${range}.`, {code: 'invalid_number', hint});
}
