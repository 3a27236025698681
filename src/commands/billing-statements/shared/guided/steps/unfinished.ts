// Unfinished statements: offered when the flow begins; and what is kept of the present one.

import type {Found, Unfinished} from '../../../../../billing/unfinished.js';
import {formatPesos} from '../../../../../ground/pesos.js';
import {totalOf} from '../../../../../input/items.js';
import {EMPTY_FIELD, fieldOf} from '../../../../../output/prompt/line-field.js';
import {choosing, going, noted, toReview, type Choosable, type GuidedStep, type State, type Step} from '../state.js';
import {toCustomer} from './customers.js';
import {countWords, showBad} from './items.js';

const OFFERED = 3;

export function offers(state: State): readonly Choosable[] {
  const shown = state.found.slice(0, OFFERED);
  return [
    ...shown.map((found, index) => ({key: String(index + 1), name: `Continue the one for ${payerOf(found)}`})),
    {key: 'n', name: 'Start a new one'},
    {key: 't', name: shown.length > 1 ? `Delete the one for ${payerOf(marked(state))}` : 'Delete it'},
  ];
}

const payerOf = (found: Found | undefined): string => found?.payer?.name || found?.name || 'nobody yet';

const marked = ({found, scrolled}: State): Found | undefined => found[scrolled];

/** `Reyes Hardware · 3 items, ₱59,100.00 · "Tie wi" half typed · 12 minutes ago` */
export function describeFound(found: Found, now: number): string {
  const {items, typing, at, made} = found;
  return [
    payerOf(found),
    items.length > 0 ? `${countWords(items.length)}, ${formatPesos(totalOf(items))}` : 'no items',
    ...(made.sendInDoubt ? ['the email may have been sent'] : made.statementId ? ['partly made'] : []),
    ...(typing === '' ? [] : [`"${typing}" half typed`]),
    agoWords(now - at),
  ].join(' · ');
}

function agoWords(seconds: number): string {
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

const hear = choosing(offers, choose);

export const UNFINISHED: Step = {
  ask: ({found}) => (found.length > 1 ? 'You have unfinished statements.' : 'You have an unfinished statement.'),
  askPlainly: () => 'Number or letter:',
  opening: (state) => [
    ...state.found
      .slice(0, OFFERED)
      .map((found, index) => `Unfinished statement ${index + 1}: ${describeFound(found, state.now)}`),
    ...offers(state).map(({key, name}) => `  ${key}. ${name}`),
  ],
  rows: offers,
  keys: () => '↑↓ or letter, then Enter · Ctrl-C quit',
  hear: (state, event) => pointing(hear(state, event)),
  back: (state) => state,
};

const pointing = (state: State): State =>
  /^\d$/.test(state.mark) ? {...state, scrolled: Number(state.mark) - 1} : state;

function choose(state: State, key: string): State {
  if (key === 'n') return toCustomer(state);
  const found = key === 't' ? marked(state) : state.found[Number(key) - 1];
  if (!found) return state;
  return {...state, want: {what: key === 't' ? 'forget' : 'take', file: found.file}};
}

/** Continues where an earlier run was left. */
export function takenUp(state: State, found: Found): State {
  const {payer, name, items, dueAt, description, typing, made} = found;
  const known = {...state, payer, name, items, dueAt, description, made, found: []};
  if (made.sendInDoubt)
    return noted(toReview(known), 'warning', 'The email may have been sent. It is not sent again from here.');
  if (made.opened) return noted(toReview(known), 'info', 'The statement is open already. It was not sent.');
  if (made.attempted)
    return noted(toReview(known), 'info', 'It was being created when centavo stopped. Nothing is made or sent twice.');
  const step = stepOfFound(found);
  if (step === 'review') return toReview(known);
  if (step === 'customer') return toCustomer(known, typing);
  const next = going(known, step, typing, {returns: payer !== undefined && items.length > 0 && dueAt !== undefined});
  const {bad = []} = found;
  const shown = step === 'items' && bad.length > 0 ? showBad({...next, bad}) : next;
  return {...shown, field: typing === '' ? EMPTY_FIELD : fieldOf(typing)};
}

/** The step at which it was left, or the first one before it without an answer. */
function stepOfFound({step, payer, name, items, dueAt}: Found): GuidedStep {
  if (step === 'customer' || step === 'name') return step;
  if (step === 'email') return name === undefined ? 'name' : 'email';
  if (payer === undefined || payer.email === '') return 'customer';
  if (step === 'items' || items.length === 0) return 'items';
  if (step === 'due' || dueAt === undefined) return 'due';
  return step === 'description' ? step : 'review';
}

export function withoutFound(state: State, file: string): State {
  const found = state.found.filter((each) => each.file !== file);
  if (found.length === 0) return toCustomer({...state, found});
  return {...state, found, mark: '1', scrolled: 0};
}

/** What is kept of the present one; undefined before anything was entered. */
export function keptOf(state: State): Omit<Unfinished, 'at'> | undefined {
  const {step, payer, name, items, dueAt, description, bad, field, made} = state;
  const typing = step === 'confirm' || step === 'review' || step === 'unfinished' ? '' : field.text;
  const empty = step === 'unfinished' || (!payer && name === undefined && items.length === 0 && typing === '');
  if (empty && !made.attempted) return undefined;
  const entered = {payer, name, items, dueAt, description, ...(bad.length > 0 && {bad})};
  return {step: step === 'confirm' ? 'review' : step, ...entered, typing, made};
}
