// What an app answered to a forwarded event: what is kept of it, its first words, and the likely cause of a refusal.

import {firstWords} from '../../http/first-words.js';
import {isAccepted, type Exchange} from '../../http/post.js';
import type {AppResponse, ForwardAttempt, RawHeader} from '../receive/delivery.js';

/** Bytes of a body, and characters of a header's value. */
const KEPT_BODY = 16 * 1024;
const KEPT_VALUE = 1024;
const LONGEST_LOCATION = 60;

const NEVER_KEPT = /^(?:proxy-)?authorization$/i;

type Answer = Pick<ForwardAttempt, 'error' | 'response' | 'status'>;

function keptHeader([name, value]: RawHeader): RawHeader {
  const safe = name === 'set-cookie' ? value.replace(/=[^;]*/, '=[redacted]') : value;
  return [name, safe.slice(0, KEPT_VALUE)];
}

/** What the app said to an event that it has not accepted, and the likely cause with its cure. */
export function explanationOf({status, error, response}: Answer): Pick<ForwardAttempt, 'likelyCause' | 'said'> {
  if (isAccepted(status)) return {};
  const said = response && firstWords(response.headers, response.body);
  const to = response?.headers.find(([name]) => name === 'location')?.[1].slice(0, LONGEST_LOCATION);
  const likelyCause = causeOf({status, error})?.replace('Redirects', (all) => (to ? `${all}, here to ${to},` : all));
  return {...(said !== undefined && {said}), ...(likelyCause !== undefined && {likelyCause})};
}

/** What an app answered, as it is stored and shown. */
export function answerOf(exchange: Exchange) {
  const {status, error} = exchange;
  const answer = {
    ...(status !== undefined && {status, response: keptResponse(exchange)}),
    ...(error !== undefined && {error}),
  };
  return {...answer, ...explanationOf(answer)};
}

const keptResponse = ({headers = {}, body = Buffer.alloc(0)}: Exchange): AppResponse => ({
  headers: Object.entries(headers)
    .filter(([name]) => !NEVER_KEPT.test(name))
    .flatMap(([name, values]) => [values ?? ''].flat().map((value) => keptHeader([name, value]))),
  body: body.subarray(0, KEPT_BODY).toString('utf8'),
  cut: body.length > KEPT_BODY,
});

/** Short enough for one line of a terminal. */
const CAUSES: Readonly<Record<string, string>> = {
  refused: 'Nothing listens at this port: start your app, or correct the port.',
  late: 'Your app took too long: answer with 200 first, then do the work.',
  '3xx': 'Redirects are not followed: give the final address, without a login.',
  400: 'Often the signature: secret (centavo webhooks secret), mode or raw body.',
  401: 'Often the signature: secret (centavo webhooks secret), mode or raw body.',
  403: 'Your app wants a login or a token: let this path through without.',
  404: 'Your app has nothing at this path: compare it with your route.',
  405: 'Your app does not take POST at this path.',
  413: 'Too large for your app: raise the body limit of this route to 1 MB.',
  419: 'CSRF protection is on: exclude this path from it.',
  '5xx': 'Your app failed: its own log says where.',
};

function causeOf({status, error = ''}: Answer): string | undefined {
  if (error.includes('ECONNREFUSED')) return CAUSES.refused;
  if (error.startsWith('no response within')) return CAUSES.late;
  return CAUSES[String(status)] ?? CAUSES[`${String(status)[0]}xx`];
}
