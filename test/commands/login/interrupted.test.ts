// A login while it runs: who can see the key, and what remains if it is killed while storing one.

import {readdirSync, watch as watchFolder} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {processShows} from '../../support/config/keychain-session.js';
import {answersFor, loggedIn, serve, SHOP, type Person} from '../../support/scenarios/accounts.js';
import {watch, type Watched} from '../../support/processes.js';
import {TEST_KEY} from '../../support/services/servers.js';

const OTHER_KEY = TEST_KEY.replace('abcdef', 'second');

/** Starts a login with this key on stdin, and returns the running process. */
function loggingIn({directory}: Person, key: string, words: readonly string[] = []): Watched {
  const watched = watch(directory, ['login', '--with-token', '--insecure-storage', '-p', 'shop', ...words]);
  watched.child.stdin!.end(key);
  onTestFinished(() => void watched.child.kill('SIGKILL'));
  return watched;
}

/** Command lines and environments of all processes. */
const seen = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => processShows(Number(pid)))
    .map((shown) => `${shown?.cmdline}\0${shown?.environ}`);

test.skipIf(process.platform !== 'linux')(
  'the key is in no command line and in no environment while it is checked',
  async () => {
    const key = TEST_KEY.replace('Made', 'Seen');
    let looks = 0;
    let found: string[] = [];
    const api = await serve((request) => {
      for (; looks < 20; looks++) found = [...found, ...seen().filter((text) => text.includes('SeenUp'))];
      return answersFor({[key]: SHOP})(request);
    }, onTestFinished);
    const someone = await loggedIn(TEST_KEY, api.url);
    const login = loggingIn(someone, key, ['--verbose']);
    expect((await login.ended).status).toBe(0);
    expect([looks, found]).toEqual([20, []]);
    expect(login.stdout() + login.stderr()).not.toContain('SeenUp');
    expect(someone.holding('SeenUp')).toHaveLength(1);
  },
);

/** Locks the configuration until released. */
function lock({configuration}: Person): () => void {
  const database = openDatabase(join(configuration, '..', '.lock'), {durable: false});
  database.exec('BEGIN IMMEDIATE');
  let held = true;
  const release = (): void => {
    if (held) database.close();
    held = false;
  };
  onTestFinished(release);
  return release;
}

/** Resolves when the folder has this number of keys. */
function keysIn({configuration}: Person, count: number): Promise<void> {
  const folder = join(configuration, '..', 'keys');
  return new Promise((resolve) => {
    const look = (): void => {
      if (readdirSync(folder).filter((name) => name.startsWith('key-shop')).length < count) return;
      watcher.close();
      resolve();
    };
    const watcher = watchFolder(folder, look);
    look();
  });
}

test('keeps using the previous key if killed between storing a key and recording it', async () => {
  let release: (() => void) | undefined;
  // The configuration is locked after the probe, while the key is checked.
  const api = await serve((request) => {
    if (request.includes('/billing_statements')) release ??= lock(someone);
    return answersFor({[TEST_KEY]: SHOP, [OTHER_KEY]: SHOP})(request);
  }, onTestFinished);
  const someone = await loggedIn(TEST_KEY, api.url);
  const before = someone.configured();
  const login = loggingIn(someone, OTHER_KEY);
  await keysIn(someone, 2);
  login.child.kill('SIGKILL');
  expect((await login.ended).signal).toBe('SIGKILL');
  release!();
  expect(someone.configured()).toEqual(before);
  expect((await someone.run(['customers', 'list'])).status).toBe(0);

  // The same login again cleans up: one key remains.
  expect((await loggingIn(someone, OTHER_KEY).ended).status).toBe(0);
  expect([someone.holding(TEST_KEY), someone.holding(OTHER_KEY)]).toEqual([[], [expect.stringMatching(/^key-shop/)]]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('stores nothing after %s while the key is checked', async (signal) => {
  const api = await serve(() => undefined, onTestFinished);
  const someone = await loggedIn(TEST_KEY, api.url);
  const before = someone.configured();
  const login = loggingIn(someone, OTHER_KEY);
  await api.received(1);
  login.child.kill(signal);
  expect((await login.ended).status).toBe(signal === 'SIGINT' ? 130 : 143);
  expect(login.stderr()).toContain('Nothing was changed.');
  expect([someone.configured(), someone.holding(OTHER_KEY)]).toEqual([before, []]);
});
