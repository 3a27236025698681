// The keychain, against a real gnome-keyring: keys are read back unchanged, under names that other programs can read.

import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {KeyStore} from '../../../src/config/keys/key-store.js';
import {load} from '../../support/load.js';
import {hostOf} from '../../support/processes.js';
import {FAR} from '../../support/far-limits.js';
import {
  keychainMissing,
  keychainSession,
  UNLESS_DAEMON_DIED,
  type KeychainSession,
} from '../../support/config/keychain-session.js';
import {runs} from '../../support/test-size.js';

const {createKeychain} = await load<typeof import('../../../src/config/keys/keychain.js')>('config/keys/keychain.js');

const missing = keychainMissing();
const USER = fileURLToPath(new URL('../../support/config/keychain-user.mjs', import.meta.url));

let count = 0;
const token = (): string => `t${count++}`;

const open = (session: KeychainSession, timeout = FAR): KeyStore =>
  createKeychain({host: hostOf(session.environment), node: process.execPath, token, timeout});

describe.skipIf(missing)(`an unlocked keychain${missing ? ` (${missing})` : ''}`, UNLESS_DAEMON_DIED, () => {
  let session: KeychainSession;
  let keychain: KeyStore;
  beforeAll(async () => {
    session = await keychainSession('unlocked', (clean) => cleanUps.unshift(clean));
    keychain = open(session);
  });
  beforeEach(() => session.revive());
  const cleanUps: (() => Promise<void> | void)[] = [];
  afterAll(async () => {
    for (const clean of cleanUps) await clean();
  });

  const lookup = (name: string): Promise<string> =>
    session.run('secret-tool', ['lookup', 'service', 'centavo', 'username', name]);

  /** All entries of centavo, as secret-tool lists them. */
  const entries = (): Promise<string> =>
    session.run('sh', ['-c', 'secret-tool search --all service centavo 2>&1 || true']);

  test('stores, overwrites and removes; a missing key reads as undefined and is removed without an error', async () => {
    expect(await keychain.read('shop/test_secret')).toBeUndefined();
    await keychain.remove('shop/test_secret');
    await keychain.write('shop/test_secret', 'first');
    expect(await keychain.read('shop/test_secret')).toBe('first');
    await keychain.write('shop/test_secret', 'second');
    expect(await keychain.read('shop/test_secret')).toBe('second');
    await keychain.remove('shop/test_secret');
    expect(await keychain.read('shop/test_secret')).toBeUndefined();
  });

  test.each([
    ['letters beyond ASCII', 'üñ ₱ 日本 😀'],
    ['what JSON, shells and lines would trip over', ` "\\'$(x)\`\u0001\r\n\t{} `],
    ['2,000 bytes', 'x'.repeat(2000)],
    ['2,048 bytes, the most there may be', 'ü'.repeat(1024)],
  ])('gives back exactly what was kept: %s', async (_, secret) => {
    await keychain.write('exact/slot', secret);
    expect(await keychain.read('exact/slot')).toBe(secret);
    expect(await lookup('exact/slot')).toBe(secret);
  });

  test('refuses a secret too long for some keychains, and keeps the old one', async () => {
    await keychain.write('long/slot', 'old');
    await expect(keychain.write('long/slot', `${'ü'.repeat(1024)}x`)).rejects.toMatchObject({
      kind: 'keychain',
      code: 'secret_too_long',
      message: 'this secret has 2049 bytes; a keychain holds at most 2048.',
      details: {applied: 'no'},
    });
    expect(await keychain.read('long/slot')).toBe('old');
  });

  test('reads and overwrites entries of another program under the same names', async () => {
    await session.run('secret-tool', ['store', '--label=x', 'service', 'centavo', 'username', 'other/slot'], 'theirs');
    expect(await keychain.read('other/slot')).toBe('theirs');
    await keychain.write('other/slot', 'ours');
    expect(await lookup('other/slot')).toBe('ours');
  });

  test('keeps names apart', async () => {
    const names = ['one/live_secret', 'one/test_secret', 'two/live_secret', 'one_/live_secret'];
    await Promise.all(names.map((name) => keychain.write(name, `of ${name}`)));
    await keychain.remove('two/live_secret');
    expect(await Promise.all(names.map((name) => keychain.read(name)))).toEqual([
      'of one/live_secret',
      'of one/test_secret',
      undefined,
      'of one_/live_secret',
    ]);
  });

  test('is probed without leaving an entry', async () => {
    const stored = async (): Promise<string[]> =>
      (await session.run('secret-tool', ['search', '--all', 'service', 'centavo'])).match(/^label = .*/gm)!.sort();
    const before = await stored();
    await keychain.probe();
    expect(before).not.toEqual([]);
    expect(await stored()).toEqual(before);
  });

  test('is probed under one name, so that the next probe removes the entry of a killed one', async () => {
    await session.run('secret-tool', ['store', '--label=x', 'service', 'centavo', 'username', 'probe/trial'], 'left');
    expect(await entries()).toContain('probe/trial');
    await keychain.probe();
    expect(await entries()).not.toContain('probe/');
  });

  const AT_ONCE = runs(8);

  test(`is probed by ${AT_ONCE} at once: each succeeds, and no entry remains`, async () => {
    await Promise.all(Array.from({length: AT_ONCE}, () => keychain.probe()));
    expect(await entries()).not.toContain('probe/');
  });

  test(`returns the right values to ${AT_ONCE} processes at once`, async () => {
    const work = (number: number): string[][] => [
      ...['a', 'b'].map((slot) => ['write', `process${number}/${slot}`, `${number}${slot}`]),
      ...['a', 'b'].map((slot) => ['read', `process${number}/${slot}`]),
      ['remove', `process${number}/a`],
      ['read', `process${number}/a`],
    ];
    const run = (number: number): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [USER], {env: session.environment});
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        child.once('error', reject).once('close', () => resolve(JSON.parse(output)));
        child.stdin.end(JSON.stringify(work(number)));
      });
    const numbers = Array.from({length: AT_ONCE}, (_, index) => index + 1);
    expect(await Promise.all(numbers.map(run))).toEqual(
      numbers.map((number) => [null, null, `${number}a`, `${number}b`, null, null]),
    );
  });

  test('holds one complete value when several are written under one name at once, and reports it to the others', async () => {
    const values = [1, 2, 3, 4].map((number) => String(number).repeat(1000));
    const ends = await Promise.allSettled(values.map((value) => keychain.write('shared/slot', value)));
    for (const end of ends)
      if (end.status === 'rejected')
        expect(end.reason).toMatchObject({code: 'keychain_failed', details: {applied: 'unknown'}});
    expect(values).toContain(await keychain.read('shared/slot'));
  });

  test('that is slow is waited for, up to the limit', async () => {
    await keychain.write('slow/slot', 'there');
    expect(session.signalDaemon('SIGSTOP')).toBe(1);
    const patient = keychain.read('slow/slot');
    try {
      await expect(open(session, 400).read('slow/slot')).rejects.toMatchObject({
        code: 'keychain_silent',
        message: 'the keychain did not answer within 0.4 s.',
      });
    } finally {
      session.signalDaemon('SIGCONT');
    }
    expect(await patient).toBe('there');
  });

  let attempts = 0;

  test('is tested again if it died by itself, and has kept its keys', async () => {
    attempts += 1;
    if (attempts === 1) {
      await keychain.write('kept/slot', 'there');
      session.signalDaemon('SIGTRAP');
    }
    await expect.poll(() => session.signalDaemon(0)).toBe(attempts === 1 ? 0 : 1);
    expect(attempts).toBe(2);
    expect(await keychain.read('kept/slot')).toBe('there');
  });

  test.each(['', 'noslash', 'a/b/c', '../x', 'a/..', 'a b/c', 'a/b\n'])('refuses a name like %j', async (name) => {
    await expect(keychain.read(name)).rejects.toThrow(TypeError);
  });
});

describe.skipIf(missing)('a keychain that cannot store a value', UNLESS_DAEMON_DIED, () => {
  test('fails, and keeps the old value', async () => {
    const session = await keychainSession('full');
    const keychain = open(session);
    await keychain.write('shop/live_secret', 'old');
    for (const write of [
      () => keychain.write('shop/live_secret', 'x'.repeat(2000)),
      () => keychain.write('shop/new', 'x'.repeat(2000)),
    ])
      await expect(write()).rejects.toMatchObject({
        kind: 'keychain',
        code: 'keychain_failed',
        details: {applied: 'no', why: expect.stringContaining('Its disk may be full or read-only.')},
      });
    expect(await keychain.read('shop/live_secret')).toBe('old');
    expect(await keychain.read('shop/new')).toBeUndefined();
  });
});
