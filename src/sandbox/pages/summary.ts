// What a payment is for: items, total and facts, before it is paid and on the receipt.

import {formatPesos} from '../../pesos.js';
import type {IntentRecord, PaymentRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {html, stranger, trusted, type Html, type Part} from './markup.js';
import {manilaTime, paidWith} from './wording.js';

export interface Item {
  readonly name: unknown;
  readonly note?: unknown;
  readonly quantity: number;
  /** Centavos for one. */
  readonly price: number;
}

/** One line of facts; left out when there is nothing to say. */
export type Fact = readonly [label: string, value: Part];

export function itemsTable(items: readonly Item[], amount: number): Html {
  return html`<table>
    <caption class="unseen">
      Items
    </caption>
    <thead class="unseen">
      <tr>
        <th scope="col">Item</th>
        <th scope="col">Amount</th>
      </tr>
    </thead>
    <tbody>
      ${items.map(itemRow)}
    </tbody>
    <tfoot>
      <tr>
        <th scope="row">Total</th>
        <td>${formatPesos(amount)}</td>
      </tr>
    </tfoot>
  </table>`;
}

function itemRow({name, note, quantity, price}: Item): Html {
  return html`<tr>
    <th scope="row">
      ${stranger(name)}
      <small>${quantity.toLocaleString('en')} × ${formatPesos(price)}</small>
      ${note ? html`<small>${stranger(note)}</small>` : ''}
    </th>
    <td>${formatPesos(quantity * price)}</td>
  </tr>`;
}

export function factList(facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value);
  if (known.length === 0) return html``;
  return html`<dl class="facts">
    ${known.map(
      ([label, value]) =>
        html`<dt>${label}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

export interface Customer {
  readonly name: string;
  readonly email: string;
}

/** A deleted customer is still named on its statements. */
export function customerOf(tx: Transaction, id: unknown): Customer {
  const customer = typeof id === 'string' ? tx.store.find('customer', id)?.record : undefined;
  return {name: String(customer?.name ?? ''), email: String(customer?.email ?? '')};
}

/** The merchant as payers know it. */
export const merchantName = (tx: Transaction): string => tx.store.setting('merchant_name') ?? 'Sandbox Merchant';

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

export function receipt(tx: Transaction, {merchant, intent, facts = [], items, back}: Receipt): Html {
  const payment = tx.peek(intent._payment_id) as PaymentRecord | undefined;
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
