// Webhooks: endpoints that receive events.

import {choice, common, list, pageParams, secret, text, url} from '../fields.js';
import {defineResource, defineShape, deletedOf, listOf, one} from '../operation.js';

export const webhookShape = defineShape({
  name: 'webhook',
  title: 'webhook',
  prefix: 'wh_',
  fields: {
    ...common('wh_', 'webhook'),
    status: choice(['enabled', 'disabled'], {description: 'Whether events are sent to the endpoint.'}),
    url: url({description: 'URL that receives the events.'}),
    events: list({description: 'Types of event that are sent.'}),
    description: text({description: 'Description, for your own use.'}),
    secret_key: secret({
      description: 'Secret that signs the events sent to this endpoint.',
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

const EVENTS_ASSUMED = 'Any event can be named: the specification shows one, and the documented list is open.';
const MATCH_ASSUMED = 'Matched in any part of the text, ignoring case.';

export const webhooks = defineResource({
  topic: 'webhooks',
  summary: 'Manage webhook endpoints, and receive and test events locally',
  shape: webhookShape,
  operations: {
    create: {
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook endpoint',
      description:
        'Save the secret key from the response. Your app needs it to verify events, and the API may not show it in full again.',
      params: {
        url: url({required: true, description: 'URL to send events to. HTTPS is recommended.'}),
        events: list({required: true, events: true, description: 'Types of event to send.', assumed: EVENTS_ASSUMED}),
        description: text({description: 'Description, for your own use.'}),
      },
      returns: one(webhookShape),
      examples: [
        'webhooks create --url https://shop.example/hooks --events payment_intent.succeeded,billing_statement.paid',
      ],
      assumed: 'The specification lists no parameters. These come from four client libraries, which agree.',
    },
    get: {
      method: 'GET',
      path: '/webhooks/:id',
      summary: 'Show a webhook endpoint',
      params: {},
      returns: one(webhookShape),
      examples: ['webhooks get wh_1Bv7'],
    },
    list: {
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhook endpoints, newest first',
      params: {
        ...pageParams('wh_'),
        url: text({description: 'Only endpoints that match this URL.', assumed: MATCH_ASSUMED}),
        description: text({description: 'Only endpoints that match this description.', assumed: MATCH_ASSUMED}),
      },
      returns: listOf(webhookShape),
      examples: ['webhooks list', 'webhooks list --url https://shop.example/hooks'],
      assumed: 'The specification lists no parameters. These come from three client libraries, which agree.',
    },
    update: {
      method: 'PUT',
      path: '/webhooks/:id',
      summary: 'Update a webhook endpoint',
      params: {
        url: url({description: 'URL to send events to. HTTPS is recommended.'}),
        events: list({
          events: true,
          description: 'Types of event to send. Replaces the current ones.',
          assumed: EVENTS_ASSUMED,
        }),
        description: text({description: 'Description, for your own use.'}),
      },
      returns: one(webhookShape),
      examples: ['webhooks update wh_1Bv7 --events payment_intent.succeeded,refund.created'],
      assumed: 'The specification lists no parameters. These come from four client libraries, which agree.',
    },
    delete: {
      method: 'DELETE',
      path: '/webhooks/:id',
      summary: 'Delete a webhook endpoint',
      params: {},
      returns: deletedOf(webhookShape),
      examples: ['webhooks delete wh_1Bv7'],
      destroys: true,
      assumed:
        'The specification says only that the deleted resource is returned. Client libraries expect {id, resource, deleted: true}.',
    },
    enable: {
      method: 'POST',
      path: '/webhooks/:id/enable',
      summary: 'Enable a webhook endpoint',
      params: {},
      returns: one(webhookShape),
      examples: ['webhooks enable wh_1Bv7'],
      reaches: 'enabled',
      assumed: 'The specification does not show the response. Client libraries expect the webhook.',
    },
    disable: {
      method: 'POST',
      path: '/webhooks/:id/disable',
      summary: 'Disable a webhook endpoint: no new events and no further retries',
      params: {},
      returns: one(webhookShape),
      examples: ['webhooks disable wh_1Bv7'],
      reaches: 'disabled',
      assumed: 'The specification does not show the response. Client libraries expect the webhook.',
    },
  },
});
