// What an app answered to a forwarded event: what is kept of it, its first words, and the likely cause of a refusal.

import {isHash, jsonOrText} from '../../ground/json.js';
import {isAccepted, type Exchange} from '../../http/post.js';
import type {AppResponse, ForwardAttempt, RawHeader} from '../receive/delivery.js';

/** Bytes of a body, and characters of a header's value. */
const KEPT_BODY = 16 * 1024;
const KEPT_VALUE = 1024;
const LONGEST_WORDS = 200;

const NEVER_KEPT = /^(?:proxy-)?authorization$/i;

function keptHeader([name, value]: RawHeader): RawHeader {
  const safe = name === 'set-cookie' ? value.replace(/=[^;]*/, '=[redacted]') : value;
  return [name, safe.slice(0, KEPT_VALUE)];
}

/** What the app said to an event that it has not accepted, and the likely cause with its cure. */
export function explanationOf({
  status,
  error,
  response,
}: Pick<ForwardAttempt, 'error' | 'response' | 'status'>): Pick<ForwardAttempt, 'likelyCause' | 'said'> {
  if (isAccepted(status)) return {};
  const said = response && firstWords(response);
  const likelyCause = causeOf({status, error});
  return {...(said !== undefined && {said}), ...(likelyCause !== undefined && {likelyCause})};
}

export const keptResponse = ({headers = {}, body = Buffer.alloc(0)}: Exchange): AppResponse => ({
  headers: Object.entries(headers)
    .filter(([name]) => !NEVER_KEPT.test(name))
    .flatMap(([name, values]) => [values ?? ''].flat().map((value) => keptHeader([name, value]))),
  body: body.subarray(0, KEPT_BODY).toString('utf8'),
  cut: body.length > KEPT_BODY,
});

/** The error that JSON names, or else the first line of a text or a page; undefined if there is none. */
function firstWords({headers, body}: AppResponse): string | undefined {
  if (headers.some(([name]) => name === 'content-encoding')) return undefined;
  const page = /^\s*</.test(body)
    ? body.replace(/<(head|style|script)\b.*?<\/\1>/gis, '').replace(/<[^>]*>/g, '\n')
    : body;
  const words = errorIn(jsonOrText(body)) ?? page.trim().split('\n', 1)[0]!.trim();
  return words === '' ? undefined : words.slice(0, LONGEST_WORDS);
}

function errorIn(value: unknown): string | undefined {
  if (!isHash(value)) return undefined;
  const {error, message, errors} = value;
  const named = [error, message, Array.isArray(errors) ? errors[0] : undefined];
  for (const one of named.flatMap((each) => (isHash(each) ? [each.message, each.detail] : [each])))
    if (typeof one === 'string' && one !== '') return one.trim().split('\n', 1)[0];
  return undefined;
}

const WRONG_SIGNATURE =
  'Most often the signature: does your app have the secret of this webhook, and verify the body before it is parsed?';
const CAUSES: Readonly<Record<number, string>> = {
  400: WRONG_SIGNATURE,
  401: WRONG_SIGNATURE,
  403: 'Your app asks for a login or a token here: let this path through without one.',
  404: 'Your app has nothing at this path: compare it with the route of your handler.',
  405: 'Your app does not take POST at this path.',
  413: 'The body is too large for your app: raise the limit of this route to 1 MB.',
  419: 'CSRF protection is on: exclude this path from it.',
};

function causeOf({status, error = ''}: Pick<ForwardAttempt, 'error' | 'status'>): string | undefined {
  if (error.includes('ECONNREFUSED')) return 'Nothing listens at this port: start your app, or correct the port.';
  if (error.startsWith('no response within'))
    return 'Your app took too long: answer with 200 first, and do the work afterwards.';
  if (status === undefined || status < 300) return undefined;
  if (status < 400)
    return 'Redirects are not followed: give the final address, and let this path through without a login.';
  return status >= 500 ? 'Your app failed: its own log says where.' : CAUSES[status];
}
