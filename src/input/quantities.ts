// Lengths of time and whole numbers, as people type them.

import {usageError} from '../ground/errors.js';
import {DAY} from '../ground/manila.js';
import {quote} from './money.js';

/** Seconds of each unit. */
export const UNITS: Record<string, number> = {s: 1, m: 60, h: 3600, d: DAY, w: 7 * DAY};

/** Seconds of a duration: `30s`, `5m`, `2h`, `3d`; a bare number is seconds. */
export function parseDuration(text: string, name: string): number {
  const match = /^(\d{1,7})([smhdw])?$/.exec(text.trim());
  if (!match)
    throw usageError(`${name} ${quote(text)} is not a duration.`, {
      code: 'invalid_duration',
      hint: 'Write it as 30s, 5m, 2h or 3d.',
    });
  return Number(match[1]) * UNITS[match[2] ?? 's']!;
}

export function parseWholeNumber(
  text: string,
  name: string,
  {from, to, hint}: {readonly from: number; readonly to?: number; readonly hint?: string},
): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= from && value <= (to ?? Infinity)) return value;
  const range = to === undefined ? `${from} on` : `${from} to ${to}`;
  throw usageError(`${name} ${quote(text)} is not a whole number from ${range}.`, {code: 'invalid_number', hint});
}
