// The steps of the guided flow, and the next state after each event.

import {lineFieldOf} from '../../../output/prompt/line-field.js';
import {
  goToQuestion,
  withNote,
  goToReview,
  type GuidedEvent,
  type GuidedStep,
  type GuidedRefusal,
  type GuidedState,
  type GuidedQuestion,
} from './state.js';
import {
  CUSTOMER_QUESTION,
  EMAIL,
  listCustomersPlainly,
  withFoundCustomer,
  NAME,
  withShownCustomers,
  toCustomer,
} from './steps/customers.js';
import {DUE_QUESTION} from './steps/due.js';
import {ITEMS, refusedItem} from './steps/items.js';
import {CONFIRM, DESCRIPTION, REVIEW} from './steps/review.js';
import {continueUnfinished, UNFINISHED, withoutFound} from './steps/unfinished.js';

export const STEPS: Readonly<Record<GuidedStep, GuidedQuestion>> = {
  unfinished: UNFINISHED,
  customer: CUSTOMER_QUESTION,
  name: NAME,
  email: EMAIL,
  items: ITEMS,
  due: DUE_QUESTION,
  review: REVIEW,
  description: DESCRIPTION,
  confirm: CONFIRM,
};

/** Returns the state after an event, with its effect in `effect` and new lines for a plain terminal in `plainLines`. */
export function reduceGuided(before: GuidedState, event: GuidedEvent): GuidedState {
  const state = {...before, effect: undefined, plainLines: []};
  switch (event.type) {
    case 'now':
      return {...state, now: event.now};
    case 'people': {
      const {people, done, loadError} = event;
      const loaded = {...state, people: [...state.people, ...people], loading: !done, loadError};
      if (state.step !== 'customer') return loaded;
      if (state.listed === undefined) return withShownCustomers(loaded);
      // Text typed while customers load is searched once all are loaded.
      return done ? listCustomersPlainly(loaded) : loaded;
    }
    case 'looked-up':
      return state.busy === undefined ? state : withFoundCustomer(state, event);
    case 'resumed':
      return continueUnfinished(state, event.found);
    case 'forgotten':
      return withoutFound(state, event.file);
    case 'problem':
      return afterProblem(state, event.problem);
    case 'question':
      return goToQuestion(state, 'confirm', '', {question: event.question, mark: state.mark});
    default:
      return state.busy === undefined ? handleInput(state, event) : state;
  }
}

function handleInput(state: GuidedState, event: GuidedEvent): GuidedState {
  const step = STEPS[state.step];
  const {text} = state.field;
  if (event.type === 'line' && /^back$/i.test(event.text.trim())) return step.back(state);
  if (event.type !== 'key' || (event.key !== 'escape' && event.key !== 'enter')) return step.handle(state, event);
  const isBack = /^back$/i.test(text.trim()) && !step.isSearched && state.step !== 'confirm';
  if (event.key === 'enter') return isBack ? step.back({...state, field: lineFieldOf('')}) : step.handle(state, event);
  // Escape clears a search, and puts a new customer's name back into the search.
  const keepsText =
    !step.isSearched && state.step !== 'name' && state.editing === undefined && state.invalidLines.length === 0;
  return step.back(keepsText && text !== '' ? {...state, halfTyped: {...state.halfTyped, [state.step]: text}} : state);
}

/** Returns to the step that was refused, with the reason as a note. */
function afterProblem(state: GuidedState, {step, text, item, made}: GuidedRefusal): GuidedState {
  const known = {...state, made, busy: undefined, returns: true};
  const {name = '', email = ''} = state.payer ?? {};
  if (step === 'items' && item !== undefined) return refusedItem(known, item, text);
  if (step === 'name') return withNote(goToQuestion(known, 'name', name), 'error', text);
  if (step === 'email') return withNote(goToQuestion({...known, name}, 'email', email), 'error', text);
  if (step === 'customer') return withNote(toCustomer(known), 'error', text);
  if (step === 'review') return withNote(goToReview({...known, returns: false}), 'error', text);
  return withNote(goToQuestion(known, step, step === 'description' ? state.description : ''), 'error', text);
}
