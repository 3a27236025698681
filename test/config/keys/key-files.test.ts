// Keys in files: stored exactly, for their owner only, and not read if another user could have changed them.

import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {KeyStore} from '../../../src/config/keys/key-store.js';
import {createKeyFiles} from '../../../src/config/keys/key-files.js';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import {temporaryDirectory} from '../../support/cli.js';

const WRITER = fileURLToPath(new URL('../../support/config/key-file-writer.mjs', import.meta.url));
const user = process.getuid?.();
const NAME = 'shop/live_secret';

interface Kept {
  readonly store: KeyStore;
  readonly directory: string;
  readonly file: string;
}

/** A store with one key, in a folder with a space in its name. */
async function kept(): Promise<Kept> {
  const directory = join(temporaryDirectory(), 'Application Support', 'keys');
  const store = open(directory);
  await store.write(NAME, 'the key');
  return {store, directory, file: join(directory, readdirSync(directory)[0]!)};
}

let count = 0;
const open = (directory: string, as = user): KeyStore =>
  createKeyFiles({directory, user: as, token: () => `token${count++}`});

const mode = (path: string): number => statSync(path).mode & 0o7777;

describe('keys in files', () => {
  test('are stored, overwritten and removed; a missing key reads as undefined and is removed without an error', async () => {
    const store = open(join(temporaryDirectory(), 'keys'));
    expect(await store.read(NAME)).toBeUndefined();
    await store.remove(NAME);
    await store.write(NAME, 'first');
    await store.write('shop/test_secret', 'other');
    expect(await store.read(NAME)).toBe('first');
    await store.write(NAME, 'second');
    expect(await store.read(NAME)).toBe('second');
    await store.remove(NAME);
    await store.remove(NAME);
    expect(await store.read(NAME)).toBeUndefined();
    expect(await store.read('shop/test_secret')).toBe('other');
  });

  test.each(['üñ ₱ 😀', ' white \r\n space ', '', 'x'.repeat(100_000)])('are read back exactly: %#', async (secret) => {
    const {store} = await kept();
    await store.write(NAME, secret);
    expect(await store.read(NAME)).toBe(secret);
  });

  test('are for their owner only, whatever the umask, and leave no other file', async () => {
    const before = process.umask(0);
    try {
      const {directory, file, store} = await kept();
      await store.write(NAME, 'again');
      expect(readdirSync(directory)).toHaveLength(1);
      expect([mode(file), mode(directory), mode(join(directory, '..'))]).toEqual([0o600, 0o700, 0o700]);
    } finally {
      process.umask(before);
    }
  });

  test('can be probed without leaving a file', async () => {
    const directory = join(temporaryDirectory(), 'keys');
    await open(directory).probe();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('half-written by a crash are removed with the key', async () => {
    const {store, directory, file} = await kept();
    writeFileSync(join(directory, `.${file.split('/').at(-1)}.token`), 'a key');
    await store.remove(NAME);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('are always complete while two processes write them, and after both are killed', async () => {
    const {store, directory} = await kept();
    const writers = ['a', 'b'].map((letter) => {
      const child = spawn(process.execPath, [WRITER, directory, NAME, letter], {stdio: ['ignore', 'pipe', 'inherit']});
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    });
    await Promise.all(writers.map(({stdout}) => once(stdout, 'data')));
    const whole = /^(a{100000}|b{100000})$/;
    for (let round = 0; round < 200; round++) {
      expect(whole.test((await store.read(NAME))!)).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const writer of writers) {
      writer.kill('SIGKILL');
      await once(writer, 'close');
    }
    expect(whole.test((await store.read(NAME))!)).toBe(true);
    await store.remove(NAME);
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each(['', 'x', 'a/b/c', '../x', '/etc/passwd', 'a/..', 'a\0/b'])('have no name like %j', async (name) => {
    const {store} = await kept();
    await expect(store.read(name)).rejects.toThrow(TypeError);
    await expect(store.write(name, 'x')).rejects.toThrow(TypeError);
    await expect(store.remove(name)).rejects.toThrow(TypeError);
  });
});

describe('a file that is not safe', () => {
  const refusal = async (store: KeyStore): Promise<{lines: string[]; error: any}> => {
    const error: any = await store.read(NAME).catch((thrown) => thrown);
    expect(error).toMatchObject({kind: 'config', exitCode: 14, code: 'unsafe_file', details: {applied: 'no'}});
    const lines = errorLines(error);
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toContain('the key');
    return {lines, error};
  };

  /** Modes of a file, and true if only its owner can use it. */
  const MODES = [0o600, 0o400, 0o700, 0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o666, 0o777] as const;

  test.each(MODES)('because of its mode %o, or not', async (wanted) => {
    const {store, file} = await kept();
    chmodSync(file, wanted);
    if ((wanted & 0o077) === 0) return expect(await store.read(NAME)).toBe('the key');
    const {lines} = await refusal(store);
    expect(lines[1]).toContain(`its mode is ${wanted.toString(8)}.`);
    // The hint is a command that fixes it, spaces included.
    execFileSync('/bin/sh', ['-c', lines[2]!.slice(lines[2]!.indexOf('chmod'))]);
    expect(await store.read(NAME)).toBe('the key');
  });

  test.each([0o750, 0o720, 0o710, 0o705, 0o755, 0o777])('because of the mode %o of its folder', async (wanted) => {
    const {store, directory} = await kept();
    chmodSync(directory, wanted);
    const {lines} = await refusal(store);
    await expect(store.write(NAME, 'new')).rejects.toMatchObject({kind: 'config', code: 'unsafe_file'});
    await expect(store.probe()).rejects.toMatchObject({kind: 'config', code: 'unsafe_file'});
    expect(readdirSync(directory)).toHaveLength(1);
    execFileSync('/bin/sh', ['-c', lines[2]!.slice(lines[2]!.indexOf('chmod'))]);
    expect(await store.read(NAME)).toBe('the key');
  });

  test('when it is a link, even to an own file; writing a key replaces the link, not its target', async () => {
    const {store, file, directory} = await kept();
    const elsewhere = join(directory, '..', 'elsewhere');
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    expect((await refusal(store)).lines[1]).toContain('It is a symbolic link.');
    await store.write(NAME, 'new');
    expect(await store.read(NAME)).toBe('new');
    expect(readFileSync(elsewhere, 'utf8')).toBe('the key');
  });

  test('when it is a link, which is removed without its target', async () => {
    const {store, file, directory} = await kept();
    const elsewhere = join(directory, '..', 'elsewhere');
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    await store.remove(NAME);
    expect([existsSync(file), existsSync(elsewhere)]).toEqual([false, true]);
  });

  test('when its folder is a link', async () => {
    const {store, directory} = await kept();
    renameSync(directory, `${directory}-elsewhere`);
    symlinkSync(`${directory}-elsewhere`, directory);
    expect((await refusal(store)).lines[1]).toContain('It is a symbolic link.');
    await expect(store.write(NAME, 'new')).rejects.toMatchObject({kind: 'config', code: 'unsafe_file'});
  });

  test('when it is a pipe, without waiting for it', async () => {
    const {store, file} = await kept();
    await store.remove(NAME);
    execFileSync('mkfifo', ['-m', '600', file]);
    expect((await refusal(store)).lines[1]).toContain('It is not a file.');
  });

  test('when it is a folder', async () => {
    const {store, file} = await kept();
    await store.remove(NAME);
    mkdirSync(file, {mode: 0o700});
    expect((await refusal(store)).lines[1]).toContain('It is not a file.');
    await expect(store.write(NAME, 'new')).rejects.toMatchObject({kind: 'local_io', details: {applied: 'no'}});
    expect(readdirSync(join(file, '..'))).toHaveLength(1);
  });

  test('when it, or its folder, belongs to another user', async () => {
    const {directory} = await kept();
    // Only root can give files away; run as another user, they also belong to someone else.
    const {lines} = await refusal(open(directory, 4321));
    expect(lines[1]).toContain(`It belongs to ${userInfo().username}, and this is user 4321.`);
  });

  test.skipIf(user !== 0)('when only the file, its folder, or a link was created by another user', async () => {
    const one = await kept();
    chownSync(one.file, 65_534, 65_534);
    expect((await refusal(one.store)).error.message).toContain(one.file);
    const two = await kept();
    chownSync(two.directory, 65_534, 65_534);
    expect((await refusal(two.store)).error.message).not.toContain(two.file);
    const three = await kept();
    renameSync(three.file, `${three.directory}-elsewhere`);
    symlinkSync(`${three.directory}-elsewhere`, three.file);
    lchownSync(three.file, 65_534, 65_534);
    await refusal(three.store);
  });

  test('is read where files have no modes and no owners', async () => {
    const {directory, file} = await kept();
    chmodSync(file, 0o666);
    chmodSync(directory, 0o777);
    expect(await createKeyFiles({directory, user: undefined, token: () => 'x'}).read(NAME)).toBe('the key');
  });
});

test('reports a folder that cannot be created or read, with the system’s reason', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  const store = open(join(directory, 'file', 'keys'));
  await expect(store.read(NAME)).rejects.toMatchObject({
    kind: 'config',
    code: 'unreadable_file',
    details: {why: 'Part of the path is a file instead of a folder.'},
  });
  for (const attempt of [store.write(NAME, 'x'), store.probe(), store.remove(NAME)])
    await expect(attempt).rejects.toMatchObject({kind: 'local_io', details: {applied: 'no'}});
});
