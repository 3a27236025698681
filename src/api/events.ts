// The kinds of event that the service is known to send (field notes, 7.1). The list is open: unknown kinds are never refused.

/** Event kinds by what causes them; `assumed` notes stand where sources disagree. */
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
  // The documentation says awaiting_capture, captured deliveries say amount_capturable: both are offered (field notes, 0-C).
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

/** An event as it is delivered: the captured shape (field notes, 7.2). */
export interface EventEnvelope {
  readonly id: string;
  readonly resource: 'event';
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly livemode: boolean;
  readonly pending_webhooks: number;
  readonly previous_attributes: Readonly<Record<string, unknown>>;
  readonly created_at: number;
  readonly updated_at: number;
}
