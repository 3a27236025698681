// The payment page of statements and sessions: summary, form and its submission.

import {paymentMethodName} from '../../accounting/words.js';
import type {ApiResponse} from '../../api/wire.js';
import {capitalized, CentavoError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {type BillingDetails, DEFAULT_PAYER} from '../payments/billing-details.js';
import {
  allowedPlans,
  INSTALLMENT,
  type InstallmentPlan,
  instrumentOf,
  TEST_CARDS,
  testCard,
  type TestCard,
  whyNotAccepted,
} from '../payments/instruments.js';
import {isManualCapture} from '../payments/intents.js';
import {payStatement, redirectPayer} from '../payments/pay-statement.js';
import {recordStanding} from '../record-standing.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {endedPage, pageResponse, seeOther} from './layout.js';
import {intentPath} from './links.js';
import {html, type Html, type HtmlPart, shorten, untrusted} from '../../common/markup.js';
import {factList, type PageFact} from '../../common/page-parts.js';
import {approverName, grouped, merchantName, METHOD_HINTS, pageMethodName, paidWith, selectField} from './summary.js';

export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  /** True if the payer's browser may load the images of items. */
  readonly loadsImages: boolean;
}

interface Payable {
  readonly id: string;
  readonly intent: IntentRecord;
  readonly path: string;
  /** Address of the page after the payment. */
  readonly done: string;
  readonly name: string;
  readonly heading: string;
  readonly merchant: string;
  readonly description: string | null;
  readonly facts: readonly PageFact[];
  readonly items: Html;
  readonly images?: readonly string[];
  readonly verb: HtmlPart;
  readonly payer: string;
  readonly below?: HtmlPart;
}

/** Returns the page of a payment that the payer approved before leaving. */
export const processing = (tx: Transaction, intent: IntentRecord): ApiResponse =>
  endedPage({
    status: 200,
    heading: 'Your payment is being processed',
    text: html`You can close this page. In a few seconds
    ${isManualCapture(tx, intent) ? 'the amount is held on your card' : 'the payment succeeds'}. Only a webhook notifies
    ${untrusted(merchantName(tx))}.`,
    autoReload: 'reloading',
  });

/** Returns a hidden field that prevents charging a different amount than the page shows. */
export const stateField = (state: string): Html => html`<input type="hidden" name="shown" value="${state}" />`;

/** True if an outdated page sent this form. A script may omit the field. */
export const isStale = (form: URLSearchParams, state: string): boolean => (form.get('shown') ?? state) !== state;

export function askForPayment(
  tx: Transaction,
  payable: Payable,
  {method, path, query, form}: PageRequest,
): ApiResponse {
  if (recordStanding(tx, payable.intent).state === 'processing')
    return method === 'GET' ? processing(tx, payable.intent) : seeOther(path);
  const previous = tx.peek(payable.intent.payment_method_id) as MethodRecord | undefined;
  const typed = BILLING_NAMES.some((name) => form.has(name)) ? submitted(form, BILLING_NAMES) : undefined;
  const billing = typed ?? billingValues(previous?.billing_details);
  if (method === 'GET') {
    const card = query.get('card');
    const chosen = card ? 'card' : String(previous?.type);
    const cardEntries = payable.intent._entered as FieldTexts | undefined;
    const values = {...billing, ...cardEntries, ...prefilled(card, payable.payer, tx.now)};
    return formPage(tx, payable, {values, errors: {}, chosen, plan: previous && instrumentOf(previous).plan});
  }
  if (isStale(form, String(payable.intent.amount))) return seeOther(path);
  const card = submitted(form, CARD_NAMES, 100);
  const term = form.get('payment_term');
  const plan =
    term === null ? undefined : {installment_type: form.get('installment_type') ?? '', payment_term: Number(term)};
  const chosen = form.get('method') ?? '';
  const result = submitForm(tx, payable, {
    chosen,
    card,
    plan,
    billing: asksBilling(payable.intent) ? typed : undefined,
  });
  if ('status' in result) return result as ApiResponse;
  // Never send back the security code, or a number that may belong to a real card.
  const values = {...billing, ...card, number: testCard(card.number!) ? card.number! : '', cvc: ''};
  return formPage(tx, payable, {status: 422, values, errors: result as FieldTexts, chosen, plan});
}

interface FormState {
  readonly status?: number;
  readonly values: FieldTexts;
  /** Error messages by field; `method` is for the choice of a payment method. */
  readonly errors: FieldTexts;
  /** The selected method. The form selects the first method if this method is not offered. */
  readonly chosen: string;
  readonly plan?: InstallmentPlan;
}

