// The page that asks for a payment: what for on one side, the form on the other. Statements and sessions share it.

import type {ApiResponse} from '../../api/wire.js';
import type {MethodRecord} from '../records.js';
import type {Work} from '../work.js';
import {billingValues, submittedBilling, type BillingValues} from './billing.js';
import {prefilled, submitted, type CardValues} from './cards.js';
import {paymentForm, type Faults} from './form.js';
import {pageResponse} from './layout.js';
import {html, shorten, stranger, type Html, type Part} from './markup.js';
import {isAnswer, takeForm, type Payable} from './paying.js';
import {factList, type Fact} from './summary.js';
import {formatPesos} from '../../pesos.js';

/** A request for a page, read. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
}

export interface Asking extends Payable {
  /** What it is, for the title: `Statement PKYG-0001`. */
  readonly name: string;
  /** What stands before the merchant's name in the heading. */
  readonly heading: string;
  readonly merchant: string;
  readonly description: string | null;
  readonly facts: readonly Fact[];
  readonly items: Html;
  /** Label of the button, before the amount. */
  readonly verb: string;
  /** For the name on a test card. */
  readonly payer: string;
  /** What stands below the form. */
  readonly below?: Part;
}

export function ask(work: Work, asking: Asking, {method, query, form}: PageRequest): ApiResponse {
  const before = work.peek(asking.intent.payment_method_id) as MethodRecord | undefined;
  const billing = submittedBilling(form) ?? billingValues(before?.billing_details);
  if (method === 'GET') {
    const card = query.get('card');
    const chosen = card ? 'card' : String(before?.type);
    const values = prefilled(card, asking.payer, work.now);
    return show(work, asking, {values, billing, faults: {}, chosen});
  }
  const outcome = takeForm(work, asking, form);
  if (isAnswer(outcome)) return outcome;
  const chosen = form.get('method') ?? undefined;
  return show(work, asking, {status: 422, values: submitted(form), billing, faults: outcome, chosen});
}

interface Filled {
  readonly status?: number;
  readonly values: CardValues;
  readonly billing: BillingValues;
  readonly faults: Faults;
  readonly chosen?: string;
}

function show(work: Work, asking: Asking, {status, ...filled}: Filled): ApiResponse {
  const {intent, path, verb, name, heading, merchant, description, facts, items, below, done} = asking;
  const main = html`<div class="ask">
    <section aria-label="What you pay for">
      <h1>
        <span>${heading} <b>${stranger(merchant)}</b></span> ${formatPesos(intent.amount)}
      </h1>
      ${description ? html`<p class="about">${stranger(description, 1000)}</p>` : ''} ${factList(facts)} ${items}
    </section>
    <section class="panel" aria-label="Payment">
      ${paymentForm(work, {intent, path, verb, ...filled})} ${below ? html`<p class="back">${below}</p>` : ''}
    </section>
  </div>`;
  const wrong = Object.keys(filled.faults).length > 0;
  const title = `${wrong ? 'Error: ' : ''}${name}, ${formatPesos(intent.amount)} to ${shorten(merchant, 60)}`;
  return pageResponse({status, title, main, leadsAway: done !== path});
}
