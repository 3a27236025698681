// Reading a key: the stored one, of the expected kind, from real files and programs, or an error that does not show it.

import {chmodSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../../src/common/errors.js';
import {home, keyOf, type Home} from '../../support/config/key-homes.js';

const [TEST, LIVE] = [keyOf('sk_test_'), keyOf('sk_live_')];

/** The error of a use of the key, checked to contain no part of a key. */
async function failure(using: Promise<unknown>): Promise<CentavoError> {
  const error: unknown = await using.then(
    (key) => new Error(`It gave ${String(key)}.`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CentavoError)) throw error as Error;
  expect(errorLines(error).length).toBeLessThanOrEqual(3);
  expect(`${errorLines(error).join('\n')}${JSON.stringify(error.details)}`).not.toMatch(/MadeUp/);
  return error;
}

describe('a key in a file', () => {
  const kept = async (): Promise<Home & {file: string}> => {
    const here = home();
    await here.keep(TEST);
    return {...here, file: join(here.keys, readdirSync(here.keys)[0]!)};
  };

  test('is read unchanged', async () => {
    expect(await (await kept()).use()).toBe(TEST);
  });

  test('that was removed is exit 14, with the command to store it again', async () => {
    const {use, file} = await kept();
    rmSync(file);
    expect(await failure(use())).toMatchObject({
      exitCode: 14,
      code: 'key_gone',
      message: 'the file no longer has the test secret key of shop.',
      details: {hint: 'Store it again: centavo login --profile shop', override: '--insecure-storage'},
    });
  });

  test.for([
    ['another test key', keyOf('sk_test_', 'two')],
    ['a live key', LIVE],
    ['a public key', keyOf('pk_test_')],
    ['a line feed more', `${TEST}\n`],
    ['half of it', TEST.slice(0, 20)],
    ['nothing', ''],
    ['another file', 'root:x:0:0'],
  ] as const)('that was changed outside is not used: %s', async ([, text]) => {
    const {use, file} = await kept();
    writeFileSync(file, text);
    expect(await failure(use())).toMatchObject({exitCode: 14, code: 'key_changed'});
  });

  test.for(['644', '640', '604', '660', '620'])('that others can use (mode %s) is not read', async (mode) => {
    const {use, file} = await kept();
    chmodSync(file, Number.parseInt(mode, 8));
    expect(await failure(use())).toMatchObject({exitCode: 14, code: 'unsafe_file'});
  });

  test('in a folder that others can list is not read', async () => {
    const {use, keys} = await kept();
    chmodSync(keys, 0o755);
    expect(await failure(use())).toMatchObject({exitCode: 14, code: 'unsafe_file'});
  });

  test('that is a link to the key is not read', async () => {
    const {use, file, directory} = await kept();
    renameSync(file, join(directory, 'moved'));
    symlinkSync(join(directory, 'moved'), file);
    expect(await failure(use())).toMatchObject({exitCode: 14, code: 'unsafe_file'});
  });
});

describe('a program', () => {
  const printing = async (script: string, key = TEST, words: readonly string[] = []): Promise<Home> => {
    const here = home({CENTAVO_SECRET_KEY_OF_OLD: 'x', SHOP: 'shop-1'});
    const program = here.program('prints', script);
    await here.keep(key, {store: {command: [program, ...words]}});
    return here;
  };

  test.for([
    ['a line feed', `echo ${TEST}`],
    ['a carriage return too', `printf '${TEST}\\r\\n'`],
    ['blank lines and blanks around', `printf '\\n \\t${TEST} \\n\\n'`],
    ['no line feed', `printf %s ${TEST}`],
  ] as const)('may print the key with %s', async ([, script]) => {
    expect(await (await printing(script)).use()).toBe(TEST);
  });

  test('can print another key of the same kind later', async () => {
    const other = keyOf('sk_test_', 'tomorrow');
    expect(await (await printing(`echo ${other}`)).use()).toBe(other);
  });

  test.for([
    ['a live key where a test key is meant', TEST, {}, LIVE, 'the test secret key of shop is a live secret key.'],
    [
      'a test key where a live key is meant',
      LIVE,
      {live: true},
      TEST,
      'the live secret key of shop is a test secret key.',
    ],
    ['a public key', TEST, {}, keyOf('pk_test_'), 'the test secret key of shop is a test public key.'],
  ] as const)('that prints %s is refused', async ([, stored, flags, printed, message]) => {
    const {use} = await printing(`echo ${printed}`, stored);
    expect(await failure(use(flags))).toMatchObject({exitCode: 12, code: 'mode_mismatch', message});
  });

  test.for([
    ['nothing', ':', 13, 'credential_command_empty'],
    ['two lines', `echo ${TEST}; echo ${TEST}`, 13, 'credential_command_failed'],
    ['the key, and fails', `echo ${TEST}; exit 3`, 13, 'credential_command_failed'],
    ['the key, and is killed', `echo ${TEST}; kill -9 $$`, 13, 'credential_command_failed'],
    ['the key in quotes', `echo '"${TEST}"'`, 4, 'invalid_key'],
    ['a complaint', 'echo "Error: sk_test_MadeUpForTests is not in the store"', 4, 'invalid_key'],
    ['too much', 'head -c 100000 /dev/zero', 13, 'credential_command_failed'],
  ] as const)('that prints %s gives no key', async ([, script, exitCode, code]) => {
    expect(await failure((await printing(script)).use())).toMatchObject({exitCode, code});
  });

  test('that was removed is named in the error', async () => {
    const here = await printing(`echo ${TEST}`);
    rmSync(join(here.directory, 'prints'));
    const error = await failure(here.use());
    expect(error).toMatchObject({exitCode: 13, code: 'credential_command_missing'});
    expect(error.message).toContain(join(here.directory, 'prints'));
  });

  test('is run without a shell: shell syntax is an ordinary argument', async () => {
    const words = [
      ';',
      'touch owned',
      '$(touch owned)',
      '`touch owned`',
      '*',
      '$SHOP',
      '|',
      '&&',
      '~',
      '> owned',
      "it's",
      '',
      'a\nb',
    ];
    const here = await printing(`printf '%s\\0' "$@" > "$(dirname "$0")/words"; echo ${TEST}`, TEST, words);
    expect(await here.use()).toBe(TEST);
    expect(readFileSync(join(here.directory, 'words'), 'utf8').split('\0').slice(0, -1)).toEqual(words);
    expect(readdirSync(here.directory).sort()).toEqual(['config', 'prints', 'words']);
  });

  test('is not run before a key is needed, and does not get the key in the environment', async () => {
    const here = home({CENTAVO_SECRET_KEY: LIVE});
    const program = here.program('prints', `env > "$(dirname "$0")/environment"; echo ${TEST}`);
    await here.keep(TEST, {store: {command: [program]}});
    expect(await here.use()).toBe(LIVE);
    expect(readdirSync(here.directory).sort()).toEqual(['config', 'prints']);
    expect(await here.profileKeys.run([program])).toBe(TEST);
    expect(readFileSync(join(here.directory, 'environment'), 'utf8')).not.toContain('MadeUp');
  });
});
