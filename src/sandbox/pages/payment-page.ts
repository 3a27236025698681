// The page on which statements and sessions are paid: what is paid for, the form, its fields, and what happens when it is sent.

import type {ApiResponse} from '../../api/wire.js';
import {CentavoError} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {type BillingDetails, DEFAULT_PAYER} from '../paying/billing-details.js';
import {TEST_CARDS, testCard, type TestCard, whyNotAccepted} from '../paying/instruments.js';
import {pay, redirectPayer} from '../paying/payer.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {pageResponse, seeOther} from './layout.js';
import {intentPath} from './links.js';
import {html, type Html, type Part, shorten, untrusted} from './markup.js';
import {type Fact, factList, grouped, methodName, METHODS, paidWith} from './summary.js';

export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
}

interface Payable {
  /** Of the statement or session. */
  readonly id: string;
  readonly intent: IntentRecord;
  readonly path: string;
  /** Where the payer goes after paying. */
  readonly done: string;
  /** For the title: `Statement PKYG-0001`. */
  readonly name: string;
  /** The words before the merchant's name in the heading. */
  readonly heading: string;
  readonly merchant: string;
  readonly description: string | null;
  readonly facts: readonly Fact[];
  readonly items: Html;
  /** On the button, before the amount. */
  readonly verb: string;
  /** For the name on a test card. */
  readonly payer: string;
  /** Shown below the form. */
  readonly below?: Part;
}

export function ask(tx: Transaction, payable: Payable, {method, query, form}: PageRequest): ApiResponse {
  const before = tx.peek(payable.intent.payment_method_id) as MethodRecord | undefined;
  const billing = submittedBilling(form) ?? billingValues(before?.billing_details);
  if (method === 'GET') {
    const card = query.get('card');
    const chosen = card ? 'card' : String(before?.type);
    const values = prefilled(card, payable.payer, tx.now);
    return show(tx, payable, {values, billing, faults: {}, chosen});
  }
  const outcome = submitForm(tx, payable, form);
  if (isAnswer(outcome)) return outcome;
  const chosen = form.get('method') ?? undefined;
  return show(tx, payable, {status: 422, values: submittedCard(form), billing, faults: outcome, chosen});
}

interface Filled {
  /** Of the response; 200 when not given. */
  readonly status?: number;
  readonly values: CardValues;
  readonly billing: BillingValues;
  readonly faults: FormErrors;
  /** The selected method; the first when not given. */
  readonly chosen?: string;
}

function show(tx: Transaction, payable: Payable, filled: Filled): ApiResponse {
  const {intent, path, name, heading, merchant, description, facts, items, below, done} = payable;
  const main = html`<div class="ask">
    <section aria-label="What you pay for">
      <h1>
        <span>${heading} <b>${untrusted(merchant)}</b></span> ${formatPesos(intent.amount)}
      </h1>
      ${description ? html`<p class="about">${untrusted(description, 1000)}</p>` : ''} ${factList(facts)} ${items}
    </section>
    <section class="panel" aria-label="Payment">
      ${paymentForm(tx, payable, filled)} ${below ? html`<p class="back">${below}</p>` : ''}
    </section>
  </div>`;
  const wrong = Object.keys(filled.faults).length > 0;
  const title = `${wrong ? 'Error: ' : ''}${name}, ${formatPesos(intent.amount)} to ${shorten(merchant, 60)}`;
  return pageResponse({status: filled.status, title, main, leadsAway: done !== path});
}

function submitForm(tx: Transaction, payable: Payable, form: URLSearchParams): ApiResponse | FormErrors {
  const method = form.get('method') ?? '';
  if (!offered(payable.intent).includes(method)) return {method: 'Choose how to pay.'};
  const typed = asksBilling(payable.intent) ? submittedBilling(form) : undefined;
  const faults = {...(method === 'card' && cardFaults(form, tx.now)), ...billingFaults(typed)};
  if (Object.keys(faults).length > 0) return faults;
  const billing = billingDetails(typed);
  try {
    if (method === 'card') {
      const {result} = pay(tx, payable.id, {card: form.get('number')!, billing});
      return seeOther(result === 'failed' ? `${payable.path}#attempt` : payable.done);
    }
    redirectPayer(tx, payable.id, method, billing);
    return seeOther(intentPath(payable.intent));
  } catch (error) {
    // Nothing else can be refused: the same transaction has checked that it is open for payment.
    if (!(error instanceof CentavoError) || error.code !== 'method_not_allowed') throw error;
    return {number: error.details.why ?? error.message};
  }
}

