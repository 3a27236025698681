// Logout: removes the named keys, keeps the profile, and does not ask in a script.

import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {loggedIn, person, type Person} from '../support/scenarios/accounts.js';
import {LIVE_KEY, PUBLIC_KEY, TEST_KEY} from '../support/services/servers.js';

const URL = 'https://api.example';

/** Has a test, a live and a public key. */
async function keyed(): Promise<Person> {
  const someone = await loggedIn(TEST_KEY, URL);
  for (const key of [LIVE_KEY, PUBLIC_KEY]) await someone.keep(key, URL, {merchant: {id: 'merc_1', name: 'Shop'}});
  return someone;
}

/** The same keys, said to be in a keychain, which this machine does not have. */
async function keyedInKeychain(): Promise<Person> {
  const someone = await keyed();
  const text = readFileSync(someone.configuration, 'utf8');
  writeFileSync(someone.configuration, text.replaceAll('"store": "file"', '"store": "keychain"'));
  return someone;
}

describe.concurrent('centavo logout', () => {
  test('removes every key of the active profile, and keeps its settings', async ({expect}) => {
    const {run, runProcess, holding, configured} = await keyed();
    const logout = await runProcess(['logout']);
    expect(logout).toMatchObject({status: 0, stderr: ''});
    expect(logout.stdout).toMatch(/^removed\tsk_test_…cdef, ?sk_live_…cdef, ?pk_test_…cdef$/m);
    expect(holding('MadeUp')).toEqual([]);
    expect(configured()).toMatchObject({
      profile: 'shop',
      profiles: {shop: {keys: {}, base_url: URL, merchant: {id: 'merc_1'}}},
    });
    const used = await run(['customers', 'list']);
    expect(used).toMatchObject({status: 4, stderr: expect.stringContaining('Log in: centavo login --profile shop')});
    const again = await run(['logout', '--json']);
    expect([again.status, again.json()]).toEqual([0, {profile: 'shop', removed: [], slots: []}]);
  });

  test('--dry-run changes nothing, and describes the change', async ({expect}) => {
    const {run, holding} = await keyed();
    const logout = await run(['logout', '--dry-run']);
    expect(logout).toMatchObject({status: 0, stdout: ''});
    expect(logout.stderr).toBe(
      'Nothing was changed: this would remove sk_test_…cdef and sk_live_…cdef and pk_test_…cdef of shop.\n',
    );
    expect(holding('MadeUp')).toHaveLength(3);
  });

  test('says that a key in the environment is still used', async ({expect}) => {
    const {run} = await keyed();
    const logout = await run(['logout'], {env: {CENTAVO_SECRET_KEY: LIVE_KEY}});
    expect(logout.stderr).toContain('CENTAVO_SECRET_KEY is still set');
  });

  test('keeps a key that cannot be removed, for another try', async ({expect}) => {
    const {run, configuration, configured} = await keyed();
    const keys = join(configuration, '..', 'keys');
    renameSync(keys, `${keys}-away`);
    writeFileSync(keys, '');
    expect((await run(['logout', '--json'])).error()).toMatchObject({
      exit_code: 15,
      applied: 'no',
      needs_person: true,
    });
    expect(Object.keys(configured().profiles.shop.keys)).toContain('live_secret');
  });

  test('--force forgets keys without a keychain, and says where they may remain', async ({expect}) => {
    const {run, configured} = await keyedInKeychain();
    const logout = await run(['logout']);
    expect(logout).toMatchObject({status: 13, stdout: ''});
    expect(logout.stderr).toMatch(/\n {2}A person decides this, at a terminal\.\n$/);
    expect(logout.stderr).not.toContain('--insecure-storage');
    expect(Object.keys(configured().profiles.shop.keys)).toHaveLength(3);

    const forced = await run(['logout', '--force', '--json']);
    const slots = ['test_secret', 'live_secret', 'test_public'];
    expect(forced).toMatchObject({status: 0});
    expect(forced.json()).toEqual({
      profile: 'shop',
      removed: ['sk_test_…cdef', 'sk_live_…cdef', 'pk_test_…cdef'],
      slots,
      left: slots.map((slot) => expect.stringMatching(new RegExp(`^keychain shop-t\\d+/${slot}-[0-9a-f]{8}$`))),
    });
    expect(configured().profiles.shop.keys).toEqual({});
  });

  test('profiles remove --force does the same', async ({expect}) => {
    const {run, configured} = await keyedInKeychain();
    const remove = await run(['profiles', 'remove', 'shop']);
    expect(remove).toMatchObject({
      status: 13,
      stderr: expect.stringContaining('A person decides this, at a terminal.'),
    });
    const removed = await run(['profiles', 'remove', 'shop', '--force']);
    expect(removed).toMatchObject({status: 0});
    expect(removed.stderr).toMatch(
      /^Warning: sk_test_…cdef may still be in the keychain, as shop-t\d+\/test_secret-[0-9a-f]{8} of centavo: .*keychain.*\.\nWarning: sk_live_…cdef .*\nWarning: pk_test_…cdef .*\nCommands now use sandbox\.\n$/,
    );
    expect(configured().profiles).toEqual({});
  });

  test.for([
    [['logout'], {}, 2, 'To create one: centavo login'],
    [['logout', '-p', 'sandbox'], {}, 2, 'sandbox is built in'],
    [['logout'], {CENTAVO_PROFILE: 'env'}, 2, 'env is built in'],
    [['logout', '-p', 'shpo'], {}, 14, '"shpo"'],
    [['logout', '--live', '--yes'], {}, 2, 'removes all keys'],
  ] as const)('%j %j is exit %i', async ([words, env, exit, hint], {expect}) => {
    const someone = person(env);
    if (words[1] === '--live') await someone.keep(TEST_KEY, URL);
    const logout = await someone.run(words);
    expect(logout).toMatchObject({status: exit, stdout: ''});
    expect(logout.stderr).toContain(hint);
  });
});
