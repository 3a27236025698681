// Real keychains that fail: the message, the time it takes, and that no process remains.

import {cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {describe, expect, test} from 'vitest';
import type {KeyStore} from '../../../src/config/keys/key-store.js';
import {keychainError} from '../../../src/config/keys/keychain.js';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import {temporaryDirectory} from '../../support/cli.js';
import {load} from '../../support/load.js';
import {hostOf} from '../../support/processes.js';
import {
  askingProcesses,
  keychainMissing,
  keychainSession,
  privateEnvironment,
  silentBus,
  UNLESS_DAEMON_DIED,
} from '../../support/config/keychain-session.js';
import {FAR, SOON} from '../../support/far-limits.js';

const {createKeychain} = await load<typeof import('../../../src/config/keys/keychain.js')>('config/keys/keychain.js');

const missing = keychainMissing();
type Variables = Readonly<Record<string, string>>;

const open = (environment: Variables, create = createKeychain, timeout: number | undefined = FAR): KeyStore =>
  create({
    host: hostOf(environment),
    node: process.execPath,
    token: () => Math.random().toString(36).slice(2),
    timeout,
  });

const OPERATIONS = ['probe', 'read', 'write', 'remove'] as const;
type Operation = (typeof OPERATIONS)[number];

const call = (keychain: KeyStore, operation: Operation): Promise<unknown> =>
  ({
    probe: () => keychain.probe(),
    read: () => keychain.read('shop/slot'),
    write: () => keychain.write('shop/slot', 'new'),
    remove: () => keychain.remove('shop/slot'),
  })[operation]();

interface Failure {
  readonly code: string;
  readonly applied: string;
  readonly lines: readonly string[];
}

/** The results of all at once, after the checks common to all failures: only silence takes until the limit. */
async function outcomes(
  environment: Variables,
  operations: readonly Operation[] = OPERATIONS,
  create = createKeychain,
  timeout?: number,
): Promise<Record<string, Failure | string | undefined>> {
  const keychain = open(environment, create, timeout);
  const found = operations.map(async (operation) => {
    const from = performance.now();
    const outcome = await call(keychain, operation).catch((error) => {
      expect(error).toMatchObject({kind: 'keychain', exitCode: 13});
      const lines = errorLines(error);
      expect(lines).toHaveLength(3);
      for (const way of ['CENTAVO_SECRET_KEY', 'login --credential-command "pass show'])
        expect(lines[2]).toContain(way);
      expect(lines[2]).not.toContain('--insecure-storage');
      return {code: error.code, applied: error.details.applied, lines};
    });
    expect(performance.now() - from).toBeLessThan(SOON);
    return [operation, outcome] as const;
  });
  const all = Object.fromEntries(await Promise.all(found));
  expect(askingProcesses(environment)).toEqual([]);
  return all as Record<string, Failure | string | undefined>;
}

const failure = (code: string, first: string, applied = 'no'): unknown => ({
  code,
  applied,
  lines: [`Error: ${first}`, expect.any(String), expect.any(String)],
});
const everywhere = (expected: unknown): object => Object.fromEntries(OPERATIONS.map((each) => [each, expected]));

describe.skipIf(missing)(`a keychain that does not work${missing ? ` (${missing})` : ''}`, () => {
  test('no session bus', async () => {
    expect(await outcomes(privateEnvironment())).toEqual(
      everywhere(failure('no_session_bus', 'this session has no keychain.')),
    );
  });

  test('the address of an ended bus', async () => {
    const environment = {...privateEnvironment(), DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus'};
    expect(await outcomes(environment)).toEqual(everywhere(failure('no_session_bus', 'this session has no keychain.')));
  });

  test('an invalid address', async () => {
    const environment = {...privateEnvironment(), DBUS_SESSION_BUS_ADDRESS: 'nonsense'};
    expect(await outcomes(environment)).toEqual(everywhere(failure('no_session_bus', 'this session has no keychain.')));
  });

  test('a bus without a keychain', async () => {
    const {environment} = await keychainSession('without a service');
    expect(await outcomes(environment)).toEqual(
      everywhere(failure('no_keychain_service', 'no keychain runs in this session.')),
    );
  });

  test('a keychain without a keyring: reads no key, and stores none', async () => {
    const {environment} = await keychainSession('without a collection');
    const expected = failure('no_collection', 'the keychain has no keyring to store a key in yet.');
    expect(await outcomes(environment)).toEqual({
      probe: expected,
      read: undefined,
      write: expected,
      remove: undefined,
    });
  });

  test('a locked keychain without a password prompt; it keeps its keys when unlocked', UNLESS_DAEMON_DIED, async () => {
    const session = await keychainSession('unlocked');
    await open(session.environment).write('shop/slot', 'old');
    await session.lock();
    // In turn: gnome-keyring leaves some of several prompts unanswered.
    for (const operation of OPERATIONS)
      expect(await outcomes(session.environment, [operation])).toEqual({
        [operation]: failure('keychain_locked', 'the keychain is locked.'),
      });
    // Without a key of this name, no password is needed.
    expect(await open(session.environment).read('shop/other')).toBeUndefined();
    await session.restart();
    expect(await open(session.environment).read('shop/slot')).toBe('old');
  });

  test('one that never answers on the bus', async () => {
    const {environment} = await keychainSession('black hole');
    expect(await outcomes(environment)).toEqual(everywhere(failure('keychain_silent', 'the keychain did not answer.')));
  });

  test('one that blocks its caller forever', async () => {
    const {environment} = await silentBus();
    const first = 'the keychain did not answer within 1.5 s.';
    expect(await outcomes(environment, OPERATIONS, createKeychain, 1500)).toEqual({
      probe: failure('keychain_silent', first),
      read: failure('keychain_silent', first),
      write: failure('keychain_silent', first, 'unknown'),
      remove: failure('keychain_silent', first, 'unknown'),
    });
  });
});

describe('without the native package', () => {
  const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));
  const require = createRequire(import.meta.url);

  /** A copy of the keychain code, in a folder with these packages. */
  async function installation(
    packages: (folder: string) => void = () => {},
    root = temporaryDirectory(),
  ): Promise<typeof createKeychain> {
    for (const part of ['config', 'processes', 'common'])
      cpSync(join(DIST, part), join(root, 'dist', part), {recursive: true});
    writeFileSync(join(root, 'package.json'), '{"type": "module"}');
    mkdirSync(join(root, 'node_modules', '@napi-rs'), {recursive: true});
    packages(join(root, 'node_modules', '@napi-rs'));
    const built = (await import(pathToFileURL(join(root, 'dist', 'config', 'keys', 'keychain.js')).href)) as {
      createKeychain: typeof createKeychain;
    };
    return built.createKeychain;
  }

  const loader = dirname(require.resolve('@napi-rs/keyring'));
  const binary = readdirSync(join(loader, '..')).find((name) => name.startsWith('keyring-'))!;

  /** The loader, and a native part of these bytes. */
  const withNativePart = (content: Buffer | string) => (folder: string) => {
    cpSync(loader, join(folder, 'keyring'), {recursive: true});
    cpSync(join(loader, '..', binary), join(folder, binary), {recursive: true});
    const native = readdirSync(join(folder, binary)).find((name) => name.endsWith('.node'))!;
    writeFileSync(join(folder, binary, native), content);
  };

  test.each([
    ['it is not installed', undefined, "Cannot find package '@napi-rs/keyring'"],
    [
      'its part for this system is not',
      (folder: string) => cpSync(loader, join(folder, 'keyring'), {recursive: true}),
      'Cannot find module',
    ],
    ['its part for this system is no program', withNativePart('nonsense'), '.node'],
  ])('%s: that is said, and nothing hangs', async (_, packages, why) => {
    const create = await installation(packages);
    const expected = {
      code: 'keychain_missing',
      applied: 'no',
      lines: ['Error: keychain support is not installed.', expect.stringContaining(why), expect.any(String)],
    };
    expect(await outcomes(privateEnvironment(), ['read', 'write'], create)).toEqual({read: expected, write: expected});
  });

  test('a native part that crashes does not end the program', async () => {
    const native = require.resolve(`@napi-rs/${binary}`);
    const half = readFileSync(native).subarray(0, statSync(native).size / 2);
    const create = await installation(withNativePart(half));
    expect(await outcomes(privateEnvironment(), ['read', 'write'], create)).toMatchObject({
      read: {
        code: 'keychain_failed',
        applied: 'no',
        lines: expect.arrayContaining([expect.stringContaining('was ended by SIG')]),
      },
      write: {code: 'keychain_failed', applied: 'unknown'},
    });
  });

  test('reports a broken installation at once', async () => {
    const root = temporaryDirectory();
    const create = await installation(() => {}, root);
    for (const [content, said] of [
      ['', 'ended with status 0.'],
      ['import "./nothing.js";', 'ended with status 1.'],
    ] as const) {
      writeFileSync(join(root, 'dist', 'config', 'keys', 'keychain-child.js'), content);
      expect(await outcomes(privateEnvironment(), ['read', 'write'], create)).toMatchObject({
        read: {code: 'keychain_failed', lines: expect.arrayContaining([expect.stringContaining(said)])},
        write: {code: 'keychain_failed', applied: 'unknown'},
      });
    }
  });

  test('reports a Node that cannot be started', async () => {
    const keychain = createKeychain({host: hostOf({}), node: '/nonexistent/node', token: () => 'x'});
    await expect(keychain.read('shop/slot')).rejects.toMatchObject({
      kind: 'keychain',
      code: 'keychain_failed',
      details: {why: 'The process that reads it could not be started (ENOENT).', applied: 'no'},
    });
  });
});

