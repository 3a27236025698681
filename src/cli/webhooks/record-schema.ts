// The JSON Schema of a line that `webhooks listen --json` prints.

import {deliveryFields} from './delivery-filters.js';
import {boolean, constant, either, integer, list, nullable, record, text} from '../help/json-schema.js';

const HEAD = {v: {const: 1}, ts: text};

/** One kind of record. */
const kind = (type: string, ...[fields, optional]: Parameters<typeof record>) =>
  record({...HEAD, type: constant(type), ...fields}, optional);

export const recordSchema = () => ({
  description: 'Each line. Fields may be added. These fields stay within a major version.',
  ...either(
    kind(
      'ready',
      {
        url: text,
        public_url: text,
        webhook_id: nullable(text),
        secret_source: text,
        mode: text,
        targets: list(text),
      },
      {secret: text},
    ),
    kind('delivery', {
      delivery_id: text,
      ...deliveryFields,
    }),
    kind('forward', {
      delivery_id: text,
      target: text,
      attempt: integer,
      status: nullable(integer),
      error: nullable(text),
      duration_ms: integer,
      replay: boolean,
    }),
    kind('refused', {reason: text, status: nullable(integer)}),
    kind('disconnected', {reason: text, message: text}),
    kind('reconnected', {message: text, public_url: text, webhook_id: nullable(text)}, {secret: text}),
    kind('notice', {message: text}),
    kind('summary', {
      genuine: integer,
      not_genuine: integer,
      refused: integer,
      filtered: integer,
      duplicates: integer,
      forwarded: integer,
      forward_failures: integer,
      webhook_left: boolean,
    }),
  ),
});