const isAnswer = (outcome: ApiResponse | FormErrors): outcome is ApiResponse => 'status' in outcome;

/** In the merchant's order. */
const offered = (intent: IntentRecord): readonly string[] =>
  intent.payment_methods.filter((method) => Object.hasOwn(METHODS, method));

/** The details of a customer are known already. */
const asksBilling = ({_customer_id: customer}: IntentRecord): boolean => customer === null;

function paymentForm(tx: Transaction, {intent, path, verb}: Payable, filled: Filled): Html {
  const {billing, faults} = filled;
  const methods = offered(intent);
  if (methods.length === 0) return html`<p>The merchant does not accept any payment method available here.</p>`;
  const chosen = methods.find((method) => method === filled.chosen) ?? methods[0];
  return html`<form method="post" action="${path}" novalidate>
    ${Object.keys(faults).length > 0 ? faultList(faults) : lastAttempt(tx, intent)} ${pendingApproval(tx, intent)}
    <fieldset>
      <legend>How do you want to pay?</legend>
      ${methods.map((method) => choice({intent, path, ...filled}, method, method === chosen))}
    </fieldset>
    ${asksBilling(intent) ? billingFieldset(billing, faults) : ''}
    <button>${verb} ${formatPesos(intent.amount)}</button>
  </form>`;
}

function choice(form: CardForm, method: string, checked: boolean): Html {
  const {name, hint} = METHODS[method]!;
  return html`<div class="choice">
    <label>
      <input type="radio" id="method-${method}" name="method" value="${method}" ${checked ? html`checked` : ''} />
      ${name} <small>${hint}</small>
    </label>
    ${method === 'card' ? cardFields(form) : ''}
  </div>`;
}

/** Has the focus, so that screen readers read it before the form. */
function faultList(faults: FormErrors): Html {
  return html`<div class="alert" role="alert" tabindex="-1" autofocus>
    <h2>Please check what you entered</h2>
    <ul>
      ${Object.entries(faults).map(
        ([name, words]) => html`<li><a href="#${name === 'method' ? 'method-card' : name}">${words}</a></li>`,
      )}
    </ul>
  </div>`;
}

/** The previous attempt, if it failed. The URL of the page ends with its id, which gives it the focus. */
function lastAttempt(
  tx: Transaction,
  {last_payment_error: error, payment_method_id: id}: IntentRecord,
): Html | undefined {
  if (!error) return undefined;
  const method = tx.peek(id);
  const {detail} = error as {detail: string};
  return html`<div class="alert" role="alert" id="attempt" tabindex="-1">
    <h2>The payment did not go through</h2>
    <p>
      ${detail}${method ? html` You tried ${paidWith({type: String(method.type), card: method.details})}.` : ''} Nothing
      was charged. Try again, or choose another way to pay.
    </p>
  </div>`;
}

/** For a wallet payment that is not approved yet. */
function pendingApproval(tx: Transaction, intent: IntentRecord): Html | undefined {
  if (intent.status !== 'awaiting_next_action') return undefined;
  const name = methodName(String(tx.peek(intent.payment_method_id)?.type));
  return html`<p class="note">
    ${name} is waiting for your approval. <a href="${intentPath(intent)}">Continue with ${name}</a>, or choose another
    way to pay.
  </p>`;
}

interface Field {
  readonly label: string;
  /** Characters. */
  readonly longest: number;
  readonly required?: true;
  readonly attributes?: Html;
}

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

/** In the order in which they are shown. */
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

type CardValues = Readonly<Record<CardField, string>>;
type BillingValues = Readonly<Record<BillingField, string>>;

