// Serializes stored records for API responses and events, with related objects embedded.

import type {PaymentMethodOptions} from '../api/types.js';
import {INTENT_IN_STATEMENT_EVENT, NOT_IN_EVENTS, ONLY_IF_SET_IN_EVENTS} from '../common/delivered-fields.js';
import {nextSequence, sequenceText} from './actions/statement-numbers.js';
import {intentPath, sessionPath, sourcePath, statementPath} from './pages/links.js';
import {contactOf} from './payments/billing-details.js';
import type {SessionRecord, StatementRecord} from './record-types.js';
import type {StoreReader, StoredRecord} from './store.js';

export type Wire = Record<string, unknown>;

export const withoutInternal = (fields: Wire): Wire =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('_')));

const presenters: Record<string, (record: StoredRecord, tx: StoreReader) => Wire> = {
  billing_statement: statement,
  checkout_session: checkoutSession,
  customer,
  customer_session: customerSession,
  payment,
  payment_intent: intent,
  payout_transaction: transaction,
  refund,
  setup_intent: setup,
};

export function serialize(record: StoredRecord, tx: StoreReader): Wire {
  return (presenters[record.resource] ?? withoutInternal)(record, tx);
}

function customer(record: StoredRecord, tx: StoreReader): Wire {
  return {
    ...withoutInternal(record),
    next_billing_statement_sequence_number: sequenceText(nextSequence(tx.store, record)),
    billing: record.billing ? contactOf(record.billing) : null,
  };
}

/** Returns the whole customer, as inside a payment intent (recorded bodies). */
function wholeCustomer(id: unknown, tx: StoreReader): Wire | null {
  const record = tx.customer(id);
  return record ? customer(record, tx) : null;
}

/** Returns a customer's id, name and email address, as inside a statement (recorded bodies). */
function customerSummary(id: unknown, tx: StoreReader): Wire | null {
  const record = tx.customer(id);
  return record ? {id: record.id, name: record.name, email: record.email} : null;
}

const IN_SESSION = ['name', 'email', 'billing', 'currency', 'livemode', 'metadata', 'created_at', 'updated_at'];

/** Returns the customer without id, resource and statement numbering, as inside a session (recorded bodies). */
function sessionCustomer(id: unknown, tx: StoreReader): Wire | null {
  const whole = wholeCustomer(id, tx);
  return whole && Object.fromEntries(IN_SESSION.map((name) => [name, whole[name]]));
}

function statement(record: StoredRecord, tx: StoreReader): Wire {
  // The link exists in every state (recorded bodies), `url` only while open (specification).
  const link = tx.baseUrl + statementPath(record as StatementRecord);
  const intentRecord = tx.peek(record._payment_intent_id as string | null);
  return {
    ...withoutInternal(record),
    url: record.status === 'open' ? link : null,
    billing_statement_url: link,
    line_items: tx.store.children(record.id, 'billing_statement_line_item').map(withoutInternal),
    customer: customerSummary(record.customer_id, tx),
    payment_intent: intentRecord ? intent(intentRecord, tx) : null,
  };
}

function intent(record: StoredRecord, tx: StoreReader): Wire {
  const payment = tx.peek(record._payment_id as string | null);
  const source = tx.peek(record._source_id as string | null);
  const {customer: _, ...withoutCustomer} = payment ? serialize(payment, tx) : {};
  const action = record.next_action as Wire | null;
  return {
    ...withoutInternal(record),
    next_action: action && {...action, redirect_url: tx.baseUrl + intentPath(record)},
    // A payer who started on a hosted page returns to that page (recorded bodies).
    return_url: record.payment_method_id && source ? tx.baseUrl + sourcePath(source) : record.return_url,
    customer: wholeCustomer(record._customer_id, tx),
    latest_payment: payment ? withoutCustomer : null,
  };
}

function setup(record: StoredRecord, tx: StoreReader): Wire {
  // No source has an error in a setup intent.
  const {last_payment_error: _, ...shown} = withoutInternal(record);
  return {
    ...shown,
    // Sandbox files of centavo 0.6 and earlier lack it.
    payment_method_id: record.payment_method_id ?? null,
    next_action: String(record.status).startsWith('awaiting_')
      ? {type: 'redirect', redirect_url: tx.baseUrl + intentPath(record)}
      : null,
    customer: wholeCustomer(record._customer_id, tx),
  };
}

