// Webhook endpoints: a URL, its events, and the secret that signs them.

import {dropDeliveries} from '../delivery/deliver.js';
import {transition} from '../lifecycle.js';
import type {StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';
import {type ActionCall, listPage, deletedStub, providedFields, type Actions} from './action.js';

/** No source shows how the filters match; a part of the text, in upper or lower case, is assumed. */
const contains = (text: unknown, part: unknown): boolean =>
  !part || String(text).toLowerCase().includes(String(part).toLowerCase());

/** @param secret of an endpoint whose app knows it already; the API gives each webhook a new one */
export const addWebhook = (
  tx: Transaction,
  {description, url, events}: ActionCall['params'],
  secret?: string,
): StoredRecord =>
  tx.create('wh_', {
    secret_key: secret ?? `whsk_${tx.token()}`,
    status: 'enabled',
    description: description ?? '',
    url,
    events,
  });

export const webhookActions: Actions = {
  create: (tx, {params}) => addWebhook(tx, params),

  get: (tx, {ids: [id]}) => tx.get('wh_', id!),

  list: (tx, {params}) =>
    listPage(
      tx,
      'webhook',
      params,
      (record) => contains(record.url, params.url) && contains(record.description, params.description),
    ),

  update: (tx, {ids: [id], params}) => {
    const webhook = tx.get('wh_', id!);
    tx.change(webhook, {
      ...providedFields(params, 'url', 'events'),
      ...(params.description !== undefined && {description: params.description ?? ''}),
    });
    // "A webhook receives only the event kinds listed" (specification). This applies to queued events too.
    dropDeliveries(tx, webhook.id, (type) => !(webhook.events as readonly string[]).includes(type));
    return webhook;
  },

  delete: (tx, {ids: [id]}) => {
    const webhook = tx.get('wh_', id!);
    tx.store.remove(webhook.id);
    dropDeliveries(tx, webhook.id);
    return deletedStub(webhook);
  },

  enable: (tx, {ids: [id]}) => transition(tx, tx.get('wh_', id!), 'enable'),

  disable: (tx, {ids: [id]}) => {
    const webhook = transition(tx, tx.get('wh_', id!), 'disable');
    dropDeliveries(tx, webhook.id);
    return webhook;
  },
};