/** Error messages by field; `method` is for the choice of a payment method. */
type FormErrors = Partial<Record<BillingField | CardField | 'method', string>>;

/** With `autocomplete="off"`, so that browsers do not offer the payer's real cards. */
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

/** The values for a test card, whose link has its number. */
function prefilled(number: string | null, payer: string, now: number): CardValues {
  const card = number ? testCard(number) : undefined;
  if (!card) return BLANK;
  const year = new Date(now * 1000).getUTCFullYear() + 3;
  const expiry = `12/${String(year % 100).padStart(2, '0')}`;
  return {number: grouped(card.number), expiry, cvc: '123', name: shorten(payer, 100) || 'Juan Dela Cruz'};
}

/** What was sent, without the security code and any number that may be of a real card. */
function submittedCard(form: URLSearchParams): CardValues {
  const value = (name: CardField) => shorten(form.get(name) ?? '', 100);
  const number = value('number');
  return {number: testCard(number) ? number : '', expiry: value('expiry'), cvc: '', name: value('name')};
}

function cardFaults(form: URLSearchParams, now: number): FormErrors {
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

interface CardForm {
  readonly intent: IntentRecord;
  readonly values: CardValues;
  readonly faults: FormErrors;
  /** Path of the page. */
  readonly path: string;
}

function cardFields({intent, values, faults, path}: CardForm): Html {
  const field = (name: CardField) => inputField(name, values[name], faults[name]);
  return html`<fieldset class="card">
    <legend class="unseen">Card details</legend>
    ${field('number')}
    <div class="pair">${field('expiry')} ${field('cvc')}</div>
    ${field('name')} ${testCards(intent, path)}
  </fieldset>`;
}

/** Links to the same page with the fields filled in, which needs no script. */
function testCards(intent: IntentRecord, path: string): Html {
  const line = (card: TestCard): Html => {
    const words = html`<b>${grouped(card.number)}</b> `;
    if (whyNotAccepted(intent, {type: 'card', card})) return html`<span>${words}<i>not accepted here</i></span>`;
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

/** Those of the previous attempt, or else of a made-up payer, so that nothing has to be typed. */
function billingValues(before: BillingDetails | undefined): BillingValues {
  const {name, email, phone, address} = before?.email ? before : DEFAULT_PAYER;
  const values: Record<string, string | null | undefined> = {name, email, phone, ...address};
  return Object.fromEntries(
    NAMES.map((field) => [field, values[field.replace('billing_', '')] ?? '']),
  ) as BillingValues;
}

/** Undefined when none were sent, as by a script that sends only a card. */
function submittedBilling(form: URLSearchParams): BillingValues | undefined {
  if (!NAMES.some((name) => form.has(name))) return undefined;
  return Object.fromEntries(
    NAMES.map((name) => [name, shorten(form.get(name) ?? '', BILLING_FIELDS[name].longest).trim()]),
  ) as BillingValues;
}

function billingFaults(values: BillingValues | undefined): FormErrors {
  if (!values) return {};
  const faults: FormErrors = {};
  if (values.billing_name === '') faults.billing_name = 'Enter your name.';
  if (!/^[^\s@]+@[^\s@]+$/.test(values.billing_email))
    faults.billing_email = 'Enter your email address, such as juan@example.com.';
  if (!/^([A-Za-z]{2})?$/.test(values.billing_country))
    faults.billing_country = 'Enter a two-letter country code, such as PH.';
  return faults;
}

/** Blank fields are null. */
function billingDetails(values: BillingValues | undefined): BillingDetails | undefined {
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

/** Collapsed unless one of the fields is wrong. */
function billingFieldset(values: BillingValues, faults: FormErrors): Html {
  const wrong = NAMES.some((name) => faults[name]);
  return html`<details ${wrong ? html`open` : ''}>
    <summary>Billing details: ${values.billing_name}, ${values.billing_email}</summary>
    ${NAMES.map((name) => inputField(name, values[name], faults[name]))}
  </details>`;
}
