// Programs that print a key: accepted output, errors, and that no process remains.

import {spawn} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {readFromCommand, type CredentialCommandOptions} from '../../../src/config/keys/credential-command.js';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import type {ProcessHost} from '../../../src/processes/child-program.js';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {CTRL_C, ENTER, loaded, terminal} from '../../support/terminal.js';
import {processesOf} from '../../support/config/keychain-session.js';
import {SOON} from '../../support/far-limits.js';

const USER = fileURLToPath(new URL('../../support/config/credential-user.mjs', import.meta.url));
const SECRET = 'secret0that0nobody0may0see';

interface Setting {
  readonly home: string;
  readonly run: (
    words: readonly string[],
    options?: Partial<Omit<CredentialCommandOptions, 'host'> & ProcessHost>,
  ) => Promise<string>;
  /** Processes of this test that still run. */
  readonly left: () => number[];
  readonly signals: string[];
}

function setting(): Setting {
  const home = temporaryDirectory();
  const left = (): number[] => processesOf(home, /./);
  const signals: string[] = [];
  onTestFinished(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL');
  });
  const kill: ProcessHost['kill'] = (pid, signal) => {
    signals.push(signal);
    return process.kill(pid, signal);
  };
  return {
    home,
    left,
    signals,
    run: (words, {env = {PATH: process.env.PATH, HOME: home}, atExit, ...options} = {}) =>
      readFromCommand(words, {
        host: {env, atExit, kill},
        signal: new AbortController().signal,
        ...options,
      }),
  };
}

const sh = (script: string): string[] => ['sh', '-c', script];

/** The error of a run, after the checks common to all. */
async function failure(run: Promise<string>, code: string): Promise<{message: string; why: string}> {
  const error = await run.then(
    () => expect.fail('it gave a key'),
    (thrown) => thrown,
  );
  expect(error).toMatchObject({kind: 'keychain', exitCode: 13, code, details: {applied: 'no'}});
  expect(errorLines(error)).toHaveLength(3);
  expect(JSON.stringify([error, errorLines(error), error.cause, String(error.stack)])).not.toContain(SECRET);
  return {message: error.message, why: error.details.why};
}

/** Resolves when no process of the test runs. */
async function untilNoneLeft(left: () => number[]): Promise<void> {
  while (left().length > 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('a program that prints a key', () => {
  test.each([
    ['with a line’s end', 'echo sk_test_1'],
    ['without', 'printf sk_test_1'],
    ['with white space around it', String.raw`printf '\n  sk_test_1\t\r\n\n'`],
    ['with a mark of its encoding, as PowerShell prints', String.raw`printf '\357\273\277sk_test_1\r\n'`],
    ['in pieces', 'printf sk_; sleep 0.05; printf test_1'],
    ['and complains', 'echo oh >&2; echo sk_test_1'],
  ])('%s', async (_, script) => {
    expect(await setting().run(sh(script))).toBe('sk_test_1');
  });

  test('gets its arguments unchanged, without a shell', async () => {
    const odd = ['two words', '$(touch owned)', '`id`', '; exit 3', '*', ''];
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
    expect(JSON.parse(await setting().run([process.execPath, '-e', script, '--', ...odd]))).toEqual(odd);
  });

  test('gets the environment without its secrets', async () => {
    const {run, home} = setting();
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      CENTAVO_SECRET_KEY: SECRET,
      CENTAVO_WEBHOOK_SECRET: SECRET,
      centavo_secret_key: SECRET,
      CENTAVO_PROFILE: 'shop',
      VAULT_ADDR: 'https://vault.example',
    };
    const script = 'console.log(JSON.stringify(process.env))';
    const given = JSON.parse(await run([process.execPath, '-e', script], {env})) as Record<string, string>;
    expect(given).toMatchObject({CENTAVO_PROFILE: 'shop', VAULT_ADDR: 'https://vault.example', HOME: home});
    expect(JSON.stringify(given)).not.toContain(SECRET);
  });

  test('has no input, since stdin belongs to the script', async () => {
    expect(await setting().run(sh('cat; echo done'))).toBe('done');
  });

  test('can leave an agent running, without a wait for it', async () => {
    const {run, left} = setting();
    const from = performance.now();
    expect(await run(sh('sleep 1000 & echo sk_test_1'))).toBe('sk_test_1');
    expect(performance.now() - from).toBeLessThan(SOON);
    expect(left()).toHaveLength(1);
  });

  test('shows its stderr, except to a script that reads it', async () => {
    for (const [loudness, expected] of [
      ['loud', 'not signed in\n'],
      ['quiet', ''],
    ] as const) {
      const child = spawn(process.execPath, [
        USER,
        'script',
        loudness,
        '5000',
        ...sh('echo not signed in >&2; exit 1'),
      ]);
      const said = {stdout: '', stderr: ''};
      for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (said[name] += chunk));
      await new Promise((resolve) => child.once('close', resolve));
      expect(said).toEqual({stdout: 'code=credential_command_failed.\n', stderr: expected});
    }
  });
});

