// Webhooks: registered addresses that are told of events.

import {choice, common, list, pageParams, secret, text, url} from '../fields.js';
import {defineResource, defineShape, deletedOf, listOf, one} from '../operation.js';

export const webhookShape = defineShape({
  name: 'webhook',
  title: 'webhook',
  prefix: 'wh_',
  fields: {
    ...common('wh_', 'webhook'),
    status: choice(['enabled', 'disabled'], {description: 'Whether events are sent.'}),
    url: url({description: 'Address that events are sent to.'}),
    events: list({description: 'Kinds of event that are sent.'}),
    description: text({description: 'Your own text.'}),
    secret_key: secret({
      description: 'Key that signs the events sent here.',
      assumed: 'May be masked or missing after creation: client libraries and the documentation disagree.',
    }),
  },
  columns: ['id', 'status', 'url', 'events', 'description'],
  table: [
    {field: 'url', rank: 1, cut: 'address'},
    {field: 'status', rank: 2},
    {field: 'events', rank: 3, cut: 'name'},
    {field: 'description', rank: 5, cut: 'name'},
    {field: 'id', rank: 4},
  ],
});

const EVENTS_ASSUMED = 'Any kind may be named: the specification shows one, and the documented list is open.';
const MATCH_ASSUMED = 'Matched in any part of the text, ignoring case.';

export const webhooks = defineResource({
  topic: 'webhooks',
  summary: 'Webhook endpoints, local listening and deliveries',
  shape: webhookShape,
  operations: {
    create: {
      method: 'POST',
      path: '/webhooks',
      summary: 'Register a webhook',
      description: 'Keep the secret key of the answer: it verifies the events, and may not be shown in full again.',
      params: {
        url: url({required: true, description: 'Address to send events to. HTTPS is recommended.'}),
        events: list({required: true, events: true, description: 'Kinds of event to send.', assumed: EVENTS_ASSUMED}),
        description: text({description: 'Your own text.'}),
      },
      returns: one(webhookShape),
      examples: [
        'webhooks create --url https://shop.example/hooks --events payment_intent.succeeded,billing_statement.paid',
      ],
      assumed: 'The specification shows no parameters; these are from four client libraries, which agree.',
    },
    get: {
      method: 'GET',
      path: '/webhooks/:id',
      summary: 'Show a webhook',
      params: {},
      returns: one(webhookShape),
      examples: ['webhooks get wh_1Bv7'],
    },
    list: {
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhooks, newest first',
      params: {
        ...pageParams('wh_'),
        url: text({description: 'Only those with this address.', assumed: MATCH_ASSUMED}),
        description: text({description: 'Only those with this description.', assumed: MATCH_ASSUMED}),
      },
      returns: listOf(webhookShape),
      examples: ['webhooks list', 'webhooks list --url https://shop.example/hooks'],
      assumed: 'The specification shows no parameters; these are from three client libraries, which agree.',
    },
    update: {
      method: 'PUT',
      path: '/webhooks/:id',
      summary: 'Change a webhook',
      params: {
        url: url({description: 'Address to send events to. HTTPS is recommended.'}),
        events: list({
          events: true,
          description: 'Kinds of event to send, in place of those before.',
          assumed: EVENTS_ASSUMED,
        }),
        description: text({description: 'Your own text.'}),
      },
      returns: one(webhookShape),
      examples: ['webhooks update wh_1Bv7 --events payment_intent.succeeded,refund.created'],
      assumed: 'The specification shows no parameters; these are from four client libraries, which agree.',
    },
    delete: {
      method: 'DELETE',
      path: '/webhooks/:id',
      summary: 'Delete a webhook, so that no further events are sent',
      params: {},
      returns: deletedOf(webhookShape),
      examples: ['webhooks delete wh_1Bv7'],
      destroys: true,
      assumed: 'The specification says only the deleted resource; client libraries read {id, resource, deleted: true}.',
    },
    enable: {
      method: 'POST',
      path: '/webhooks/:id/enable',
      summary: 'Enable a webhook',
      params: {},
      returns: one(webhookShape),
      examples: ['webhooks enable wh_1Bv7'],
      reaches: 'enabled',
      assumed: 'The specification does not show the answer; client libraries read the webhook.',
    },
    disable: {
      method: 'POST',
      path: '/webhooks/:id/disable',
      summary: 'Disable a webhook: no new events, no further retries',
      params: {},
      returns: one(webhookShape),
      examples: ['webhooks disable wh_1Bv7'],
      reaches: 'disabled',
      assumed: 'The specification does not show the answer; client libraries read the webhook.',
    },
  },
});
