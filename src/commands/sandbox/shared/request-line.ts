// Formats an entry of the sandbox's log: its fields, and its line at a terminal.

import * as schema from '../../../cli/schema.js';
import {cutId} from '../../webhooks/shared/delivery-lines.js';
import {manilaDay, shortDay} from '../../../common/manila.js';
import {isoTime} from '../../../output/format.js';
import type {LogEntry} from '../../../sandbox/requests/request-log.js';

export const entryFields = {
  at: schema.titled('time', schema.timestamp),
  type: schema.choice('payment_failed', 'request'),
  ...schema.fieldsNamed('method path query', schema.nullable(schema.text)),
  status: schema.nullable(schema.integer),
  duration_ms: schema.titled('ms', schema.nullable(schema.integer)),
  object_id: schema.titled('object', schema.nullable(schema.text)),
  id: schema.nullable(schema.text),
  source_id: schema.titled('of', schema.nullable(schema.text)),
  ...schema.fieldsNamed('code cause simulated user_agent', schema.nullable(schema.text)),
  request_cut: schema.boolean,
  response_cut: schema.boolean,
};

/** `15:22:07` in Manila, by the sandbox's clock; `24 Nov 15:22` on another day. */
export const requestTime = (at: number, now: number): string =>
  manilaDay(at) === manilaDay(now) ? isoTime(at).slice(11, 19) : `${shortDay(at, now)} ${isoTime(at).slice(11, 16)}`;

/** `/billing_statements/…/send`: the object id is printed in its own column. */
export function requestTarget({type, path, query, object_id: object, code}: LogEntry): string {
  if (type === 'payment_failed') return `payment: ${code}`;
  const short = object ? path!.replace(object, '…') : path!;
  return query ? `${short}?${query}` : short;
}

export const requestAnswer = ({type, status, code, simulated}: LogEntry): string =>
  type === 'payment_failed'
    ? 'failed'
    : [status ?? 'cut off', code, simulated && `(${simulated})`].filter(Boolean).join(' ');

/** `POST /customers  200  12 ms  cus_4Vt9`. @param width if too narrow, the duration is omitted, or the id shortened */
export function requestLine(entry: LogEntry, prefix: string, width: number): string {
  const {method, duration_ms: milliseconds, object_id: object} = entry;
  const duration = milliseconds === null ? '' : `${milliseconds} ms`;
  const action = `${prefix}${[method, requestTarget(entry)].filter(Boolean).join(' ')}`;
  const short = object && cutId(object);
  const forms = [
    [duration, object],
    [duration, short],
    ['', short],
  ].map((rest) => [action, requestAnswer(entry), ...rest].filter(Boolean).join('  '));
  return forms.find(({length}) => length <= width) ?? forms[2]!;
}