test('shows only the beginning of an endless stderr line', async () => {
  const lines: string[] = [];
  const script = `printf 'one\\r\\n\\ntwo\\n' >&2; head -c 300000 /dev/zero | tr '\\0' x >&2; printf '\\nlast' >&2; exit 3`;
  await failure(setting().run(sh(script), {onStderr: (line) => lines.push(line)}), 'credential_command_failed');
  expect(lines).toEqual(['one', '', 'two', 'x'.repeat(1000), 'last']);
});

test('hides the key in the trace of a script on stderr', async () => {
  const {home} = setting();
  const key = `sk_test_${'MadeUp7'.repeat(4)}`;
  const program = join(home, 'print-key');
  writeFileSync(program, `#!/bin/sh\nset -x\necho ${key}\n`, {mode: 0o700});
  const words = ['login', '--offline', '--credential-command', program, '--base-url', 'http://127.0.0.1:1'];
  const result = await cli(home)(words);
  expect(result.status, result.stderr).toBe(0);
  expect(result.stderr).toContain('+ echo sk_test_[redacted]');
  expect(result.stdout + result.stderr).not.toContain('MadeUp7');
});

describe('a program that prints no key', () => {
  test('because it fails', async () => {
    const {message} = await failure(setting().run(sh(`echo ${SECRET}; exit 3`)), 'credential_command_failed');
    expect(message).toBe('sh ended with status 3.');
  });

  test('because a signal ends it', async () => {
    const {message} = await failure(setting().run(sh(`echo ${SECRET}; kill -9 $$`)), 'credential_command_failed');
    expect(message).toBe('sh was ended by SIGKILL.');
  });

  test.each(['true', 'echo', String.raw`printf ' \n\t\r\n'`])('but nothing: %s', async (script) => {
    const {message} = await failure(setting().run(sh(script)), 'credential_command_empty');
    expect(message).toBe('sh printed nothing.');
  });

  test.each([String.raw`\n`, String.raw`\r\n`, String.raw`\r`])('but two lines, with %s between', async (end) => {
    const script = `printf '${SECRET}${end}url: https://example.com\\n'`;
    const {message} = await failure(setting().run(sh(script)), 'credential_command_failed');
    expect(message).toBe('sh printed 2 lines.');
  });

  test('but endless output', async () => {
    const {run, left} = setting();
    const {message} = await failure(run(sh(`yes ${SECRET}`)), 'credential_command_failed');
    expect(message).toBe('sh printed more than 64 KiB.');
    await untilNoneLeft(left);
  });

  test('because it does not exist or cannot be run', async () => {
    const {home, run} = setting();
    const file = join(home, 'no program');
    writeFileSync(file, 'echo sk_test_1', {mode: 0o600});
    mkdirSync(join(home, 'folder'));
    const code = 'credential_command_missing';
    expect(await failure(run(['no-such-program', SECRET]), code)).toMatchObject({
      message: 'program "no-such-program" not found.',
    });
    expect(await failure(run([file]), code)).toMatchObject({why: 'The system reported EACCES.'});
    expect(await failure(run([join(home, 'folder')]), code)).toMatchObject({why: 'The system reported EACCES.'});
    await failure(run([]), code);
    await failure(run(['echo', `${SECRET}\0`]), code);
  });
});

