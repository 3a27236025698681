// The customer step: finds customers by any part of a name or email, ignoring accents, and adds new customers.

import {InvalidInput} from '../../../../input/invalid-input.js';
import {readEmail} from '../../../../input/email-address.js';
import {isSameName} from '../../../../input/names.js';
import {askUntilRead, errorNote, warningNote, type Guide, type GuidedPayer, type Reading} from '../guide.js';
import {formatPayer} from './summary.js';

/** Asks for the customer, from the question that `guide.step` names. @returns false if the user went back */
export async function askCustomer(guide: Guide): Promise<boolean> {
  // A customer that is not created yet can still be corrected.
  const {step, payer} = guide;
  const isNew = step === 'name' || step === 'email' || (payer !== undefined && payer.id === undefined);
  let text = '';
  if (isNew) {
    const typed = {name: guide.name ?? payer?.name ?? '', email: payer?.id === undefined ? (payer?.email ?? '') : ''};
    const name = await askNewCustomer(guide, typed, step === 'email' || (step !== 'name' && !guide.returns));
    if (name === undefined) return true;
    text = name;
  }
  let asked = {text, note: guide.note};
  guide.note = undefined;
  for (;;) {
    const answer = await guide.search({...searchOf(guide), ...asked});
    if ('back' in answer) {
      if (guide.returns) return false;
      asked = {text: '', note: undefined};
    } else if ('chosen' in answer) {
      setPayer(guide, answer.chosen);
      return true;
    } else if (guide.people.isLoading && !(answer.isSame && asked.note?.tone === 'warning')) {
      const words = 'centavo is still loading customers. Press Enter again to create a new customer.';
      asked = {text: answer.typed, note: warningNote(words)};
    } else {
      const name = await askNewCustomer(guide, newCustomerOf(guide, answer.typed));
      if (name === undefined) return true;
      asked = {text: name, note: undefined};
    }
  }
}

const searchOf = ({people, quitKey}: Guide) => ({
  ask: 'Customer:',
  intro: ['Who pays? Type part of the name or email, or n for a new customer.'],
  choices: () => people.all,
  newChoice: (text: string) => (text === '' ? '+ New customer' : `+ New customer "${text}"`),
  status: (text: string, found: number): string => {
    const all = people.all.length.toLocaleString('en');
    if (people.error !== undefined) return `${all} customers; the others could not be read: ${people.error}`;
    if (people.isLoading) return `loading: ${all}…`;
    if (text === '') return `${all} ${people.all.length === 1 ? 'customer' : 'customers'}`;
    return `${found.toLocaleString('en')} of ${all} customers`;
  },
  loaded: people.loaded,
  onLoad: people.onLoad,
  keys: `Type a name or email · ↑↓ move · Enter select · Esc clear · ${quitKey}`,
});

interface NewCustomer {
  readonly name: string;
  readonly email: string;
}

/** Keeps the email address if the user left and returns with the same name: it belongs to that customer. */
function newCustomerOf({name, payer, halfTyped}: Guide, typed: string): NewCustomer {
  if (typed.includes('@')) return {name: '', email: typed};
  const isSame = typed === (name ?? (payer?.id === undefined ? payer?.name : undefined));
  if (!isSame) delete halfTyped.email;
  return {name: typed, email: isSame && payer?.id === undefined ? (payer?.email ?? '') : ''};
}

/** Asks for the name and the email address. @returns the typed name if the user went back */
async function askNewCustomer(guide: Guide, {name, email}: NewCustomer, fromEmail = false) {
  const keys = `Enter next · Esc back · ${guide.quitKey}`;
  let [text, isAtEmail] = [name, fromEmail];
  for (;;) {
    if (!isAtEmail) {
      const question = {ask: 'Name of the customer:', askPlainly: 'Name of the new customer:', text, keys};
      const read = await askUntilRead(guide, 'name', question, (typed, isConfirmed) => {
        text = typed;
        return readName(guide, typed.trim(), isConfirmed);
      });
      if (!read) {
        const left = guide.halfTyped.name ?? '';
        delete guide.halfTyped.name;
        guide.name = left === '' ? undefined : guide.name;
        return left;
      }
      text = read.value;
    }
    isAtEmail = false;
    guide.name = text;
    const summary = (): {before: string[]} => ({before: [`  Name  ${text}`]});
    const question = {ask: 'Email:', text: email, keys, summary};
    const read = await askUntilRead<GuidedPayer | NewCustomer>(guide, 'email', question, (typed, isConfirmed) =>
      readNewEmail(guide, {name: text, email: typed.trim()}, isConfirmed),
    );
    if (read) {
      setPayer(guide, read.value);
      return undefined;
    }
  }
}

function setPayer(guide: Guide, payer: GuidedPayer | NewCustomer): void {
  const {name, email} = payer;
  guide.payer = 'id' in payer ? {id: payer.id, name, email} : {name, email};
  guide.name = undefined;
  guide.asker.say(`Customer: ${formatPayer(guide)}`);
}

function readName({people}: Guide, name: string, isConfirmed: boolean): Reading<string> {
  if (name === '') return {note: errorNote('Enter a name.')};
  const same = people.all.find((person) => isSameName(person.name, name));
  if (!same || isConfirmed) return {value: name};
  const words = `A customer named ${same.name} already exists (${same.email}). Press Enter again to create another customer with this name.`;
  return {note: warningNote(words)};
}

/** Looks up the address of a new customer, which an existing customer may have. */
async function readNewEmail(
  guide: Guide,
  {name, email}: NewCustomer,
  isConfirmed: boolean,
): Promise<Reading<GuidedPayer | NewCustomer>> {
  if (email === '') return {note: errorNote('An email address is needed: the link to pay is sent to it.')};
  const read = readEmail(email);
  if (read instanceof InvalidInput) return {note: errorNote(read.text)};
  const known = guide.people.all.filter((person) => person.email.toLowerCase() === email.toLowerCase());
  if (isConfirmed && known.length === 1) return {value: known[0]!};
  const found = await guide.lookUp(email);
  if (typeof found === 'string') return {note: errorNote(found)};
  const [first] = found;
  if (!first) return {value: {name, email}};
  if (found.length === 1)
    return {
      note: warningNote(`${first.name} already has this address. Press Enter again to bill ${first.name}.`),
    };
  return {
    note: warningNote(`${found.length} customers have this address already. Press Esc to go back and choose one.`),
  };
}
