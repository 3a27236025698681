// Basic authentication with the sandbox's two keys. The public key can only get a payment intent with its client secret.

import type {ApiRequest} from '../../api/wire.js';
import {ApiProblem, unauthorized} from '../api-problems.js';

export interface Keys {
  readonly secret: string;
  readonly public: string;
}

/** "Only the attributes needed to complete a payment" (specification); the list is assumed. */
const PUBLIC_FIELDS = (
  'id resource amount client_secret currency description last_payment_error livemode next_action payment_methods ' +
  'return_url status created_at updated_at'
).split(' ');

/** Returns the user name and password of Basic authentication. */
function credentialsOf(request: ApiRequest): readonly string[] {
  const match = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '');
  return match ? Buffer.from(match[1]!, 'base64').toString('utf8').split(/:(.*)/s) : [''];
}

/** The user name of Basic authentication: a key, or empty. */
export const userOf = (request: ApiRequest): string => credentialsOf(request)[0]!;

export function authenticate(request: ApiRequest, keys: Keys): keyof Keys {
  const [user = '', password] = credentialsOf(request);
  if (password) throw unauthorized('The password of Basic authentication must be empty. Send the API key alone.');
  if (isSameSecret(user, keys.secret)) return 'secret';
  if (isSameSecret(user, keys.public)) return 'public';
  if (user.startsWith('sk_live_') || user.startsWith('pk_live_'))
    throw new ApiProblem(401, [
      {code: 'mode_mismatched', detail: 'The sandbox has no live mode. Use its own test keys.'},
    ]);
  throw unauthorized(
    user ? 'The API key is not valid.' : 'An API key is required, as the user name of Basic authentication.',
  );
}

export const publicFields = (answer: unknown): unknown =>
  Object.fromEntries(Object.entries(answer as object).filter(([name]) => PUBLIC_FIELDS.includes(name)));

/** Compares in constant time. Avoids node:crypto, because every command would load the module. */
export function isSameSecret(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length;
  for (let index = 0; index < given.length; index++) difference |= given.charCodeAt(index) ^ secret.charCodeAt(index);
  return difference === 0;
}
