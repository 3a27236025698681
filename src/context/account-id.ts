// Names the account of a connection in everything that centavo remembers. The name outlives a rolled key.

import {fingerprint} from '../config/keys/keys.js';
import {ENVIRONMENT_PROFILE, knownKeys, type Configuration} from '../config/profiles.js';
import type {Connection} from '../config/resolve.js';

/**
 * Returns `https://api.example.com live live_secret-eab21095`: all keys that a profile has had are one account, named by the
 * first. Profiles that share a key are one account, too. Returns `sandbox default h3Xq…` for the embedded sandbox.
 */
export async function accountIdOf(
  {baseUrl, key, mode, profile, project}: Connection,
  {profiles}: Configuration,
  generation: () => Promise<string>,
): Promise<string> {
  if (!key) return `${mode} ${project!.value} ${await generation()}`;
  const {slot, value, stored} = key;
  // A program may print another key each time, so such a key goes by its profile.
  const named = (kind: string, name: string): string => `${kind}-${profiles[name]?.id ?? name}`;
  const print = value === undefined ? stored.fingerprint : fingerprint(value);
  const own = print === undefined ? named(slot, profile.value) : `${slot}-${print}`;
  const lists = Object.entries(profiles).map(([name, each]) =>
    knownKeys(each)
      // The profile env may record keys of several accounts.
      .filter((known) => name !== ENVIRONMENT_PROFILE && known.startsWith(`${mode}_secret`))
      .map((known) => (known.includes('-') ? known : named(known, name))),
  );
  let [size, same] = [0, new Set([own])];
  while (same.size > size) {
    size = same.size;
    same = new Set([...lists.filter((list) => list.some((each) => same.has(each))).flat(), ...same]);
  }
  return `${new URL(baseUrl!.value).href.replace(/\/+$/, '')} ${mode} ${[...same][0]}`;
}
