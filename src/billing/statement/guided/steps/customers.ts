// The customer step: finds customers by any part of a name or email, ignoring accents, and adds new customers.

import {InvalidInput} from '../../../../input/invalid-input.js';
import {readEmail} from '../../../../input/email-address.js';
import {isSameName} from '../../../../input/names.js';
import {oneLineText} from '../../../../output/format.js';
import {editLine, EMPTY_FIELD} from '../../../../output/prompt/line-field.js';
import {matchingChoices} from '../../../../output/prompt/matching.js';
import {
  goToQuestion,
  moveMark,
  withNote,
  goToNext,
  quitKey,
  withPlainLines,
  markStep,
  goToReview,
  textQuestion,
  withWarning,
  type GuidedEvent,
  type GuidedPayer,
  type GuidedState,
  type GuidedQuestion,
} from '../state.js';

export const NEW = 'new';
/** Customers listed at once on a plain terminal, each chosen by one digit. */
const MAX_LISTED = 9;

/** `Niño Ibañez <nino@example.com>, new` */
export const formatPayer = ({payer}: Pick<GuidedState, 'payer'>): string =>
  payer ? oneLineText(`${payer.name} <${payer.email}>${payer.id === undefined ? ', new' : ''}`) : '';

/** Returns the state with the customers that match the text. Rows already shown keep their place. */
export function withShownCustomers(state: GuidedState): GuidedState {
  const query = state.field.text.trim();
  const found = matchingChoices(state.people, query);
  if (state.shown.query !== query) {
    const mark = query !== '' && found[0] ? found[0].id : NEW;
    return {...state, shown: {query, people: found}, mark};
  }
  const known = new Set(state.shown.people.map(({id}) => id));
  const more = found.filter(({id}) => !known.has(id));
  const mark = state.mark || NEW;
  return more.length === 0 && mark === state.mark
    ? state
    : {...state, mark, shown: {query, people: [...state.shown.people, ...more]}};
}

export const toCustomer = (state: GuidedState, text = ''): GuidedState =>
  withShownCustomers(goToQuestion(state, 'customer', text, {shown: {query: '\n', people: []}, listed: undefined}));

const rows = ({shown: {people, query}}: GuidedState) => [
  {key: NEW, name: query === '' ? '+ New customer' : `+ New customer "${query}"`},
  ...people.map(({id, name, email}) => ({key: id, name, detail: email})),
];

export const CUSTOMER_QUESTION: GuidedQuestion = {
  ask: () => 'Customer:',
  intro: () => ['Who pays? Type part of the name or email, or n for a new customer.'],
  rows,
  isSearched: true,
  preview: ({people, loading, loadError, shown}) => {
    const all = people.length.toLocaleString('en');
    if (loadError !== undefined) return `${all} customers; the others could not be read: ${loadError}`;
    if (loading) return `loading: ${all}…`;
    if (shown.query === '') return `${all} ${people.length === 1 ? 'customer' : 'customers'}`;
    return `${shown.people.length.toLocaleString('en')} of ${all} customers`;
  },
  keys: (state) => `Type a name or email · ↑↓ move · Enter select · Esc clear · ${quitKey(state)}`,
  handle: handleCustomer,
  back: (state) => (state.field.text !== '' ? toCustomer(state) : state.returns ? goToReview(state) : state),
};

function handleCustomer(state: GuidedState, event: GuidedEvent): GuidedState {
  if (event.type === 'line') return plainLine(state, event.text.trim());
  const by = markStep(event);
  const keys = rows(state).map(({key}) => key);
  if (by !== undefined) return {...state, mark: moveMark(keys, state.mark, by), note: undefined, warned: undefined};
  if (event.type === 'key' && event.key === 'enter') return chooseCustomer(state, state.mark);
  if (event.type !== 'key' && event.type !== 'text' && event.type !== 'paste') return state;
  const field = editLine(state.field, event);
  return field ? withShownCustomers({...state, field, note: undefined, warned: undefined}) : state;
}

function chooseCustomer(state: GuidedState, mark: string): GuidedState {
  const person = state.shown.people.find(({id}) => id === mark);
  if (person) return withPayer(state, person);
  const typed = state.field.text.trim();
  if (state.loading && state.warned !== typed)
    return withWarning(state, 'centavo is still loading customers. Press Enter again to create a new customer.');
  return newCustomer(state, typed);
}

const newCustomer = (state: GuidedState, typed: string): GuidedState =>
  typed.includes('@')
    ? goToQuestion({...state, name: undefined, payer: {name: '', email: typed}}, 'name')
    : goToQuestion({...(typed === state.name ? state : withoutEmail(state)), payer: undefined}, 'name', typed);

