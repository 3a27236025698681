// Whole days that something is overdue, as a flag says them.

import {usageError} from '../../../ground/errors.js';
import {DAY} from '../../../ground/manila.js';
import {parseDuration} from '../../../input/quantities.js';

/** @param text `30d` or `2w` */
export function parseOverdue(text: string): number {
  const days = parseDuration(/^\d+$/.test(text.trim()) ? `${text.trim()}d` : text, '--overdue') / DAY;
  if (Number.isInteger(days) && days > 0) return days;
  throw usageError(`--overdue ${text} is not a number of whole days.`, {
    code: 'invalid_duration',
    hint: 'For example: --overdue 30d',
  });
}

/** `1 day`, `47 days`. */
export const daysWords = (days: number): string => `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`;