function formPage(tx: Transaction, payable: Payable, formState: FormState): ApiResponse {
  const {intent, path, name, heading, merchant, description, facts, items, images, below, done} = payable;
  const main = html`<div class="ask">
    <section aria-label="What you pay for">
      <h1>
        <span>${heading} <b>${untrusted(merchant)}</b></span> ${formatPesos(intent.amount)}
      </h1>
      <details class="fold"><summary>What you pay for</summary></details>
      <div>
        ${description ? html`<p class="about">${untrusted(description, 1000)}</p>` : ''} ${factList(facts)} ${items}
      </div>
    </section>
    <section class="panel" aria-label="Payment">
      ${paymentForm(tx, payable, formState)} ${below ? html`<p class="back">${below}</p>` : ''}
    </section>
  </div>`;
  const isInvalid = Object.keys(formState.errors).length > 0;
  const prefix = isInvalid ? 'Error: ' : failurePrefix(intent);
  const title = `${prefix}${name}, ${formatPesos(intent.amount)} to ${shorten(merchant, 60)}`;
  const state = String(intent.amount);
  return pageResponse({
    status: formState.status,
    title,
    main,
    images,
    leavesSite: done !== path,
    autoReload: 'in script',
    state,
  });
}

/** Returns the title prefix after a failed attempt. A system error is not a decline. */
function failurePrefix({last_payment_error: error}: IntentRecord): string {
  const {code} = (error ?? {}) as {code?: string};
  return code ? `${code.endsWith('_error') ? 'Failed' : 'Declined'} · ` : '';
}

interface Submitted {
  readonly chosen: string;
  readonly card: FieldTexts;
  readonly plan?: InstallmentPlan;
  /** Undefined without billing fields, such as from a script that sends only a card. */
  readonly billing?: FieldTexts;
}

/** Returns the response, or error messages by field. */
function submitForm(tx: Transaction, payable: Payable, {chosen, card, plan, billing}: Submitted) {
  if (!offered(payable.intent).includes(chosen)) return {method: 'Choose how to pay.'};
  const errors = validationErrors({...(chosen === 'card' && card), ...billing}, tx.now);
  if (Object.keys(errors).length > 0) return errors;
  const details = billing && billingDetails(billing);
  try {
    if (chosen !== 'card') {
      redirectPayer(tx, payable.id, {method: chosen, plan, billing: details});
      return seeOther(intentPath(payable.intent));
    }
    const options = {card: card.number, billing: details};
    const challenge = testCard(card.number!)?.challenge;
    if (challenge) redirectPayer(tx, payable.id, options);
    else if (payStatement(tx, payable.id, options).result !== 'failed') return seeOther(payable.done);
    // Prefills the form after a failed attempt, without the security code.
    tx.change(tx.peek(payable.intent.id)!, {_entered: {...card, cvc: ''}});
    return seeOther(challenge ? intentPath(payable.intent) : `${payable.path}#attempt`);
  } catch (error) {
    // This transaction already checked that the object can be paid.
    if (!(error instanceof CentavoError) || error.code !== 'method_not_allowed') throw error;
    return {[chosen === 'card' ? 'number' : 'installment_type']: error.details.why ?? error.message};
  }
}

/** Returns the methods that these pages support, in the merchant's order. */
const offered = (intent: IntentRecord): readonly string[] =>
  intent.payment_methods.filter((method) => Object.hasOwn(METHOD_HINTS, method));

/** True if the form asks for billing details. A customer's details are already known. */
const asksBilling = ({_customer_id: customer}: IntentRecord): boolean => customer === null;

function paymentForm(tx: Transaction, {intent, path, verb}: Payable, formState: FormState): Html {
  const {values, errors} = formState;
  const methods = offered(intent);
  if (methods.length === 0) return html`<p>The merchant does not accept any payment method available here.</p>`;
  const chosen = methods.find((method) => method === formState.chosen) ?? methods[0];
  return html`<form method="post" action="${path}" novalidate>
    ${stateField(String(intent.amount))} ${Object.keys(errors).length > 0 ? errorList(errors) : lastAttempt(tx, intent)}
    ${pendingApproval(tx, intent)}
    <fieldset>
      <legend>How do you want to pay?</legend>
      ${methods.map((method) => radioChoice(method, method === chosen, method === 'card' ? cardFields(formState, intent, path) : method === INSTALLMENT && planFields(formState, intent)))}
    </fieldset>
    ${asksBilling(intent) ? billingFieldset(values, errors) : ''}
    <button>${verb} ${formatPesos(intent.amount)}</button>
  </form>`;
}

