// The fields that deliveries omit from the objects in events. A separate file, because a start must not load the contract.

/** Fields of responses that recorded deliveries lack. The types of the library and the sandbox both read these tables. */
export const NOT_IN_EVENTS = {
  billing_statement: ['url', 'billing_details_collection', 'setup_future_usage'],
  checkout_session: ['amount', 'billing_details_collection', 'payment_method_options', 'statement_descriptor'],
  payment: ['consolidated_net_amount', 'consolidated_status', 'origin', 'page_session'],
  payment_intent: ['merchant_id'],
  refund: ['other_reason', 'processed_at'],
} as const;

/** Fields that recorded deliveries have only if set. Responses have null instead. */
export const ONLY_IF_SET_IN_EVENTS = {
  billing_statement: ['customer'],
  checkout_session: ['customer', 'customer_id'],
  payment_intent: ['customer', 'capture_before_at'],
} as const;

/** Fields of the intent inside a statement's event; all others are null. */
export const INTENT_IN_STATEMENT_EVENT = [
  'id',
  'resource',
  'client_secret',
  'status',
  'livemode',
  'created_at',
  'updated_at',
] as const;
