// The object inside an event. The specification leaves its fields open, so it has those of recorded deliveries.

import {present} from '../present.js';
import type {Stored} from '../store.js';
import type {Transaction} from '../transaction.js';

type Wire = Record<string, unknown>;

/** Fields that answers have and recorded deliveries do not. */
const ONLY_ANSWERED: Readonly<Record<string, readonly string[]>> = {
  billing_statement: ['url', 'billing_details_collection', 'setup_future_usage'],
  checkout_session: ['amount', 'billing_details_collection', 'payment_method_options', 'statement_descriptor'],
  payment: ['origin', 'page_session'],
  payment_intent: ['merchant_id'],
};

/** The customer of a session or an intent. Left out when there is none, as in every recorded delivery. */
const PAYER = ['customer', 'customer_id'];

/** The fields that an intent has inside a statement; the others are null. */
const TOLD = new Set(['id', 'resource', 'client_secret', 'status', 'livemode', 'created_at', 'updated_at']);

/** Times that are 0 in deliveries when they are not set; in answers they are null. */
const ZERO_TIMES = new Set(['due_at', 'finalized_at']);

/** Fields of an object as events write them: without the sandbox's own, and unset times as 0. */
export const eventFields = (fields: Wire): Wire =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, value]) => [name, value === null && ZERO_TIMES.has(name) ? 0 : value]),
  );

export function eventData(record: Stored, tx: Transaction): Wire {
  const shown = present(record, tx);
  switch (record.resource) {
    case 'billing_statement': {
      const intent = shown.payment_intent as Wire | null;
      return {...eventFields(delivered(shown)), payment_intent: intent && thinIntent(intent)};
    }
    case 'checkout_session':
      return {
        ...delivered(shown),
        payment_intent: shown.payment_intent && deliveredIntent(shown.payment_intent as Wire),
        capture_type: record.capture_type,
      };
    case 'payment_intent':
      return deliveredIntent(shown);
    default:
      return shown;
  }
}

function delivered(shown: Wire): Wire {
  const without = ONLY_ANSWERED[String(shown.resource)] ?? [];
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([name, value]) => !without.includes(name) && !(PAYER.includes(name) && value === null),
    ),
  );
}

function deliveredIntent(shown: Wire): Wire {
  const {capture_before_at: deadline, ...intent} = delivered(shown);
  const {card} = (shown.payment_method_options ?? {}) as {card?: {capture_type?: string}};
  const payment = shown.latest_payment as Wire | null;
  return {
    ...intent,
    latest_payment: payment && delivered(payment),
    // Only a held amount can be captured.
    ...(card?.capture_type === 'manual' && {capture_before_at: deadline}),
  };
}

function thinIntent(shown: Wire): Wire {
  const {customer: _, capture_before_at: __, ...intent} = delivered(shown);
  const payment = shown.latest_payment as Wire | null;
  return {
    ...Object.fromEntries(Object.entries(intent).map(([name, value]) => [name, TOLD.has(name) ? value : null])),
    latest_payment: payment && payment.id,
  };
}
