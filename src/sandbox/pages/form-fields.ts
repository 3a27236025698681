// The fields of the payment form, for the card and the billing details: how they are shown, read and checked.

import {type BillingDetails, USUAL_PAYER} from '../paying/billing-details.js';
import {TEST_CARDS, testCard, type TestCard, whyNotTaken} from '../paying/instruments.js';
import type {IntentRecord} from '../record-types.js';
import {html, type Html, shorten} from './markup.js';
import {grouped} from './summary.js';

interface Field {
  readonly label: string;
  /** Characters. */
  readonly longest: number;
  readonly required?: true;
  readonly attributes?: Html;
}

/** Fields have `autocomplete="off"`, so that browsers do not offer the payer's real cards. */
const CARD_FIELDS = {
  number: {
    label: 'Card number',
    longest: 23,
    required: true,
    attributes: html`inputmode="numeric" placeholder="4242 4242 4242 4242"`,
  },
  expiry: {
    label: 'Expiry date',
    longest: 7,
    required: true,
    attributes: html`inputmode="numeric" placeholder="MM/YY"`,
  },
  cvc: {
    label: 'Security code',
    longest: 4,
    required: true,
    attributes: html`inputmode="numeric" placeholder="3 digits"`,
  },
  name: {label: 'Name on card', longest: 100, required: true},
} as const satisfies Record<string, Field>;

/** In the order of the page. */
const BILLING_FIELDS = {
  billing_name: {label: 'Name', longest: 100, required: true},
  billing_email: {label: 'Email', longest: 254, required: true},
  billing_phone: {label: 'Phone', longest: 30},
  billing_line1: {label: 'Address', longest: 200},
  billing_line2: {label: 'Address line 2', longest: 200},
  billing_city: {label: 'City', longest: 100},
  billing_state: {label: 'Province', longest: 100},
  billing_postal_code: {label: 'Postal code', longest: 20},
  billing_country: {label: 'Country (two letters)', longest: 2},
} as const satisfies Record<string, Field>;

type CardField = keyof typeof CARD_FIELDS;
type BillingField = keyof typeof BILLING_FIELDS;

export type CardValues = Readonly<Record<CardField, string>>;
export type BillingValues = Readonly<Record<BillingField, string>>;

/** Error messages by field; `method` is for the choice of a payment method. */
export type FormErrors = Partial<Record<BillingField | CardField | 'method', string>>;

