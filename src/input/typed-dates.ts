// Due dates as a person types them at a question, who sees at once what was understood.

import {CentavoError} from '../errors.js';
import {readDay} from './date-words.js';
import {endOfDay, parseDate, UNKNOWN_FORM} from './dates.js';

/** A date that a person typed and sees read back: an instant, or what is wrong, in a sentence. */
export type TypedDate = {readonly at: number; readonly note?: string} | {readonly fault: string};

/**
 * A due date as it is typed at a question: every form of {@link parseDate}, `14` for days from now, and 11/12/2026 read
 * month first, with a note that says so.
 * @param now unix seconds
 */
export function readTypedDate(text: string, now: number): TypedDate {
  const read = readDay(text, {now, lenient: true});
  if (read && 'day' in read) return {at: endOfDay(read.day), note: read.note};
  try {
    return {at: parseDate(text, 'due', now)};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    const {why = ''} = error.details;
    const forms = 'Try: Dec 15, friday, next friday, 12/15/2026, +14d, 2 weeks, end of month.';
    return {fault: `${why === UNKNOWN_FORM ? 'That is no date that can be read.' : why} ${forms}`};
  }
}
