// Parts that pages share: items, facts, receipts, times and names.

import {inManila, MONTHS} from '../../ground/manila.js';
import {formatPesos} from '../../ground/pesos.js';
import type {IntentRecord, PaymentRecord} from '../record-types.js';
import type {Reading} from '../store.js';
import type {Transaction} from '../transaction.js';
import {html, type Html, type Part, trusted, untrusted} from './markup.js';

export interface Item {
  readonly name: unknown;
  readonly note?: unknown;
  readonly quantity: number;
  readonly price: number;
}

export type Fact = readonly [label: Part, value: Part];

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
      ${untrusted(name)}
      <small>${quantity.toLocaleString('en')} × ${formatPesos(price)}</small>
      ${note ? html`<small>${untrusted(note)}</small>` : ''}
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

export function customerOf(tx: Transaction, id: unknown): Customer {
  const customer = tx.customer(id);
  return {name: String(customer?.name ?? ''), email: String(customer?.email ?? '')};
}

export const merchantName = (tx: Reading): string => tx.store.setting('merchant_name') ?? 'Sandbox Merchant';

export interface Receipt {
  readonly merchant: Part;
  readonly intent: IntentRecord;
  readonly facts?: readonly Fact[];
  readonly items?: Html;
  readonly back?: {readonly href: string; readonly label: Part};
}

const SEAL = trusted(
  '<svg class="seal" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22" fill="none" stroke="currentColor" stroke-width="2.5"/><path d="M14 25l7 7 13-15" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

const NOT_CHARGED = 'Nothing was charged';

export function receiptTitle(tx: Transaction, intent: IntentRecord): string {
  const payment = tx.peek(intent._payment_id) as PaymentRecord | undefined;
  if (!payment && intent.status === 'canceled') return NOT_CHARGED;
  return payment ? `Paid: ${formatPesos(payment.amount)}` : `Held: ${formatPesos(intent.amount)}`;
}

export function receipt(tx: Transaction, {merchant, intent, facts = [], items, back}: Receipt): Html {
  const payment = tx.peek(intent._payment_id) as PaymentRecord | undefined;
  return html`<div class="narrow sheet">
    ${SEAL} ${payment ? paid(payment, merchant) : held(intent, merchant)}
    ${payment ? paymentFacts(payment, facts) : factList(facts)} ${items}
    ${back ? html`<p><a class="button" href="${back.href}">${back.label}</a></p>` : ''}
  </div>`;
}

const paid = ({amount}: PaymentRecord, merchant: Part): Html =>
  html`<h1>
    <span>Paid to <b>${merchant}</b></span> ${formatPesos(amount)}
  </h1>`;

function paymentFacts(payment: PaymentRecord, facts: readonly Fact[]): Html {
  const {created_at: at, amount_refunded: refunded, payment_method: method, id} = payment;
  return factList([
    ['Paid', manilaTime(at)],
    ['With', paidWith(method)],
    ['Refunded', refunded > 0 && formatPesos(refunded)],
    ...facts,
    ['Payment', html`<span class="id">${id}</span>`],
  ]);
}

/** For an amount that is held on a card, or was released. */
function held(intent: IntentRecord, merchant: Part): Html {
  if (intent.status === 'canceled')
    return html`<h1 class="plain">${NOT_CHARGED}</h1>
      <p>${merchant} did not collect the ${formatPesos(intent.amount)} held on your card.</p>`;
  return html`<h1>
      <span>Held on your card for <b>${merchant}</b></span> ${formatPesos(intent.amount)}
    </h1>
    <p>Your order is placed. The merchant collects the amount later, or releases it.</p>`;
}

/** `15 December 2026, 11:59 PM` in Manila; the number itself when it is not a time. @param at unix seconds */
export function manilaTime(at: number): string {
  const date = inManila(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const hour = date.getUTCHours();
  const clock = `${hour % 12 || 12}:${String(date.getUTCMinutes()).padStart(2, '0')}\u00A0${hour < 12 ? 'AM' : 'PM'}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${clock}`;
}

export const METHODS: Readonly<Record<string, {readonly name: string; readonly hint: string}>> = {
  card: {name: 'Card', hint: 'Visa or Mastercard'},
  gcash: {name: 'GCash', hint: 'Approve on the next page'},
  maya: {name: 'Maya', hint: 'Approve on the next page'},
  billease: {name: 'BillEase', hint: 'Buy now, pay later'},
  qrph: {name: 'QR Ph', hint: 'Scan with any bank or wallet'},
};

export const methodName = (type: string): string => METHODS[type]?.name ?? type;

/** Who asks the payer for approval. */
export const approverName = (type: string): string => (type === 'card' ? 'your bank' : methodName(type));

const BRANDS: Readonly<Record<string, string>> = {mastercard: 'Mastercard', visa: 'Visa'};

/** `Visa ending in 4242`, or the method's name. */
export function paidWith({type, card}: {readonly type: string; readonly card?: unknown}): string {
  if (!card) return methodName(type);
  const {brand, last4} = card as {brand: string; last4: string};
  return `${BRANDS[brand] ?? brand} ending in ${last4}`;
}

/** `4242 4242 4242 4242`. */
export const grouped = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');
