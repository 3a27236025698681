// Checkout sessions: hosted pages on which a customer pays once, before the session expires.

import {field, STATEMENT_DESCRIPTOR_LENGTH} from '../fields.js';
import {defineResource, defineShape, GET, POST, returns} from '../operation.js';
import {billingDetailsCollection, paymentMethodOptions, paymentMethods} from './payer-options.js';

const submitType = field.text('Label of the pay button: pay, donate, book, send or your own text. Defaults to pay.', {
  assumed:
    'Any text, as in the specification, which shows only pay. Client libraries add donate, book and send. The page shows these four with a capital, and any other text as it is.',
});

export const checkoutSessionShape = defineShape({
  name: 'checkout_session',
  title: 'checkout session',
  prefix: 'cs_',
  fields: {
    ...field.common('cs_', 'checkout_session'),
    status: field.choice(['active', 'completed', 'expired'], 'Status of the session.'),
    amount: field.centavos('Sum of quantity × amount over all line items, in centavos.', {
      assumed: 'Observed responses omit it. centavo then computes it from the line items.',
    }),
    currency: field.currency('Currency of the amount.'),
    customer_reference_id: field.text('Your own reference, such as an order number. Give each session its own.', {
      nullable: true,
    }),
    customer_id: field.id('cus_', 'Customer who pays.', {
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    customer: field.related('Customer who pays: name, email and more, without an id.', {
      nullable: true,
      assumed:
        'Not in the specification; in recorded responses, without id and resource. The intent has the whole customer.',
    }),
    line_items: field.related('Line items: name, unit price in centavos, quantity.'),
    url: field.url('Link to the hosted checkout page.'),
    success_url: field.url('URL to send the customer to after paying.'),
    cancel_url: field.url('URL to send the customer to after canceling.'),
    expires_at: field.timestamp('When the session expires, in unix seconds.'),
    client_secret: field.secret('Gives access to the session. Keep it secret.'),
    payment_intent: field.related('Payment intent created for the session.', {
      assumed: 'The whole intent, as in the specification; a recorded response omits fields.',
    }),
    payment_methods: field.list('Accepted payment methods.'),
    payment_method_options: field.related('Options for each payment method.', {
      assumed: 'As in the intent, without request_three_d_secure, which recorded sessions lack.',
    }),
    capture_type: field.text('automatic or manual, as in the payment method options. Present only in events.', {
      nullable: true,
      assumed: 'Not in the specification. Recorded events include it; recorded responses do not.',
    }),
    billing_details_collection: billingDetailsCollection,
    description: field.text('Description, for your own use.', {
      nullable: true,
      assumed: 'The specification says string. Recorded bodies have null if the request omitted it.',
    }),
    submit_type: submitType,
    statement_descriptor: field.text('Text on the customer’s bank statement.', {
      nullable: true,
      assumed: 'The specification says string. Recorded bodies have null if none was given.',
    }),
    metadata: field.metadata('Custom key-value pairs, copied to the payment intent and the payment.', {nullable: true}),
  },
  columns: ['id', 'status', 'amount', 'customer_reference_id', 'expires_at', 'created_at'],
  table: {
    customer_reference_id: {rank: 2, cut: 'name', header: 'reference'},
    customer: {rank: 5, cut: 'name'},
    amount: 1,
    status: 1,
    expires_at: 4,
    created_at: 6,
    id: 3,
  },
});

const lineItems = field.items(
  {
    name: field.text('Product or service.', {required: true}),
    amount: field.centavos('Price of one unit, in centavos.', {
      required: true,
      min: 1,
      assumed: 'No source gives a minimum for one item. centavo requires at least 1 centavo.',
    }),
    quantity: field.integer('Number of units.', {required: true, min: 1}),
    description: field.text('Longer description of the item.'),
    image: field.url('URL of a public image.'),
  },
  'Line item to pay for.',
  {required: true},
);

export const checkoutSessions = defineResource({
  topic: 'checkout-sessions',
  summary: 'Create hosted pages for one-time payments',
  shape: checkoutSessionShape,
  operations: {
    create: POST('/checkout_sessions', returns.one(checkoutSessionShape), {
      summary: 'Create a checkout session',
      params: {
        currency: field.currency('Always PHP.', {required: true}),
        line_items: lineItems,
        success_url: field.url('URL to send the customer to after paying.', {required: true}),
        cancel_url: field.url('URL to send the customer to after canceling.', {required: true}),
        customer_id: field.id('cus_', 'Customer who pays.', {
          assumed: 'Not documented. From client libraries, and in observed responses.',
        }),
        customer_reference_id: field.text('Your own reference, such as an order number. Give each session its own.', {
          assumed:
            'The specification calls the reference unique, and names no error for one used twice. The sandbox accepts it.',
        }),
        payment_methods: paymentMethods,
        payment_method_options: paymentMethodOptions,
        description: field.text('Description, for your own use.'),
        billing_details_collection: billingDetailsCollection,
        submit_type: submitType,
        statement_descriptor: field.text('Text on the customer’s bank statement, instead of your trade name.', {
          maxLength: STATEMENT_DESCRIPTOR_LENGTH,
        }),
        expires_at: field.timestamp('When the session expires, in unix seconds. Defaults to one day after creation.', {
          assumed: 'The specification gives no default; recorded sessions expire 86400 seconds after creation.',
        }),
        metadata: field.metadata('Custom data, as key=value.'),
      },
      examples: [
        'checkout-sessions create --item "T-shirt x2 @ 450" --success-url https://shop.example/thanks --cancel-url https://shop.example/cart',
        'checkout-sessions create --item "Donation x1 @ 500" --submit-type donate --expires +2d --success-url https://aid.example/thanks --cancel-url https://aid.example',
      ],
      money: 'bills',
      assumed: 'The specification lists no parameters. These come from the documentation and client libraries.',
    }),
    get: GET('/checkout_sessions/:id', returns.one(checkoutSessionShape), {
      summary: 'Show a checkout session',
      examples: ['checkout-sessions get cs_8Lp4'],
    }),
    list: GET('/checkout_sessions', returns.listOf(checkoutSessionShape), {
      summary: 'List checkout sessions, newest first',
      description: 'The API does not document this list, and may not support it.',
      params: field.pageParams('cs_'),
      examples: ['checkout-sessions list --limit 20'],
      assumed: 'Not in the specification or the documentation. Every official client library has it; no recorded use.',
    }),
    expire: POST('/checkout_sessions/:id/expire', returns.one(checkoutSessionShape), {
      summary: 'Expire a checkout session, so that it can no longer be paid',
      description: 'Also cancels the payment intent.',
      examples: ['checkout-sessions expire cs_8Lp4'],
      reaches: 'expired',
      assumed: 'The specification does not show the response. Client libraries expect the session.',
    }),
  },
});
