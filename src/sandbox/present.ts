// A stored record as the API answers it: the sandbox's own fields hidden, related objects embedded as the service embeds them.

import {nextSequence, sequenceText} from './actions/statement-numbers.js';
import {intentPath, sessionPath, sourcePath, statementPath} from './pages/links.js';
import {contactOf} from './paying/billing-details.js';
import type {SessionRecord, StatementRecord} from './record-types.js';
import type {Stored} from './store.js';
import type {Transaction} from './transaction.js';

type Wire = Record<string, unknown>;

/** Drops the sandbox's own fields. */
function visible(record: Stored): Wire {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_')));
}

const presenters: Record<string, (record: Stored, tx: Transaction) => Wire> = {
  billing_statement: statement,
  checkout_session: checkoutSession,
  customer,
  customer_session: customerSession,
  payment: (record, tx) => ({...visible(record), customer: customerSummary(record._customer_id, tx)}),
  payment_intent: intent,
  payout_transaction: transaction,
  setup_intent: (record, tx) => ({...visible(record), customer: customerSummary(record._customer_id, tx)}),
};

/** The object as it is answered, and as it stands in an event. */
export function present(record: Stored, tx: Transaction): Wire {
  return (presenters[record.resource] ?? visible)(record, tx);
}

function customer(record: Stored, tx: Transaction): Wire {
  return {
    ...visible(record),
    next_billing_statement_sequence_number: sequenceText(nextSequence(tx.store, record)),
    billing: record.billing ? contactOf(record.billing) : null,
  };
}

/** A customer that was deleted stays named on what it was billed for. */
const customerRecord = (id: unknown, tx: Transaction): Stored | undefined =>
  id ? tx.store.find('customer', id as string)?.record : undefined;

/** Inside a payment intent the customer is whole (recorded bodies). */
function wholeCustomer(id: unknown, tx: Transaction): Wire | null {
  const record = customerRecord(id, tx);
  return record ? customer(record, tx) : null;
}

/** Inside a statement or a payment a customer has an id, a name and an e-mail address, no more (recorded bodies). */
function customerSummary(id: unknown, tx: Transaction): Wire | null {
  const record = customerRecord(id, tx);
  return record ? {id: record.id, name: record.name, email: record.email} : null;
}

const IN_SESSION = ['name', 'email', 'billing', 'currency', 'livemode', 'metadata', 'created_at', 'updated_at'];

/** Inside a session a customer has neither id nor resource, nor what statements are numbered by (recorded bodies). */
function sessionCustomer(id: unknown, tx: Transaction): Wire | null {
  const whole = wholeCustomer(id, tx);
  return whole && Object.fromEntries(IN_SESSION.map((name) => [name, whole[name]]));
}

function statement(record: Stored, tx: Transaction): Wire {
  // The link is there in every state (recorded bodies); `url` only while the statement is open (specification).
  const link = tx.baseUrl + statementPath(record as StatementRecord);
  const intentRecord = tx.peek(record._payment_intent_id as string | null);
  return {
    ...visible(record),
    url: record.status === 'open' ? link : null,
    billing_statement_url: link,
    line_items: tx.store.children(record.id, 'billing_statement_line_item').map(visible),
    customer: customerSummary(record.customer_id, tx),
    payment_intent: intentRecord ? intent(intentRecord, tx) : null,
  };
}

function intent(record: Stored, tx: Transaction): Wire {
  const payment = tx.peek(record._payment_id as string | null);
  const source = tx.peek(record._source_id as string | null);
  const {customer: _, ...withoutCustomer} = payment ? present(payment, tx) : {};
  const action = record.next_action as Wire | null;
  return {
    ...visible(record),
    next_action: action && {...action, redirect_url: tx.baseUrl + intentPath(record)},
    // A payer who began on a hosted page comes back to that page (recorded bodies).
    return_url: record.payment_method_id && source ? tx.baseUrl + sourcePath(source) : record.return_url,
    customer: wholeCustomer(record._customer_id, tx),
    latest_payment: payment ? withoutCustomer : null,
  };
}

function checkoutSession(record: Stored, tx: Transaction): Wire {
  const intentRecord = tx.peek(record._payment_intent_id as string);
  // Only events carry it (recorded bodies).
  const {capture_type: _, ...shown} = visible(record);
  return {
    ...shown,
    url: tx.baseUrl + sessionPath(record as SessionRecord),
    customer: sessionCustomer(record.customer_id, tx),
    payment_intent: intentRecord ? intent(intentRecord, tx) : null,
  };
}

/** The only object without `livemode` (recorded bodies). */
function transaction(record: Stored): Wire {
  const {livemode: _, ...shown} = visible(record);
  return shown;
}

function customerSession(record: Stored, tx: Transaction): Wire {
  return {
    ...visible(record),
    customer: {id: record._customer_id},
    customer_id: record._customer_id,
    expired: (record.expired_at as number) <= tx.now,
  };
}