function inputField(name: BillingField | CardField, value: string, fault: string | undefined): Html {
  const {label, longest, required, attributes}: Field = {...CARD_FIELDS, ...BILLING_FIELDS}[name];
  const state = fault ? html`aria-invalid="true" aria-describedby="${name}-fault"` : '';
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      value="${value}"
      autocomplete="off"
      maxlength="${longest}"
      ${required ? html`aria-required="true"` : ''}
      ${attributes}
      ${state}
    />
    ${fault ? html`<p class="wrong" id="${name}-fault">${fault}</p>` : ''}
  </div>`;
}

const BLANK: CardValues = {number: '', expiry: '', cvc: '', name: ''};

/** Values for all fields of a test card, whose link on the page has its number. */
export function prefilled(number: string | null, payer: string, now: number): CardValues {
  const card = number ? testCard(number) : undefined;
  if (!card) return BLANK;
  const year = new Date(now * 1000).getUTCFullYear() + 3;
  const expiry = `12/${String(year % 100).padStart(2, '0')}`;
  return {number: grouped(card.number), expiry, cvc: '123', name: shorten(payer, 100) || 'Juan Dela Cruz'};
}

/** The values that were sent. The security code is not shown again, nor a number that could be that of a real card. */
export function submitted(form: URLSearchParams): CardValues {
  const value = (name: CardField) => shorten(form.get(name) ?? '', 100);
  const number = value('number');
  return {number: testCard(number) ? number : '', expiry: value('expiry'), cvc: '', name: value('name')};
}

/** @param now unix seconds of the sandbox */
export function cardFaults(form: URLSearchParams, now: number): FormErrors {
  const value = (name: CardField) => (form.get(name) ?? '').trim();
  const faults: FormErrors = {};
  const number = value('number');
  if (number === '') faults.number = 'Enter a card number.';
  else if (!testCard(number))
    faults.number = 'Use one of the test cards below. The sandbox does not accept real cards.';
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

export interface CardForm {
  readonly intent: IntentRecord;
  readonly values: CardValues;
  readonly faults: FormErrors;
  /** Path of the page, where the links of test cards lead back to. */
  readonly path: string;
}

export function cardFields({intent, values, faults, path}: CardForm): Html {
  const field = (name: CardField) => inputField(name, values[name], faults[name]);
  return html`<fieldset class="card">
    <legend class="unseen">Card details</legend>
    ${field('number')}
    <div class="pair">${field('expiry')} ${field('cvc')}</div>
    ${field('name')} ${testCards(intent, path)}
  </fieldset>`;
}

/** Links to the same page with the fields filled in: they need no script and work from the keyboard. */
function testCards(intent: IntentRecord, path: string): Html {
  const line = (card: TestCard): Html => {
    const words = html`<b>${grouped(card.number)}</b> `;
    if (whyNotTaken(intent, {type: 'card', card})) return html`<span>${words}<i>not accepted here</i></span>`;
    return html`<a href="${path}?card=${card.number}#number">${words}<i>${card.description}</i></a>`;
  };
  return html`<details>
    <summary>Test cards</summary>
    <p class="small soft">Choose a card to fill in the form. You can use any future expiry date and any 3 digits.</p>
    <ul class="cards">
      ${TEST_CARDS.map((card) => html`<li>${line(card)}</li>`)}
    </ul>
  </details>`;
}

const NAMES = Object.keys(BILLING_FIELDS) as BillingField[];
const ADDRESS = ['line1', 'line2', 'city', 'state', 'postal_code', 'country'] as const;

/** The initial values: those of the previous attempt, else a made-up payer, so that nothing has to be typed. */
export function billingValues(before: BillingDetails | undefined): BillingValues {
  const {name, email, phone, address} = before?.email ? before : USUAL_PAYER;
  const values: Record<string, string | null | undefined> = {name, email, phone, ...address};
  return Object.fromEntries(
    NAMES.map((field) => [field, values[field.replace('billing_', '')] ?? '']),
  ) as BillingValues;
}

/** The values that were sent; undefined when there were none, as when a script sends only a card. */
export function submittedBilling(form: URLSearchParams): BillingValues | undefined {
  if (!NAMES.some((name) => form.has(name))) return undefined;
  return Object.fromEntries(
    NAMES.map((name) => [name, shorten(form.get(name) ?? '', BILLING_FIELDS[name].longest).trim()]),
  ) as BillingValues;
}

export function billingFaults(values: BillingValues | undefined): FormErrors {
  if (!values) return {};
  const faults: FormErrors = {};
  if (values.billing_name === '') faults.billing_name = 'Enter your name.';
  if (!/^[^\s@]+@[^\s@]+$/.test(values.billing_email))
    faults.billing_email = 'Enter your email address, such as juan@example.com.';
  if (!/^([A-Za-z]{2})?$/.test(values.billing_country))
    faults.billing_country = 'Enter a two-letter country code, such as PH.';
  return faults;
}

/** The billing details of a payment: blank fields are null. */
export function billingDetails(values: BillingValues | undefined): BillingDetails | undefined {
  if (!values) return undefined;
  const value = (field: string) => values[`billing_${field}` as BillingField] || null;
  const address = Object.fromEntries(ADDRESS.map((field) => [field, value(field)]));
  return {
    name: value('name'),
    email: value('email'),
    phone: value('phone'),
    address: {...address, country: value('country')?.toUpperCase() ?? null},
  };
}

/** Collapsed, because the fields are filled in; expanded when one of them is wrong. */
export function billingFieldset(values: BillingValues, faults: FormErrors): Html {
  const wrong = NAMES.some((name) => faults[name]);
  return html`<details ${wrong ? html`open` : ''}>
    <summary>Billing details: ${values.billing_name}, ${values.billing_email}</summary>
    ${NAMES.map((name) => inputField(name, values[name], faults[name]))}
  </details>`;
}
