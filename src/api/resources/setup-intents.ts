// Setup intents: saving a payment method without a payment.

import {choice, common, id, list, metadata, related, secret, text, url} from '../fields.js';
import {defineResource, defineShape, one} from '../operation.js';

const STATUSES = ['awaiting_payment_method', 'awaiting_next_action', 'processing', 'succeeded', 'canceled'] as const;

export const setupIntentShape = defineShape({
  name: 'setup_intent',
  title: 'setup intent',
  prefix: 'seti_',
  fields: {
    ...common('seti_', 'setup_intent'),
    id: id('seti_', {
      description: 'Unique id. Starts with seti_.',
      assumed: 'No source shows an id of this kind. The sandbox uses this prefix.',
    }),
    status: choice(STATUSES, {
      description: 'Status of the setup.',
      assumed: 'The statuses come from one client library.',
    }),
    customer: related({description: 'Customer whose payment method is saved.', nullable: true}),
    description: text({description: 'Description, for your own use.', nullable: true}),
    payment_methods: list({description: 'Payment methods the customer can save.'}),
    usage: text({description: 'How the payment method can be used later.', nullable: true}),
    client_secret: secret({description: 'Lets a browser complete the setup. Keep it secret.'}),
    next_action: related({description: 'What the customer must do next: go to redirect_url.', nullable: true}),
    return_url: url({description: 'URL the customer returns to after authenticating.', nullable: true}),
    metadata: metadata({description: 'Custom key-value pairs.', nullable: true}),
  },
  columns: ['id', 'status', 'customer', 'description', 'created_at'],
  table: [
    {field: 'customer', rank: 1, cut: 'name'},
    {field: 'status', rank: 1},
    {field: 'description', rank: 4, cut: 'name'},
    {field: 'created_at', rank: 3},
    {field: 'id', rank: 3},
  ],
});

export const setupIntents = defineResource({
  topic: 'setup-intents',
  summary: 'Save a customer’s payment method without a payment',
  shape: setupIntentShape,
  operations: {
    create: {
      method: 'POST',
      path: '/setup_intents',
      summary: 'Create a setup intent',
      params: {
        customer_id: id('cus_', {required: true, description: 'Customer whose payment method to save.'}),
        payment_methods: list({
          choices: ['gcash', 'maya'],
          description: 'Payment methods the customer can save.',
          assumed: 'The documentation names only these two, in a closed beta.',
        }),
        description: text({description: 'Description, for your own use.'}),
        metadata: metadata({description: 'Custom data, as key=value.'}),
      },
      returns: one(setupIntentShape),
      examples: ['setup-intents create --customer cus_2mQ8 --payment-methods gcash,maya'],
      assumed:
        'Not in the specification. Taken from the official client libraries since 1.7.5, the parameters from one other.',
    },
    get: {
      method: 'GET',
      path: '/setup_intents/:id',
      summary: 'Show a setup intent',
      params: {},
      returns: one(setupIntentShape),
      examples: ['setup-intents get seti_0Zm6'],
      assumed: 'Not in the specification. Taken from the official client libraries since 1.7.5.',
    },
    cancel: {
      method: 'POST',
      path: '/setup_intents/:id/cancel',
      summary: 'Cancel a setup intent',
      params: {},
      returns: one(setupIntentShape),
      examples: ['setup-intents cancel seti_0Zm6'],
      reaches: 'canceled',
      assumed: 'Not in the specification. Taken from the official client libraries since 1.7.5.',
    },
  },
});