describe('a program that does not end', () => {
  const HANGING = sh('trap "" TERM; sleep 1000 & sleep 1000');

  test('is killed with all that it started, even if it ignores SIGTERM', async () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    onTestFinished(() => void vi.useRealTimers());
    const {run, left, signals} = setting();
    const failed = failure(run(HANGING, {timeout: 400}), 'credential_command_silent');
    while (left().length < 3) await new Promise((resolve) => setImmediate(resolve));
    const sentAfter = async (milliseconds: number): Promise<readonly string[]> => {
      vi.advanceTimersByTime(milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
      return [...signals];
    };
    expect(await sentAfter(399)).toEqual([]);
    expect(await sentAfter(1)).toEqual(['SIGTERM']);
    // It has half a second.
    expect(await sentAfter(499)).toEqual(['SIGTERM']);
    expect((await sentAfter(1)).slice(0, 2)).toEqual(['SIGTERM', 'SIGKILL']);
    expect((await failed).message).toBe('sh printed no key within 0.4 s.');
    await untilNoneLeft(left);
  });

  test('can end in order on SIGTERM', async () => {
    const {run, left, home} = setting();
    const script = `trap 'touch "$HOME/tidy"; exit' TERM; while :; do sleep 0.02; done`;
    await failure(run(sh(script), {timeout: 400}), 'credential_command_silent');
    await untilNoneLeft(left);
    expect(() => writeFileSync(join(home, 'tidy'), '', {flag: 'wx'})).toThrow('EEXIST');
  });

  test('is ended when the command is interrupted', async () => {
    const {run, left} = setting();
    const controller = new AbortController();
    const running = run(HANGING, {signal: controller.signal}).catch((error) => error);
    while (left().length < 3) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await running).toMatchObject({kind: 'interrupted', details: {applied: 'no'}});
    await untilNoneLeft(left);
    await expect(run(HANGING, {signal: controller.signal})).rejects.toMatchObject({kind: 'interrupted'});
    expect(left()).toEqual([]);
  });

  test('is ended when the process that runs it ends', async () => {
    const {run, left} = setting();
    const atExit: (() => void)[] = [];
    const running = run(HANGING, {
      atExit: (cleanUp) => {
        atExit.push(cleanUp);
        return () => atExit.splice(atExit.indexOf(cleanUp), 1);
      },
    }).catch((error) => error);
    while (left().length < 3) await new Promise((resolve) => setImmediate(resolve));
    atExit[0]!();
    await untilNoneLeft(left);
    expect(await running).toMatchObject({code: 'credential_command_failed'});
    expect(atExit).toEqual([]);
  });
});

describe.skipIf(!loaded.pty)(`at a terminal${loaded.reason ? ` (${loaded.reason})` : ''}`, () => {
  function at(script: string, limit = 10_000): Setting & {shown: ReturnType<typeof terminal>} {
    const made = setting();
    const words = [USER, 'terminal', 'loud', String(limit), 'sh', '-c', script];
    const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
    return {...made, shown: terminal(made.home, [], {shell: `"$NODE" ${quoted}`})};
  }

  test.each(['', ' </dev/tty'])('a program can ask for a password%s', async (from) => {
    const {shown} = at(`printf 'Password? ' >&2; read -r word${from}; echo "key-$word"`);
    await shown.until(/Password\? /);
    shown.type(`open sesame${ENTER}`);
    await shown.until(/key=key-open sesame\./);
    expect(await shown.ended).toBe(0);
  });

  test('it is ended with all that it started at the time limit', async () => {
    const {shown, left} = at('trap "" TERM; sleep 1000 & sleep 1000', 400);
    await shown.until(/code=credential_command_silent\./);
    await shown.ended;
    await untilNoneLeft(left);
  });

  test('Ctrl-C interrupts it', async () => {
    const {shown, left} = at(`echo asking >&2; read -r word`);
    await shown.until(/asking/);
    shown.type(CTRL_C);
    await shown.until(/code=interrupted\./);
    await shown.ended;
    await untilNoneLeft(left);
  });
});
