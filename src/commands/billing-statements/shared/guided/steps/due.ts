// When it is due: a day in words, shown in full before it is taken. A past or distant day needs a second Enter.

import {endOfManilaDay, fromNow, longDay, manilaDay} from '../../../../../ground/manila.js';
import {dateText, readTypedDate} from '../../../../../input/dates.js';
import {Fault} from '../../../../../input/fault.js';
import {formatTime} from '../../../../../output/format.js';
import {noted, saying, toReview, typing, warning, type State, type Step} from '../state.js';
import {toItems} from './items.js';

const USUAL_DUE = '+14d';
/** Days; a later due date is more likely a slip. */
const FAR = 180;

/** `Tuesday, 15 December 2026, in 23 days` @param at unix seconds @param now unix seconds */
export const dueWords = (at: number, now: number): string =>
  `${longDay(at)}${at === endOfManilaDay(at) ? '' : ` ${formatTime(at).slice(-5)}`}, ${fromNow(at, now)}`;

/** What Enter alone means: the present due date, if there is one. */
const usual = ({dueAt}: Pick<State, 'dueAt'>): string => (dueAt === undefined ? USUAL_DUE : dateText(dueAt));

const usualWords = (state: Pick<State, 'dueAt'>): string =>
  state.dueAt === undefined ? `Enter alone ${USUAL_DUE}` : 'Enter alone keeps it';

export const DUE: Step = {
  ask: () => 'Due:',
  opening: (state) => [`When is payment due? Dec 15, next friday, net 30, end of month. ${usualWords(state)}.`],
  reading: dueReading,
  keys: (state) => `Dec 15, next friday, net 30, end of month · ${usualWords(state)} · Esc back`,
  hear: typing(enterDue),
  back: (state) => (state.returns ? toReview(state) : toItems(state)),
};

function enterDue(state: State, typed: string): State {
  const text = typed.trim() || usual(state);
  const read = readTypedDate(text, state.now);
  if (read instanceof Fault) return noted(state, 'error', read.problem);
  const {at, note} = read;
  const words = `${dueWords(at, state.now)}${note ? ` (${note})` : ''}`;
  const fault = doubtAbout(at, state.now);
  if (fault && state.warned !== typed.trim()) return warning(state, `${fault} Press Enter again to use it anyway.`);
  return saying(toReview({...state, dueAt: at}), `Due: ${words}`);
}

function doubtAbout(at: number, now: number): string | undefined {
  const days = manilaDay(at) - manilaDay(now);
  if (at < now) return `${longDay(at)} was ${fromNow(at, now)}: the statement would be overdue at once.`;
  return days > FAR ? `${longDay(at)} is ${days} days away.` : undefined;
}

/** What the text reads as, while it is typed. */
function dueReading({dueAt, field, now}: State): string | undefined {
  const read = readTypedDate(field.text.trim() || usual({dueAt}), now);
  return read instanceof Fault ? undefined : `${dueWords(read.at, now)}${read.note ? `, ${read.note}` : ''}`;
}