/** Drops the half-typed email address, which belongs to another customer. */
const withoutEmail = (state: GuidedState): GuidedState => ({
  ...state,
  halfTyped: {...state.halfTyped, email: undefined},
});

function withPayer(state: GuidedState, {id, name, email}: GuidedPayer): GuidedState {
  const next = goToNext({...withoutEmail(state), payer: {id, name, email}, name: undefined}, 'items');
  return withPlainLines(next, `Customer: ${name} <${email}>`);
}

function plainLine(state: GuidedState, text: string): GuidedState {
  const people = state.shown.people.slice(0, state.listed ?? 0);
  if (/^n(ew)?$/i.test(text)) return newCustomer(state, state.shown.query);
  const number = /^\d$/.test(text) ? Number(text) : 0;
  if (number > 0 && people[number - 1]) return withPayer(state, people[number - 1]!);
  if (number > 0 && people.length > 0)
    return withNote(state, 'error', `Answer with a number up to ${people.length}, part of the name, or n.`);
  if (text === '') return withNote(state, 'info', 'Type a name or an email address, or n for a new customer.');
  return listCustomersPlainly({...state, note: undefined, warned: undefined}, text);
}

/** Lists the customers that match the text on a plain terminal. */
export function listCustomersPlainly(state: GuidedState, text = state.shown.query): GuidedState {
  const next = withShownCustomers({...state, field: {text, cursor: text.length}});
  const {people: found} = next.shown;
  const more = found.length - MAX_LISTED;
  return withPlainLines(
    {...next, field: EMPTY_FIELD, listed: Math.min(MAX_LISTED, found.length)},
    ...(found.length === 0 && !state.loading ? ['  No customer has this text in the name or email.'] : []),
    ...found.slice(0, MAX_LISTED).map(({name, email}, index) => `  ${index + 1}. ${name} <${email}>`),
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more: type more of the name`] : []),
    ...(state.loading ? [`  Still loading: ${state.people.length.toLocaleString('en')} customers so far.`] : []),
    `  n. New customer "${text}"`,
  );
}

export const NAME: GuidedQuestion = {
  ask: () => 'Name of the customer:',
  askPlainly: () => 'Name of the new customer:',
  keys: (state) => `Enter next · Esc back · ${quitKey(state)}`,
  handle: textQuestion(enterName),
  back: (state) => toCustomer(state, state.field.text),
};

function enterName(state: GuidedState, text: string): GuidedState {
  const name = text.trim();
  if (name === '') return withNote(state, 'error', 'Enter a name.');
  const same = state.people.find((person) => isSameName(person.name, name));
  if (same && state.warned !== name)
    return withWarning(
      state,
      `A customer named ${same.name} already exists (${same.email}). Press Enter again to create another customer with this name.`,
    );
  return goToQuestion(
    {...state, name, payer: undefined},
    'email',
    state.payer?.id === undefined ? (state.payer?.email ?? '') : '',
  );
}

export const EMAIL: GuidedQuestion = {
  ask: () => 'Email:',
  keys: NAME.keys,
  handle: textQuestion(enterEmail),
  back: (state) => goToQuestion(state, 'name', state.name),
};

function enterEmail(state: GuidedState, text: string): GuidedState {
  const email = text.trim();
  const read = readEmail(email);
  if (read instanceof InvalidInput) return withNote(state, 'error', read.text);
  const known = state.people.filter((person) => person.email.toLowerCase() === email.toLowerCase());
  if (state.warned === email && known.length === 1) return withPayer(state, known[0]!);
  return {...state, note: undefined, busy: `Looking for ${email}…`, effect: {type: 'lookup', email}};
}

/** Handles the lookup of a new customer's email address, which an existing customer may have. */
export function withFoundCustomer(state: GuidedState, event: Extract<GuidedEvent, {type: 'looked-up'}>): GuidedState {
  const next = {...state, busy: undefined};
  const {email, people, failed} = event;
  if (failed !== undefined) return withNote(next, 'error', failed);
  const known = new Set(people.map(({id}) => id));
  const all = [...state.people.filter(({id}) => !known.has(id)), ...people];
  if (people.length > 1)
    return withNote(
      {...next, people: all},
      'warning',
      `${people.length} customers have this address already. Press Esc to go back and choose one.`,
    );
  if (people[0])
    return withWarning(
      {...next, people: all},
      `${people[0].name} already has this address. Press Enter again to bill ${people[0].name}.`,
    );
  const payer = {name: state.name!, email};
  return withPlainLines(
    goToNext({...next, payer, name: undefined}, 'items'),
    `Customer: ${payer.name} <${email}>, new`,
  );
}