function checkoutSession(record: StoredRecord, tx: StoreReader): Wire {
  const intentRecord = tx.peek(record._payment_intent_id as string);
  // The API has `capture_type` only in events (recorded bodies).
  const {capture_type: _, ...shown} = withoutInternal(record);
  return {
    ...shown,
    url: tx.baseUrl + sessionPath(record as SessionRecord),
    customer: sessionCustomer(record.customer_id, tx),
    payment_intent: intentRecord ? intent(intentRecord, tx) : null,
  };
}

/** The consolidated fields repeat the others in the only recorded body with them. */
function payment(record: StoredRecord, tx: StoreReader): Wire {
  return {
    ...withoutInternal(record),
    customer: wholeCustomer(record._customer_id, tx),
    consolidated_net_amount: record.net_amount,
    consolidated_status: record.status,
  };
}

/** Recorded events lack the default description, so it is not stored. */
function refund(record: StoredRecord): Wire {
  return {
    ...withoutInternal(record),
    description: record.description ?? `Refund for payment ${record.payment_id as string}`,
    other_reason: null,
    processed_at: record.created_at,
  };
}

/** A payout transaction is the only object without `livemode` (recorded bodies). */
function transaction(record: StoredRecord): Wire {
  const {livemode: _, ...shown} = withoutInternal(record);
  return {...shown, payout_id: record._payout_id};
}

function customerSession(record: StoredRecord, tx: StoreReader): Wire {
  return {
    ...withoutInternal(record),
    customer: {id: record._customer_id},
    expired: (record.expired_at as number) <= tx.now,
  };
}

/** The body of a delivery. @returns for `resource`, the object inside `data.resource`, as in the older documentation */
export function deliveredEvent(event: StoredRecord, tx: StoreReader): Wire {
  const shown = serialize(event, tx);
  if (tx.store.setting('event_shape') !== 'resource') return shown;
  const {previous_attributes, ...fields} = shown;
  return {...fields, data: {resource: shown.data, previous_attributes}};
}

const IN_STATEMENT: ReadonlySet<string> = new Set(INTENT_IN_STATEMENT_EVENT);

/** Unset times that are 0 in deliveries and null in API responses. */
const ZERO_TIMES = new Set(['due_at', 'finalized_at']);

const withZeroTimes = (fields: Wire): Wire =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === null && ZERO_TIMES.has(name) ? 0 : value]),
  );

/** Returns the object for an event, with the fields of recorded deliveries. The specification lists no fields. */
export function eventData(record: StoredRecord, tx: StoreReader): Wire {
  const shown = serialize(record, tx);
  switch (record.resource) {
    case 'billing_statement': {
      const intent = shown.payment_intent as Wire | null;
      return {...withZeroTimes(eventFields(shown)), payment_intent: intent && thinIntent(intent)};
    }
    case 'checkout_session':
      return {
        ...eventFields(shown),
        payment_intent: shown.payment_intent && deliveredIntent(shown.payment_intent as Wire),
        capture_type: record.capture_type,
      };
    case 'payment_intent':
      return deliveredIntent(shown);
    case 'refund':
      return {...eventFields(shown), description: record.description};
    default:
      return shown;
  }
}

const namesIn = (table: Readonly<Record<string, readonly string[]>>, resource: string) => table[resource] ?? [];

function eventFields(shown: Wire): Wire {
  const resource = String(shown.resource);
  const without = namesIn(NOT_IN_EVENTS, resource);
  const ifSet = namesIn(ONLY_IF_SET_IN_EVENTS, resource);
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([name, value]) => !without.includes(name) && !(ifSet.includes(name) && value === null),
    ),
  );
}

function deliveredIntent(shown: Wire): Wire {
  const {capture_before_at: _, ...intent} = eventFields(shown);
  const options = shown.payment_method_options as PaymentMethodOptions;
  const card = Object.entries(options.card ?? {}).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  const payment = shown.latest_payment as Wire | null;
  return {
    ...intent,
    latest_payment: payment && eventFields(payment),
    // Recorded deliveries have no empty lists of cards.
    payment_method_options: {...options, card: Object.fromEntries(card)},
    // Only a held amount can be captured.
    ...(options.card?.capture_type === 'manual' && {capture_before_at: shown.capture_before_at}),
  };
}

function thinIntent(shown: Wire): Wire {
  const {customer: _, capture_before_at: __, ...intent} = eventFields(shown);
  const payment = shown.latest_payment as Wire | null;
  return {
    ...Object.fromEntries(Object.entries(intent).map(([name, value]) => [name, IN_STATEMENT.has(name) ? value : null])),
    latest_payment: payment && payment.id,
  };
}
