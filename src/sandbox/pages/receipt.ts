// What a payer sees after paying: how much, when, with what; and what has become of it since.

import type {IntentRecord, PaymentRecord} from '../records.js';
import type {Work} from '../work.js';
import {html, trusted, type Html, type Part} from './markup.js';
import {factList, type Fact} from './summary.js';
import {manilaTime, paidWith} from './words.js';
import {formatPesos} from '../../pesos.js';

export interface Receipt {
  readonly merchant: Part;
  readonly intent: IntentRecord;
  /** What stands below the payment itself: number, customer, items. */
  readonly facts?: readonly Fact[];
  readonly items?: Html;
  readonly back?: {readonly href: string; readonly label: Part};
}

const SEAL = trusted(
  '<svg class="seal" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22" fill="none" stroke="currentColor" stroke-width="2.5"/><path d="M14 25l7 7 13-15" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

export function receipt(work: Work, {merchant, intent, facts = [], items, back}: Receipt): Html {
  const payment = work.peek(intent._payment_id) as PaymentRecord | undefined;
  return html`<div class="narrow sheet">
    ${SEAL} ${payment ? paid(payment, merchant) : held(intent, merchant)}
    ${payment ? moved(payment, facts) : factList(facts)} ${items}
    ${back ? html`<p><a class="button" href="${back.href}">${back.label}</a></p>` : ''}
  </div>`;
}

const paid = ({amount}: PaymentRecord, merchant: Part): Html =>
  html`<h1>
    <span>Paid to <b>${merchant}</b></span> ${formatPesos(amount)}
  </h1>`;

function moved(payment: PaymentRecord, facts: readonly Fact[]): Html {
  const {created_at: at, amount_refunded: refunded, payment_method: method, id} = payment;
  return factList([
    ['Paid', manilaTime(at)],
    ['With', paidWith(method)],
    ['Refunded', refunded > 0 && formatPesos(refunded)],
    ...facts,
    ['Payment', html`<span class="id">${id}</span>`],
  ]);
}

/** A card's amount that is held and not collected yet, or was released. */
function held(intent: IntentRecord, merchant: Part): Html {
  if (intent.status === 'canceled')
    return html`<h1 class="plain">Nothing was charged</h1>
      <p>${merchant} did not collect the ${formatPesos(intent.amount)} that were held on your card.</p>`;
  return html`<h1>
      <span>Held on your card for <b>${merchant}</b></span> ${formatPesos(intent.amount)}
    </h1>
    <p>Your order is placed. The merchant collects the amount later, or releases it.</p>`;
}
