// Paying by card: the fields, what is wrong with what was put into them, and the test cards to choose from.

import {inputField} from './field.js';
import {TEST_CARDS, testCard, type TestCard} from '../paying/cards.js';
import {whyNotTaken} from '../paying/instruments.js';
import type {IntentRecord} from '../records.js';
import {html, shorten, type Html} from './markup.js';
import {grouped} from './words.js';

export type CardField = 'number' | 'expiry' | 'cvc' | 'name';

/** By field, in the order of the fields. */
type Faults = Partial<Record<CardField, string>>;

export type CardValues = Readonly<Record<CardField, string>>;

const BLANK: CardValues = {number: '', expiry: '', cvc: '', name: ''};

/** Values for every field from the number of a test card, as its link on the page asks for. */
export function prefilled(number: string | null, payer: string, now: number): CardValues {
  const card = number ? testCard(number) : undefined;
  if (!card) return BLANK;
  const year = new Date(now * 1000).getUTCFullYear() + 3;
  const expiry = `12/${String(year % 100).padStart(2, '0')}`;
  return {number: grouped(card.number), expiry, cvc: '123', name: shorten(payer, 100) || 'Juan Dela Cruz'};
}

/** What was sent. The security code is not shown again, and no number that may be that of a real card. */
export function submitted(form: URLSearchParams): CardValues {
  const value = (name: CardField) => shorten(form.get(name) ?? '', 100);
  const number = value('number');
  return {number: testCard(number) ? number : '', expiry: value('expiry'), cvc: '', name: value('name')};
}

/** @param now unix seconds of the sandbox */
export function cardFaults(form: URLSearchParams, now: number): Faults {
  const value = (name: CardField) => (form.get(name) ?? '').trim();
  const faults: Faults = {};
  const number = value('number');
  if (number === '') faults.number = 'Enter a card number.';
  else if (!testCard(number)) faults.number = 'Use one of the test cards below: the sandbox takes no real cards.';
  const expiry = expiryFault(value('expiry'), now);
  if (expiry) faults.expiry = expiry;
  if (!/^\d{3}$/.test(value('cvc'))) faults.cvc = 'Enter the 3 digits of the security code.';
  if (value('name') === '') faults.name = 'Enter the name on the card.';
  return faults;
}

function expiryFault(text: string, now: number): string | undefined {
  const [, month, year] = /^(0?[1-9]|1[0-2])\s*\/?\s*(\d\d)$/.exec(text) ?? [];
  if (!month || !year) return 'Enter the expiry date as month and year, such as 12/29.';
  const date = new Date(now * 1000);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const century = Math.floor(date.getUTCFullYear() / 100) * 100;
  return (century + Number(year)) * 12 + Number(month) - 1 < months ? 'This card has expired.' : undefined;
}

/** Browsers do not offer a payer's real cards here. */
const FIELDS: Readonly<Record<CardField, {label: string; attributes: Html}>> = {
  number: {
    label: 'Card number',
    attributes: html`inputmode="numeric" maxlength="23" placeholder="4242 4242 4242 4242"`,
  },
  expiry: {label: 'Expiry date', attributes: html`inputmode="numeric" maxlength="7" placeholder="MM/YY"`},
  cvc: {label: 'Security code', attributes: html`inputmode="numeric" maxlength="4" placeholder="3 digits"`},
  name: {label: 'Name on card', attributes: html`maxlength="100"`},
};

interface CardForm {
  readonly intent: IntentRecord;
  readonly values: CardValues;
  readonly faults: Faults;
  /** Path of the page, where the links of test cards lead back to. */
  readonly path: string;
}

export function cardFields({intent, values, faults, path}: CardForm): Html {
  const field = (name: CardField) => fieldOf(name, values[name], faults[name]);
  return html`<fieldset class="card">
    <legend class="unseen">Card details</legend>
    ${field('number')}
    <div class="pair">${field('expiry')} ${field('cvc')}</div>
    ${field('name')} ${testCards(intent, path)}
  </fieldset>`;
}

function fieldOf(name: CardField, value: string, fault: string | undefined): Html {
  const {label, attributes} = FIELDS[name];
  return inputField({name, label, value, fault, attributes: html`aria-required="true" ${attributes}`});
}

/** Links to the same page with the fields filled: they need no script, and work from the keyboard. */
function testCards(intent: IntentRecord, path: string): Html {
  const line = (card: TestCard): Html => {
    const words = html`<b>${grouped(card.number)}</b> `;
    if (whyNotTaken(intent, {type: 'card', card})) return html`<span>${words}<i>not taken here</i></span>`;
    return html`<a href="${path}?card=${card.number}#number">${words}<i>${card.description}</i></a>`;
  };
  return html`<details>
    <summary>Test cards</summary>
    <p class="small soft">Choosing one fills the form. Any future expiry date and any 3 digits are good.</p>
    <ul class="cards">
      ${TEST_CARDS.map((card) => html`<li>${line(card)}</li>`)}
    </ul>
  </details>`;
}
