// Network errors in words, by their code: why there was no connection, or no whole answer. Like thrown.ts, never an error's own words.

import {nameOf} from './thrown.js';

const RESET = 'the connection was reset';
const NO_ROUTE = 'there is no way to it';

/** Codes of the system, of Node's resolver and of undici. */
const WORDS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'the host name cannot be looked up just now',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: RESET,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENOTFOUND: 'the host name is not known',
  EPIPE: RESET,
  EUNSAFE: 'the host name leads to an address that is never sent to',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too many headers',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer broke off before its end',
  UND_ERR_SOCKET: 'the connection was closed before the whole answer had come',
};

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/;

/** The code of a network error; an empty text where there is none. Several addresses of one name fail as one error: the first one's code speaks for all. */
export function networkCodeOf(error: unknown): string {
  const {code, errors} = error as {code?: string; errors?: readonly {code?: string}[]};
  return code ?? errors?.[0]?.code ?? '';
}

/** Why a request failed, with the code: `nothing listens there (ECONNREFUSED)`. */
export function networkReason(error: unknown): string {
  const code = networkCodeOf(error) || nameOf(error);
  return `${WORDS[code] ?? otherWords(code)} (${code})`;
}

function otherWords(code: string): string {
  if (CERTIFICATE.test(code)) return 'the certificate of that address is not accepted';
  return code.startsWith('HPE_') ? 'the answer is not HTTP' : 'the connection failed';
}
