// Accounts told apart, where the name of a profile is not enough: keys and addresses change, and what one key made another cannot remove.

import {createHash} from 'node:crypto';

/** Names an account by profile, address and key, without giving the key away. */
export function accountName(profile: string, baseUrl: string, key: string): string {
  const hash = createHash('sha256').update(`${baseUrl} ${key}`).digest('hex');
  return `${profile} ${hash.slice(0, 16)}`;
}
