// Webhooks: who is told of which events, and with which secret.

import {dropDeliveries} from '../delivery/outbox.js';
import {transition} from '../lifecycle.js';
import {page, remains, replaced, type Actions} from './action.js';

/** No source shows how the filters match; part of the text, in either case, is what a search would do. */
const contains = (text: unknown, part: unknown): boolean =>
  !part || String(text).toLowerCase().includes(String(part).toLowerCase());

export const webhooks: Actions = {
  create: (work, {params}) =>
    work.create('wh_', {
      secret_key: `whsk_${work.token()}`,
      status: 'enabled',
      description: params.description ?? '',
      url: params.url,
      events: params.events,
    }),

  get: (work, {ids: [id]}) => work.get('wh_', id!),

  list: (work, {params}) =>
    page(
      work,
      'webhook',
      params,
      (record) => contains(record.url, params.url) && contains(record.description, params.description),
    ),

  update: (work, {ids: [id], params}) => {
    const webhook = work.get('wh_', id!);
    work.change(webhook, {
      ...replaced(params, 'url', 'events'),
      ...(params.description !== undefined && {description: params.description ?? ''}),
    });
    // "A webhook receives only the event kinds listed" (specification): so do the events that wait to be sent.
    dropDeliveries(work, webhook.id, (type) => !(webhook.events as readonly string[]).includes(type));
    return webhook;
  },

  delete: (work, {ids: [id]}) => {
    const webhook = work.get('wh_', id!);
    work.store.remove(webhook.id);
    dropDeliveries(work, webhook.id);
    return remains(webhook);
  },

  enable: (work, {ids: [id]}) => transition(work, work.get('wh_', id!), 'enable'),

  disable: (work, {ids: [id]}) => {
    const webhook = transition(work, work.get('wh_', id!), 'disable');
    dropDeliveries(work, webhook.id);
    return webhook;
  },
};
