// Explains network errors by code, with a fix where one is known. Loaded only after a request has failed.

import {errorName, networkCodeOf} from '../common/system-errors.js';

interface NetworkReason {
  /** Without a capital and a full stop. */
  readonly why: string;
  /** A sentence. */
  readonly fix?: string;
}

const CONNECTION_RESET = {why: 'the connection was reset'};
const NO_ROUTE = {why: 'no route to the host'};
const TRUST = 'Set NODE_EXTRA_CA_CERTS=FILE to trust it.';
const UNKNOWN_ISSUER = {why: 'the issuer of the TLS certificate is unknown', fix: TRUST};
const NO_TLS = {why: 'the server did not answer with TLS', fix: 'Use http:// if the server has no TLS at this port.'};
const OLD_TLS = {why: 'no common version of TLS', fix: 'Enable TLS 1.2 or 1.3 at the server.'};
const NOT_HTTP = {why: 'the response is not HTTP/1.1', fix: 'Check the port, and enable HTTP/1.1 at the server.'};

const NETWORK_REASONS: Readonly<Record<string, NetworkReason>> = {
  CERT_HAS_EXPIRED: {
    why: 'the TLS certificate has expired',
    fix: 'Renew the certificate. If it is valid, set the clock of this machine.',
  },
  CERT_NOT_YET_VALID: {
    why: 'the TLS certificate is not valid yet',
    fix: 'Set the clock of this machine, or replace the certificate.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {why: 'the TLS certificate is self-signed', fix: TRUST},
  EAI_AGAIN: {why: 'the host name cannot be looked up right now'},
  ECONNREFUSED: {why: 'the connection was refused'},
  ECONNRESET: CONNECTION_RESET,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENOTFOUND: {why: 'the host name does not exist'},
  EPIPE: CONNECTION_RESET,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: {
    why: 'the server accepts only HTTP/2',
    fix: 'Enable HTTP/1.1 at the server.',
  },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'the TLS certificate is for another host name',
    fix: 'Use a host name of the certificate, or get one for this name.',
  },
  EUNSAFE: {why: 'the host name leads to a blocked address'},
  HTTPParserError: NOT_HTTP,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UND_ERR_CONNECT_TIMEOUT: {why: 'the connection timed out'},
  UND_ERR_HEADERS_OVERFLOW: {why: 'the response has too many headers'},
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {why: 'the response ended early'},
  UND_ERR_SOCKET: {why: 'the connection was closed before the response was complete'},
};

const reasonOf = (code: string): NetworkReason => {
  if (Object.hasOwn(NETWORK_REASONS, code)) return NETWORK_REASONS[code]!;
  if (code.startsWith('HPE_')) return NOT_HTTP;
  return /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code)
    ? {why: 'the TLS certificate is not accepted', fix: TRUST}
    : {why: 'the connection failed'};
};

/** `the connection was refused (ECONNREFUSED)` */
export function networkReason(error: unknown): string {
  const code = networkCodeOf(error) || errorName(error);
  return `${reasonOf(code).why} (${code})`;
}

/** Returns the fix for a reason of {@link networkReason}, which ends with its code; undefined if none is known. */
export const networkFix = (reason: string): string | undefined => reasonOf(/\((\w+)\)$/.exec(reason)?.[1] ?? '').fix;
