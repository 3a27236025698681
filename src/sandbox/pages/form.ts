// The payment form: a choice of methods, the fields of the card under its own, and what went wrong before.

import {formatPesos} from '../../pesos.js';
import type {IntentRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {billingFieldset, cardFields, type BillingValues, type CardValues, type Faults} from './fields.js';
import {html, type Html} from './markup.js';
import {methodName, METHODS, paidWith} from './wording.js';

export interface PaymentForm {
  readonly intent: IntentRecord;
  /** Path of the page, to which the form is posted. */
  readonly path: string;
  /** `Pay`, or what the merchant chose instead. */
  readonly verb: string;
  readonly values: CardValues;
  readonly billing: BillingValues;
  readonly faults: Faults;
  /** The method to begin with; the first when not given. */
  readonly chosen?: string;
}

/** What can be paid with, in the merchant's order. */
export const offered = (intent: IntentRecord): readonly string[] =>
  intent.payment_methods.filter((method) => Object.hasOwn(METHODS, method));

/** The details of a customer are known; any other payer is asked for them. */
export const asksBilling = ({_customer_id: customer}: IntentRecord): boolean => customer === null;

export function paymentForm(tx: Transaction, form: PaymentForm): Html {
  const {intent, path, verb, billing, faults} = form;
  const methods = offered(intent);
  if (methods.length === 0) return html`<p>The merchant takes none of the payment methods of this page.</p>`;
  const chosen = methods.find((method) => method === form.chosen) ?? methods[0];
  return html`<form method="post" action="${path}" novalidate>
    ${Object.keys(faults).length > 0 ? faultList(faults) : lastAttempt(tx, intent)} ${waiting(tx, intent)}
    <fieldset>
      <legend>How do you want to pay?</legend>
      ${methods.map((method) => choice(form, method, method === chosen))}
    </fieldset>
    ${asksBilling(intent) ? billingFieldset(billing, faults) : ''}
    <button>${verb} ${formatPesos(intent.amount)}</button>
  </form>`;
}

function choice(form: PaymentForm, method: string, checked: boolean): Html {
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
function faultList(faults: Faults): Html {
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
      was charged. Try again, or pay in another way.
    </p>
  </div>`;
}

/** A wallet that was chosen and has not been approved yet. */
function waiting(tx: Transaction, intent: IntentRecord): Html | undefined {
  if (intent.status !== 'awaiting_next_action') return undefined;
  const name = methodName(String(tx.peek(intent.payment_method_id)?.type));
  return html`<p class="note">
    ${name} waits for your approval. <a href="/p/${String(intent.client_secret)}">Continue with ${name}</a>, or pay in
    another way.
  </p>`;
}