export function radioChoice(method: string, checked: boolean, fields: HtmlPart): Html {
  return html`<div class="choice">
    <label>
      <input type="radio" id="method-${method}" name="method" value="${method}" ${checked ? html`checked` : ''} />
      ${pageMethodName(method)} <small>${METHOD_HINTS[method]}</small>
    </label>
    ${fields}
  </div>`;
}

/** The list has the focus, so that screen readers start with the errors. */
function errorList(errors: FieldTexts): Html {
  return html`<div class="alert" role="alert" tabindex="-1" autofocus>
    <h2>Please check what you entered</h2>
    <ul>
      ${Object.entries(errors).map(
        ([name, words]) => html`<li><a href="#${name === 'method' ? 'method-card' : name}">${words}</a></li>`,
      )}
    </ul>
  </div>`;
}

/** Returns the error of the previous attempt, if any. The URL's fragment, `#attempt`, moves the focus to the error. */
function lastAttempt(tx: Transaction, {last_payment_error: error, payment_method_id: id}: IntentRecord) {
  if (!error) return undefined;
  const method = tx.peek(id);
  const {detail} = error as {detail: string};
  return html`<div class="alert" role="alert" id="attempt" tabindex="-1">
    <h2>The payment did not go through</h2>
    <p>
      ${detail}${method ? html` You tried ${paidWith({type: String(method.type), [String(method.type)]: method.details})}.` : ''}
      Nothing was charged. Try again, or choose another way to pay.
    </p>
  </div>`;
}

function pendingApproval(tx: Transaction, intent: IntentRecord): Html | undefined {
  if (recordStanding(tx, intent).state !== 'approving') return undefined;
  const name = approverName(String(tx.peek(intent.payment_method_id)?.type));
  return html`<p class="note">
    ${capitalized(name)} is waiting for your approval. <a href="${intentPath(intent)}">Continue with ${name}</a>, or
    choose another way to pay.
  </p>`;
}

interface FormField {
  readonly label: string;
  readonly maxLength: number;
  /** Returns an error message, or false for a valid value. */
  readonly validate?: (value: string, now: number) => string | false;
  readonly optional?: true;
  readonly attributes?: Html;
}

const digits = (example: string): Html => html`inputmode="numeric" placeholder="${example}"`;

/** In display order, as are the billing fields. */
const CARD_FIELDS: Readonly<Record<string, FormField>> = {
  number: {
    label: 'Card number',
    maxLength: 23,
    attributes: digits('4242 4242 4242 4242'),
    validate: (value) =>
      value === ''
        ? 'Enter a card number.'
        : !testCard(value) && 'Use one of the test cards below. The sandbox does not accept real cards.',
  },
  expiry: {label: 'Expiry date', maxLength: 7, attributes: digits('MM/YY'), validate: expiryError},
  cvc: {
    label: 'Security code',
    maxLength: 4,
    attributes: digits('3 digits'),
    validate: (value) => !/^\d{3}$/.test(value) && 'Enter the 3 digits of the security code.',
  },
  name: {label: 'Name on card', maxLength: 100, validate: (value) => value === '' && 'Enter the name on the card.'},
};
const BILLING_FIELDS: Readonly<Record<string, FormField>> = {
  billing_name: {label: 'Name', maxLength: 100, validate: (value) => value === '' && 'Enter your name.'},
  billing_email: {
    label: 'Email',
    maxLength: 254,
    validate: (value) => !/^[^\s@]+@[^\s@]+$/.test(value) && 'Enter your email address, such as juan@example.com.',
  },
  billing_phone: {label: 'Phone', maxLength: 30, optional: true},
  billing_line1: {label: 'Address', maxLength: 200, optional: true},
  billing_line2: {label: 'Address line 2', maxLength: 200, optional: true},
  billing_city: {label: 'City', maxLength: 100, optional: true},
  billing_state: {label: 'Province', maxLength: 100, optional: true},
  billing_postal_code: {label: 'Postal code', maxLength: 20, optional: true},
  billing_country: {
    label: 'Country (two letters)',
    maxLength: 2,
    optional: true,
    validate: (value) => !/^([A-Za-z]{2})?$/.test(value) && 'Enter a two-letter country code, such as PH.',
  },
};
const CARD_NAMES = Object.keys(CARD_FIELDS);
const BILLING_NAMES = Object.keys(BILLING_FIELDS);
const CONTACT_FIELDS = {...CARD_FIELDS, ...BILLING_FIELDS};

