// A stored record as the wire shows it: own fields hidden, related objects put in as the service puts them, thin where it is thin.

import type {Stored} from './store.js';
import type {Work} from './work.js';

type Wire = Record<string, unknown>;

/** Drops the sandbox's own fields. */
function visible(record: Stored): Wire {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_')));
}

const presenters: Record<string, (record: Stored, work: Work) => Wire> = {
  billing_statement: statement,
  checkout_session: checkoutSession,
  customer_session: customerSession,
  payment: (record, work) => ({...visible(record), customer: customerSummary(record._customer_id, work)}),
  payment_intent: intent,
  payout_transaction: transaction,
  setup_intent: (record, work) => ({...visible(record), customer: customerSummary(record._customer_id, work)}),
};

/** The object as it is answered, and as it stands in an event. */
export function present(record: Stored, work: Work): Wire {
  return (presenters[record.resource] ?? visible)(record, work);
}

/** Embedded customers have an id, a name and an e-mail address, no more (recorded bodies). */
function customerSummary(id: unknown, work: Work): Wire | null {
  // A deleted customer stays named on what it was billed for.
  const customer = id ? work.store.find('customer', id as string)?.record : undefined;
  return customer ? {id: customer.id, name: customer.name, email: customer.email} : null;
}

function statement(record: Stored, work: Work): Wire {
  const url = record.status === 'open' ? `${work.baseUrl}/b/test_${record.id}_secret_${String(record._secret)}` : null;
  const intentRecord = work.peek(record._payment_intent_id as string | null);
  return {
    ...visible(record),
    url,
    billing_statement_url: url,
    line_items: work.store.children(record.id, 'billing_statement_line_item').map(visible),
    customer: customerSummary(record.customer_id, work),
    payment_intent: intentRecord ? thinIntent(intentRecord) : null,
  };
}

/** Inside a statement the intent is thin: what is not below is null, and the payment is only its id (recorded bodies). */
function thinIntent(record: Stored): Wire {
  const full = visible(record);
  const shown = new Set(['id', 'resource', 'client_secret', 'status', 'livemode', 'created_at', 'updated_at']);
  return {
    ...Object.fromEntries(Object.entries(full).map(([name, value]) => [name, shown.has(name) ? value : null])),
    latest_payment: record._payment_id ?? null,
  };
}

function intent(record: Stored, work: Work): Wire {
  const payment = work.peek(record._payment_id as string | null);
  const {customer: _, ...withoutCustomer} = payment ? present(payment, work) : {};
  const action = record.next_action as Wire | null;
  return {
    ...visible(record),
    next_action: action && {...action, redirect_url: `${work.baseUrl}/p/${String(record.client_secret)}`},
    customer: customerSummary(record._customer_id, work),
    latest_payment: payment ? withoutCustomer : null,
  };
}

function checkoutSession(record: Stored, work: Work): Wire {
  const intentRecord = work.peek(record._payment_intent_id as string);
  return {
    ...visible(record),
    url: `${work.baseUrl}/c/${String(record.client_secret)}`,
    customer: customerSummary(record.customer_id, work),
    payment_intent: intentRecord ? intent(intentRecord, work) : null,
  };
}

/** The only object without `livemode` (recorded bodies). */
function transaction(record: Stored): Wire {
  const {livemode: _, ...shown} = visible(record);
  return shown;
}

function customerSession(record: Stored, work: Work): Wire {
  return {...visible(record), customer: {id: record._customer_id}, expired: (record.expired_at as number) <= work.now};
}
