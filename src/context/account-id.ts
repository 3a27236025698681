// Names the account of a connection in everything that centavo remembers. The name outlives a rolled key.

import {existsSync} from 'node:fs';
import {fingerprint} from '../config/keys/keys.js';
import {ENVIRONMENT_PROFILE, knownKeys, type Configuration} from '../config/profiles.js';
import type {Connection} from '../config/resolve.js';
import type {EmbeddedSandbox} from '../sandbox/embedded.js';
import type {Accounts} from './accounts.js';

/** Creates no sandbox. */
export async function accountIdOf(
  {connection, configuration}: Pick<Accounts, 'configuration' | 'connection'>,
  {
    sandbox,
    sandboxPath,
    newborn,
  }: {
    readonly sandbox: () => Promise<EmbeddedSandbox>;
    readonly sandboxPath: () => string;
    readonly newborn: () => string;
  },
): Promise<string> {
  const found = await connection();
  if (found.mode !== 'sandbox') return keyedAccountId(found, configuration.read());
  return `sandbox default ${existsSync(sandboxPath()) ? (await sandbox()).born() : newborn()}`;
}

/**
 * Returns `https://api.example.com live live_secret-eab21095`, for an account with an address. All keys that a profile
 * has had are one account, named by the first key. Profiles that share a key are one account, too.
 */
function keyedAccountId(
  {baseUrl, key, mode, profile}: Pick<Connection, 'baseUrl' | 'key' | 'mode' | 'profile'>,
  {profiles}: Configuration,
): string {
  const {slot, value, stored} = key!;
  // A program may print another key each time, so such a key goes by its profile.
  const named = (kind: string, name: string): string => `${kind}-${profiles[name]?.id ?? name}`;
  const print = value === undefined ? stored?.fingerprint : fingerprint(value);
  const own = print === undefined ? named(slot, profile.value) : `${slot}-${print}`;
  // The profile env may record keys of several accounts.
  const lists = Object.entries(profiles).flatMap(([name, each]) =>
    name === ENVIRONMENT_PROFILE
      ? []
      : [
          knownKeys(each)
            .filter((known) => known.startsWith(`${mode}_secret`))
            .map((known) => (known.includes('-') ? known : named(known, name))),
        ],
  );
  let [size, same] = [0, new Set([own])];
  while (same.size > size) {
    size = same.size;
    same = new Set([...lists.filter((list) => list.some((each) => same.has(each))).flat(), ...same]);
  }
  return `${new URL(baseUrl!.value).href.replace(/\/+$/, '')} ${mode} ${[...same][0]}`;
}
