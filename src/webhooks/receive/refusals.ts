// Requests that the receiver refuses before reading the body: everything but a program's POST to its secret path.

import {timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {headerValues, isFromBrowser, isOwnHost} from '../../http/server.js';

/** Why a request was refused before its signature was checked. */
export type RefusalReason =
  | 'body_too_large'
  | 'browser'
  | 'content_encoding'
  | 'host'
  | 'malformed'
  | 'method'
  | 'not_stored'
  | 'path'
  | 'ping'
  | 'timeout'
  | 'too_many_connections'
  | 'too_many_headers'
  | 'upgrade';

export interface Refusal {
  readonly reason: RefusalReason;
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
}

export interface RefusalOptions {
  readonly token: string;
  readonly port: number;
  /** Host names of this receiver's public URLs, with the port where one is written. */
  readonly publicHosts: readonly string[];
  readonly maximumHeaders: number;
}

/** Why a request is refused; undefined when its body may be read. */
export function refusalOf(request: IncomingMessage, options: RefusalOptions): Refusal | undefined {
  const {method, url = '', headers, rawHeaders} = request;
  if (rawHeaders.length / 2 > options.maximumHeaders) return {reason: 'too_many_headers', status: 431};
  const hosts = headerValues(request, 'host');
  if (hosts.length !== 1) return {reason: 'host', status: 400};
  // Protects against DNS rebinding: another host name that resolves to this machine.
  if (!url.startsWith('/') || !isOwnHost(hosts[0]!, options.port, options.publicHosts))
    return {reason: 'host', status: 421};
  if (isFromBrowser(request)) return {reason: 'browser', status: 403};
  if (method !== 'POST') return {reason: 'method', status: 405};
  if (headers.upgrade !== undefined) return {reason: 'upgrade', status: 400};
  if (pathBehindToken(url, options.token) === undefined) return {reason: 'path', status: 404};
  if (headerValues(request, 'content-encoding').some((value) => value.toLowerCase() !== 'identity')) {
    // The signature is about the bytes as sent, so nothing is decompressed.
    return {reason: 'content_encoding', status: 415};
  }
  return undefined;
}

/** What follows `/token`, query included; undefined for any other path. */
export function pathBehindToken(url: string, token: string): string | undefined {
  const given = Buffer.from(url.slice(1, 1 + token.length), 'latin1');
  const wanted = Buffer.from(token, 'latin1');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  const rest = url.slice(1 + token.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}