type FieldTexts = Readonly<Record<string, string>>;

const submitted = (form: URLSearchParams, names: readonly string[], maxLength?: number): FieldTexts =>
  Object.fromEntries(
    names.map((name) => [name, shorten(form.get(name) ?? '', maxLength ?? CONTACT_FIELDS[name]!.maxLength).trim()]),
  );

const validationErrors = (values: FieldTexts, now: number): FieldTexts =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const error = CONTACT_FIELDS[name]!.validate?.(value, now);
      return error ? [[name, error]] : [];
    }),
  );

/** Turns autocomplete off, so that browsers do not offer real cards. */
function inputField(name: string, {values, errors}: Pick<FormState, 'errors' | 'values'>): Html {
  const {label, maxLength, optional, attributes} = CONTACT_FIELDS[name]!;
  const error = errors[name];
  const state = error ? html`aria-invalid="true" aria-describedby="${name}-error"` : '';
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      value="${values[name]}"
      autocomplete="off"
      maxlength="${maxLength}"
      ${optional ? '' : html`aria-required="true"`}
      ${attributes}
      ${state}
    />
    ${error ? html`<p class="wrong" id="${name}-error">${error}</p>` : ''}
  </div>`;
}

function prefilled(number: string | null, payer: string, now: number): FieldTexts {
  const card = number ? testCard(number) : undefined;
  if (!card) return {};
  const year = new Date(now * 1000).getUTCFullYear() + 3;
  const expiry = `12/${String(year % 100).padStart(2, '0')}`;
  return {number: grouped(card.number), expiry, cvc: '123', name: shorten(payer, 100) || 'Juan Dela Cruz'};
}

function expiryError(text: string, now: number): string | false {
  const [, month, year] = /^(0?[1-9]|1[0-2])\s*\/?\s*(\d\d)$/.exec(text) ?? [];
  if (!month || !year) return 'Enter the expiry date as month and year, such as 12/29.';
  const date = new Date(now * 1000);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const century = Math.floor(date.getUTCFullYear() / 100) * 100;
  return (century + Number(year)) * 12 + Number(month) - 1 < months && 'This card has expired.';
}

function cardFields(formState: FormState, intent: IntentRecord, path: string): Html {
  const field = (name: string) => inputField(name, formState);
  return html`<fieldset class="card">
    <legend class="unseen">Card details</legend>
    ${field('number')}
    <div class="pair">${field('expiry')} ${field('cvc')}</div>
    ${field('name')} ${testCards(intent, path)}
  </fieldset>`;
}

function planFields({plan}: FormState, intent: IntentRecord): Html {
  const {types, terms} = allowedPlans(intent);
  const names = types.map((type) => [type, paymentMethodName(type)] as const);
  const months = terms.map((term) => [term, `${term} months`] as const);
  return html`<fieldset class="card">
    <legend class="unseen">Installment plan</legend>
    ${selectField('installment_type', 'Type', names, plan?.installment_type)}
    ${selectField('payment_term', 'Months to pay', months, plan?.payment_term)}
  </fieldset>`;
}

/** Links test cards to the same page with the fields filled in, which needs no scripts. */
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

/** Returns the billing details of the previous attempt, or of an invented payer. */
function billingValues(before: BillingDetails | undefined): FieldTexts {
  const {name, email, phone, address} = before?.email ? before : DEFAULT_PAYER;
  const values: Record<string, string | null | undefined> = {name, email, phone, ...address};
  return Object.fromEntries(BILLING_NAMES.map((field) => [field, values[field.replace('billing_', '')] ?? '']));
}

/** Returns the entered details. Blank fields become null. */
function billingDetails(values: FieldTexts): BillingDetails {
  const text = (field: string): string | null => values[`billing_${field}`] || null;
  const address = {line1: text('line1'), line2: text('line2'), city: text('city'), state: text('state')};
  const place = {postal_code: text('postal_code'), country: text('country')?.toUpperCase() ?? null};
  return {name: text('name'), email: text('email'), phone: text('phone'), address: {...address, ...place}};
}

function billingFieldset(values: FieldTexts, errors: FieldTexts): Html {
  const wrong = BILLING_NAMES.some((name) => errors[name]);
  return html`<details ${wrong ? html`open` : ''}>
    <summary>Billing details: ${values.billing_name}, ${values.billing_email}</summary>
    ${BILLING_NAMES.map((name) => inputField(name, {values, errors}))}
  </details>`;
}
