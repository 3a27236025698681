// Lengths of time as people write them, made into seconds.

import {usageError} from '../errors.js';
import {DAY} from '../manila.js';
import {quote} from './money.js';

/** Seconds of each unit. */
export const UNITS: Record<string, number> = {s: 1, m: 60, h: 3600, d: DAY, w: 7 * DAY};

/**
 * Seconds of a length of time: `30s`, `5m`, `2h`, `3d`; a bare number is seconds.
 * @throws CentavoError kind `usage`
 */
export function parseDuration(text: string, name: string): number {
  const match = /^(\d{1,7})([smhdw])?$/.exec(text.trim());
  if (!match)
    throw usageError(`${name} ${quote(text)} is not a duration.`, {
      code: 'invalid_duration',
      hint: 'Write it as 30s, 5m, 2h or 3d.',
    });
  return Number(match[1]) * UNITS[match[2] ?? 's']!;
}
