// Checkout sessions: hosted pages on which a customer pays once, until a set time.

import {
  centavos,
  choice,
  common,
  currency,
  id,
  integer,
  items,
  list,
  metadata,
  pageParams,
  related,
  secret,
  STATEMENT_DESCRIPTOR_LENGTH,
  text,
  timestamp,
  url,
} from '../fields.js';
import {defineResource, defineShape, listOf, one} from '../operation.js';
import {billingDetailsCollection, paymentMethodOptions, paymentMethods} from './payer-options.js';

const submitType = choice(['pay', 'donate', 'book', 'send'], {
  description: 'Label of the pay button. Defaults to pay.',
  assumed: 'The specification shows only pay; the others are from client libraries, book and send from one alone.',
});

export const checkoutSessionShape = defineShape({
  name: 'checkout_session',
  title: 'checkout session',
  prefix: 'cs_',
  fields: {
    ...common('cs_', 'checkout_session'),
    status: choice(['active', 'completed', 'expired'], {description: 'Status of the session.'}),
    amount: centavos({
      description: 'Sum of quantity × amount over all line items, in centavos.',
      assumed: 'Absent from observed responses; computed from the line items where it is.',
    }),
    currency: currency({description: 'Currency of the amount.'}),
    customer_reference_id: text({
      description: 'Your own reference, such as an order number. Must be unique.',
      nullable: true,
    }),
    customer_id: id('cus_', {
      description: 'Customer who pays.',
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    customer: related({
      description: 'Customer who pays: name, email and more, without an id.',
      nullable: true,
      assumed:
        'Not in the specification; in recorded responses, without id and resource. The intent has the whole one.',
    }),
    line_items: related({description: 'Line items: name, unit price in centavos, quantity.'}),
    url: url({description: 'Link to the hosted checkout page.'}),
    success_url: url({description: 'URL to send the customer to after paying.'}),
    cancel_url: url({description: 'URL to send the customer to after canceling.'}),
    expires_at: timestamp({description: 'When the session expires, in unix seconds.'}),
    client_secret: secret({description: 'Gives access to the session. Keep it secret.'}),
    payment_intent: related({
      description: 'Payment intent created for the session.',
      assumed: 'The whole intent, as the specification says; a recorded response leaves fields out.',
    }),
    payment_methods: list({description: 'Accepted payment methods.'}),
    payment_method_options: related({description: 'Options for each payment method.'}),
    capture_type: text({
      description: 'automatic or manual, as in the payment method options. Present only in events.',
      nullable: true,
      assumed: 'Not in the specification; in recorded events, and in no recorded response.',
    }),
    billing_details_collection: billingDetailsCollection,
    description: text({
      description: 'Description, for your own use.',
      nullable: true,
      assumed: 'A string in the specification; recorded bodies carry null when not given.',
    }),
    submit_type: submitType,
    statement_descriptor: text({description: 'Text on the customer’s bank statement.', nullable: true}),
    metadata: metadata({
      description: 'Custom key-value pairs, copied to the payment intent and the payment.',
      nullable: true,
    }),
  },
  columns: ['id', 'status', 'amount', 'customer_reference_id', 'expires_at', 'created_at'],
  table: [
    {field: 'customer_reference_id', rank: 2, cut: 'name', header: 'reference'},
    {field: 'customer', rank: 5, cut: 'name'},
    {field: 'amount', rank: 1},
    {field: 'status', rank: 1},
    {field: 'expires_at', rank: 4},
    {field: 'created_at', rank: 7},
    {field: 'id', rank: 6},
  ],
});

const lineItems = items(
  {
    name: text({required: true, description: 'Product or service.'}),
    amount: centavos({
      required: true,
      min: 1,
      description: 'Price of one unit, in centavos.',
      assumed: 'No source gives a minimum for one item. centavo requires 1.',
    }),
    quantity: integer({required: true, min: 1, description: 'Number of units.'}),
    description: text({description: 'Longer description of the item.'}),
    image: url({description: 'URL of a public image.'}),
  },
  {required: true, description: 'Line item to pay for.'},
);

export const checkoutSessions = defineResource({
  topic: 'checkout-sessions',
  summary: 'Create hosted pages for one-time payments',
  shape: checkoutSessionShape,
  operations: {
    create: {
      method: 'POST',
      path: '/checkout_sessions',
      summary: 'Create a checkout session',
      params: {
        currency: currency({required: true, description: 'Always PHP.'}),
        line_items: lineItems,
        success_url: url({required: true, description: 'URL to send the customer to after paying.'}),
        cancel_url: url({required: true, description: 'URL to send the customer to after canceling.'}),
        customer_id: id('cus_', {
          description: 'Customer who pays.',
          assumed: 'Not documented. Taken from client libraries, and seen in responses of the service.',
        }),
        customer_reference_id: text({description: 'Your own reference, such as an order number. Must be unique.'}),
        payment_methods: paymentMethods,
        payment_method_options: paymentMethodOptions,
        description: text({description: 'Description, for your own use.'}),
        billing_details_collection: billingDetailsCollection,
        submit_type: submitType,
        statement_descriptor: text({
          description: 'Text on the customer’s bank statement, instead of your trade name.',
          maxLength: STATEMENT_DESCRIPTOR_LENGTH,
        }),
        expires_at: timestamp({
          description: 'When the session expires, in unix seconds. Defaults to one day after creation.',
          assumed: 'The specification gives no default; recorded sessions expire 86400 seconds after creation.',
        }),
        metadata: metadata({description: 'Custom data, as key=value.'}),
      },
      returns: one(checkoutSessionShape),
      examples: [
        'checkout-sessions create --item "T-shirt x2 @ 450" --success-url https://shop.example/thanks --cancel-url https://shop.example/cart',
        'checkout-sessions create --item "Donation x1 @ 500" --submit-type donate --expires +2d --success-url https://aid.example/thanks --cancel-url https://aid.example',
      ],
      money: 'bills',
      assumed: 'The specification lists no parameters. These come from the documentation and client libraries.',
    },
    get: {
      method: 'GET',
      path: '/checkout_sessions/:id',
      summary: 'Show a checkout session',
      params: {},
      returns: one(checkoutSessionShape),
      examples: ['checkout-sessions get cs_8Lp4'],
    },
    list: {
      method: 'GET',
      path: '/checkout_sessions',
      summary: 'List checkout sessions, newest first',
      description: 'The API does not document this list, and may not support it.',
      params: pageParams('cs_'),
      returns: listOf(checkoutSessionShape),
      examples: ['checkout-sessions list --limit 20'],
      assumed:
        'Not in the specification or the documentation. Every official client library has it; it has never been seen in use.',
    },
    expire: {
      method: 'POST',
      path: '/checkout_sessions/:id/expire',
      summary: 'Expire a checkout session, so that it can no longer be paid',
      description: 'The payment intent is canceled.',
      params: {},
      returns: one(checkoutSessionShape),
      examples: ['checkout-sessions expire cs_8Lp4'],
      reaches: 'expired',
      assumed: 'The specification does not show the response. Client libraries expect the session.',
    },
  },
});
