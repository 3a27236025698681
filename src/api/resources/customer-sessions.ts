// Customer sessions: short-lived access to a customer's saved payment methods in the browser.

import {boolean, common, id, related, secret, timestamp} from '../fields.js';
import {defineResource, defineShape, one} from '../operation.js';

export const customerSessionShape = defineShape({
  name: 'customer_session',
  title: 'customer session',
  prefix: 'cus_s_',
  fields: {
    ...common('cus_s_', 'customer_session'),
    customer: related({
      description: 'Customer the session is for.',
      assumed: 'A hash with an id, as in the documentation; older client libraries read customer_id.',
    }),
    customer_id: id('cus_', {
      description: 'Customer the session is for.',
      assumed: 'Not in the documentation; older client libraries read it.',
    }),
    client_secret: secret({description: 'Lets a browser act for the customer. Keep it secret.'}),
    components: related({description: 'Components of the payment page, and the features enabled in each.'}),
    expired: boolean({description: 'Whether the session has expired.'}),
    expired_at: timestamp({description: 'When the session expires, in unix seconds.'}),
  },
  columns: ['id', 'customer', 'expired', 'expired_at', 'created_at'],
  table: [
    {field: 'customer', rank: 1, cut: 'name'},
    {field: 'expired', rank: 2},
    {field: 'expired_at', rank: 3},
    {field: 'created_at', rank: 5},
    {field: 'id', rank: 4},
  ],
});

export const customerSessions = defineResource({
  topic: 'customer-sessions',
  summary: 'Give a customer temporary access to saved payment methods',
  shape: customerSessionShape,
  operations: {
    create: {
      method: 'POST',
      path: '/customer_sessions',
      summary: 'Create a customer session',
      params: {customer_id: id('cus_', {required: true, description: 'Customer the session is for.'})},
      returns: one(customerSessionShape),
      examples: ['customer-sessions create --customer cus_2mQ8'],
      assumed: 'Not in the specification. Taken from the documentation and the official client libraries.',
    },
    get: {
      method: 'GET',
      path: '/customer_sessions/:id',
      summary: 'Show a customer session',
      params: {},
      returns: one(customerSessionShape),
      examples: ['customer-sessions get cus_s_6Yh2'],
      assumed: 'Not in the specification. Taken from the official client libraries.',
    },
  },
});
