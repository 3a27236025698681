// Objects in their recorded shape, with every key and a value of the right type, for events and responses.

/** Unix seconds, like every other time here. */
const AT = 1_800_000_000;
const times = {created_at: AT, updated_at: AT};

export const contact = {
  phone: '+639170000000',
  address: {line1: '1 A St', line2: null, city: 'Pasay', state: 'NCR', postal_code: '1300', country: 'PH'},
};

const person = {name: 'Ana', email: 'ana@example.com'};

export const customer = {
  id: 'cus_A1',
  resource: 'customer',
  billing_statement_prefix: 'ABCDEFGH',
  billing: null as object | null,
  ...person,
  currency: 'PHP',
  livemode: false,
  metadata: null,
  next_billing_statement_sequence_number: '0001',
  ...times,
};

/** The customer in a checkout session, without an id. */
export const sessionCustomer = {
  ...person,
  billing: null as object | null,
  currency: 'PHP',
  livemode: false,
  metadata: null,
  ...times,
};

export const customerSummary = {id: 'cus_A1', ...person};

export const lineItem = {
  id: 'bstm_li_A1',
  resource: 'billing_statement_line_item',
  description: 'Hosting',
  billing_statement_id: 'bstm_A1',
  livemode: false,
  quantity: 1,
  unit_price: 75_000,
  ...times,
};

/** An intent in events, before a payment attempt and without a hold. */
export const deliveredIntent = {
  id: 'pi_A1',
  resource: 'payment_intent',
  amount: 10_000 as number | null,
  amount_received: 0 as number | null,
  amount_capturable: 0 as number | null,
  client_secret: 'pi_A1_secret_B2',
  currency: 'PHP' as string | null,
  description: null as string | null,
  last_payment_error: null,
  latest_payment: null as object | string | null,
  livemode: false,
  metadata: null,
  payment_methods: ['card'] as string[] | null,
  payment_method_id: null as string | null,
  payment_method_options: {card: {request_three_d_secure: 'any', capture_type: 'automatic'}} as object | null,
  statement_descriptor: null,
  status: 'awaiting_payment_method',
  next_action: null,
  return_url: null as string | null,
  ...times,
};

/** The intent in a statement's event has little more than its status. */
export const thinIntent = {
  ...deliveredIntent,
  amount: null,
  amount_received: null,
  amount_capturable: null,
  currency: null,
  payment_methods: null,
  payment_method_options: null,
};

export const intent = {
  ...deliveredIntent,
  capture_before_at: null,
  customer: null as object | null,
  merchant_id: 'merc_A1',
  payment_method_options: {
    card: {request_three_d_secure: 'any', capture_type: 'automatic', allowed_bins: [], allowed_funding: []},
  },
};

export const deliveredPayment = {
  id: 'pay_A1',
  resource: 'payment',
  amount: 10_000,
  amount_refunded: 0,
  billing: {...person, ...contact},
  currency: 'PHP',
  description: null as string | null,
  fee: 0,
  livemode: false,
  metadata: null,
  net_amount: 10_000,
  payment_intent_id: 'pi_A1',
  payment_method: {
    type: 'card',
    card: {first6: '424242', last4: '4242', approval_code: 'test', brand: 'visa'},
  },
  refunded: false,
  status: 'paid',
  ...times,
};

/** More fields in responses. Recorded: these and `page_session` in different bodies. */
export const paymentInResponses = {
  consolidated_net_amount: 10_000,
  consolidated_status: 'paid',
  origin: 'api',
  page_session: null,
};

export const payment = {
  ...deliveredPayment,
  ...paymentInResponses,
  customer: null as object | null,
};

export const deliveredStatement = {
  id: 'bstm_A1',
  resource: 'billing_statement',
  amount: 0,
  currency: 'PHP',
  customer_id: 'cus_A1',
  description: 'Website',
  due_at: 0 as number | null,
  finalized_at: 0 as number | null,
  billing_statement_merchant_name: null,
  billing_statement_number: 'ABCDEFGH-0001',
  billing_statement_url: 'http://127.0.0.1/b',
  line_items: [] as object[],
  livemode: false,
  merchant_id: 'merc_A1',
  statement_descriptor: null,
  status: 'draft',
  metadata: null,
  customer: customerSummary,
  payment_intent: null as object | null,
  payment_settings: {payment_methods: ['card']},
  ...times,
};

export const openStatement = {...deliveredStatement, line_items: [lineItem], payment_intent: thinIntent as object};

/** More fields in responses, from the specification. */
export const statement = {
  ...deliveredStatement,
  due_at: null as number | null,
  finalized_at: null as number | null,
  url: null as string | null,
  billing_details_collection: 'always',
  setup_future_usage: null,
};

const sessionLine = {
  id: 'cs_li_A1',
  resource: 'checkout_session_line_item',
  name: 'T-shirt',
  amount: 10_000,
  quantity: 1,
  description: null,
  image: null,
};

const sharedSession = {
  id: 'cs_A1',
  resource: 'checkout_session',
  customer_reference_id: null,
  client_secret: 'cs_A1_secret_B2',
  status: 'active',
  currency: 'PHP',
  line_items: [sessionLine],
  livemode: false,
  url: 'http://127.0.0.1/c',
  metadata: null,
  success_url: 'https://a',
  cancel_url: 'https://b',
  payment_methods: ['card'],
  description: null,
  submit_type: 'pay',
  expires_at: AT,
  ...times,
};

export const deliveredSession = {...sharedSession, payment_intent: deliveredIntent, capture_type: 'automatic'};

export const session = {
  ...sharedSession,
  amount: 10_000,
  billing_details_collection: 'always',
  customer: null as object | null,
  customer_id: null as string | null,
  payment_intent: intent as object,
  payment_method_options: {card: {capture_type: 'automatic', allowed_bins: [], allowed_funding: []}},
  statement_descriptor: null,
};

export const deliveredRefund = {
  id: 're_A1',
  resource: 'refund',
  amount: 10_000,
  currency: 'PHP',
  livemode: false,
  status: 'succeeded',
  description: null as string | null,
  reason: 'requested_by_customer',
  remarks: null,
  payment_id: 'pay_A1',
  metadata: null,
  ...times,
};

export const refund = {
  ...deliveredRefund,
  description: 'Refund for payment pay_A1' as string | null,
  other_reason: null,
  processed_at: AT,
};

export const webhook = {
  id: 'wh_A1',
  resource: 'webhook',
  secret_key: 'whsk_A1',
  status: 'enabled',
  description: 'Orders' as string | null,
  livemode: false,
  url: 'https://a',
  events: ['payment_intent.succeeded'],
  ...times,
};

const feature = (name: string, value: string) => ({component: 'payment_element', feature: name, value});

export const customerSession = {
  id: 'cus_s_A1',
  resource: 'customer_session',
  customer: {id: 'cus_A1'},
  client_secret: 'cus_s_A1_secret_B2',
  components: [
    feature('payment_method_save', 'enabled'),
    feature('payment_method_edit', 'disabled'),
    feature('payment_method_redisplay', 'enabled'),
    feature('payment_method_remove', 'enabled'),
  ],
  expired: false,
  expired_at: AT,
  livemode: false,
  ...times,
};

export const payoutTransaction = {
  id: 'po_txn_A1',
  resource: 'payout_transaction',
  amount: 10_000,
  net_amount: 10_000,
  transaction_id: 'pay_A1',
  transaction_type: 'payment',
  payout_id: 'po_A1',
  ...times,
};
