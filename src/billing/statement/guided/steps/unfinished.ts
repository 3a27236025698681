// Offers unfinished statements when the flow starts, and converts the current statement to its saved form.

import type {UnfinishedStatement, UnfinishedContent} from '../../unfinished-store.js';
import {formatPesos} from '../../../../common/pesos.js';
import {totalAsNumber} from '../../../../input/items.js';
import {EMPTY_FIELD, lineFieldOf} from '../../../../output/prompt/line-field.js';
import {
  choiceQuestion,
  goToQuestion,
  withNote,
  goToReview,
  type Choosable,
  type GuidedStep,
  type GuidedState,
  type GuidedQuestion,
} from '../state.js';
import {toCustomer} from './customers.js';
import {formatItemCount, showInvalidItem} from './items.js';

const MAX_OFFERED = 3;

export function draftChoices(state: GuidedState): readonly Choosable[] {
  const shown = state.found.slice(0, MAX_OFFERED);
  return [
    ...shown.map((found, index) => ({
      key: String(index + 1),
      name: `Continue the statement for ${payerNameOf(found)}`,
    })),
    {key: 'n', name: 'Start a new statement'},
    {key: 't', name: shown.length > 1 ? `Delete the statement for ${payerNameOf(marked(state))}` : 'Delete it'},
  ];
}

const payerNameOf = (found: UnfinishedStatement | undefined): string =>
  found?.payer?.name || found?.name || 'an unnamed customer';

const marked = ({found, scrolled}: GuidedState): UnfinishedStatement | undefined => found[scrolled];

/** `Reyes Hardware · 3 items, ₱59,100.00 · "Tie wi" half typed · 12 minutes ago` */
export function describeFound(found: UnfinishedStatement, now: number): string {
  const {items, typing, at, made} = found;
  return [
    payerNameOf(found),
    items.length > 0 ? `${formatItemCount(items.length)}, ${formatPesos(totalAsNumber(items))}` : 'no items',
    ...(made.sendInDoubt ? ['the email may have been sent'] : made.statementId ? ['partly created'] : []),
    ...(typing === '' ? [] : [`"${typing}" half typed`]),
    // The clock was set back since.
    ...(at > now ? [] : [formatAgo(now - at)]),
  ].join(' · ');
}

function formatAgo(seconds: number): string {
  const [count, unit] =
    seconds < 90
      ? [0, '']
      : seconds < 5400
        ? [Math.round(seconds / 60), 'minute']
        : seconds < 129_600
          ? [Math.round(seconds / 3600), 'hour']
          : [Math.round(seconds / 86_400), 'day'];
  return count === 0 ? 'just now' : `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

const handle = choiceQuestion(draftChoices, chooseDraft);

export const UNFINISHED: GuidedQuestion = {
  ask: ({found}) => (found.length > 1 ? 'You have unfinished statements.' : 'You have an unfinished statement.'),
  askPlainly: () => 'Number or letter:',
  intro: (state) => [
    ...state.found
      .slice(0, MAX_OFFERED)
      .map((found, index) => `Unfinished statement ${index + 1}: ${describeFound(found, state.now)}`),
    ...draftChoices(state).map(({key, name}) => `  ${key}. ${name}`),
  ],
  rows: draftChoices,
  keys: () => '↑↓ or letter, then Enter · Ctrl-C quit',
  handle: (state, event) => withMarkedDraft(handle(state, event)),
  back: (state) => state,
};

const withMarkedDraft = (state: GuidedState): GuidedState =>
  /^\d$/.test(state.mark) ? {...state, scrolled: Number(state.mark) - 1} : state;

function chooseDraft(state: GuidedState, key: string): GuidedState {
  if (key === 'n') return toCustomer(state);
  const found = key === 't' ? marked(state) : state.found[Number(key) - 1];
  if (!found) return state;
  return {...state, effect: {type: key === 't' ? 'forget' : 'resume', file: found.file}};
}

/** Continues a saved draft where the user left it, or at the review if a run was started. */
export function continueUnfinished(state: GuidedState, found: UnfinishedStatement): GuidedState {
  const {payer, name, items, dueAt, description, typing, made} = found;
  const known = {...state, payer, name, items, dueAt, description, made, found: []};
  if (made.sendInDoubt)
    return withNote(goToReview(known), 'warning', 'The email may have been sent. It is not sent again from here.');
  if (made.opened) return withNote(goToReview(known), 'info', 'The statement is open already. It was not sent.');
  if (made.attempted)
    return withNote(
      goToReview(known),
      'info',
      'centavo stopped while it created this statement. Nothing is created or sent twice.',
    );
  const step = stepOfFound(found);
  if (step === 'review') return goToReview(known);
  if (step === 'customer') return toCustomer(known, typing);
  const next = goToQuestion(known, step, typing, {
    returns: payer !== undefined && items.length > 0 && dueAt !== undefined,
  });
  const {invalidLines = []} = found;
  const shown = step === 'items' && invalidLines.length > 0 ? showInvalidItem({...next, invalidLines}) : next;
  return {...shown, field: typing === '' ? EMPTY_FIELD : lineFieldOf(typing)};
}

/** Returns the step at which the user left the draft, or an earlier step without an answer. */
function stepOfFound({step, payer, name, items, dueAt}: UnfinishedStatement): GuidedStep {
  if (step === 'customer' || step === 'name') return step;
  if (step === 'email') return name === undefined ? 'name' : 'email';
  if (payer === undefined || payer.email === '') return 'customer';
  if (step === 'items' || items.length === 0) return 'items';
  if (step === 'due' || dueAt === undefined) return 'due';
  return step === 'description' ? step : 'review';
}

export function withoutFound(state: GuidedState, file: string): GuidedState {
  const found = state.found.filter((each) => each.file !== file);
  if (found.length === 0) return toCustomer({...state, found});
  return {...state, found, mark: '1', scrolled: 0};
}

/** Returns the current statement in its saved form; undefined if the user has entered nothing. */
export function unfinishedToSave(state: GuidedState): Omit<UnfinishedContent, 'at'> | undefined {
  const {step, payer, name, items, dueAt, description, invalidLines, field, made} = state;
  const typing = step === 'confirm' || step === 'review' || step === 'unfinished' ? '' : field.text;
  const empty = step === 'unfinished' || (!payer && name === undefined && items.length === 0 && typing === '');
  if (empty && !made.attempted) return undefined;
  const entered = {payer, name, items, dueAt, description, ...(invalidLines.length > 0 && {invalidLines})};
  return {step: step === 'confirm' ? 'review' : step, ...entered, typing, made};
}