test.each([
  // macOS and Windows, from their documentation.
  ['Platform failure: User interaction is not allowed.', 'keychain_locked', 'security unlock-keychain'],
  ['The user name or passphrase you entered is not correct.', 'keychain_locked', 'security unlock-keychain'],
  ['A default keychain could not be found.', 'no_collection', 'default keyring'],
  ["Couldn't access platform storage: Windows ERROR_NO_SUCH_LOGON_SESSION", 'no_keychain_service', 'Windows'],
  // Other versions and other keychains of Linux.
  ['Cannot create an item in a locked collection', 'keychain_locked', 'Unlock the keychain'],
  [
    'org.freedesktop.Secret.Error.IsLocked: Cannot get secret of a locked object',
    'keychain_locked',
    'Unlock the keychain',
  ],
  ['Object does not exist at path “/org/freedesktop/secrets/collection/login”', 'no_collection', 'default keyring'],
  ['Cannot autolaunch D-Bus without X11 $DISPLAY', 'no_session_bus', 'D-Bus'],
  // Anything else is quoted safely on one line.
  ['Odd\u001B[2J thing "hunter2hunter2"\n happened.', 'keychain_failed', 'It gave no known reason.'],
  [
    `org.example.Error.Odd: ${'x'.repeat(5000)} -25300`,
    'keychain_failed',
    'It reported org.example.Error.Odd, -25300.',
  ],
])('text %#: what a keychain said is told in words of ours', (message, code, why) => {
  const error = keychainError({outcome: 'failed', stage: 'use', message, intact: true}, {limit: 3000, changes: true});
  expect(error).toMatchObject({kind: 'keychain', code, details: {applied: 'no', why: expect.stringContaining(why)}});
});
