// One entry of the sandbox's log: its fields, and its line for people.

import {boolean, choice, integer, nullable, text, timestamp, titled} from '../../../cli/schema.js';
import {manilaDay, shortDay} from '../../../ground/manila.js';
import {isoTime} from '../../../output/format.js';
import type {LogEntry} from '../../../sandbox/requests/request-log.js';

export const entryFields = {
  at: titled('time', timestamp),
  type: choice('payment_failed', 'request'),
  method: nullable(text),
  path: nullable(text),
  query: nullable(text),
  status: nullable(integer),
  duration_ms: titled('ms', nullable(integer)),
  object_id: titled('object', nullable(text)),
  id: nullable(text),
  source_id: titled('of', nullable(text)),
  code: nullable(text),
  cause: nullable(text),
  user_agent: nullable(text),
  request_cut: boolean,
  response_cut: boolean,
};

/** `15:22:07` in Manila, by the sandbox's clock; `24 Nov 15:22` on another day. */
export const timeOf = (at: number, now: number): string =>
  manilaDay(at) === manilaDay(now) ? isoTime(at).slice(11, 19) : `${shortDay(at, now)} ${isoTime(at).slice(11, 16)}`;

/** `/billing_statements/…/send`: the object has a place of its own. */
export function whatOf({type, path, query, object_id: object, code}: LogEntry): string {
  if (type === 'payment_failed') return `payment: ${code}`;
  const short = object ? path!.replace(object, '…') : path!;
  return query ? `${short}?${query}` : short;
}

export const answerOf = ({type, status, code}: LogEntry): string =>
  type === 'payment_failed' ? 'failed' : [status ?? 'cut off', code].filter(Boolean).join(' ');

/** `POST /customers  200  12 ms  cus_4Vt9`. @param before what stands before that, such as the time @param width where it is too narrow for the id, it has the beginning of it, or none */
export function requestLine(entry: LogEntry, before: string, width: number): string {
  const {method, duration_ms: milliseconds, object_id: object} = entry;
  const took = milliseconds === null ? '' : `${milliseconds} ms`;
  const asked = [method, whatOf(entry)].filter(Boolean).join(' ');
  const line = `${before}${[asked, answerOf(entry), took].filter(Boolean).join('  ')}  `;
  const room = width - line.length;
  if (!object || (object.length > room && SHORT_ID >= room)) return line.trimEnd();
  return `${line}${object.length > room ? `${object.slice(0, SHORT_ID)}…` : object}`;
}

/** Characters of an id, as in a narrow table. */
const SHORT_ID = 12;
