// Likely reasons why an app did not accept an event, each with a fix.

import {networkFix} from './network-reason.js';

/** By status or error, each short enough for one terminal line. */
const CAUSES: Readonly<Record<string, string>> = {
  refused: 'Nothing listens at this port: start your app, or correct the port.',
  closed: 'Your app closed the connection: see its log. If it has TLS, use https://.',
  late: 'Your app took too long: answer with 200 first, then do the work.',
  '3xx': 'Redirects are not followed: use the final address, without a login.',
  400: 'Often the signature: check the listener’s secret, mode and raw body.',
  401: 'Often the signature: check the listener’s secret, mode and raw body.',
  403: 'Your app requires a login or a token: exempt this path.',
  404: 'Your app has no route for this path: check the path.',
  405: 'Your app does not accept POST at this path.',
  413: 'Too large for your app: raise the body limit of this route to 1 MB.',
  419: 'CSRF protection is on: exclude this path from it.',
  '5xx': 'Your app failed: see its log.',
};

/** @param error the network error, if there was no response */
export function likelyCauseOf(status: number | null | undefined, error = ''): string | undefined {
  if (error.includes('ECONNREFUSED')) return CAUSES.refused;
  if (error.includes('UND_ERR_SOCKET')) return CAUSES.closed;
  if (error.startsWith('no response within')) return CAUSES.late;
  return CAUSES[String(status)] ?? CAUSES[`${String(status)[0]}xx`] ?? networkFix(error);
}
