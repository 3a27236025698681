// What each event makes of the state of the flow.

import {EMPTY_FIELD, edited} from '../../../../output/prompt/line-field.js';
import {going, noted, toReview, type Event, type Refusal, type State} from './state.js';
import {customerStep, emailStep, lookedUp, nameStep, showing, toCustomer} from './steps/customers.js';
import {dueStep} from './steps/due.js';
import {itemsStep, pasted, refusedItem, skipBad, toItems} from './steps/items.js';
import {confirmStep, reviewStep} from './steps/review.js';
import {takenUp, unfinishedStep, withoutFound} from './steps/unfinished.js';

/** The state after an event, with what it wants done in `want` and new lines for a plain terminal in `said`. */
export function next(before: State, event: Event): State {
  const state = {...before, want: undefined, said: []};
  switch (event.type) {
    case 'now':
      return {...state, now: event.now};
    case 'people': {
      const {people, done, unread} = event;
      const loaded = {...state, people: [...state.people, ...people], loading: !done, unread};
      return state.step === 'customer' ? showing(loaded) : loaded;
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
  const {step} = state;
  if (event.type === 'key' && event.key === 'escape')
    return state.field.text !== '' && state.editing === undefined && state.bad.length === 0
      ? cleared(state)
      : back(state);
  if (event.type === 'line' && /^back$/i.test(event.text.trim())) return back(state);
  if (step === 'unfinished') return unfinishedStep(state, event);
  if (step === 'customer') return customerStep(state, event);
  if (step === 'review') return reviewStep(state, event);
  const [before, after] = [state.field.text.slice(0, state.field.cursor), state.field.text.slice(state.field.cursor)];
  if (event.type === 'line') return entered({...state, field: EMPTY_FIELD}, plainText(state, event.text));
  if (event.type === 'paste' && step === 'items' && state.editing === undefined && /[\r\n]/.test(event.text.trim()))
    return pasted(state, before + event.text + after);
  // Several lines are no answer to a question that takes one.
  if (event.type === 'paste' && step === 'confirm') return state;
  if (event.type === 'key' && event.key === 'enter')
    return isBack(state) ? back(state) : entered(state, state.field.text);
  if (step === 'items' && event.type === 'key' && event.key.startsWith('page')) {
    const by = event.key === 'pageup' ? 8 : -8;
    return {...state, scrolled: Math.max(0, Math.min(state.items.length - 1, state.scrolled + by))};
  }
  if (event.type !== 'key' && event.type !== 'text' && event.type !== 'paste') return state;
  const field = edited(state.field, event);
  if (!field) return state;
  return field.text === state.field.text ? {...state, field} : {...state, field, note: undefined, warned: undefined};
}

/** On a plain terminal an empty line goes on in spite of a warning. */
const plainText = (state: State, text: string): string =>
  text.trim() === '' && state.warned !== undefined ? state.warned : text;

const isBack = ({field, step}: State): boolean => step !== 'confirm' && /^back$/i.test(field.text.trim());

function entered(state: State, text: string): State {
  // The field keeps what is wrong in it, to be corrected.
  const kept = {...state, field: {text, cursor: text.length}};
  switch (state.step) {
    case 'name':
      return nameStep(kept, text);
    case 'email':
      return emailStep(kept, text);
    case 'items':
      return itemsStep(kept, text);
    case 'due':
      return dueStep(kept, text);
    default:
      return confirmStep(kept, text);
  }
}

const cleared = (state: State): State => {
  const next = {...state, field: EMPTY_FIELD, note: undefined, warned: undefined};
  return state.step === 'customer' ? showing(next) : next;
};

function back(state: State): State {
  const {step, editing, bad, returns} = state;
  if (step === 'items' && editing !== undefined)
    return {...state, editing: undefined, field: EMPTY_FIELD, note: undefined};
  if (step === 'items' && bad.length > 0) return skipBad(state);
  if (step === 'confirm') return confirmStep(state, 'no');
  if (step === 'name') return toCustomer(state, state.field.text);
  if (step === 'email') return going(state, 'name', state.name);
  if (returns && step !== 'review') return toReview(state);
  // The customer of a statement that exists cannot change.
  if (step === 'items') return state.isReplacing || state.changes ? toReview(state) : toCustomer(state);
  if (step === 'due') return toItems(state);
  if (step === 'review' && !state.made.opened && !state.made.sendInDoubt) return going(state, 'due');
  return state;
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
  return noted(going(known, step), 'error', text);
}
