// When it is due: a day in words, shown in full before it is taken. A past or distant day needs a second Enter.

import {endOfManilaDay, fromNow, longDay, manilaDay} from '../../../../../ground/manila.js';
import {dateText, readTypedDate} from '../../../../../input/dates.js';
import {formatTime} from '../../../../../output/format.js';
import {noted, saying, toReview, warning, type State} from '../state.js';

const USUAL_DUE = '+14d';
/** Days; a later due date is more likely a slip. */
const FAR = 180;

/** `Tuesday, 15 December 2026, in 23 days` @param at unix seconds @param now unix seconds */
export const dueWords = (at: number, now: number): string =>
  `${longDay(at)}${at === endOfManilaDay(at) ? '' : ` ${formatTime(at).slice(-5)}`}, ${fromNow(at, now)}`;

/** What Enter alone means: the present due date, if there is one. */
const usual = ({dueAt}: Pick<State, 'dueAt'>): string => (dueAt === undefined ? USUAL_DUE : dateText(dueAt));

export const usualWords = (state: Pick<State, 'dueAt'>): string =>
  state.dueAt === undefined ? `Enter alone ${USUAL_DUE}` : 'Enter alone keeps it';

export function dueStep(state: State, typed: string): State {
  const text = typed.trim() || usual(state);
  const read = readTypedDate(text, state.now);
  if ('fault' in read) return noted(state, 'error', read.fault);
  const {at, note} = read;
  const words = `${dueWords(at, state.now)}${note ? ` (${note})` : ''}`;
  const fault = doubtAbout(at, state.now);
  if (fault && state.warned !== typed.trim()) return warning(state, `${fault} Press Enter again to use it anyway.`);
  return saying(toReview({...state, dueAt: at}), `Due: ${words}`);
}

export function doubtAbout(at: number, now: number): string | undefined {
  const days = manilaDay(at) - manilaDay(now);
  if (at < now) return `${longDay(at)} was ${fromNow(at, now)}: the statement would be overdue at once.`;
  return days > FAR ? `${longDay(at)} is ${days} days away.` : undefined;
}

/** What the text reads as, while it is typed. */
export function dueReading(text: string, state: Pick<State, 'dueAt' | 'now'>): string | undefined {
  const {now} = state;
  const read = readTypedDate(text.trim() || usual(state), now);
  return 'fault' in read ? undefined : `${dueWords(read.at, now)}${read.note ? `, ${read.note}` : ''}`;
}
