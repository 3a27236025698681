// The steps of the flow, and what each event makes of its state.

import {fieldOf} from '../../../../output/prompt/line-field.js';
import {going, noted, toReview, type Event, type GuidedStep, type Refusal, type State, type Step} from './state.js';
import {CUSTOMER, EMAIL, listing, lookedUp, NAME, showing, toCustomer} from './steps/customers.js';
import {DUE} from './steps/due.js';
import {ITEMS, refusedItem} from './steps/items.js';
import {CONFIRM, DESCRIPTION, REVIEW} from './steps/review.js';
import {takenUp, UNFINISHED, withoutFound} from './steps/unfinished.js';

export const STEPS: Readonly<Record<GuidedStep, Step>> = {
  unfinished: UNFINISHED,
  customer: CUSTOMER,
  name: NAME,
  email: EMAIL,
  items: ITEMS,
  due: DUE,
  review: REVIEW,
  description: DESCRIPTION,
  confirm: CONFIRM,
};

/** The state after an event, with what it wants done in `want` and new lines for a plain terminal in `said`. */
export function next(before: State, event: Event): State {
  const state = {...before, want: undefined, said: []};
  switch (event.type) {
    case 'now':
      return {...state, now: event.now};
    case 'people': {
      const {people, done, unread} = event;
      const loaded = {...state, people: [...state.people, ...people], loading: !done, unread};
      if (state.step !== 'customer') return loaded;
      if (state.listed === undefined) return showing(loaded);
      // What was asked for while they were loading is said at their end.
      return done ? listing(loaded) : loaded;
    }
    case 'looked-up':
      return state.busy === undefined ? state : lookedUp(state, event);
    case 'taken':
      return takenUp(state, event.found);
    case 'forgotten':
      return withoutFound(state, event.file);
    case 'problem':
      return afterProblem(state, event.problem);
    case 'question':
      return going(state, 'confirm', '', {question: event.question, mark: state.mark});
    default:
      return state.busy === undefined ? typed(state, event) : state;
  }
}

function typed(state: State, event: Event): State {
  const step = STEPS[state.step];
  const {text} = state.field;
  if (event.type === 'line' && /^back$/i.test(event.text.trim())) return step.back(state);
  if (event.type !== 'key' || (event.key !== 'escape' && event.key !== 'enter')) return step.hear(state, event);
  const isBack = /^back$/i.test(text.trim()) && !step.isSearched && state.step !== 'confirm';
  if (event.key === 'enter') return isBack ? step.back({...state, field: fieldOf('')}) : step.hear(state, event);
  // A search is cleared, and a name goes back into it.
  const isKept = !step.isSearched && state.step !== 'name' && state.editing === undefined && state.bad.length === 0;
  return step.back(isKept && text !== '' ? {...state, halfTyped: {...state.halfTyped, [state.step]: text}} : state);
}

/** Where a run stopped: what was refused is asked again in its place. */
function afterProblem(state: State, {step, text, item, made}: Refusal): State {
  const known = {...state, made, busy: undefined, returns: true};
  const {name = '', email = ''} = state.payer ?? {};
  if (step === 'items' && item !== undefined) return refusedItem(known, item, text);
  if (step === 'name') return noted(going(known, 'name', name), 'error', text);
  if (step === 'email') return noted(going({...known, name}, 'email', email), 'error', text);
  if (step === 'customer') return noted(toCustomer(known), 'error', text);
  if (step === 'review') return noted(toReview({...known, returns: false}), 'error', text);
  return noted(going(known, step, step === 'description' ? state.description : ''), 'error', text);
}
