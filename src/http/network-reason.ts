// Explains network errors by code, with a fix where one is known. Loaded only after a request has failed.

import {errorName, networkCodeOf} from '../common/system-errors.js';

/** The cause, without a capital and a full stop, and a sentence with the fix. */
type NetworkReason = readonly [why: string, fix?: string];

const CONNECTION_RESET = ['the connection was reset'] as const;
const NO_ROUTE = ['no route to the host'] as const;
const TRUST = 'Set NODE_EXTRA_CA_CERTS=FILE to trust it.';
const UNKNOWN_ISSUER = ['the issuer of the TLS certificate is unknown', TRUST] as const;
const OLD_TLS = ['no common version of TLS', 'Enable TLS 1.2 or 1.3 at the server.'] as const;
const NO_TLS = ['the server did not answer with TLS', 'Use http:// if the server has no TLS at this port.'] as const;
const NOT_HTTP = ['the response is not HTTP/1.1', 'Check the port, and enable HTTP/1.1 at the server.'] as const;

const NETWORK_REASONS: Readonly<Record<string, NetworkReason>> = {
  CERT_HAS_EXPIRED: ['the TLS certificate has expired', 'Renew it, or set the clock of this machine.'],
  CERT_NOT_YET_VALID: ['the TLS certificate is not valid yet', 'Set the clock of this machine, or replace it.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the TLS certificate is self-signed', TRUST],
  EAI_AGAIN: ['the host name cannot be looked up right now', 'Check the network of this machine.'],
  ECONNREFUSED: ['the connection was refused'],
  ECONNRESET: CONNECTION_RESET,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENOTFOUND: ['the host name was not found', 'Check the network of this machine, and the name.'],
  EPIPE: CONNECTION_RESET,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: ['the server accepts only HTTP/2', 'Enable HTTP/1.1 at the server.'],
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: OLD_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: OLD_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: ['the TLS certificate is for another host name', 'Use a host name of the certificate.'],
  EUNSAFE: ['the host name leads to a blocked address'],
  HTTPParserError: NOT_HTTP,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UND_ERR_CONNECT_TIMEOUT: ['the connection timed out'],
  UND_ERR_HEADERS_OVERFLOW: ['the response has too many headers'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['the response ended early'],
  UND_ERR_SOCKET: ['the connection was closed before the response was complete'],
};

function reasonOf(code: string): NetworkReason {
  if (Object.hasOwn(NETWORK_REASONS, code)) return NETWORK_REASONS[code]!;
  if (code.startsWith('HPE_')) return NOT_HTTP;
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code);
  return isCertificate ? ['the TLS certificate is not accepted', TRUST] : ['the connection failed'];
}

/** `the connection was refused (ECONNREFUSED)` */
export function networkReason(error: unknown): string {
  const code = networkCodeOf(error) || errorName(error);
  return `${reasonOf(code)[0]} (${code})`;
}

/** Returns the fix for a reason of {@link networkReason}, which ends with its code; undefined if none is known. */
export const networkFix = (reason: string): string | undefined => reasonOf(/\((\w+)\)$/.exec(reason)?.[1] ?? '')[1];
