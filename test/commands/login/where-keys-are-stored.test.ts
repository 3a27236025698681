// Where a login stores its key: in a file only on request, or nowhere with a program that prints it.

import {chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {loggedIn, person, serve, SHOP, type Person} from '../../support/scenarios/accounts.js';
import {httpAnswer, LIVE_KEY, PUBLIC_KEY, TEST_KEY, type RawServer} from '../../support/services/servers.js';

let api: RawServer;
beforeAll(async () => {
  api = await serve({[TEST_KEY]: SHOP, [LIVE_KEY]: SHOP, [PUBLIC_KEY]: {}}, afterAll);
});

const at = (): string[] => ['--base-url', api.url];

/** A program of the user. @returns its path */
function program({directory}: Person, script: string): string {
  const path = join(directory, 'prints-it');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
}

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.concurrent('--insecure-storage', () => {
  test('stores a test key in a file of 0600, in folders of 0700', async ({expect}) => {
    const {runProcess, directory, configuration} = person();
    expect((await runProcess(['login', '--insecure-storage', '--with-token', ...at()], {input: TEST_KEY})).status).toBe(
      0,
    );
    const keys = join(directory, '.config', 'centavo', 'keys');
    expect([keys, join(keys, '..'), configuration, join(keys, readdirSync(keys)[0]!)].map(mode)).toEqual([
      '700',
      '700',
      '600',
      '600',
    ]);
  });

  test.for([
    [['--insecure-storage'], 'alone'],
    [['--insecure-storage', '--yes'], 'before another flag'],
    [['--insecure-storage=test', '-y'], 'with =test'],
    [['--insecure-storage', '--live', '--yes'], 'with --live and --yes'],
  ] as const)('stores no live key: %j', async ([words], {expect, onTestFinished}) => {
    const silent = await serve(() => undefined, onTestFinished);
    const {run, configured, holding} = person();
    const login = await run(['login', '--with-token', '--base-url', silent.url, ...words, '--json'], {input: LIVE_KEY});
    expect(login.error()).toMatchObject({
      exit_code: 12,
      applied: 'no',
      needs_person: true,
    });
    expect([silent.connections(), configured(), holding('MadeUp')]).toEqual([0, false, []]);
  });

  test('stores a live key with =live', async ({expect}) => {
    const {run, configured} = person();
    const login = await run(['login', '--with-token', '--insecure-storage=live', ...at()], {input: LIVE_KEY});
    expect(login).toMatchObject({status: 0, stderr: expect.stringMatching(/^mode {5}LIVE$/m)});
    expect(configured().profiles.default.keys.live_secret).toMatchObject({store: 'file', last4: 'cdef'});
    expect((await run(['customers', 'list'])).stderr).toContain('has only a live key');
    expect((await run(['customers', 'list', '--live'])).status).toBe(0);
  });

  test('refuses a file that others can read later: exit 14, nothing is sent', async ({expect, onTestFinished}) => {
    const own = await serve({[TEST_KEY]: SHOP}, onTestFinished);
    const {run, directory} = await loggedIn(TEST_KEY, own.url);
    const keys = join(directory, '.config', 'centavo', 'keys');
    const file = join(keys, readdirSync(keys)[0]!);
    chmodSync(file, 0o644);
    const used = await run(['customers', 'create', '--name', 'A', '--email', 'a@b.co', '--json']);
    expect(used.error()).toMatchObject({
      exit_code: 14,
      code: 'unsafe_file',
      hint: expect.stringContaining(`chmod 600 ${file}`),
    });
    expect(own.connections()).toBe(0);
    chmodSync(file, 0o600);
    expect((await run(['customers', 'list'])).status).toBe(0);
  });

  test('takes a value after an equals sign, after a space, or none', async ({expect}) => {
    for (const words of [['--insecure-storage=test'], ['--insecure-storage', 'test'], ['--insecure-storage']]) {
      const {run, configured} = person();
      const login = await run(['login', ...words, '--with-token', ...at()], {input: TEST_KEY});
      expect(login.status, login.stderr).toBe(0);
      expect(configured().profiles.default.keys.test_secret.store).toBe('file');
    }
    const other = await person().run(['login', '--insecure-storage', 'lvie', '--with-token', ...at()], {
      input: TEST_KEY,
    });
    expect(other.status).toBe(2);
    expect(other.stderr).toContain('Did you mean --insecure-storage live?');
  });
});

describe.concurrent('--credential-command', () => {
  test('runs a program with its arguments and no shell at login and each use, and stores no key', async ({expect}) => {
    const someone = person({CENTAVO_WEBHOOK_SECRET: 'whsk_MadeUpForTests0123456789', SHOP: 'x'});
    const path = program(
      someone,
      `printf '%s\\0' "$@" >> "$HOME/words"; env >> "$HOME/environment"; printf ' ${TEST_KEY.replace('Made', "'Made'")} \\r\\n'`,
    );
    const command = `${path} show 'a b' ; $(touch owned) * "$SHOP" \\"x\\"`;
    const login = await someone.run(['login', '--credential-command', command, ...at()]);
    expect(login).toMatchObject({status: 0, stderr: expect.stringContaining(`the output of ${path}`)});
    const words = ['show', 'a b', ';', '$(touch', 'owned)', '*', '$SHOP', '"x"'];
    expect(someone.configured().profiles.default.keys.test_secret).toMatchObject({
      store: 'command',
      command: [path, ...words],
    });
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
    const read = (name: string) => readFileSync(join(someone.directory, name), 'utf8');
    expect(read('words').split('\0').slice(0, -1)).toEqual([...words, ...words]);
    expect(existsSync(join(someone.directory, 'owned'))).toBe(false);
    // The program's own file contains it in two pieces.
    expect([read('environment').includes('MadeUp'), someone.holding('MadeUp')]).toEqual([false, []]);
  });

  test('that later prints a live key in test mode: exit 12, nothing is sent', async ({expect, onTestFinished}) => {
    const own = await serve({[TEST_KEY]: SHOP, [LIVE_KEY]: SHOP}, onTestFinished);
    const someone = person();
    const path = program(someone, `cat "$HOME/key"`);
    writeFileSync(join(someone.directory, 'key'), TEST_KEY);
    expect(
      (await someone.run(['login', '--credential-command', path, '--offline', '--base-url', own.url])).status,
    ).toBe(0);
    writeFileSync(join(someone.directory, 'key'), LIVE_KEY);
    const used = await someone.run(['customers', 'create', '--name', 'A', '--email', 'a@b.co', '--json']);
    expect(used.error()).toMatchObject({exit_code: 12, code: 'mode_mismatch', applied: 'no'});
    expect([own.connections(), used.stdout]).toEqual([0, '']);
  });

  test('that later prints another key: the error names that key', async ({expect}) => {
    const someone = person();
    const path = program(someone, `cat "$HOME/key"`);
    writeFileSync(join(someone.directory, 'key'), TEST_KEY);
    expect((await someone.run(['login', '--credential-command', path, ...at()])).status).toBe(0);
    writeFileSync(join(someone.directory, 'key'), `${TEST_KEY}9876`);
    const used = await someone.run(['customers', 'list']);
    expect(used.status).toBe(4);
    expect(used.stderr).toContain('The key is sk_test_…9876 from profile default (command).');
    expect(used.stderr).toContain(`Check the output of ${path}, then try again.`);
    expect(used.stderr).not.toContain('centavo login');
  });

  test.for([
    ['says nothing', ':', 13, 'credential_command_empty'],
    ['complains and fails', 'echo "gpg: no secret key" >&2; exit 2', 13, 'credential_command_failed'],
    ['prints no key', 'echo hunter2', 4, 'invalid_key'],
  ] as const)(
    'that %s: nothing is kept, and with --json its complaints are not in the way',
    async ([, script, exit, code], {expect}) => {
      const someone = person();
      const login = await someone.run(['login', '--credential-command', program(someone, script), ...at(), '--json']);
      expect(login).toMatchObject({status: exit, stdout: ''});
      expect(login.error()).toMatchObject({exit_code: exit, code, applied: 'no'});
      expect(login.stderr).not.toMatch(/hunter2|gpg/);
      expect(someone.configured()).toBe(false);
    },
  );

  test('is parsed before it runs: an open quote or no program is exit 2', async ({expect}) => {
    const {run} = person();
    for (const command of ['', '   ', "pass show 'x"])
      expect((await run(['login', '--credential-command', command])).status).toBe(2);
  });
});

describe.concurrent('a login', () => {
  test('stores nothing with --dry-run', async ({expect}) => {
    const someone = person();
    const login = await someone.run(['login', '--with-token', '--insecure-storage', ...at(), '--dry-run'], {
      input: TEST_KEY,
    });
    expect(login).toMatchObject({status: 0, stdout: ''});
    expect(login.stderr).toMatch(/Aling Nena Store[^]*Nothing was stored: --dry-run\.\n$/);
    expect(readdirSync(someone.directory)).toEqual([]);
  });

  test.for([
    [['login', '--insecure-storage'], TEST_KEY, 2, 'no terminal, no --with-token'],
    [['login', '--insecure-storage', '--credential-command', 'pass'], '', 2, 'two places'],
    [['login', '--with-token', '--credential-command', 'pass'], TEST_KEY, 2, 'two sources'],
    [['login', '--with-token', '--insecure-storage=maybe'], TEST_KEY, 2, 'another word'],
    [['login', '--with-token', '--insecure-storage', '--live'], TEST_KEY, 12, '--live with a test key'],
    [['login', '--with-token', '--insecure-storage', '--live'], PUBLIC_KEY, 12, '--live with a public test key'],
    [['login', '--with-token', '--insecure-storage', '-p', 'sandbox'], TEST_KEY, 2, 'a profile that is always there'],
    [['login', '--with-token', '--insecure-storage', '-p', 'My Shop'], TEST_KEY, 2, 'a name that is none'],
    [['login', '--with-token', '--insecure-storage', '-p', ''], TEST_KEY, 2, 'an empty name, as of a variable not set'],
    [['login', '--insecure-storage', '--insecure-storage=live'], TEST_KEY, 2, 'the same place twice'],
    [['login', '--with-token', '-p', 'shop', '--insecure-storage', '-p', 'shop'], TEST_KEY, 2, 'two profiles'],
    [['login', TEST_KEY], '', 2, 'a key among the arguments'],
    [['login', '--credential-command', `echo ${LIVE_KEY}`], '', 2, 'a key in a command'],
  ] as const)('is refused before anything is sent: %j', async ([words, input, exit], {expect}) => {
    const {run, holding} = person();
    const login = await run([...words, '--json'], {input});
    expect(login).toMatchObject({status: exit, stdout: ''});
    expect(login.error()).toMatchObject({exit_code: exit, applied: 'no'});
    expect(login.stderr).not.toContain('MadeUp');
    expect(holding('MadeUp')).toEqual([]);
  });

  test('moves a key from a file to a program, and leaves it in no file', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, api.url);
    const path = program(someone, `printf '%s%s' sk_test_Made ${TEST_KEY.slice(12)}`);
    expect((await someone.run(['login', '--credential-command', path])).status).toBe(0);
    expect(someone.holding('MadeUp')).toEqual([]);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
  });

  test('with a live key is refused while certificates are unchecked or requests are logged', async ({
    expect,
    onTestFinished,
  }) => {
    const silent = await serve(() => httpAnswer('200 OK', '{}'), onTestFinished);
    for (const env of [{NODE_TLS_REJECT_UNAUTHORIZED: '0'}, {NODE_DEBUG: 'undici'}]) {
      const {run, holding} = person(env);
      const login = await run(['login', '--with-token', '--insecure-storage=live', '--base-url', silent.url], {
        input: LIVE_KEY,
      });
      expect(login.status).toBe(12);
      expect(holding('MadeUp')).toEqual([]);
    }
    expect(silent.connections()).toBe(0);
  });
});
