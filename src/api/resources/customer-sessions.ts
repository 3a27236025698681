// Customer sessions: short-lived access to a customer's saved payment methods in the browser.

import {field} from '../fields.js';
import {defineResource, defineShape, GET, POST, returns} from '../operation.js';

export const customerSessionShape = defineShape({
  name: 'customer_session',
  title: 'customer session',
  prefix: 'cus_s_',
  fields: {
    ...field.common('cus_s_', 'customer_session'),
    customer: field.related('Customer the session is for.', {
      assumed:
        'A hash with an id, as in the documentation and a recorded response. Older client libraries read customer_id, which neither has.',
    }),
    client_secret: field.secret('Lets a browser act for the customer. Keep it secret.'),
    components: field.related('Components of the payment page, and the features enabled in each.', {
      assumed: 'From a recorded response, which disables only payment_method_edit.',
    }),
    expired: field.boolean('Whether the session has expired.'),
    expired_at: field.timestamp('When the session expires, in unix seconds.'),
  },
  columns: ['id', 'customer', 'expired', 'expired_at', 'created_at'],
  table: {customer: {rank: 1, cut: 'name'}, expired: 2, expired_at: 3, created_at: 4, id: 3},
});

export const customerSessions = defineResource({
  topic: 'customer-sessions',
  summary: 'Give a customer temporary access to saved payment methods',
  shape: customerSessionShape,
  operations: {
    create: POST('/customer_sessions', returns.one(customerSessionShape), {
      summary: 'Create a customer session',
      params: {customer_id: field.id('cus_', 'Customer the session is for.', {required: true})},
      examples: ['customer-sessions create --customer cus_2mQ8'],
      assumed: 'Not in the specification. Taken from the documentation and the official client libraries.',
    }),
    get: GET('/customer_sessions/:id', returns.one(customerSessionShape), {
      summary: 'Show a customer session',
      examples: ['customer-sessions get cus_s_6Yh2'],
      assumed: 'Not in the specification. Taken from the official client libraries.',
    }),
  },
});
