// The kinds of object that have a list, with its columns.

import {formatPesos} from '../../ground/pesos.js';
import type {Part} from '../pages/markup.js';
import type {Reading, Stored} from '../store.js';
import {code, right, stateOf, type Title, wide} from './parts.js';
import {amountOf, dotted, foreign, nameOf, timeOf} from './words.js';

export interface Column extends Title {
  readonly of: (record: Stored, tx: Reading) => Part;
}

const time = (title: string, name: string): Column => ({
  ...wide(title),
  of: (record, {now}) => timeOf(record[name], now),
});
const customerName = (record: Stored, tx: Reading): Part =>
  foreign(tx.customer(record.customer_id ?? record._customer_id)?.name, 40);
const refunded = ({amount_refunded: amount}: Stored): Part => (amount ? formatPesos(amount as number) : '');

const COLUMNS = {
  address: {...wide('Address'), of: ({url}) => code(dotted(url, 60))},
  amount: {...right('Amount'), of: amountOf},
  created: time('Created', 'created_at'),
  customer: {...wide('Customer'), of: customerName},
  due: time('Due', 'due_at'),
  email: {title: 'Email', of: ({email}) => dotted(email, 60)},
  expires: time('Expires', 'expires_at'),
  reason: {...wide('Reason'), of: ({reason}) => foreign(reason)},
  refunded: {...right('Refunded'), wide: true, of: refunded},
  status: {title: 'Status', of: (record, {now}) => stateOf(record, now)},
} satisfies Record<string, Column>;

export interface Kind {
  readonly resource: string;
  readonly one: string;
  readonly columns: readonly Column[];
}

/** What it is called comes first. */
const kind = (resource: string, one: string, ...columns: readonly (keyof typeof COLUMNS)[]): Kind => ({
  resource,
  one,
  columns: [{title: one, of: nameOf}, ...columns.map((name) => COLUMNS[name])],
});

/** By the word of their address. */
export const KINDS: Readonly<Record<string, Kind>> = {
  statements: kind('billing_statement', 'Statement', 'customer', 'status', 'due', 'amount'),
  checkouts: kind('checkout_session', 'Checkout', 'created', 'status', 'expires', 'amount'),
  intents: kind('payment_intent', 'Payment intent', 'customer', 'created', 'status', 'amount'),
  payments: kind('payment', 'Payment', 'customer', 'created', 'status', 'refunded', 'amount'),
  refunds: kind('refund', 'Refund', 'reason', 'created', 'status'),
  customers: kind('customer', 'Customer', 'email', 'created'),
  payouts: kind('payout', 'Payout', 'created', 'status', 'amount'),
  webhooks: kind('webhook', 'Webhook', 'address', 'status'),
};

const OTHERS: Readonly<Record<string, string>> = {
  billing_statement_line_item: 'Item',
  payment_method: 'Method',
  payout_transaction: 'Movement',
};

export const wordOfKind = (resource: string): string =>
  Object.values(KINDS).find((each) => each.resource === resource)?.one ?? OTHERS[resource] ?? resource;
