// The page on which statements and sessions are paid: what is paid for, the payment form, and what happens when it is sent.

import type {ApiResponse} from '../../api/wire.js';
import {CentavoError} from '../../errors.js';
import {formatPesos} from '../../pesos.js';
import {pay, redirectPayer} from '../paying/payer.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {
  billingDetails,
  billingFaults,
  billingFieldset,
  billingValues,
  type BillingValues,
  cardFaults,
  cardFields,
  type CardForm,
  type CardValues,
  type FormErrors,
  prefilled,
  submitted,
  submittedBilling,
} from './form-fields.js';
import {pageResponse, seeOther} from './layout.js';
import {intentPath} from './links.js';
import {html, type Html, type Part, shorten, stranger} from './markup.js';
import {type Fact, factList, methodName, METHODS, paidWith} from './summary.js';

/** A request for a page, read. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
}

/** What is paid on the page, and how it is shown. */
interface Payable {
  /** The statement or session. */
  readonly id: string;
  readonly intent: IntentRecord;
  /** The page it is paid on. */
  readonly path: string;
  /** Where the payer goes when it is paid. */
  readonly done: string;
  /** For the title: `Statement PKYG-0001`. */
  readonly name: string;
  /** The words before the merchant's name in the heading. */
  readonly heading: string;
  readonly merchant: string;
  readonly description: string | null;
  readonly facts: readonly Fact[];
  readonly items: Html;
  /** Label of the button, before the amount. */
  readonly verb: string;
  /** For the name on a test card. */
  readonly payer: string;
  /** Shown below the form. */
  readonly below?: Part;
}

/** Asks for the payment. */
export function ask(tx: Transaction, payable: Payable, {method, query, form}: PageRequest): ApiResponse {
  const before = tx.peek(payable.intent.payment_method_id) as MethodRecord | undefined;
  const billing = submittedBilling(form) ?? billingValues(before?.billing_details);
  if (method === 'GET') {
    const card = query.get('card');
    const chosen = card ? 'card' : String(before?.type);
    const values = prefilled(card, payable.payer, tx.now);
    return show(tx, payable, {values, billing, faults: {}, chosen});
  }
  const outcome = takeForm(tx, payable, form);
  if (isAnswer(outcome)) return outcome;
  const chosen = form.get('method') ?? undefined;
  return show(tx, payable, {status: 422, values: submitted(form), billing, faults: outcome, chosen});
}

/** What the form is filled with. */
interface Filled {
  /** The status of the answer; 200 when not given. */
  readonly status?: number;
  readonly values: CardValues;
  readonly billing: BillingValues;
  readonly faults: FormErrors;
  /** The method to begin with; the first when not given. */
  readonly chosen?: string;
}

function show(tx: Transaction, payable: Payable, filled: Filled): ApiResponse {
  const {intent, path, name, heading, merchant, description, facts, items, below, done} = payable;
  const main = html`<div class="ask">
    <section aria-label="What you pay for">
      <h1>
        <span>${heading} <b>${stranger(merchant)}</b></span> ${formatPesos(intent.amount)}
      </h1>
      ${description ? html`<p class="about">${stranger(description, 1000)}</p>` : ''} ${factList(facts)} ${items}
    </section>
    <section class="panel" aria-label="Payment">
      ${paymentForm(tx, payable, filled)} ${below ? html`<p class="back">${below}</p>` : ''}
    </section>
  </div>`;
  const wrong = Object.keys(filled.faults).length > 0;
  const title = `${wrong ? 'Error: ' : ''}${name}, ${formatPesos(intent.amount)} to ${shorten(merchant, 60)}`;
  return pageResponse({status: filled.status, title, main, leadsAway: done !== path});
}

/** The answer, or the faults to show in the form. */
function takeForm(tx: Transaction, payable: Payable, form: URLSearchParams): ApiResponse | FormErrors {
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
    // Nothing else can be refused: the same transaction saw that it is open for payment.
    if (!(error instanceof CentavoError) || error.code !== 'method_not_allowed') throw error;
    return {number: error.details.why ?? error.message};
  }
}

const isAnswer = (outcome: ApiResponse | FormErrors): outcome is ApiResponse => 'status' in outcome;

/** What can be paid with, in the merchant's order. */
const offered = (intent: IntentRecord): readonly string[] =>
  intent.payment_methods.filter((method) => Object.hasOwn(METHODS, method));

/** The details of a customer are known; any other payer is asked for them. */
const asksBilling = ({_customer_id: customer}: IntentRecord): boolean => customer === null;

function paymentForm(tx: Transaction, {intent, path, verb}: Payable, filled: Filled): Html {
  const {billing, faults} = filled;
  const methods = offered(intent);
  if (methods.length === 0) return html`<p>The merchant does not accept any payment method available here.</p>`;
  const chosen = methods.find((method) => method === filled.chosen) ?? methods[0];
  return html`<form method="post" action="${path}" novalidate>
    ${Object.keys(faults).length > 0 ? faultList(faults) : lastAttempt(tx, intent)} ${waiting(tx, intent)}
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

/** Takes the focus, so that it is read out before the form. */
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

/** The attempt before this one, if it failed. The address of the page ends with its id, which gives it the focus. */
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

/** A wallet that was chosen and has not been approved yet. */
function waiting(tx: Transaction, intent: IntentRecord): Html | undefined {
  if (intent.status !== 'awaiting_next_action') return undefined;
  const name = methodName(String(tx.peek(intent.payment_method_id)?.type));
  return html`<p class="note">
    ${name} is waiting for your approval. <a href="${intentPath(intent)}">Continue with ${name}</a>, or choose another
    way to pay.
  </p>`;
}
