// The known event types, and the fields of an event. The list is open: unknown types are never refused.

import {commonFields, integerField, related, textField, timestampField, type OutputOf} from './fields.js';

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
  // The documentation has awaiting_capture, captured deliveries have amount_capturable: both are offered.
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

/** The fields of a delivered event: those of recorded deliveries. */
export const deliveredEventFields = {
  ...commonFields('evt_', 'event'),
  type: textField('Type of event.'),
  data: related('The object as it is after the event.', {
    assumed:
      'The specification leaves it open. Recorded deliveries carry: no url, billing_details_collection and setup_future_usage of a statement; no amount, billing_details_collection, payment_method_options and statement_descriptor of a checkout session; no merchant_id of an intent; no origin and page_session of a payment; customer and customer_id only where there is one; unset times of a statement as 0. The updated_at of a deleted statement is the time of its deletion.',
  }),
  pending_webhooks: integerField('Number of webhooks that have not received it yet.'),
  previous_attributes: related('Earlier values of the changed fields.', {
    assumed:
      'No source shows the rule. Recorded updates also have fields that kept their value. Here it is every field that the request or the change of status has set; naming a customer also sets the currency. An update that changes nothing has none, and leaves updated_at as it is.',
  }),
  updated_at: timestampField('When it was last changed.', {
    assumed:
      'Later than created_at in one recorded delivery with no webhook pending, so a successful delivery moves it.',
  }),
};

export interface EventEnvelope extends OutputOf<typeof deliveredEventFields> {
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous_attributes: Readonly<Record<string, unknown>>;
}
