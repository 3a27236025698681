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
  description: 'Label of the pay button. Default pay.',
  assumed: 'The specification shows only pay; the others are from client libraries, book and send from one alone.',
});

export const checkoutSessionShape = defineShape({
  name: 'checkout_session',
  title: 'checkout session',
  prefix: 'cs_',
  fields: {
    ...common('cs_', 'checkout_session'),
    status: choice(['active', 'completed', 'expired'], {description: 'Where the session stands.'}),
    amount: centavos({
      description: 'Sum of quantity × amount over all line items, in centavos.',
      assumed: 'Absent from observed answers; computed from the line items where it is.',
    }),
    currency: currency({description: 'Currency of the amount.'}),
    customer_reference_id: text({description: 'Your own unique reference, such as an order id.', nullable: true}),
    customer_id: id('cus_', {
      description: 'Customer who pays.',
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    customer: related({
      description: 'Customer who pays: name, e-mail address and more, without an id.',
      nullable: true,
      assumed: 'Not in the specification; in recorded answers, without id and resource. The intent has the whole one.',
    }),
    line_items: related({description: 'What is to be paid for: name, unit price in centavos, quantity.'}),
    url: url({description: 'Hosted page on which the customer pays.'}),
    success_url: url({description: 'Where the customer goes after paying.'}),
    cancel_url: url({description: 'Where the customer goes when not paying.'}),
    expires_at: timestamp({description: 'When it can no longer be paid, in unix seconds.'}),
    client_secret: secret({description: 'Lets its holder act on the session.'}),
    payment_intent: related({
      description: 'Payment intent created for the session.',
      assumed: 'The whole intent, as the specification says; a recorded answer leaves fields out.',
    }),
    payment_methods: list({description: 'Methods that may be used.'}),
    payment_method_options: related({description: 'Options for each payment method.'}),
    capture_type: text({
      description: 'automatic or manual, as in the payment method options. Only in events.',
      nullable: true,
      assumed: 'Not in the specification; in recorded events, and in no recorded answer.',
    }),
    billing_details_collection: billingDetailsCollection,
    description: text({
      description: 'Your own text.',
      nullable: true,
      assumed: 'A string in the specification; recorded bodies carry null when not given.',
    }),
    submit_type: submitType,
    statement_descriptor: text({description: 'Text on the customer’s bank statement.', nullable: true}),
    metadata: metadata({description: 'Your own keys and values, copied to the intent and payment.', nullable: true}),
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
    name: text({required: true, description: 'Name of the product or service.'}),
    amount: centavos({
      required: true,
      min: 1,
      description: 'Amount of one unit, in centavos.',
      assumed: 'No source gives a minimum for one item; 1 is ours.',
    }),
    quantity: integer({required: true, min: 1, description: 'How many units.'}),
    description: text({description: 'Longer details.'}),
    image: url({description: 'Public address of a picture.'}),
  },
  {required: true, description: 'What is to be paid for.'},
);

export const checkoutSessions = defineResource({
  topic: 'checkout-sessions',
  summary: 'Hosted pages on which a customer pays once',
  shape: checkoutSessionShape,
  operations: {
    create: {
      method: 'POST',
      path: '/checkout_sessions',
      summary: 'Create a checkout session',
      params: {
        currency: currency({required: true, description: 'Always PHP.'}),
        line_items: lineItems,
        success_url: url({required: true, description: 'Where the customer goes after paying.'}),
        cancel_url: url({required: true, description: 'Where the customer goes when not paying.'}),
        customer_id: id('cus_', {
          description: 'Customer who pays.',
          assumed: 'Undocumented; from client libraries, and answered by the observed service.',
        }),
        customer_reference_id: text({description: 'Your own unique reference, such as an order id.'}),
        payment_methods: paymentMethods,
        payment_method_options: paymentMethodOptions,
        description: text({description: 'Your own text.'}),
        billing_details_collection: billingDetailsCollection,
        submit_type: submitType,
        statement_descriptor: text({
          description: 'Text on the customer’s bank statement, instead of your trade name.',
          maxLength: STATEMENT_DESCRIPTOR_LENGTH,
        }),
        expires_at: timestamp({
          description: 'When it can no longer be paid, in unix seconds. Default one day after creation.',
          assumed: 'The specification shows no default; recorded bodies expire 86400 seconds after creation.',
        }),
        metadata: metadata({description: 'Your own keys and values, as key=value.'}),
      },
      returns: one(checkoutSessionShape),
      examples: [
        'checkout-sessions create --item "T-shirt x2 @ 450" --success-url https://shop.example/thanks --cancel-url https://shop.example/cart',
        'checkout-sessions create --item "Donation x1 @ 500" --submit-type donate --expires +2d --success-url https://aid.example/thanks --cancel-url https://aid.example',
      ],
      money: 'bills',
      assumed: 'The specification shows no parameters; these are from the documentation and client libraries.',
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
      params: pageParams('cs_'),
      returns: listOf(checkoutSessionShape),
      examples: ['checkout-sessions list --limit 20'],
      assumed: 'Not in the specification or the documentation; in every official client library, never observed.',
    },
    expire: {
      method: 'POST',
      path: '/checkout_sessions/:id/expire',
      summary: 'Expire a checkout session, so that it can no longer be paid',
      description: 'Its payment intent is canceled.',
      params: {},
      returns: one(checkoutSessionShape),
      examples: ['checkout-sessions expire cs_8Lp4'],
      reaches: 'expired',
      assumed: 'The specification does not show the answer; client libraries read the session.',
    },
  },
});
