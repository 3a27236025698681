// Secrets that are known at sight, an API that gives them away in every way it can, and the command lines that meet it.

import {lookFor, type Secret} from '../../output/redaction/leaks.js';
import {httpAnswer} from '../services/servers.js';

const canary = (kind: Secret['kind'], prefix: string, hidden: string): Secret => ({
  kind,
  text: prefix + hidden,
  hidden,
});

/** Made up for tests, like no other text that is printed in any of them. */
export const CANARIES = {
  key: canary('key', 'sk_test_', 'Kq7ZxW3vYp9JtR5mDs2LbN8c'),
  live: canary('key', 'sk_live_', 'Hg4UeT6fXo1QwV9zBi7MkC3j'),
  public: canary('key', 'pk_test_', 'Pz8RnE2yAl5SdG6hFu4OxI9v'),
  webhook: canary('webhook', 'whsk_', 'Wm3CbJ7kQt1VyN5xZr9DgS2f'),
  client: canary('client', 'pi_1a2b3c_secret_', 'Ce6LpX4wRj8HuK2tMv7YbF9q'),
  odd: canary('learned', '', 'Öd(d} s3cr$t "with" n0+form\\'),
} as const;

/** An API response to a request with this Authorization header. */
export type Scenario = (request: string) => string;

const authorizationOf = (request: string): string => /^authorization: (.*)$/im.exec(request)?.[1]?.trim() ?? '';

/** Everything that is secret, in a sentence. */
const confession = (request: string): string => {
  const given = authorizationOf(request);
  const plain = Buffer.from(given.replace(/^Basic /, ''), 'base64').toString();
  return `You sent Authorization: ${given} which is ${plain} (${CANARIES.webhook.text}, ${CANARIES.client.text})`;
};

const object = (request: string, id: string, resource: string) => ({
  id,
  resource,
  name: `Juan ${CANARIES.key.text}`,
  status: 'open',
  amount: 125_050,
  client_secret: CANARIES.client.text,
  secret_key: CANARIES.odd.text,
  description: confession(request),
  metadata: {note: CANARIES.webhook.text, client_secret: CANARIES.odd.text},
  payment_intent: {id: 'pi_1', client_secret: CANARIES.client.text, note: authorizationOf(request)},
  livemode: false,
});

const RESOURCES: Readonly<Record<string, readonly [id: string, resource: string]>> = {
  customers: ['cus_1', 'customer'],
  payment_intents: ['pi_1', 'payment_intent'],
  webhooks: ['wh_1', 'webhook'],
  checkout_sessions: ['cs_1', 'checkout_session'],
  billing_statements: ['bstm_1', 'billing_statement'],
};

/** The object that a request asks for, or a list of three. */
function answerTo(request: string): string {
  const [, method, topic = '', id] = /^(\w+) \/([^/?\s]+)(?:\/([^/?\s]+))?/.exec(request) ?? [];
  const one = object(request, ...(RESOURCES[topic] ?? ['cus_1', 'customer']));
  const several = method === 'GET' && id === undefined;
  return JSON.stringify(several ? {resource: 'list', has_more: false, data: [one, {...one}, {...one}]} : one);
}

const refusal = (request: string, code = 'invalid') =>
  JSON.stringify({errors: [{code, detail: confession(request), parameter: CANARIES.client.text}]});

/** By name: all that an answer may give away. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'objects with secrets in every field': (request) => httpAnswer('200 OK', answerTo(request)),
  'a refusal that repeats the header': (request) => httpAnswer('400 Bad Request', refusal(request)),
  'a refusal of the key that shows it': (request) => httpAnswer('401 Unauthorized', refusal(request)),
  'not found, with the key': (request) => httpAnswer('404 Not Found', refusal(request, CANARIES.key.text)),
  'a page of HTML': (request) =>
    httpAnswer('500 Internal Server Error', `<html><h1>${confession(request)}</h1></html>`, {
      'content-type': 'text/html',
    }),
  'a redirect with the key in its address': (request) =>
    httpAnswer('302 Found', '', {
      location: `https://${CANARIES.key.text}:@other.example/?client_secret=${CANARIES.client.text}&a=${authorizationOf(request)}`,
    }),
  'what is no HTTP': (request) => `${confession(request)}\r\n\r\n`,
  'JSON that breaks off in a secret': (request) =>
    httpAnswer('200 OK', `{"note": "${confession(request)}`, {}).replace(/content-length: \d+\r\n/, ''),
  'JSON that is none behind a secret': (request) =>
    httpAnswer(
      '200 OK',
      `{"client_secret": "${CANARIES.client.text}" ${CANARIES.key.text}, "x": "${confession(request)}"}`,
    ),
  'an object of another kind': (request) =>
    httpAnswer('200 OK', JSON.stringify({...object(request, 'cus_1', CANARIES.key.text), id: CANARIES.webhook.text})),
  'less than was promised': (request) => httpAnswer('200 OK', answerTo(request)).slice(0, -20),
};

/** Commands that read or change something, with their output. */
export const COMMANDS: readonly (readonly string[])[] = [
  ['payment-intents', 'get', 'pi_1'],
  ['webhooks', 'list'],
  ['customers', 'list'],
  ['webhooks', 'create', '--url', 'https://shop.example/hooks', '--events', 'payment_intent.succeeded'],
  ['checkout-sessions', 'get', 'cs_1'],
  ['api', 'GET', '/payment_intents/pi_1'],
  ['payment-intents', 'create', '--amount', '1,250.50'],
  ['billing-statements', 'list', '--limit', '3'],
  ['customers', 'update', 'cus_1', '--name', 'Maria'],
  ['status'],
];

export const FORMS: readonly (readonly string[])[] = [
  ['-v'],
  ['--json', '-v'],
  ['-o', 'csv'],
  ['-o', 'table', '-v'],
  ['-o', 'jsonl'],
  ['--jq', '., (.. | strings)'],
  ['--json'],
];

/** Searches the output of a process for a part of any canary. */
export const lookForCanaries = lookFor(Object.values(CANARIES));
/** All but the `secret_key` of an answer. */
export const lookForOthers = lookFor(Object.values(CANARIES).filter((canary) => canary !== CANARIES.odd));
export const lookForKeys = lookFor([CANARIES.key, CANARIES.live, CANARIES.public]);
