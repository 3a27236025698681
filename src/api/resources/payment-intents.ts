// Payment intents, which track a payer's attempts to make one payment.

import {field, STATEMENT_DESCRIPTOR_LENGTH} from '../fields.js';
import {defineResource, defineShape, GET, POST, PUT, returns} from '../operation.js';
import {paymentMethodOptions, paymentMethods} from './payer-options.js';

export const paymentIntentShape = defineShape({
  name: 'payment_intent',
  title: 'payment intent',
  prefix: 'pi_',
  fields: {
    ...field.common('pi_', 'payment_intent'),
    status: field.choice(
      ['awaiting_payment_method', 'awaiting_next_action', 'processing', 'awaiting_capture', 'succeeded', 'canceled'],
      'Status of the payment.',
      {assumed: 'awaiting_capture and canceled are not in the specification; the observed service returns both.'},
    ),
    amount: field.centavos('Amount to collect, in centavos.'),
    amount_received: field.centavos('Amount already collected, in centavos.'),
    amount_capturable: field.centavos('Amount held that you can capture, in centavos.'),
    capture_before_at: field.timestamp('Deadline for capturing a held amount, in unix seconds.', {
      nullable: true,
      assumed:
        'Null if nothing is held, and after the capture, as observed; one recorded response has a time for an unpaid intent. Events have it only if an amount is to be held.',
    }),
    currency: field.currency('Currency of the amount.'),
    description: field.text('Description, for your own use.', {
      nullable: true,
      assumed:
        'The specification says string. Recorded bodies have null if the request omitted it, and an empty string if it sent one.',
    }),
    customer: field.related('Customer who pays.', {
      nullable: true,
      assumed: 'The whole customer, as in recorded responses; events omit it if there is none.',
    }),
    client_secret: field.secret('Lets a public key read this payment intent. Keep it secret.'),
    payment_methods: field.list('Accepted payment methods.'),
    payment_method_id: field.id('pm_', 'Payment method attached most recently.', {nullable: true}),
    payment_method_options: field.related('Options for each payment method.', {
      assumed:
        'allowed_bins and allowed_funding are empty lists if all cards are allowed; recorded bodies lack them. request_three_d_secure is not in the specification; it is any in recorded events and all sandbox intents. Recorded responses lack it. Inside a statement or session they also have a capture_type of the intent, always null, which the sandbox omits.',
    }),
    next_action: field.related('Next step for the customer: go to redirect_url.', {
      nullable: true,
      assumed:
        'Only while the customer must act, as in the specification; one recorded response has this field for an unpaid intent.',
    }),
    return_url: field.url('URL the customer returns to after authenticating.', {
      nullable: true,
      assumed: 'The hosted page, once the customer has started to pay there, as in recorded events.',
    }),
    last_payment_error: field.related('Code and details of the last failed attempt.', {nullable: true}),
    latest_payment: field.related('Payment made by a successful attempt.', {
      nullable: true,
      assumed: 'Without its customer, as in recorded events.',
    }),
    statement_descriptor: field.text('Text on the customer’s bank statement.', {nullable: true}),
    merchant_id: field.id('merc_', 'Merchant account.', {
      assumed: 'Not in the specification; in recorded events of statements and observed responses of intents.',
    }),
    metadata: field.metadata('Custom key-value pairs, copied to the payment.', {nullable: true}),
  },
  columns: ['id', 'status', 'amount', 'amount_received', 'description', 'created_at'],
  table: {
    customer: {rank: 5, cut: 'name'},
    description: {rank: 4, cut: 'name'},
    amount: 1,
    amount_received: {rank: 6, header: 'received'},
    status: 1,
    created_at: 7,
    id: 3,
  },
});

export const paymentIntents = defineResource({
  topic: 'payment-intents',
  summary: 'Collect a payment, step by step',
  shape: paymentIntentShape,
  operations: {
    create: POST('/payment_intents', returns.one(paymentIntentShape), {
      summary: 'Create a payment intent',
      params: {
        amount: field.collectable('Amount to collect, in centavos.', {required: true}),
        currency: field.currency('Always PHP.', {required: true}),
        payment_methods: paymentMethods,
        payment_method_options: paymentMethodOptions,
        customer_id: field.id('cus_', 'Customer who pays.', {
          assumed: 'Not documented. Taken from two client libraries.',
        }),
        description: field.text('Description, for your own use.'),
        statement_descriptor: field.text('Text on the customer’s bank statement, instead of your trade name.', {
          maxLength: STATEMENT_DESCRIPTOR_LENGTH,
        }),
        metadata: field.metadata('Custom data, as key=value.'),
      },
      examples: [
        'payment-intents create --amount 1,250.50 --payment-methods card,gcash',
        'payment-intents create --amount 5,000 --customer cus_2mQ8 --payment-methods card --capture-type manual',
      ],
      assumed: 'The specification lists no parameters. These come from the documentation and client libraries.',
    }),
    get: GET('/payment_intents/:id', returns.one(paymentIntentShape), {
      summary: 'Show a payment intent',
      params: {
        client_secret: field.secret('Client secret of the payment intent. Required with a public key only.'),
      },
      examples: ['payment-intents get pi_5kT1'],
      assumed: 'The specification does not say which fields a public key can read. centavo shows what the API returns.',
    }),
    update: PUT('/payment_intents/:id', returns.one(paymentIntentShape), {
      summary: 'Update a payment intent',
      params: {
        amount: field.collectable('Amount to collect, in centavos.'),
        customer_id: field.id('cus_', 'Customer who pays.'),
        description: field.text('Description, for your own use.'),
      },
      examples: ['payment-intents update pi_5kT1 --amount 1,300'],
      assumed:
        'Not in the specification. The documentation has it, and the official client libraries since version 1.7.4.',
    }),
    cancel: POST('/payment_intents/:id/cancel', returns.one(paymentIntentShape), {
      summary: 'Cancel a payment intent that is awaiting a payment method',
      examples: ['payment-intents cancel pi_5kT1'],
      reaches: 'canceled',
      assumed:
        'The specification shows neither the response nor the status. Both come from the documentation and client libraries.',
    }),
    capture: POST('/payment_intents/:id/capture', returns.one(paymentIntentShape), {
      summary: 'Capture an amount held on a card',
      description: 'You can capture once, up to the amount held. The rest is released.',
      params: {
        amount: field.collectable('Amount to collect, in centavos.', {required: true}),
      },
      examples: ['payment-intents capture pi_5kT1 --amount 1,250.50'],
      reaches: 'succeeded',
      money: 'moves_money',
      assumed:
        'The specification shows neither the parameters nor the response. The amount comes from the documentation.',
    }),
    attach: POST('/payment_intents/:id/attach', returns.one(paymentIntentShape), {
      summary: 'Attach a saved payment method to a payment intent',
      params: {
        payment_method_id: field.id('pm_', 'Saved payment method of the customer.', {
          required: true,
          assumed: 'The official client libraries send any parameters; the name comes from another library.',
        }),
      },
      examples: ['payment-intents attach pi_5kT1 --payment-method pm_9dK2'],
      money: 'moves_money',
      assumed: 'Not in the specification. The official client libraries have it since version 1.7.7.',
    }),
  },
});
