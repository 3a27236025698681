// The due date step: reads a day in words and shows the full date. A past or distant day needs a second Enter.

import {endOfManilaDay, relativeDay, longDay, manilaDay} from '../../../../common/manila.js';
import {dateText, readTypedDate} from '../../../../input/dates.js';
import {InvalidInput} from '../../../../input/invalid-input.js';
import {formatTime} from '../../../../output/format.js';
import {
  withNote,
  withPlainLines,
  goToReview,
  textQuestion,
  withWarning,
  type GuidedState,
  type GuidedQuestion,
} from '../state.js';
import {toItems} from './items.js';

const USUAL_DUE = '+14d';
/** Days; a later due date is probably a mistake. */
const MAX_USUAL_DAYS = 180;

/** `Tuesday, 15 December 2026, in 23 days` @param at unix seconds @param now unix seconds */
export const formatLongDue = (at: number, now: number): string =>
  `${longDay(at)}${at === endOfManilaDay(at) ? '' : ` ${formatTime(at).slice(-5)}`}, ${relativeDay(at, now)}`;

/** Returns the text that Enter alone stands for: the current due date, or else the usual one. */
const defaultDue = ({dueAt}: Pick<GuidedState, 'dueAt'>): string => (dueAt === undefined ? USUAL_DUE : dateText(dueAt));

const defaultDueText = (state: Pick<GuidedState, 'dueAt'>): string =>
  state.dueAt === undefined ? `Enter alone ${USUAL_DUE}` : 'Enter alone keeps it';

export const DUE_QUESTION: GuidedQuestion = {
  ask: () => 'Due:',
  intro: (state) => [`When is payment due? Dec 15, next friday, net 30, end of month. ${defaultDueText(state)}.`],
  preview: duePreview,
  keys: (state) => `Dec 15, next friday, net 30, end of month · ${defaultDueText(state)} · Esc back`,
  handle: textQuestion(enterDue),
  back: (state) => (state.returns ? goToReview(state) : toItems(state)),
};

function enterDue(state: GuidedState, typed: string): GuidedState {
  const text = typed.trim() || defaultDue(state);
  const read = readTypedDate(text, state.now);
  if (read instanceof InvalidInput) return withNote(state, 'error', read.problem);
  const {at, note} = read;
  const words = `${formatLongDue(at, state.now)}${note ? ` (${note})` : ''}`;
  const fault = dueWarning(at, state.now);
  if (fault && state.warned !== typed.trim()) return withWarning(state, `${fault} Press Enter again to use it anyway.`);
  return withPlainLines(goToReview({...state, dueAt: at}), `Due: ${words}`);
}

function dueWarning(at: number, now: number): string | undefined {
  const days = manilaDay(at) - manilaDay(now);
  if (at < now) return `${longDay(at)} was ${relativeDay(at, now)}: the statement would already be overdue.`;
  return days > MAX_USUAL_DAYS ? `${longDay(at)} is ${days} days away.` : undefined;
}

/** Returns the date that the typed text means; undefined for invalid text. */
function duePreview({dueAt, field, now}: GuidedState): string | undefined {
  const read = readTypedDate(field.text.trim() || defaultDue({dueAt}), now);
  return read instanceof InvalidInput
    ? undefined
    : `${formatLongDue(read.at, now)}${read.note ? `, ${read.note}` : ''}`;
}
