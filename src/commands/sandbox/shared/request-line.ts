// One entry of the sandbox's log for people, as `sandbox serve` and `sandbox logs` show it.

import {manilaDay, shortDay} from '../../../ground/manila.js';
import {isoTime} from '../../../output/format.js';
import type {LogEntry} from '../../../sandbox/requests/request-log.js';

/** `15:22:07` in Manila, by the sandbox's clock; `24 Nov 15:22` on another day. */
export const timeOf = (at: number, now: number): string =>
  manilaDay(at) === manilaDay(now) ? isoTime(at).slice(11, 19) : `${shortDay(at, now)} ${isoTime(at).slice(11, 16)}`;

/** `/billing_statements/…/send`: the object has a place of its own. */
export function whatOf({type, path, query, object_id: object, code}: LogEntry): string {
  if (type === 'payment_failed') return `payment: ${code}`;
  const short = object ? path!.replace(object, '…') : path!;
  return query ? `${short}?${query}` : short;
}

export const answerOf = ({type, status}: LogEntry): string =>
  type === 'payment_failed' ? 'failed' : String(status ?? 'cut off');

/** `15:22:07  POST /customers  200  12 ms  cus_4Vt9`. @param now unix seconds of its clock @param width where a longer line has only the beginning of the id */
export function requestLine(entry: LogEntry, now: number, width: number): string {
  const {method, duration_ms: milliseconds, object_id: object} = entry;
  const took = milliseconds === null ? '' : `${milliseconds} ms`;
  const asked = [method, whatOf(entry)].filter(Boolean).join(' ');
  const line = [timeOf(entry.at, now), asked, answerOf(entry), took, object].filter(Boolean).join('  ');
  return object && line.length > width ? `${line.slice(0, SHORT_ID - object.length)}…` : line;
}

/** Characters of an id, as in a narrow table. */
const SHORT_ID = 12;
