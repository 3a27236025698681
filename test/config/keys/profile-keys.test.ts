// Saving and removing keys in real files: side by side, replaced, moved, concurrently, and with failures.

import {chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {fingerprint} from '../../../src/config/keys/keys.js';
import {home, keyOf, type Home} from '../../support/config/key-homes.js';
import {PAYREX} from '../../support/config/profiles.js';

const [TEST, OTHER, LIVE, PUBLIC, LIVE_PUBLIC] = [
  keyOf('sk_test_'),
  keyOf('sk_test_', 'two'),
  keyOf('sk_live_'),
  keyOf('pk_test_'),
  keyOf('pk_live_'),
];

const files = ({keys}: Home): string[] => readdirSync(keys);
const shopOf = ({configuration}: Home) => configuration.read().profiles.shop!;

describe('a saved key', () => {
  test('creates its profile, which becomes active if none is', async () => {
    const here = home();
    const {configuration, remainsIn} = await here.keep(TEST, {
      baseUrl: 'payrex',
      merchant: {id: 'merc_1', name: 'Shop'},
      token: 'ABC123',
    });
    expect(remainsIn).toBeUndefined();
    expect(configuration.profile).toBe('shop');
    expect(shopOf(here)).toEqual({
      id: 'shop-abc123',
      merchant: {id: 'merc_1', name: 'Shop'},
      keys: {
        test_secret: {
          store: 'file',
          fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
          last4: '9one',
          origin: PAYREX,
          checked_at: 1_800_000_000,
        },
      },
      known_keys: [expect.stringMatching(/^test_secret-[0-9a-f]{8}$/)],
      settings: {base_url: 'payrex'},
    });
    expect((await here.keep(TEST, {profile: 'second'})).configuration.profile).toBe('shop');
  });

  test('is in its own private file, and in no other', async () => {
    const here = home();
    await here.keep(TEST);
    expect(here.holding('MadeUp')).toEqual(files(here));
    expect(files(here)).toHaveLength(1);
    expect(statSync(join(here.keys, files(here)[0]!)).mode & 0o777).toBe(0o600);
    expect(statSync(here.keys).mode & 0o777).toBe(0o700);
  });

  test('printed by a program is in no file', async () => {
    const here = home();
    const program = here.program('prints', 'exec cat "$(dirname "$0")/../elsewhere"');
    await here.keep(LIVE, {store: {command: [program, 'show', 'x y']}});
    expect(here.holding('MadeUp')).toEqual([]);
    expect(shopOf(here).keys.live_secret).toMatchObject({
      store: 'command',
      command: [program, 'show', 'x y'],
      last4: '9one',
    });
    expect(shopOf(here).keys.live_secret).not.toHaveProperty('fingerprint');
  });

  test('is stored beside the other keys of its profile: four kinds, each found when needed', async () => {
    const here = home();
    for (const key of [TEST, LIVE, PUBLIC, LIVE_PUBLIC]) await here.keep(key);
    expect(files(here)).toHaveLength(4);
    expect(await here.use()).toBe(TEST);
    expect(await here.use({live: true})).toBe(LIVE);
    expect(await here.use({acceptsPublicKey: true})).toBe(PUBLIC);
    expect(await here.use({live: true, acceptsPublicKey: true})).toBe(LIVE_PUBLIC);
  });

  test('keeps the settings, merchant and id of the profile', async () => {
    const here = home();
    await here.keep(TEST, {merchant: {id: 'merc_1', name: 'Shop'}, baseUrl: 'payrex'});
    const {id, merchant, settings} = shopOf(here);
    await here.keep(LIVE);
    expect(shopOf(here)).toMatchObject({id, merchant, settings});
  });

  test('in a profile without an id keeps that profile’s other keys readable', async () => {
    const here = home();
    await here.keep(TEST, {token: 'x'});
    await here.configuration.update(({profile, profiles: {shop}}) => ({
      profile,
      profiles: {shop: {...shop!, id: undefined}},
    }));
    for (const file of files(here))
      renameSync(join(here.keys, file), join(here.keys, file.replace('shop-x.', 'shop.')));
    expect(await here.use()).toBe(TEST);
    await here.keep(LIVE);
    expect([await here.use(), await here.use({live: true})]).toEqual([TEST, LIVE]);
  });
});

describe('a replaced key', () => {
  test('is removed from its store', async () => {
    const here = home();
    await here.keep(TEST);
    await here.keep(OTHER);
    expect(await here.use()).toBe(OTHER);
    expect(files(here)).toHaveLength(1);
    expect(here.holding(TEST)).toEqual([]);
  });

  test('that is the same is kept', async () => {
    const here = home();
    await here.keep(TEST);
    await here.keep(TEST, {checkedAt: null});
    expect(await here.use()).toBe(TEST);
    expect(shopOf(here).keys.test_secret!.checked_at).toBeNull();
  });

  test('moves to a program, without a copy in a file, and back', async () => {
    const here = home();
    const program = here.program('prints', `echo ${TEST.replace('MadeUp', 'Made""Up')}`);
    await here.keep(TEST);
    await here.keep(TEST, {store: {command: [program]}});
    expect(here.holding('MadeUp')).toEqual([]);
    expect(await here.use()).toBe(TEST);
    await here.keep(OTHER);
    expect(shopOf(here).keys.test_secret!.store).toBe('file');
    expect(await here.use()).toBe(OTHER);
  });

  test.each([
    ['the same', TEST],
    ['another', OTHER],
    ['one of another kind', LIVE],
  ])('is kept, and no other, if %s key is stored but the configuration cannot be changed', async (_, key) => {
    const here = home();
    await here.keep(TEST);
    // The configuration can be read, but not locked.
    const lock = join(here.directory, 'config', '.lock');
    rmSync(lock);
    mkdirSync(lock);
    await expect(here.keep(key)).rejects.toMatchObject({kind: 'local_io'});
    expect(here.holding('MadeUp')).toHaveLength(1);
    expect(await here.use()).toBe(TEST);
  });

  test.each([
    ['the new one', OTHER],
    ['the same', TEST],
  ])('is kept if %s cannot be stored', async (_, key) => {
    const here = home();
    await here.keep(TEST);
    const before = here.configuration.read();
    chmodSync(here.keys, 0o755);
    await expect(here.keep(key)).rejects.toMatchObject({code: 'unsafe_file'});
    chmodSync(here.keys, 0o700);
    expect(here.configuration.read()).toEqual(before);
    expect(await here.use()).toBe(TEST);
  });
});

describe('several at once', () => {
  test('in one new profile: one is saved, the other must log in again, and no extra key remains', async () => {
    const here = home();
    const ends = await Promise.allSettled([here.keep(TEST), here.keep(LIVE)]);
    const lost = ends.filter(({status}) => status === 'rejected');
    expect(lost).toMatchObject([{reason: {kind: 'config', message: expect.stringContaining('just created')}}]);
    expect(files(here)).toHaveLength(1);
    expect(await here.use({live: ends[1]!.status === 'fulfilled'})).toMatch(/MadeUp/);
  });

  test('of one kind, in an existing profile: only the last one is kept', async () => {
    const here = home();
    await here.keep(PUBLIC);
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((body) => keyOf('sk_test_', `000${body}`));
    await Promise.all(keys.map((key) => here.keep(key)));
    expect(keys).toContain(await here.use());
    expect(files(here)).toHaveLength(2);
  });
});

describe('removing', () => {
  const kept = async (): Promise<Home> => {
    const here = home();
    for (const key of [TEST, LIVE, PUBLIC]) await here.keep(key);
    return here;
  };

  test('one key keeps the others and the profile', async () => {
    const here = await kept();
    expect(await here.profileKeys.remove('shop', ['live_secret'])).toEqual({slots: ['live_secret'], remaining: []});
    expect(here.holding(LIVE)).toEqual([]);
    expect(Object.keys(shopOf(here).keys)).toEqual(['test_secret', 'test_public']);
    expect(await here.use()).toBe(TEST);
  });

  test('all keys leaves none, and missing ones are no error', async () => {
    const here = await kept();
    const all = ['test_secret', 'live_secret', 'test_public', 'live_public'] as const;
    const nothing = {slots: [], remaining: []};
    expect(await here.profileKeys.remove('shop', all)).toEqual({...nothing, slots: all.slice(0, 3)});
    expect(files(here)).toEqual([]);
    expect(await here.profileKeys.remove('shop', all)).toEqual(nothing);
    expect(await here.profileKeys.remove('nobody', all)).toEqual(nothing);
    await expect(here.use()).rejects.toMatchObject({code: 'no_key'});
  });

  test('a key whose file is missing is no error', async () => {
    const here = await kept();
    rmSync(here.keys, {recursive: true});
    expect(await here.profileKeys.remove('shop', ['test_secret'])).toMatchObject({slots: ['test_secret']});
  });

  test('keeps a key that cannot be removed in the profile, for another attempt', async () => {
    const here = await kept();
    renameSync(here.keys, `${here.keys}-moved`);
    writeFileSync(here.keys, '');
    await expect(here.profileKeys.remove('shop', ['test_secret'])).rejects.toMatchObject({kind: 'local_io'});
    expect(Object.keys(shopOf(here).keys)).toContain('test_secret');
    rmSync(here.keys);
    renameSync(`${here.keys}-moved`, here.keys);
    expect(await here.profileKeys.remove('shop', ['test_secret'])).toMatchObject({slots: ['test_secret']});
    expect(here.holding(TEST)).toEqual([]);
  });

  test('by force reports the keys that remain in their stores, and why', async () => {
    const here = await kept();
    renameSync(here.keys, `${here.keys}-moved`);
    writeFileSync(here.keys, '');
    const {id} = shopOf(here);
    expect(await here.profileKeys.remove('shop', ['test_secret'], true)).toEqual({
      slots: ['test_secret'],
      remaining: [
        {
          slot: 'test_secret',
          last4: '9one',
          store: 'file',
          name: `${id}/test_secret-${fingerprint(TEST)}`,
          reason: expect.stringContaining(here.keys),
        },
      ],
    });
    expect(Object.keys(shopOf(here).keys)).toEqual(['live_secret', 'test_public']);
  });

  test('several, of which one fails: the error lists the removed ones', async () => {
    const here = home();
    await here.keep(PUBLIC);
    await here.configuration.update((configuration) => ({
      ...configuration,
      profiles: {
        shop: {
          ...configuration.profiles.shop!,
          keys: {
            ...configuration.profiles.shop!.keys,
            // Without a session, no keychain is available.
            live_secret: {
              store: 'keychain',
              fingerprint: fingerprint(LIVE),
              last4: '9one',
              origin: PAYREX,
              checked_at: null,
            },
          },
        },
      },
    }));
    await expect(here.profileKeys.remove('shop', ['test_public', 'live_secret'])).rejects.toMatchObject({
      kind: 'keychain',
      details: {
        applied: 'yes',
        why: expect.stringMatching(/ Before that, the test public key is removed\.$/),
        override: '--force',
      },
    });
    expect(Object.keys(shopOf(here).keys)).toEqual(['live_secret']);
    expect(files(here)).toEqual([]);
  });
});

test('keys stay if their profile cannot be changed', async () => {
  const here = home();
  await here.keep(TEST);
  chmodSync(here.configuration.path, 0o666);
  await expect(here.profileKeys.remove('shop', ['test_secret'])).rejects.toMatchObject({
    kind: 'config',
    code: 'unsafe_file',
  });
  chmodSync(here.configuration.path, 0o600);
  expect(await here.use()).toBe(TEST);
});

test('a probe leaves no key, and finds an unsafe folder before a key is stored', async () => {
  const here = home();
  await here.profileKeys.probe('file');
  expect(files(here)).toEqual([]);
  expect(existsSync(here.configuration.path)).toBe(false);
  chmodSync(here.keys, 0o755);
  await expect(here.profileKeys.probe('file')).rejects.toMatchObject({kind: 'config', code: 'unsafe_file'});
});
