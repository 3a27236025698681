// The review step: shows the statement and asks for the next action, a description or a confirmation.

import {formatPesos} from '../../../../common/pesos.js';
import {totalAsNumber} from '../../../../input/items.js';
import {
  choiceQuestion,
  goToQuestion,
  withNote,
  quitKey,
  goToReview,
  textQuestion,
  type Choosable,
  type GuidedState,
  type GuidedQuestion,
} from '../state.js';
import {formatPayer, toCustomer} from './customers.js';
import {formatLongDue} from './due.js';
import {formatItemLines, formatItemSum, toItems} from './items.js';

/** Returns the choices. An open statement can no longer change, so it can only be sent. */
export function reviewChoices(state: GuidedState): readonly Choosable[] {
  const {sendInDoubt, opened} = state.made;
  const quit = {key: 'l', name: state.isSaved ? 'Quit, keep it for later' : 'Quit, change nothing'};
  const edits = [
    {key: 'i', name: 'Edit items'},
    {key: 'u', name: 'Edit due date'},
    ...(state.isDescribed
      ? [{key: 'e', name: state.description === undefined ? 'Add a description' : 'Edit description'}]
      : []),
  ];
  if (state.changes) return [{key: 'd', name: 'Save the draft'}, ...edits, quit];
  if (sendInDoubt)
    return [
      {key: 'k', name: 'Check the statement'},
      {key: 'l', name: 'Quit'},
    ];
  const send = {key: 's', name: `Send to ${state.payer?.email ?? 'the customer'}`};
  if (opened) return [send, quit];
  return [
    send,
    {key: 'o', name: 'Finalize, share the link myself'},
    ...(state.isReplacing
      ? []
      : [
          {key: 'd', name: 'Save as draft'},
          {key: 'c', name: 'Edit customer'},
        ]),
    ...edits,
    quit,
  ];
}

export const changesIn = ({changes, items, dueAt}: GuidedState): readonly string[] => changes?.({items, dueAt}) ?? [];

export function describeChoice(state: GuidedState): string {
  const name = state.payer?.name ?? 'The customer';
  const total = formatPesos(totalAsNumber(state.items));
  switch (state.mark) {
    case 's':
      return `${name} gets an email now, with a link to pay ${total}.`;
    case 'o':
      return `The statement of ${total} opens for payment. No email is sent; you get the link.`;
    case 'd':
      if (state.changes)
        return changesIn(state).length > 0 ? 'The customer is not asked to pay yet.' : 'Nothing has changed yet.';
      return 'Creates a draft. The customer is not asked to pay yet.';
    case 'k':
      return 'Reads the statement again. Nothing is sent.';
    case 'l':
      if (state.made.sendInDoubt) return 'Nothing more is sent.';
      return state.isSaved ? 'Your input is saved on this machine.' : 'Nothing is changed, and nothing is sent.';
    default:
      return 'Nothing is sent yet.';
  }
}

export const REVIEW: GuidedQuestion = {
  ask: () => "What's next?",
  askPlainly: () => 'Letter:',
  intro: (state) => [
    `To: ${formatPayer(state)}`,
    ...formatItemLines(state.items),
    formatItemSum(state.items),
    ...(state.dueAt === undefined ? [] : [`Due: ${formatLongDue(state.dueAt, state.now)}`]),
    ...(state.description === undefined ? [] : [`Description: ${state.description}`]),
    ...changesIn(state),
    "What's next?",
    ...reviewChoices(state).map(({key, name}) => `  ${key}. ${name}. ${describeChoice({...state, mark: key})}`),
  ],
  rows: reviewChoices,
  keys: (state) => `↑↓ or letter, then Enter · Esc back · ${quitKey(state)}`,
  handle: choiceQuestion(reviewChoices, chooseGoal),
  back: (state) => (state.made.opened || state.made.sendInDoubt ? state : goToQuestion(state, 'due')),
};

function chooseGoal(state: GuidedState, key: string): GuidedState {
  const editing = {...state, returns: true};
  switch (key) {
    case 'c':
      // A customer that is not created yet can still be corrected.
      return state.payer && state.payer.id === undefined
        ? goToQuestion(editing, 'name', state.payer.name)
        : toCustomer(editing);
    case 'i':
      return toItems(editing);
    case 'u':
      return goToQuestion(editing, 'due');
    case 'e':
      return goToQuestion(editing, 'description', state.description);
    case 'k':
      return {...state, busy: 'Reading the statement…', effect: {type: 'check'}};
    case 's':
      return {...state, effect: {type: 'goal', goal: 'send'}};
    case 'o':
      return {...state, effect: {type: 'goal', goal: 'finalize'}};
    case 'd':
      return {...state, effect: {type: 'goal', goal: 'draft'}};
    case 'l':
      return {...state, effect: {type: 'quit'}};
    default:
      return withNote(state, 'info', 'Choose first, with ↑↓ or a letter. Then press Enter.');
  }
}

export const DESCRIPTION: GuidedQuestion = {
  ask: () => 'Description:',
  intro: ({description}) => [
    'A description of the statement, for the customer. An empty line removes it.',
    ...(description === undefined ? [] : [`Current description: ${description}`]),
  ],
  keys: (state) => `Enter save, empty removes it · Esc back · ${quitKey(state)}`,
  handle: textQuestion((state, typed) => goToReview({...state, description: typed.trim() || undefined})),
  back: goToReview,
};

const reviewAnswer = textQuestion(confirm);

/** The question before a live change: only y and yes confirm. */
export const CONFIRM: GuidedQuestion = {
  ask: () => '(y/N)',
  askPlainly: () => 'Yes or no (no):',
  intro: ({question = ''}) => [question],
  keys: () => 'y then Enter: yes · Enter alone: no',
  // Pasted text is not accepted as an answer.
  handle: (state, event) => (event.type === 'paste' ? state : reviewAnswer(state, event)),
  back: (state) => confirm(state, 'no'),
};

function confirm(state: GuidedState, typed: string): GuidedState {
  const yes = /^y(es)?$/i.test(typed.trim());
  const next = goToReview({...state, question: undefined, effect: {type: 'confirmed', yes}});
  return yes ? next : {...withNote(next, 'info', 'Not confirmed. Nothing was sent.'), mark: state.mark};
}
