// Which headers of a delivery are forwarded to the app: all except those of the connection itself.

import {usageError} from '../../errors.js';
import type {Delivery, RawHeader} from '../receive/delivery.js';
import {SIGNATURE_HEADER} from '../signature/signature.js';

const SIGNATURE = SIGNATURE_HEADER.toLowerCase();

/** For one hop only (RFC 9110, 7.6.1), or set again for the next one. */
const OF_THE_HOP = new Set(
  (
    'connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection ' +
    'te trailer transfer-encoding upgrade'
  ).split(' '),
);

/** An app needs these to verify and read a body, so a Connection header cannot remove them. */
const NEEDED = new Set([SIGNATURE, 'content-type']);

/** Our own headers. A sender's headers with this prefix are dropped. */
const OUR_PREFIX = 'x-centavo-';

const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

const nameOf = ([name]: RawHeader): string => name.toLowerCase();
const valuesOf = (headers: readonly RawHeader[], name: string): string[] =>
  headers.filter((header) => nameOf(header) === name).map(([, value]) => value);

/**
 * Headers that are added to every delivery, or replace the sender's.
 * @throws CentavoError kind `usage` for headers that are set from each delivery
 */
export function checkedExtraHeaders(headers: readonly RawHeader[]): readonly RawHeader[] {
  for (const header of headers) {
    const name = nameOf(header);
    if (name === SIGNATURE || OF_THE_HOP.has(name) || name.startsWith(OUR_PREFIX)) {
      throw usageError(`the header ${header[0]} cannot be set.`, {
        code: 'invalid_header',
        why:
          name === SIGNATURE
            ? 'Your app needs the original header to verify the delivery.'
            : 'centavo sets it for each delivery.',
      });
    }
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || !VALUE.test(header[1])) {
      throw usageError(`${JSON.stringify(header.join(': '))} is not a header.`, {code: 'invalid_header'});
    }
  }
  return headers;
}

export interface HeaderOptions {
  readonly attempt: number;
  readonly extra: readonly RawHeader[];
  /** Replaces the sender's signature. */
  readonly signature?: string;
}

/** In the sender's order and case, as a flat list of names and values; then the extra ones, and ours. */
export function forwardedHeaders(delivery: Delivery, {attempt, extra, signature}: HeaderOptions): string[] {
  const {headers} = delivery;
  const named = valuesOf(headers, 'connection').flatMap((value) => value.split(','));
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()).filter((name) => !NEEDED.has(name)));
  for (const header of extra) dropped.add(nameOf(header));
  const kept = headers.filter((header) => {
    const name = nameOf(header);
    if (name === SIGNATURE && signature !== undefined) return false;
    return !OF_THE_HOP.has(name) && !dropped.has(name) && !name.startsWith(OUR_PREFIX);
  });
  const all = [...kept, ...extra];
  const [host = ''] = valuesOf(headers, 'host');
  const ours: RawHeader[] = [
    // A tunnel's own values are kept.
    ...(
      [
        ['X-Forwarded-For', '127.0.0.1'],
        ['X-Forwarded-Host', host],
        ['X-Forwarded-Proto', 'http'],
      ] as const
    ).filter(([name, value]) => value !== '' && valuesOf(all, name.toLowerCase()).length === 0),
    ...(signature === undefined ? [] : ([[SIGNATURE_HEADER, signature]] as const)),
    // Always the first delivery of the event, so that an app can recognize duplicates by it.
    ['X-Centavo-Delivery', delivery.duplicateOf ?? delivery.id],
    ['X-Centavo-Attempt', String(attempt)],
  ];
  return [...all, ...ours].flat();
}

/** The headers of the app's answer that go back to the sender. */
export function answeredHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const kept: Record<string, string> = {};
  for (const name of ['content-type', 'content-encoding', 'retry-after']) {
    const value = headers[name];
    // An invalid value would make the answer fail, and with it the delivery.
    if (typeof value === 'string' && VALUE.test(value)) kept[name] = value;
  }
  return kept;
}
