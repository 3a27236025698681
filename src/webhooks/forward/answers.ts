// The app's response to a forwarded event: the stored part, and the explanation of a refusal.

import {bodyText} from '../../http/body-text.js';
import {errorExcerpt} from '../../http/error-excerpt.js';
import {likelyCauseOf} from '../../http/likely-cause.js';
import {isAccepted, type WebhookAttempt} from '../../http/webhook-sender.js';
import type {AppResponse, ForwardAttempt, RawHeader} from '../receive/delivery.js';

/** Stored bytes of a body, and stored characters of a header value. */
const MAX_BODY_LENGTH = 16 * 1024;
const MAX_HEADER_LENGTH = 1024;
const MAX_LOCATION_LENGTH = 60;

const NEVER_KEPT = /^(?:proxy-)?authorization$/i;

type AppAnswer = Pick<ForwardAttempt, 'error' | 'response' | 'status'>;

function keptHeader([name, value]: RawHeader): RawHeader {
  const safe = name === 'set-cookie' ? value.replace(/=[^;]*/, '=[redacted]') : value;
  return [name, safe.slice(0, MAX_HEADER_LENGTH)];
}

/** Returns an excerpt of a refusal, and its likely cause with the fix; nothing for an accepted event. */
export function explainRefusal({status, error, response}: AppAnswer): Pick<ForwardAttempt, 'excerpt' | 'likelyCause'> {
  if (isAccepted(status)) return {};
  const excerpt = response && errorExcerpt(response.body);
  const to = response?.headers.find(([name]) => name === 'location')?.[1].slice(0, MAX_LOCATION_LENGTH);
  const cause = likelyCauseOf(status, error);
  const likelyCause = cause?.replace('Redirects', (all) => (to ? `${all}, here to ${to},` : all));
  return {...(excerpt !== undefined && {excerpt}), ...(likelyCause !== undefined && {likelyCause})};
}

/** Returns the app's response as it is stored and shown, without credentials and cookie values. */
export function appResponseOf(exchange: WebhookAttempt) {
  const {status, error} = exchange;
  const answer = {
    ...(status !== undefined && {status, response: keptResponse(exchange)}),
    ...(error !== undefined && {error}),
  };
  return {...answer, ...explainRefusal(answer)};
}

function keptResponse({headers = {}, body = Buffer.alloc(0)}: WebhookAttempt): AppResponse {
  const {text, cut} = bodyText(headers, body, MAX_BODY_LENGTH);
  const kept = Object.entries(headers)
    .filter(([name]) => !NEVER_KEPT.test(name))
    .flatMap(([name, values]) => [values ?? ''].flat().map((value) => keptHeader([name, value])));
  return {headers: kept, body: text, cut};
}
