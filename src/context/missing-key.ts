// The error for a command that needs a key and has none, or a key of the other mode. Says where centavo looked.

import {existsSync} from 'node:fs';
import {CentavoError} from '../common/errors.js';
import type {ConfigurationFile} from '../config/configuration-file.js';
import type {Connection} from '../config/resolve.js';

/** @param account the account that the command would use: the sandbox, or one with a test key */
export function missingKey(
  {mode, key, profile}: Connection,
  {live = false}: {readonly live?: boolean},
  configuration: Pick<ConfigurationFile, 'path' | 'read'>,
): CentavoError {
  const what = live ? '--live needs a live key' : 'CENTAVO_REQUIRE_KEY requires a key';
  if (mode !== 'sandbox')
    return new CentavoError('auth', `${what}, and ${key!.masked} from ${key!.source} is a test key.`, {
      code: 'wrong_mode',
      hint: `Set CENTAVO_SECRET_KEY to a live key, or unset it and store one: centavo login`,
      applied: 'no',
    });
  const {path} = configuration;
  const owners = Object.entries(configuration.read().profiles).filter(
    ([, {keys}]) => keys.live_secret ?? (!live && keys.test_secret),
  );
  const names = owners.map(([name]) => name).join(', ');
  return new CentavoError('auth', `${what}, and centavo found none.`, {
    code: 'no_key',
    why: whereLooked(profile, path),
    hint: names
      ? `These profiles have one: ${names}. To use one always: centavo profiles use ${owners[0]![0]}`
      : 'Set CENTAVO_SECRET_KEY, or store a key: centavo login',
    applied: 'no',
  });
}

function whereLooked({value, source}: Connection['profile'], path: string): string {
  if (source !== 'default' && source !== 'configuration') return `${source} is ${value}, which has no key.`;
  const active = source === 'configuration' ? `selects the profile ${value}, which has no key` : 'selects no profile';
  return `CENTAVO_SECRET_KEY is not set, and ${path} ${existsSync(path) ? active : 'does not exist'}.`;
}
