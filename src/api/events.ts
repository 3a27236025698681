// The known event types, and the fields of an event. Other event types are accepted too.

import {field, type OutputOf} from './fields.js';

export const EVENT_TYPES = [
  'billing_statement.created',
  'billing_statement.updated',
  'billing_statement.deleted',
  'billing_statement.finalized',
  'billing_statement.sent',
  'billing_statement.marked_uncollectible',
  'billing_statement.voided',
  'billing_statement.paid',
  'billing_statement.will_be_due',
  'billing_statement.overdue',
  'billing_statement_line_item.created',
  'billing_statement_line_item.updated',
  'billing_statement_line_item.deleted',
  'checkout_session.expired',
  // The documentation has awaiting_capture; recorded deliveries have amount_capturable.
  'payment_intent.amount_capturable',
  'payment_intent.awaiting_capture',
  'payment_intent.succeeded',
  'setup_intent.succeeded',
  'payout.created',
  'payout.deposited',
  'refund.created',
  'refund.updated',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The fields of a delivered event, as in recorded deliveries. */
export const deliveredEventFields = {
  ...field.common('evt_', 'event'),
  type: field.text('Type of event.'),
  data: field.related('The object as it is after the event.', {
    assumed:
      'The specification does not define it. Recorded deliveries omit some fields. Statements: url, billing_details_collection, setup_future_usage. Checkout sessions: amount, billing_details_collection, payment_method_options, statement_descriptor. Intents: merchant_id. Payments: consolidated_net_amount, consolidated_status, origin, page_session. Refunds: other_reason, processed_at. customer and customer_id are present only if set. Unset times of a statement are 0. The updated_at of a deleted statement is the time of its deletion.',
  }),
  pending_webhooks: field.integer('Number of webhooks that have not received it yet.'),
  previous_attributes: field.related('Earlier values of the changed fields.', {
    assumed:
      'No source gives the rule. Recorded updates also list fields that kept their value. The sandbox lists every field that the request or the status change set; setting a customer also sets the currency. An update without changes lists none and keeps updated_at. A refund update lists none, and an unset due_at is null, both as recorded.',
  }),
  updated_at: field.timestamp('When it was last changed.', {
    assumed:
      'Later than created_at in one recorded delivery with no webhook pending, so a successful delivery updates it.',
  }),
};

export interface EventEnvelope extends OutputOf<typeof deliveredEventFields> {
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous_attributes: Readonly<Record<string, unknown>>;
}
