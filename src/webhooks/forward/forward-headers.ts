// The headers that are forwarded to the app: the delivery's, without connection headers.

import type {Delivery, RawHeader} from '../receive/delivery.js';
import {SIGNATURE, SIGNATURE_HEADER} from '../signature/signature.js';

/** Headers that are valid for one hop only (RFC 9110, 7.6.1), or set for each hop. */
const HOP_BY_HOP = new Set(
  (
    'connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection ' +
    'te trailer transfer-encoding upgrade'
  ).split(' '),
);

/** Headers that apps need to verify and read a body. A Connection header cannot remove them. */
const NEEDED = new Set([SIGNATURE, 'content-type']);

/** A sender's headers with this prefix are dropped. */
const OUR_PREFIX = 'x-centavo-';

const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

const headerName = ([name]: RawHeader): string => name.toLowerCase();
const valuesOf = (headers: readonly RawHeader[], name: string): string[] =>
  headers.filter((header) => headerName(header) === name).map(([, value]) => value);

export interface HeaderOptions {
  readonly attempt: number;
  readonly signature?: string;
}

/** Returns a flat list of names and values: the sender's in their order and case, then centavo's. */
export function forwardedHeaders(delivery: Delivery, {attempt, signature}: HeaderOptions): string[] {
  const {headers} = delivery;
  const named = valuesOf(headers, 'connection').flatMap((value) => value.split(','));
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()).filter((name) => !NEEDED.has(name)));
  const kept = headers.filter((header) => {
    const name = headerName(header);
    if (name === SIGNATURE && signature !== undefined) return false;
    return !HOP_BY_HOP.has(name) && !dropped.has(name) && !name.startsWith(OUR_PREFIX);
  });
  const [host = ''] = valuesOf(headers, 'host');
  const added: RawHeader[] = [
    // A tunnel may have set these headers; its values are kept.
    ...(
      [
        ['X-Forwarded-For', '127.0.0.1'],
        ['X-Forwarded-Host', host],
        ['X-Forwarded-Proto', 'http'],
      ] as const
    ).filter(([name, value]) => value !== '' && valuesOf(kept, name.toLowerCase()).length === 0),
    ...(signature === undefined ? [] : ([[SIGNATURE_HEADER, signature]] as const)),
    // Id of the event's first delivery, so that an app can recognize duplicates.
    ['X-Centavo-Delivery', delivery.duplicateOf ?? delivery.id],
    ['X-Centavo-Attempt', String(attempt)],
  ];
  return [...kept, ...added].flat();
}

export function responseHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const kept: Record<string, string> = {};
  for (const name of ['content-type', 'content-encoding', 'retry-after']) {
    const value = headers[name];
    // An invalid value would make the response fail, and the delivery with it.
    if (typeof value === 'string' && VALUE.test(value)) kept[name] = value;
  }
  return kept;
}
