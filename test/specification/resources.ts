// The resource tables of the specification, field by field, typed in by hand.

/** Types of a field, such as `integer|null`. A timestamp is an integer. */
export type Table = Readonly<Record<string, string>>;

const common = {id: 'string', resource: 'string', livemode: 'boolean', created_at: 'integer', updated_at: 'integer'};

export const billingStatement: Table = {
  ...common,
  amount: 'integer',
  currency: 'string',
  customer_id: 'string',
  customer: 'hash',
  description: 'string|null',
  status: 'string',
  line_items: 'array',
  url: 'string',
  payment_intent: 'hash',
  metadata: 'hash|null',
  payment_settings: 'hash',
  billing_details_collection: 'string',
  due_at: 'integer',
};

export const billingStatementCustomer: Table = {id: 'string', name: 'string', email: 'string'};

export const embeddedLineItem: Table = {
  id: 'string',
  resource: 'string',
  description: 'string',
  unit_price: 'integer',
  quantity: 'integer',
};

export const billingStatementLineItem: Table = {
  ...common,
  description: 'string',
  unit_price: 'integer',
  quantity: 'integer',
  billing_statement_id: 'string',
};

export const paymentIntent: Table = {
  ...common,
  amount: 'integer',
  amount_received: 'integer',
  amount_capturable: 'integer',
  client_secret: 'string',
  currency: 'string',
  description: 'string',
  last_payment_error: 'hash|null',
  latest_payment: 'hash|null',
  metadata: 'hash|null',
  next_action: 'hash|null',
  payment_method_id: 'string|null',
  payment_method_options: 'hash',
  payment_methods: 'array',
  return_url: 'string|null',
  statement_descriptor: 'string|null',
  status: 'string',
  capture_before_at: 'integer|null',
  customer: 'hash|null',
};

export const paymentError: Table = {code: 'string', detail: 'string'};

export const nextAction: Table = {type: 'string', redirect_url: 'string'};

export const cardOptions: Table = {capture_type: 'string', allowed_bins: 'array', allowed_funding: 'array'};

export const checkoutSession: Table = {
  ...common,
  amount: 'integer',
  customer_reference_id: 'string|null',
  client_secret: 'string',
  status: 'string',
  currency: 'string',
  line_items: 'array',
  url: 'string',
  payment_intent: 'hash',
  metadata: 'hash|null',
  success_url: 'string',
  cancel_url: 'string',
  payment_methods: 'array',
  payment_method_options: 'hash',
  billing_details_collection: 'string',
  description: 'string',
  submit_type: 'string',
  statement_descriptor: 'string',
  expires_at: 'integer',
};

export const checkoutSessionLineItem: Table = {
  id: 'string',
  resource: 'string',
  name: 'string',
  amount: 'integer',
  quantity: 'integer',
  description: 'string|null',
  image: 'string|null',
};

export const customer: Table = {
  ...common,
  billing_statement_prefix: 'string',
  email: 'string',
  currency: 'string',
  metadata: 'hash|null',
  name: 'string',
  next_billing_statement_sequence_number: 'string',
};

export const payment: Table = {
  ...common,
  amount: 'integer',
  amount_refunded: 'integer',
  billing: 'hash',
  currency: 'string',
  description: 'string|null',
  fee: 'integer',
  net_amount: 'integer',
  metadata: 'hash|null',
  payment_intent_id: 'string',
  payment_method: 'hash',
  status: 'string',
  customer: 'hash|null',
  refunded: 'boolean',
};

export const billing: Table = {name: 'string|null', email: 'string|null', phone: 'string|null', address: 'hash'};

export const address: Table = {
  line1: 'string|null',
  line2: 'string|null',
  city: 'string|null',
  state: 'string|null',
  postal_code: 'string|null',
  country: 'string|null',
};

export const card: Table = {first6: 'string', last4: 'string', brand: 'string'};

export const qrph: Table = {
  account_name: 'string',
  last4_account_number: 'string',
  account_institution: 'string',
  account_institution_name: 'string',
};

export const webhook: Table = {
  ...common,
  secret_key: 'string',
  status: 'string',
  // Null without a description, as recorded.
  description: 'string|null',
  url: 'string',
  events: 'array',
};
