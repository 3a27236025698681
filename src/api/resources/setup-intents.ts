// Setup intents, which save a payment method without a payment.

import {field} from '../fields.js';
import {defineResource, defineShape, GET, POST, returns} from '../operation.js';

const STATUSES = ['awaiting_payment_method', 'awaiting_next_action', 'processing', 'succeeded', 'canceled'] as const;

export const setupIntentShape = defineShape({
  name: 'setup_intent',
  title: 'setup intent',
  prefix: 'si_',
  oldPrefix: 'seti_',
  fields: {
    ...field.common('si_', 'setup_intent'),
    status: field.choice(STATUSES, 'Status of the setup.', {assumed: 'The statuses come from one client library.'}),
    customer: field.related('Customer whose payment method is saved.', {
      nullable: true,
      assumed: 'The whole customer, as in recorded payment intents.',
    }),
    description: field.text('Description, for your own use.', {nullable: true}),
    payment_methods: field.list('Payment methods the customer can save.'),
    payment_method_id: field.id('pm_', 'Payment method that the customer chose; saved once the status is succeeded.', {
      nullable: true,
    }),
    usage: field.text('How the payment method can be used later.', {nullable: true}),
    client_secret: field.secret('Lets a browser complete the setup. Keep it secret.'),
    next_action: field.related('Next step for the customer: go to redirect_url.', {
      nullable: true,
      assumed:
        'No source says how a setup begins. The sandbox has the link until the setup ends, and the page lets the customer choose.',
    }),
    return_url: field.url('URL the customer returns to after authenticating.', {nullable: true}),
    metadata: field.metadata('Custom key-value pairs.', {nullable: true}),
  },
  columns: ['id', 'status', 'customer', 'description', 'created_at'],
  table: {customer: {rank: 1, cut: 'name'}, status: 1, description: {rank: 4, cut: 'name'}, created_at: 3, id: 3},
});

export const setupIntents = defineResource({
  topic: 'setup-intents',
  summary: 'Save a customer’s payment method without a payment',
  shape: setupIntentShape,
  operations: {
    create: POST('/setup_intents', returns.one(setupIntentShape), {
      summary: 'Create a setup intent',
      params: {
        customer_id: field.id('cus_', 'Customer whose payment method to save.', {required: true}),
        payment_methods: field.list('Payment methods the customer can save.', {
          choices: ['gcash', 'maya'],
          assumed: 'The documentation names only these two, in a closed beta.',
        }),
        description: field.text('Description, for your own use.'),
        metadata: field.metadata('Custom data, as key=value.'),
      },
      examples: ['setup-intents create --customer cus_2mQ8 --payment-methods gcash,maya'],
      assumed:
        'Not in the specification. The official client libraries have it since version 1.7.5; the parameters come from another library.',
    }),
    get: GET('/setup_intents/:id', returns.one(setupIntentShape), {
      summary: 'Show a setup intent',
      examples: ['setup-intents get si_0Zm6'],
      assumed: 'Not in the specification. The official client libraries have it since version 1.7.5.',
    }),
    cancel: POST('/setup_intents/:id/cancel', returns.one(setupIntentShape), {
      summary: 'Cancel a setup intent',
      examples: ['setup-intents cancel si_0Zm6'],
      reaches: 'canceled',
      assumed: 'Not in the specification. The official client libraries have it since version 1.7.5.',
    }),
  },
});
