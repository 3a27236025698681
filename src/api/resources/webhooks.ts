// Webhooks: endpoints that receive events.

import {EVENT_TYPES} from '../events.js';
import {field} from '../fields.js';
import {defineResource, defineShape, DELETE, GET, POST, PUT, returns} from '../operation.js';

export const webhookShape = defineShape({
  name: 'webhook',
  title: 'webhook',
  prefix: 'wh_',
  fields: {
    ...field.common('wh_', 'webhook'),
    status: field.choice(['enabled', 'disabled'], 'Whether events are sent to the endpoint.'),
    url: field.url('URL that receives the events.'),
    events: field.list('Types of event that are sent.'),
    description: field.text('Description, for your own use.', {
      nullable: true,
      assumed: 'The specification says string. A recorded response has null if none was given.',
    }),
    secret_key: field.secret('Secret that signs the events sent to this endpoint.', {
      assumed: 'May be masked or missing after creation: client libraries and the documentation disagree.',
    }),
  },
  columns: ['id', 'status', 'url', 'events', 'description'],
  table: {
    url: {rank: 1, cut: 'address'},
    id: 2,
    status: 3,
    events: {rank: 4, cut: 'name'},
    description: {rank: 5, cut: 'name'},
  },
});

const EVENTS_ASSUMED = 'Any event type is accepted: the specification shows one, and the documented list is open.';
const MATCH_ASSUMED = 'Matched in any part of the text, ignoring case.';

export const webhooks = defineResource({
  topic: 'webhooks',
  summary: 'Manage webhook endpoints, and receive and test events locally',
  shape: webhookShape,
  operations: {
    create: POST('/webhooks', returns.one(webhookShape), {
      summary: 'Create a webhook endpoint',
      description:
        'Save the secret key from the response. Your app needs it to verify events, and the API may not show it in full again.',
      params: {
        url: field.url('URL to send events to. HTTPS is recommended.', {required: true}),
        events: field.list('Types of event to send.', {required: true, events: EVENT_TYPES, assumed: EVENTS_ASSUMED}),
        description: field.text('Description, for your own use.'),
      },
      examples: ['webhooks create --url https://shop.example/hooks --events billing_statement.paid'],
      assumed: 'The specification lists no parameters. These come from four client libraries, which agree.',
    }),
    get: GET('/webhooks/:id', returns.one(webhookShape), {
      summary: 'Show a webhook endpoint',
      examples: ['webhooks get wh_1Bv7'],
    }),
    list: GET('/webhooks', returns.listOf(webhookShape), {
      summary: 'List webhook endpoints, newest first',
      params: {
        ...field.pageParams('wh_'),
        url: field.text('Only endpoints that match this URL.', {assumed: MATCH_ASSUMED}),
        description: field.text('Only endpoints that match this description.', {assumed: MATCH_ASSUMED}),
      },
      examples: ['webhooks list', 'webhooks list --url https://shop.example/hooks'],
      assumed: 'The specification lists no parameters. These come from three client libraries, which agree.',
    }),
    update: PUT('/webhooks/:id', returns.one(webhookShape), {
      summary: 'Update a webhook endpoint',
      params: {
        url: field.url('URL to send events to. HTTPS is recommended.'),
        events: field.list('Types of event to send. Replaces the current ones.', {
          events: EVENT_TYPES,
          assumed: EVENTS_ASSUMED,
        }),
        description: field.text('Description, for your own use.'),
      },
      examples: ['webhooks update wh_1Bv7 --events refund.created'],
      assumed: 'The specification lists no parameters. These come from four client libraries, which agree.',
    }),
    delete: DELETE('/webhooks/:id', returns.deleted(webhookShape), {
      summary: 'Delete a webhook endpoint',
      examples: ['webhooks delete wh_1Bv7'],
      destroys: true,
      assumed:
        'The specification says only that the deleted resource is returned. Client libraries expect {id, resource, deleted: true}.',
    }),
    enable: POST('/webhooks/:id/enable', returns.one(webhookShape), {
      summary: 'Enable a webhook endpoint',
      examples: ['webhooks enable wh_1Bv7'],
      reaches: 'enabled',
      assumed: 'The specification does not show the response. Client libraries expect the webhook.',
    }),
    disable: POST('/webhooks/:id/disable', returns.one(webhookShape), {
      summary: 'Disable a webhook endpoint and its retries',
      examples: ['webhooks disable wh_1Bv7'],
      reaches: 'disabled',
      assumed: 'The specification does not show the response. Client libraries expect the webhook.',
    }),
  },
});
