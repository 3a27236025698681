// A stored record as the wire shows it: own fields hidden, related objects put in as the service puts them, thin where it is thin.

import type {Store, Stored} from './store.js';

type Wire = Record<string, unknown>;

/** What showing a record needs: the others, the instant, and where the pages are. */
export interface View {
  readonly store: Pick<Store, 'children' | 'find'>;
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

/** Embedded customers have an id, a name and an e-mail address, no more (recorded bodies). */
function customerSummary(id: unknown, view: View): Wire | null {
  // A deleted customer stays named on what it was billed for.
  const customer = id ? view.store.find('customer', id as string)?.record : undefined;
  return customer ? {id: customer.id, name: customer.name, email: customer.email} : null;
}

function statement(record: Stored, view: View): Wire {
  const url = record.status === 'open' ? `${view.baseUrl}/b/test_${record.id}_secret_${String(record._secret)}` : null;
  const intentRecord = view.peek(record._payment_intent_id as string | null);
  return {
    ...visible(record),
    url,
    billing_statement_url: url,
    line_items: view.store.children(record.id, 'billing_statement_line_item').map(visible),
    customer: customerSummary(record.customer_id, view),
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

function intent(record: Stored, view: View): Wire {
  const payment = view.peek(record._payment_id as string | null);
  const {customer: _, ...withoutCustomer} = payment ? present(payment, view) : {};
  const action = record.next_action as Wire | null;
  return {
    ...visible(record),
    next_action: action && {...action, redirect_url: `${view.baseUrl}/p/${String(record.client_secret)}`},
    customer: customerSummary(record._customer_id, view),
    latest_payment: payment ? withoutCustomer : null,
  };
}

function checkoutSession(record: Stored, view: View): Wire {
  const intentRecord = view.peek(record._payment_intent_id as string);
  return {
    ...visible(record),
    url: `${view.baseUrl}/c/${String(record.client_secret)}`,
    customer: customerSummary(record.customer_id, view),
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
