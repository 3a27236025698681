// API bodies as recorded: thin lists, no `url`, a link in every status, unset times as 0 or null.

import type {Shape} from '../../../src/api/operation.js';
import type {Bodies} from '../services/service.js';
import {CREATED, CUSTOMER, DUE, idOf, statement, thinStatement, times, type Wire} from './recorded-statements.js';

const customer: Wire = {
  id: CUSTOMER,
  resource: 'customer',
  billing_statement_prefix: 'PKYG9MA2',
  billing: null,
  email: 'juan@example.com',
  currency: 'PHP',
  livemode: false,
  metadata: null,
  name: 'Juan Dela Cruz',
  next_billing_statement_sequence_number: '1',
  ...times,
};

const billing = {
  name: 'Maria Santos',
  email: 'maria@example.com',
  phone: null,
  address: {line1: '12 Mabini', line2: null, city: 'Pasay', state: 'Metro Manila', postal_code: '1300', country: 'PH'},
};

const METHODS: Readonly<Record<string, unknown>> = {
  Card: {type: 'card', card: {first6: '424242', last4: '4242', approval_code: 'made up', brand: 'visa'}},
  Gcash: {type: 'gcash', payment_method_type: 'gcash'},
  Bare: {type: 'bdo_installment'},
  None: null,
};

const payment = (id: string): Wire => ({
  id,
  resource: 'payment',
  amount: 7_500_000,
  amount_refunded: 0,
  billing,
  currency: 'PHP',
  description: null,
  fee: 0,
  livemode: false,
  metadata: null,
  net_amount: 7_321_050,
  payment_intent_id: idOf('pi_', 'Full'),
  payment_method: METHODS[Object.keys(METHODS).find((name) => id.startsWith(`pay_${name}`)) ?? 'Card'],
  status: 'paid',
  customer: null,
  page_session: null,
  refunded: false,
  ...times,
});

const intent = (id: string): Wire => ({
  id,
  resource: 'payment_intent',
  amount: id.startsWith('pi_Null') ? null : 7_500_000,
  amount_received: 0,
  amount_capturable: 7_500_000,
  capture_before_at: DUE,
  client_secret: `${id}_secret_abcdefghijklmnop`,
  currency: 'PHP',
  description: '',
  last_payment_error: {code: 'funds_insufficient', detail: 'Made up: not enough.'},
  latest_payment: payment(idOf('pay_', 'Card')),
  livemode: false,
  metadata: null,
  next_action: {type: 'redirect', redirect_url: 'https://shop.example/redirect'},
  payment_methods: ['card', 'gcash'],
  payment_method_id: null,
  payment_method_options: {card: {request_three_d_secure: 'any', capture_type: 'manual'}},
  statement_descriptor: null,
  status: 'awaiting_something_new',
  return_url: null,
  customer: {...customer, name: null},
  ...times,
});

/** As events have it, and most answers: no amount of its own, and a customer without an id. */
const session = (id: string): Wire => ({
  id,
  resource: 'checkout_session',
  customer_reference_id: null,
  client_secret: `${id}_secret_abcdefghijklmnop`,
  customer_id: CUSTOMER,
  customer: {
    name: 'Juan Dela Cruz',
    email: 'juan@example.com',
    billing: null,
    currency: 'PHP',
    livemode: false,
    metadata: null,
    ...times,
  },
  status: 'active',
  currency: 'PHP',
  line_items: [
    {
      id: idOf('cs_li_', 'One'),
      resource: 'checkout_session_line_item',
      name: 'T-shirt',
      amount: 45_050,
      quantity: 2,
      description: null,
      image: 'https://shop.example/shirt.jpg',
    },
    {
      id: idOf('cs_li_', 'Two'),
      resource: 'checkout_session_line_item',
      name: 'Mug',
      amount: 20_000,
      quantity: 1,
      description: null,
      image: null,
    },
  ],
  livemode: false,
  url: `https://checkout.example/c/${id}_secret_abcdefghijklmnop`,
  payment_intent: intent(idOf('pi_', 'Full')),
  metadata: null,
  success_url: 'https://shop.example/thanks',
  cancel_url: 'https://shop.example/cart',
  payment_methods: ['card', 'maya'],
  capture_type: 'automatic',
  description: null,
  submit_type: 'pay',
  expires_at: DUE,
  ...times,
});

const webhook = (status: string): Wire => ({
  id: idOf('wh_', status === 'enabled' ? 'One' : 'Two'),
  resource: 'webhook',
  secret_key: 'whsk_MadeUpForTests0123456789abcdefgh',
  status,
  description: 'Ships what was paid',
  livemode: false,
  url: 'https://shop.example/hooks',
  events: ['payment_intent.succeeded', 'billing_statement.paid'],
  ...times,
});

const transaction = (name: string, amount: number, of: string | null): Wire => ({
  id: idOf('po_txn_', name),
  resource: 'payout_transaction',
  amount,
  net_amount: amount - 100,
  transaction_id: of,
  transaction_type: name.toLowerCase(),
  ...times,
});

const ONES: Readonly<Record<string, (id: string) => Wire>> = {
  billing_statement: statement,
  billing_statement_line_item: (id) => ({
    id,
    resource: 'billing_statement_line_item',
    description: 'Hosting',
    unit_price: 3_750_000,
    quantity: 2,
    billing_statement_id: idOf('bstm_', 'Draft'),
    livemode: false,
    ...times,
  }),
  checkout_session: session,
  customer: (id) => (id.startsWith('cus_Gone') ? {id, resource: 'customer', deleted: true} : {...customer, id}),
  customer_session: (id) => ({
    id,
    resource: 'customer_session',
    customer: {id: CUSTOMER},
    client_secret: `${id}_secret_abcdefghijklmnop`,
    livemode: false,
    components: [{component: 'payment_element', feature: 'payment_method_save', value: 'enabled'}],
    expired: false,
    expired_at: DUE,
    ...times,
  }),
  payment,
  payment_intent: intent,
  payment_method: (id) => ({id, resource: 'payment_method', type: 'gcash', livemode: false, ...times}),
  refund: (id) => ({
    id,
    resource: 'refund',
    amount: 10_000,
    status: 'succeeded',
    currency: 'PHP',
    description: '',
    reason: 'requested_by_customer',
    remarks: null,
    livemode: false,
    metadata: null,
    payment_id: idOf('pay_', 'Card'),
    ...times,
  }),
  setup_intent: (id) => ({
    id,
    resource: 'setup_intent',
    status: 'awaiting_payment_method',
    client_secret: `${id}_secret_abcdefghijklmnop`,
    next_action: null,
    payment_methods: ['gcash'],
    return_url: null,
    usage: 'off_session',
    customer: CUSTOMER,
    description: null,
    livemode: false,
    created_at: CREATED,
  }),
  webhook: (id) => ({...webhook('enabled'), id}),
};

const LISTS: Readonly<Record<string, () => Wire[]>> = {
  billing_statement: () => [
    thinStatement('open', DUE),
    {...thinStatement('draft', 0), billing_statement_url: null},
    thinStatement('paid', null),
  ],
  payout_transaction: () => [
    transaction('Payment', 7_500_000, idOf('pay_', 'Card')),
    transaction('Refund', -10_000, idOf('re_', 'One')),
    transaction('Adjustment', -2500, null),
  ],
  webhook: () => [webhook('enabled'), webhook('disabled')],
};

export const recorded: Bodies = {
  one: (shape: Shape, id: string) => ONES[shape.name]!(id),
  list: (shape: Shape) => LISTS[shape.name]?.() ?? [ONES[shape.name]!(idOf(shape.prefix, 'Juan'))],
};
