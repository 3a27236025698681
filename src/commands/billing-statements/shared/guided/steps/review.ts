// The review: what will be billed, and what to do with it.

import {formatPesos} from '../../../../../ground/pesos.js';
import {totalOf} from '../../../../../input/items.js';
import {going, moved, noted, stepOf, toReview, type GuidedChoice, type Event, type State} from '../state.js';
import {toCustomer} from './customers.js';
import {toItems} from './items.js';

/** What can be chosen. An open statement cannot change any more: only its sending is left. */
export function choices(state: State): readonly GuidedChoice[] {
  const {sendInDoubt, opened} = state.made;
  const quit = {key: 'l', words: state.isKept ? 'Quit, keep it for later' : 'Quit, change nothing'};
  const edits = [
    {key: 'i', words: 'Edit items'},
    {key: 'u', words: 'Edit due date'},
  ];
  if (state.changes) return [{key: 'd', words: 'Save the draft'}, ...edits, quit];
  if (sendInDoubt)
    return [
      {key: 'k', words: 'Check the statement'},
      {key: 'l', words: 'Quit'},
    ];
  const send = {key: 's', words: `Send to ${state.payer?.email ?? 'the customer'}`};
  if (opened) return [send, quit];
  return [
    send,
    {key: 'o', words: 'Finalize, share the link myself'},
    ...(state.isReplacing
      ? []
      : [
          {key: 'd', words: 'Save as draft'},
          {key: 'c', words: 'Edit customer'},
        ]),
    ...edits,
    quit,
  ];
}

export const changesIn = ({changes, items, dueAt}: State): readonly string[] => changes?.(items, dueAt) ?? [];

export function effectOf(state: State): string {
  const name = state.payer?.name ?? 'The customer';
  const total = formatPesos(totalOf(state.items));
  switch (state.mark) {
    case 's':
      return `${name} gets an email now, with a link to pay ${total}.`;
    case 'o':
      return `The statement of ${total} opens for payment. No email is sent; you get the link.`;
    case 'd':
      if (state.changes)
        return changesIn(state).length > 0 ? 'Nobody is asked to pay yet.' : 'Nothing is different yet.';
      return 'A draft is made. Nobody is asked to pay yet.';
    case 'k':
      return 'Reads the statement again. Nothing is sent.';
    case 'l':
      if (state.made.sendInDoubt) return 'Nothing more is sent.';
      return state.isKept ? 'What you entered is kept on this machine.' : 'Nothing is changed, and nothing is sent.';
    default:
      return 'Nothing is sent yet.';
  }
}

export function reviewStep(state: State, event: Event): State {
  const all = choices(state);
  const by = stepOf(event);
  if (by !== undefined)
    return {
      ...state,
      mark: moved(
        all.map(({key}) => key),
        state.mark,
        by,
      ),
      note: undefined,
    };
  if (event.type === 'line') {
    const key = event.text.trim().toLowerCase();
    if (all.some((choice) => choice.key === key)) return choose(state, key);
    return noted(state, 'error', `Answer with one of ${all.map((choice) => choice.key).join(', ')}.`);
  }
  if (event.type === 'text') {
    const key = event.text.toLowerCase();
    if (!all.some((choice) => choice.key === key)) return state;
    // Editing harms nothing; the others wait for Enter.
    return /^[ciu]$/.test(key) ? choose(state, key) : {...state, mark: key, note: undefined};
  }
  return event.type === 'key' && event.key === 'enter' ? choose(state, state.mark) : state;
}

function choose(state: State, key: string): State {
  const editing = {...state, returns: true};
  switch (key) {
    case 'c':
      return toCustomer(editing);
    case 'i':
      return toItems(editing);
    case 'u':
      return going(editing, 'due');
    case 'k':
      return {...state, busy: 'Reading the statement…', want: {what: 'check'}};
    case 's':
      return {...state, want: {what: 'goal', goal: 'send'}};
    case 'o':
      return {...state, want: {what: 'goal', goal: 'finalize'}};
    case 'd':
      return {...state, want: {what: 'goal', goal: 'draft'}};
    default:
      return {...state, want: {what: 'quit'}};
  }
}

/** The question of a live key: only y and yes confirm. */
export function confirmStep(state: State, typed: string): State {
  const yes = /^y(es)?$/i.test(typed.trim());
  const next = toReview({...state, question: undefined, want: {what: 'confirmed', yes}});
  return yes ? next : {...noted(next, 'info', 'Not confirmed. Nothing was sent.'), mark: state.mark};
}
