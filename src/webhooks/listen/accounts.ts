// Accounts and webhooks told apart, where the name of a profile is not enough: keys and addresses change, and what one key made another cannot remove.

import {createHash} from 'node:crypto';

/** Names an account by profile, address and key, without giving the key away. */
export function accountName(profile: string, baseUrl: string, key: string): string {
  const hash = createHash('sha256').update(`${baseUrl} ${key}`).digest('hex');
  return `${profile} ${hash.slice(0, 16)}`;
}

/** Names a webhook of which only the secret is known, without giving the secret away. */
export function secretName(secret: string): string {
  return `secret:${createHash('sha256').update(`webhook ${secret}`).digest('hex').slice(0, 12)}`;
}
