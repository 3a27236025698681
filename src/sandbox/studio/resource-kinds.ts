// Kinds of objects with a list, and the list's columns.

import {formatPesos} from '../../common/pesos.js';
import type {HtmlPart} from '../../common/markup.js';
import type {StoreReader, StoredRecord} from '../store.js';
import * as ui from './components.js';
import {studioAmount, breakableText, foreignText, objectNameOf, studioTime} from './format.js';

export interface StudioColumn extends ui.Title {
  readonly render: (record: StoredRecord, tx: StoreReader) => HtmlPart;
}

const time = (title: string, name: string): StudioColumn => ({
  ...ui.wide(title),
  render: (record, {now}) => studioTime(record[name], now),
});
const customerName = (record: StoredRecord, tx: StoreReader): HtmlPart =>
  foreignText(tx.customer(record.customer_id ?? record._customer_id)?.name, 40);
const refunded = ({amount_refunded: amount}: StoredRecord): HtmlPart => (amount ? formatPesos(amount as number) : '');

const COLUMNS = {
  address: {...ui.wide('Address'), render: ({url}) => ui.code(breakableText(url, 60))},
  amount: {...ui.right('Amount'), render: studioAmount},
  created: time('Created', 'created_at'),
  customer: {...ui.wide('Customer'), render: customerName},
  due: time('Due', 'due_at'),
  email: {title: 'Email', render: ({email}) => breakableText(email, 60)},
  expires: time('Expires', 'expires_at'),
  reason: {...ui.wide('Reason'), render: ({reason}) => foreignText(reason)},
  refunded: {...ui.right('Refunded'), wide: true, render: refunded},
  status: {title: 'Status', render: (record, tx) => ui.stateBadge(tx, record)},
} satisfies Record<string, StudioColumn>;

export interface ResourceKind {
  readonly resource: string;
  readonly singular: string;
  readonly columns: readonly StudioColumn[];
}

const kind = (resource: string, singular: string, ...columns: readonly (keyof typeof COLUMNS)[]): ResourceKind => ({
  resource,
  singular,
  columns: [{title: singular, render: objectNameOf}, ...columns.map((name) => COLUMNS[name])],
});

export const RESOURCE_KINDS: Readonly<Record<string, ResourceKind>> = {
  statements: kind('billing_statement', 'Statement', 'customer', 'status', 'due', 'amount'),
  checkouts: kind('checkout_session', 'Checkout', 'created', 'status', 'expires', 'amount'),
  intents: kind('payment_intent', 'Payment intent', 'customer', 'created', 'status', 'amount'),
  payments: kind('payment', 'Payment', 'customer', 'created', 'status', 'refunded', 'amount'),
  refunds: kind('refund', 'Refund', 'reason', 'created', 'status'),
  customers: kind('customer', 'Customer', 'email', 'created'),
  payouts: kind('payout', 'Payout', 'created', 'status', 'amount'),
  webhooks: kind('webhook', 'Webhook', 'address', 'status'),
};

const OTHER_KINDS: Readonly<Record<string, string>> = {
  billing_statement_line_item: 'Item',
  payment_method: 'Method',
  payout_transaction: 'Movement',
  setup_intent: 'Setup intent',
};

export const kindName = (resource: string): string =>
  Object.values(RESOURCE_KINDS).find((kind) => kind.resource === resource)?.singular ??
  OTHER_KINDS[resource] ??
  resource;
