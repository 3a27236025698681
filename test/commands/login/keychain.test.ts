// Login with a real keychain: stores the key only there, moves it without loss, and suggests alternatives without a keychain.

import {chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import {fingerprint} from '../../../src/config/keys/keys.js';
import {
  askingProcesses,
  keychainMissing,
  keychainSession,
  privateEnvironment,
  processShows,
  silentBus,
  type KeychainSession,
  UNLESS_DAEMON_DIED,
} from '../../support/config/keychain-session.js';
import {cli, NO_LIMITS} from '../../support/cli.js';
import {answersFor, keyIn, person, serve, SHOP, type Person} from '../../support/scenarios/accounts.js';
import {watch, type Watched} from '../../support/processes.js';
import {LIVE_KEY, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const missing = keychainMissing();
const OTHER_KEY = TEST_KEY.replace('abcdef', 'second');

test('has a keychain, or skips the rest and says why; fails in CI', () => {
  if (missing) console.warn(`Skipped, for want of a keychain: ${missing}`);
  if (process.env.CI === 'true') expect(missing).toBeUndefined();
});

let api: RawServer;
/** Operations while a key is checked. */
let meanwhile: (() => void) | undefined;
beforeAll(async () => {
  const answer = answersFor({[TEST_KEY]: SHOP, [OTHER_KEY]: SHOP, [LIVE_KEY]: SHOP});
  api = await serve((request) => {
    if (request.includes('/billing_statements')) meanwhile?.();
    return answer(request);
  }, afterAll);
});

type Environment = Readonly<Record<string, string>>;

/** A person in this session. */
const at = (environment: Environment): Person => person(environment, environment.HOME);
const login = (...words: string[]): string[] => [
  'login',
  '--with-token',
  '-p',
  'shop',
  '--base-url',
  api.url,
  ...words,
];
const used = (key: string): number =>
  api.requests.filter((request) => request.startsWith('GET /customers') && keyIn(request) === key).length;

/** A `pass` program with this key, first on the path. */
function pass({directory}: Person, key: string): Environment {
  const bin = join(directory, 'bin');
  mkdirSync(bin, {recursive: true});
  writeFileSync(join(bin, 'pass'), `#!/bin/sh\n[ "$*" = 'show centavo' ] && printf '%s%s\\n' sk_ ${key.slice(3)}\n`);
  chmodSync(join(bin, 'pass'), 0o700);
  return {PATH: `${bin}:${process.env.PATH}`};
}

describe.skipIf(missing)('a working keychain', UNLESS_DAEMON_DIED, () => {
  let session: KeychainSession;
  let someone: Person;
  beforeAll(async () => {
    session = await keychainSession('unlocked', afterAll);
    someone = at(session.environment);
  });
  beforeEach(() => session.revive());

  /** Names of all entries of centavo in the keychain. */
  const entries = async (): Promise<string[]> => {
    const found = await session.run('sh', ['-c', 'secret-tool search --all service centavo 2>&1 || true']);
    return [...found.matchAll(/^attribute\.username = (.*)$/gm)].map(([, name]) => name!).sort();
  };
  const lookup = (name: string) => session.run('secret-tool', ['lookup', 'service', 'centavo', 'username', name]);
  const shop = () => someone.configured().profiles.shop;
  const nameOf = (key: string): string => `${shop().id}/test_secret-${fingerprint(key)}`;

  test('holds the key after a login, no file does, and commands use it', async () => {
    const done = await someone.runProcess(login(), {input: TEST_KEY});
    expect(done).toMatchObject({status: 0, stderr: expect.stringContaining('storage  the keychain')});
    expect(await entries()).toEqual([nameOf(TEST_KEY)]);
    expect(await lookup(nameOf(TEST_KEY))).toBe(TEST_KEY);
    expect(someone.holding('MadeUp')).toEqual([]);
    expect((await someone.runProcess(['customers', 'list'])).status).toBe(0);
    expect(used(TEST_KEY)).toBe(1);
  });

  test('is not touched by a list of profiles or a key in the environment', async () => {
    const before = await entries();
    session.signalDaemon('SIGSTOP');
    try {
      expect(
        (await someone.run(['customers', 'list'], {env: {CENTAVO_SECRET_KEY: OTHER_KEY, CENTAVO_PROFILE: 'shop'}}))
          .status,
      ).toBe(0);
      expect((await someone.run(['profiles', 'list'])).status).toBe(0);
    } finally {
      session.signalDaemon('SIGCONT');
    }
    expect(await entries()).toEqual(before);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
    expect(used(TEST_KEY)).toBe(2);
  });

  test('holds the new key and not the old one after another login', async () => {
    expect((await someone.runProcess(login(), {input: OTHER_KEY})).status).toBe(0);
    expect(await entries()).toEqual([nameOf(OTHER_KEY)]);
  });

  test('does not use a key that was changed there', async () => {
    const store = ['store', '--label=x', 'service', 'centavo', 'username', nameOf(OTHER_KEY)];
    const before = api.requests.length;
    await session.run('secret-tool', store, LIVE_KEY);
    expect((await someone.run(['customers', 'list', '--json'])).error()).toMatchObject({
      exit_code: 13,
      code: 'key_changed',
    });
    await session.run('secret-tool', store, OTHER_KEY);
    expect([api.requests.length, (await someone.run(['customers', 'list'])).status]).toEqual([before, 0]);
  });

  test('moves a key to a file, to a program and back, and holds it only in between', async () => {
    expect((await someone.run(login('--insecure-storage'), {input: TEST_KEY})).status).toBe(0);
    expect([await entries(), someone.holding(TEST_KEY).length]).toEqual([[], 1]);
    expect((await someone.run(login(), {input: TEST_KEY})).status).toBe(0);
    expect([await entries(), someone.holding(TEST_KEY).length]).toEqual([[nameOf(TEST_KEY)], 0]);
    const words = login('--credential-command', 'pass show centavo').filter((word) => word !== '--with-token');
    expect((await someone.run(words, {env: pass(someone, TEST_KEY)})).status).toBe(0);
    expect([await entries(), someone.holding(TEST_KEY).length]).toEqual([[], 0]);
    expect((await someone.run(login(), {input: TEST_KEY})).status).toBe(0);
    expect(await entries()).toEqual([nameOf(TEST_KEY)]);
  });

  test.for([
    ['the same', TEST_KEY],
    ['another', OTHER_KEY],
  ] as const)('holds the working key, and no other, if a login with %s key cannot be recorded', async ([, key]) => {
    expect((await someone.run(login(), {input: TEST_KEY})).status).toBe(0);
    const lock = join(someone.configuration, '..', '.lock');
    // The configuration can be read, but not locked.
    meanwhile = () => {
      rmSync(lock);
      mkdirSync(lock);
    };
    const {status} = await someone.run(login(), {input: key});
    meanwhile = undefined;
    rmSync(lock, {recursive: true});
    expect([status, await entries()]).toEqual([15, [nameOf(TEST_KEY)]]);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
  });

  /** A login whose keychain hangs after the key is checked. */
  async function stuck(
    words: readonly string[],
    key: string,
  ): Promise<{watched: Watched; asking: () => Promise<number>}> {
    meanwhile = () => void session.signalDaemon('SIGSTOP');
    onTestFinished(() => {
      meanwhile = undefined;
      session.signalDaemon('SIGCONT');
    });
    const checks = api.requests.length;
    const watched = watch(someone.directory, words, {env: session.environment});
    onTestFinished(() => void watched.child.kill('SIGKILL'));
    watched.child.stdin!.end(key);
    await api.received(checks + 1);
    const asking = async (): Promise<number> => {
      for (;;) {
        const [pid] = askingProcesses(session.environment);
        if (pid !== undefined) return pid;
        if (watched.child.exitCode !== null) throw new Error(`It ended: ${watched.stderr()}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return {watched, asking};
  }

  test('hangs while a key moves to it: killed there, centavo keeps using the file, and nothing else saw the new key', async () => {
    expect((await someone.run(login('--insecure-storage'), {input: TEST_KEY})).status).toBe(0);
    const {watched, asking} = await stuck(login(), OTHER_KEY);
    const shown = [await asking(), watched.child.pid!].map((pid) => processShows(pid));
    expect(JSON.stringify(shown)).not.toContain('MadeUp');
    watched.child.kill('SIGKILL');
    expect((await watched.ended).signal).toBe('SIGKILL');
    expect(shop().keys.test_secret.store).toBe('file');
    const before = used(TEST_KEY);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
    expect(used(TEST_KEY)).toBe(before + 1);
  });

  test('hangs while removing a key: killed there, centavo uses the new one', async () => {
    meanwhile = undefined;
    session.signalDaemon('SIGCONT');
    expect((await someone.run(login(), {input: TEST_KEY})).status).toBe(0);
    const {watched, asking} = await stuck(login('--insecure-storage'), OTHER_KEY);
    await asking();
    expect(shop().keys.test_secret.store).toBe('file');
    watched.child.kill('SIGKILL');
    await watched.ended;
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
    expect(used(OTHER_KEY)).toBeGreaterThan(0);
  });

  test('holds nothing after logout, including leftovers', async () => {
    expect((await someone.run(login(), {input: OTHER_KEY})).status).toBe(0);
    expect(await entries()).toContain(nameOf(OTHER_KEY));
    const name = nameOf(OTHER_KEY);
    expect((await someone.runProcess(['logout'])).status).toBe(0);
    expect(await entries()).not.toContain(name);
    expect((await someone.run(['customers', 'list'])).status).toBe(4);
  });
});

/** A profile whose key is recorded as in the keychain. */
function keptInKeychain(someone: Person, url: string): void {
  mkdirSync(join(someone.configuration, '..'), {recursive: true, mode: 0o700});
  const key = {store: 'keychain', fingerprint: fingerprint(TEST_KEY), last4: 'cdef', origin: url, checked_at: 1};
  const profile = {id: 'shop-1', keys: {test_secret: key}, base_url: url};
  writeFileSync(someone.configuration, JSON.stringify({version: 1, profile: 'shop', profiles: {shop: profile}}), {
    mode: 0o600,
  });
}

/** A key in a file is a choice for a person. */
const WAYS = /^(?![^]*--insecure-storage)[^]*CENTAVO_SECRET_KEY[^]*--credential-command "pass show centavo"/;

/** The environment of a session with a keychain in this state. */
async function broken(state: Broken, done: (clean: () => Promise<void> | void) => void): Promise<Environment> {
  if (state === 'without a bus') return privateEnvironment(done);
  if (state !== 'locked') return (await keychainSession(state, done)).environment;
  const session = await keychainSession('unlocked', done);
  const name = `shop-1/test_secret-${fingerprint(TEST_KEY)}`;
  await session.run('secret-tool', ['store', '--label=x', 'service', 'centavo', 'username', name], TEST_KEY);
  await session.lock();
  return session.environment;
}

type Broken = 'black hole' | 'locked' | 'without a bus';

describe.skipIf(missing).concurrent('a broken keychain', () => {
  test.for([
    ['locked', 'keychain_locked'],
    ['without a bus', 'no_session_bus'],
    ['black hole', 'keychain_silent'],
  ] as const)(
    '%s: exit 13 before a key is asked for or sent, and the ways out work',
    async ([state, code], {expect, onTestFinished}) => {
      const environment = await broken(state, onTestFinished);
      const own = await serve({[TEST_KEY]: SHOP, [OTHER_KEY]: SHOP}, onTestFinished);
      const someone = at(environment);
      keptInKeychain(someone, own.url);
      const document = readFileSync(someone.configuration, 'utf8');
      const list = ['customers', 'list', '--json'];

      const hint = expect.stringMatching(WAYS);
      const refused = {error: {exit_code: 13, code, applied: 'no', hint}};
      const words = ['login', '--with-token', '--json'];
      const told = await someone.run(words, {input: TEST_KEY});
      expect([told.status, JSON.parse(told.stderr)]).toMatchObject([13, refused]);
      // Stdin stays open and empty. Waits for the keychain however busy the machine is.
      const attempt = watch(someone.directory, words, {env: {...environment, ...NO_LIMITS}});
      onTestFinished(() => void attempt.child.kill('SIGKILL'));
      expect((await attempt.ended).status).toBe(13);
      expect(JSON.parse(attempt.stderr())).toMatchObject(refused);
      expect(readFileSync(someone.configuration, 'utf8')).toBe(document);

      expect((await someone.run(list)).error()).toMatchObject({exit_code: 13, code, hint});
      expect(own.connections()).toBe(0);

      const given = {CENTAVO_SECRET_KEY: OTHER_KEY, CENTAVO_PROFILE: 'shop'};
      expect((await someone.run(list, {env: given})).status).toBe(0);
      const path = pass(someone, TEST_KEY);
      const byProgram = await someone.run(['login', '--credential-command', 'pass show centavo'], {env: path});
      expect(byProgram.status, byProgram.stderr).toBe(0);
      expect(byProgram.stderr).toContain('could not be removed from the keychain');
      expect((await someone.run(list, {env: path})).status).toBe(0);
      const inFile = await someone.run(['login', '--insecure-storage', '--with-token'], {input: TEST_KEY});
      expect(inFile.status, inFile.stderr).toBe(0);
      expect((await someone.run(list)).status).toBe(0);
      expect(own.requests.map(keyIn).filter((key) => key === TEST_KEY)).toHaveLength(4);
    },
  );

  test('that is silent is given up, at login and at use', async ({expect, onTestFinished}) => {
    const {environment, arrival} = await silentBus(onTestFinished);
    const someone = at(environment);
    keptInKeychain(someone, api.url);
    for (const words of [
      ['login', '--with-token'],
      ['customers', 'list'],
    ]) {
      const arrived = arrival();
      const attempt = watch(someone.directory, words, {env: environment});
      onTestFinished(() => void attempt.child.kill('SIGKILL'));
      await arrived;
      expect((await attempt.ended).status).toBe(13);
      expect(attempt.stderr()).toContain('did not answer within 3 s.');
    }
  });
});

test('without a keychain and a terminal, says so before it asks for anything', async () => {
  const {status, stderr} = await cli(privateEnvironment(onTestFinished).HOME!, {
    env: {DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'},
  })(['login']);
  if (process.platform === 'linux')
    expect({status, stderr}).toMatchObject({status: 13, stderr: expect.stringMatching(WAYS)});
});
