// Shared parts of pages: items, facts, receipts, times and names.

import {paymentMethodName, paymentMethodText} from '../../accounting/words.js';
import {capitalized} from '../../common/errors.js';
import {toManila, MONTHS} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {recordStanding} from '../record-standing.js';
import type {IntentRecord, PaymentRecord} from '../record-types.js';
import type {StoreReader} from '../store.js';
import type {Transaction} from '../transaction.js';
import {html, type Html, type HtmlPart, trusted} from '../../common/markup.js';
import {factList, type PageFact} from '../../common/page-parts.js';

/** @param options values with their texts */
export const selectField = (
  id: string,
  label: string,
  options: readonly (readonly [number | string, string])[],
  chosen?: unknown,
): Html =>
  html`<div class="field">
    <label for="${id}">${label}</label>
    <select id="${id}" name="${id}">
      ${options.map(([value, text]) => html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`)}
    </select>
  </div>`;

export interface PageCustomer {
  readonly name: string;
  readonly email: string;
}

export function payerOfPage(tx: Transaction, id: unknown): PageCustomer {
  const customer = tx.customer(id);
  return {name: String(customer?.name ?? ''), email: String(customer?.email ?? '')};
}

export const merchantName = (tx: StoreReader): string => tx.store.setting('merchant_name') ?? 'Sandbox Merchant';

export interface PageReceipt {
  readonly merchant: HtmlPart;
  readonly intent: IntentRecord;
  readonly facts?: readonly PageFact[];
  readonly items?: Html;
  readonly back?: {readonly href: string; readonly label: HtmlPart};
}

export const SEAL = trusted(
  '<svg class="seal" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22" fill="none" stroke="currentColor" stroke-width="2.5"/><path d="M14 25l7 7 13-15" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

const NOT_CHARGED = 'Nothing was charged';

export function receiptTitle(tx: Transaction, intent: IntentRecord): string {
  const payment = tx.peek(intent._payment_id) as PaymentRecord | undefined;
  if (payment) return `Paid: ${formatPesos(payment.amount)}`;
  return recordStanding(tx, intent).state === 'held' ? `Held: ${formatPesos(intent.amount)}` : NOT_CHARGED;
}

export function receiptView(tx: Transaction, {merchant, intent, facts = [], items, back}: PageReceipt): Html {
  const payment = tx.peek(intent._payment_id) as PaymentRecord | undefined;
  return html`<div class="narrow sheet">
    ${SEAL} ${payment ? paidFacts(payment, merchant) : held(tx, intent, merchant)}
    ${payment ? paymentFacts(payment, facts) : factList(facts)} ${items}
    ${back ? html`<p><a class="button" href="${back.href}">${back.label}</a></p>` : ''}
  </div>`;
}

const paidFacts = ({amount}: PaymentRecord, merchant: HtmlPart): Html =>
  html`<h1>
    <span>Paid to <b>${merchant}</b></span> ${formatPesos(amount)}
  </h1>`;

function paymentFacts(payment: PaymentRecord, facts: readonly PageFact[]): Html {
  const {created_at: at, amount_refunded: refunded, payment_method: method, id} = payment;
  return factList([
    ['Paid', pageTime(at)],
    ['With', paidWith(method)],
    ['Refunded', refunded > 0 && formatPesos(refunded)],
    ...facts,
    ['Payment', html`<span class="id">${id}</span>`],
  ]);
}

/** Returns the receipt of an amount held on a card, or released. */
function held(tx: Transaction, intent: IntentRecord, merchant: HtmlPart): Html {
  if (recordStanding(tx, intent).state !== 'held')
    return html`<h1 class="plain">${NOT_CHARGED}</h1>
      <p>${merchant} did not collect the ${formatPesos(intent.amount)} held on your card.</p>`;
  return html`<h1>
      <span>Held on your card for <b>${merchant}</b></span> ${formatPesos(intent.amount)}
    </h1>
    <p>Your order is placed. The merchant collects the amount later, or releases it.</p>`;
}

/** Returns `15 December 2026, 11:59 PM` in Manila, or the number itself if invalid. @param at unix seconds */
export function pageTime(at: number): string {
  const date = toManila(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const hour = date.getUTCHours();
  const clock = `${hour % 12 || 12}:${String(date.getUTCMinutes()).padStart(2, '0')}\u00A0${hour < 12 ? 'AM' : 'PM'}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${clock}`;
}

export const METHOD_HINTS: Readonly<Record<string, string>> = {
  card: 'Visa or Mastercard',
  gcash: 'Approve on the next page',
  maya: 'Approve on the next page',
  billease: 'Buy now, pay later',
  bdo_installment: 'Monthly, with a BDO credit card',
  qrph: 'Scan with any bank or wallet',
};

export const pageMethodName = (type: string): string => capitalized(paymentMethodName(type));

/** Returns the bank or wallet that asks the payer for approval. */
export const approverName = (type: string): string => APPROVERS[type] ?? pageMethodName(type);

const APPROVERS: Readonly<Record<string, string>> = {card: 'your bank', bdo_installment: 'BDO'};

/** Returns `Visa ending in 4242`, `BDO Installment, 6 months (Regular)`, or the method's name. */
export const paidWith = (method: {readonly type: string}): string => capitalized(paymentMethodText(method)!);

/** Groups digits by four: `4242 4242 4242 4242`. */
export const grouped = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');
