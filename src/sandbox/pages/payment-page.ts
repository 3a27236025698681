// The page on which statements and sessions are paid: shows what for and the form, and handles what the payer sends.

import type {ApiResponse} from '../../api/wire.js';
import {CentavoError} from '../../errors.js';
import {formatPesos} from '../../pesos.js';
import {pay, redirectPayer} from '../paying/payer.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {
  billingDetails,
  billingFaults,
  billingValues,
  cardFaults,
  prefilled,
  submitted,
  submittedBilling,
  type BillingValues,
  type CardValues,
  type Faults,
} from './fields.js';
import {asksBilling, offered, paymentForm} from './form.js';
import {pageResponse, seeOther} from './layout.js';
import {html, shorten, stranger, type Html, type Part} from './markup.js';
import {factList, type Fact} from './summary.js';

/** A request for a page, read. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
}

interface Asking extends Payable {
  /** For the title: `Statement PKYG-0001`. */
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

export function ask(tx: Transaction, asking: Asking, {method, query, form}: PageRequest): ApiResponse {
  const before = tx.peek(asking.intent.payment_method_id) as MethodRecord | undefined;
  const billing = submittedBilling(form) ?? billingValues(before?.billing_details);
  if (method === 'GET') {
    const card = query.get('card');
    const chosen = card ? 'card' : String(before?.type);
    const values = prefilled(card, asking.payer, tx.now);
    return show(tx, asking, {values, billing, faults: {}, chosen});
  }
  const outcome = takeForm(tx, asking, form);
  if (isAnswer(outcome)) return outcome;
  const chosen = form.get('method') ?? undefined;
  return show(tx, asking, {status: 422, values: submitted(form), billing, faults: outcome, chosen});
}

interface Filled {
  readonly status?: number;
  readonly values: CardValues;
  readonly billing: BillingValues;
  readonly faults: Faults;
  readonly chosen?: string;
}

function show(tx: Transaction, asking: Asking, {status, ...filled}: Filled): ApiResponse {
  const {intent, path, verb, name, heading, merchant, description, facts, items, below, done} = asking;
  const main = html`<div class="ask">
    <section aria-label="What you pay for">
      <h1>
        <span>${heading} <b>${stranger(merchant)}</b></span> ${formatPesos(intent.amount)}
      </h1>
      ${description ? html`<p class="about">${stranger(description, 1000)}</p>` : ''} ${factList(facts)} ${items}
    </section>
    <section class="panel" aria-label="Payment">
      ${paymentForm(tx, {intent, path, verb, ...filled})} ${below ? html`<p class="back">${below}</p>` : ''}
    </section>
  </div>`;
  const wrong = Object.keys(filled.faults).length > 0;
  const title = `${wrong ? 'Error: ' : ''}${name}, ${formatPesos(intent.amount)} to ${shorten(merchant, 60)}`;
  return pageResponse({status, title, main, leadsAway: done !== path});
}

interface Payable {
  /** The statement or session. */
  readonly id: string;
  readonly intent: IntentRecord;
  /** The page it is paid on. */
  readonly path: string;
  /** Where the payer goes when it is paid. */
  readonly done: string;
}

/** The answer, or the faults to show in the form. */
function takeForm(tx: Transaction, payable: Payable, form: URLSearchParams): ApiResponse | Faults {
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
    return seeOther(`/p/${String(payable.intent.client_secret)}`);
  } catch (error) {
    // Nothing else can be refused: the same transaction saw that it is open for payment.
    if (!(error instanceof CentavoError) || error.code !== 'method_not_allowed') throw error;
    return {number: error.details.why ?? error.message};
  }
}

const isAnswer = (outcome: ApiResponse | Faults): outcome is ApiResponse => 'status' in outcome;
