// A stored record as the wire shows it: own fields hidden, related objects put in as the service puts them, thin where it is thin.

import {nextSequence, sequenceText} from './actions/statement-numbers.js';
import {sessionPath, sourcePath, statementPath} from './pages/links.js';
import {contactOf} from './paying/billing-details.js';
import type {SessionRecord, StatementRecord} from './record-types.js';
import type {Store, Stored} from './store.js';

type Wire = Record<string, unknown>;

/** What showing a record needs: the others, the instant, and where the pages are. */
export interface View {
  readonly store: Pick<Store, 'children' | 'find' | 'hasStatementNumber'>;
  readonly peek: (id: string | null | undefined) => Stored | undefined;
  /** Unix seconds. */
  readonly now: number;
  readonly baseUrl: string;
}

/** Drops the sandbox's own fields. */
function visible(record: Stored): Wire {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_')));
}

const presenters: Record<string, (record: Stored, view: View) => Wire> = {
  billing_statement: statement,
  checkout_session: checkoutSession,
  customer,
  customer_session: customerSession,
  payment: (record, view) => ({...visible(record), customer: customerSummary(record._customer_id, view)}),
  payment_intent: intent,
  payout_transaction: transaction,
  setup_intent: (record, view) => ({...visible(record), customer: customerSummary(record._customer_id, view)}),
};

/** The object as it is answered, and as it stands in an event. */
export function present(record: Stored, view: View): Wire {
  return (presenters[record.resource] ?? visible)(record, view);
}

function customer(record: Stored, view: View): Wire {
  return {
    ...visible(record),
    next_billing_statement_sequence_number: sequenceText(nextSequence(view.store, record)),
    billing: record.billing ? contactOf(record.billing) : null,
  };
}

/** A customer that was deleted stays named on what it was billed for. */
const customerRecord = (id: unknown, view: View): Stored | undefined =>
  id ? view.store.find('customer', id as string)?.record : undefined;

/** Inside a payment intent the customer is whole (recorded bodies). */
function wholeCustomer(id: unknown, view: View): Wire | null {
  const record = customerRecord(id, view);
  return record ? customer(record, view) : null;
}

/** Inside a statement or a payment a customer has an id, a name and an e-mail address, no more (recorded bodies). */
function customerSummary(id: unknown, view: View): Wire | null {
  const record = customerRecord(id, view);
  return record ? {id: record.id, name: record.name, email: record.email} : null;
}

const IN_SESSION = ['name', 'email', 'billing', 'currency', 'livemode', 'metadata', 'created_at', 'updated_at'];

/** Inside a session a customer has neither id nor resource, nor what statements are numbered by (recorded bodies). */
function sessionCustomer(id: unknown, view: View): Wire | null {
  const whole = wholeCustomer(id, view);
  return whole && Object.fromEntries(IN_SESSION.map((name) => [name, whole[name]]));
}

function statement(record: Stored, view: View): Wire {
  // The link is there in every state (recorded bodies); `url` only while the statement is open (specification).
  const link = view.baseUrl + statementPath(record as StatementRecord);
  const intentRecord = view.peek(record._payment_intent_id as string | null);
  return {
    ...visible(record),
    url: record.status === 'open' ? link : null,
    billing_statement_url: link,
    line_items: view.store.children(record.id, 'billing_statement_line_item').map(visible),
    customer: customerSummary(record.customer_id, view),
    payment_intent: intentRecord ? intent(intentRecord, view) : null,
  };
}

function intent(record: Stored, view: View): Wire {
  const payment = view.peek(record._payment_id as string | null);
  const source = view.peek(record._source_id as string | null);
  const {customer: _, ...withoutCustomer} = payment ? present(payment, view) : {};
  const action = record.next_action as Wire | null;
  return {
    ...visible(record),
    next_action: action && {...action, redirect_url: `${view.baseUrl}/p/${String(record.client_secret)}`},
    // Whoever has begun to pay on a hosted page comes back to that page (recorded bodies).
    return_url: record.payment_method_id && source ? view.baseUrl + sourcePath(source) : record.return_url,
    customer: wholeCustomer(record._customer_id, view),
    latest_payment: payment ? withoutCustomer : null,
  };
}

function checkoutSession(record: Stored, view: View): Wire {
  const intentRecord = view.peek(record._payment_intent_id as string);
  // Only events carry it (recorded bodies).
  const {capture_type: _, ...shown} = visible(record);
  return {
    ...shown,
    url: view.baseUrl + sessionPath(record as SessionRecord),
    customer: sessionCustomer(record.customer_id, view),
    payment_intent: intentRecord ? intent(intentRecord, view) : null,
  };
}

/** The only object without `livemode` (recorded bodies). */
function transaction(record: Stored): Wire {
  const {livemode: _, ...shown} = visible(record);
  return shown;
}

function customerSession(record: Stored, view: View): Wire {
  return {
    ...visible(record),
    customer: {id: record._customer_id},
    customer_id: record._customer_id,
    expired: (record.expired_at as number) <= view.now,
  };
}
