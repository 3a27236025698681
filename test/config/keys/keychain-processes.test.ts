// The process that calls the keychain: what other users can see of it, and that it never outlives its parent.

import {spawn, type ChildProcess} from 'node:child_process';
import {chmodSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {SOON} from '../../support/far-limits.js';
import {NO_LIMITS_PATH} from '../../support/cli.js';
import {load} from '../../support/load.js';
import {hostOf} from '../../support/processes.js';
import {
  askingProcesses,
  keychainMissing,
  keychainSession,
  processShows,
  silentBus,
} from '../../support/config/keychain-session.js';

const {createKeychain} = await load<typeof import('../../../src/config/keys/keychain.js')>('config/keys/keychain.js');

const missing = keychainMissing();
const USER = fileURLToPath(new URL('../../support/config/keychain-user.mjs', import.meta.url));
const CANARY = 'canary-that-nobody-may-see';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await turn();
  }
}

describe.skipIf(missing)(`the keychain process${missing ? ` (${missing})` : ''}`, () => {
  test('shows no secret while it runs, and gets only the variables that it needs', async () => {
    // Its time limit is reached when the clock is advanced below.
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    onTestFinished(() => void vi.useRealTimers());
    const {environment, arrival} = await silentBus();
    let isAsking = false;
    void arrival().then(() => (isAsking = true));
    const keychain = createKeychain({
      node: process.execPath,
      host: hostOf({
        ...environment,
        DISPLAY: ':99',
        CENTAVO_SECRET_KEY: CANARY,
        CENTAVO_PROFILE: 'shop',
        NODE_OPTIONS: '--require /nonexistent/hook.js',
        NODE_DEBUG: 'net',
        NAPI_RS_NATIVE_LIBRARY_PATH: '/nonexistent/library.node',
        AWS_SECRET_ACCESS_KEY: CANARY,
        LD_PRELOAD: '',
      }),
      token: () => 'x',
      timeout: 1500,
    });
    const shown: {cmdline: string; environ: string}[] = [];
    let done = false;
    const writing = keychain
      .write('shop/slot', CANARY)
      .catch((error) => error)
      .finally(() => (done = true));
    // From its start, and on while it hangs in a native call.
    for (let looks = 0; looks <= 10; looks += isAsking ? 1 : 0) {
      const shows = askingProcesses(environment).map(processShows);
      // Only a process that has not started may show nothing.
      if (isAsking) expect(shows).toEqual([{cmdline: expect.any(String), environ: expect.any(String)}]);
      shown.push(...shows.filter((each) => each !== undefined));
      await turn();
    }
    vi.advanceTimersByTime(1499);
    for (let turns = 0; turns < 10; turns++) await turn();
    expect([done, askingProcesses(environment).length]).toEqual([false, 1]);
    vi.advanceTimersByTime(1);
    expect(await writing).toMatchObject({code: 'keychain_silent'});
    expect(askingProcesses(environment)).toEqual([]);
    expect(shown.filter(({cmdline, environ}) => `${cmdline}${environ}`.includes(CANARY))).toEqual([]);
    const names = shown[0]!.environ.match(/[^\0]+?(?==)[^\0]*/g)!.map((entry) => entry.slice(0, entry.indexOf('=')));
    expect(names.sort()).toEqual(['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'HOME', 'LANG', 'PATH', 'XDG_RUNTIME_DIR']);
  });

  /** Starts a parent that calls the keychain, with time limits that are never reached. */
  function startAsker(environment: Readonly<Record<string, string>>, request: readonly string[]): ChildProcess {
    const node = join(environment.HOME!, 'node');
    writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --require '${NO_LIMITS_PATH}' "$@"\n`);
    chmodSync(node, 0o700);
    const asker = spawn(process.execPath, [USER, node], {env: environment, stdio: ['pipe', 'ignore', 'ignore']});
    onTestFinished(() => void asker.kill('SIGKILL'));
    asker.stdin.end(JSON.stringify([request]));
    return asker;
  }

  /** Ends the parent. Then only the end of its input ends the keychain process. */
  async function expectGoneWith(asker: ChildProcess, environment: Readonly<Record<string, string>>): Promise<void> {
    const from = performance.now();
    asker.kill('SIGKILL');
    await until(() => askingProcesses(environment).length === 0 || undefined);
    expect(performance.now() - from).toBeLessThan(SOON);
  }

  test.each(['a bus that never answers', 'a keychain that never answers'])(
    'is gone with the one who asked, killed while it waits: %s',
    async (what) => {
      const {environment} = what.startsWith('a bus') ? await silentBus() : await keychainSession('black hole');
      const asker = startAsker(environment, ['write', 'shop/slot', CANARY]);
      await until(() => askingProcesses(environment)[0]);
      await expectGoneWith(asker, environment);
    },
  );

  test('ends when its parent is killed, even in a blocked native call', async () => {
    const {environment, arrival} = await silentBus();
    const arrived = arrival();
    const asker = startAsker(environment, ['read', 'shop/slot']);
    await arrived;
    expect(askingProcesses(environment)).toHaveLength(1);
    await expectGoneWith(asker, environment);
  });

  test('is killed when its parent ends', async () => {
    const {environment, arrival} = await silentBus();
    const arrived = arrival();
    const atExit: (() => void)[] = [];
    const keychain = createKeychain({
      node: process.execPath,
      host: {
        ...hostOf(environment),
        atExit: (cleanUp) => {
          atExit.push(cleanUp);
          return () => atExit.splice(atExit.indexOf(cleanUp), 1);
        },
      },
      token: () => 'x',
    });
    const reading = keychain.read('shop/slot').catch((error) => error);
    await arrived;
    expect(atExit).toHaveLength(1);
    atExit[0]!();
    expect(await reading).toMatchObject({
      code: 'keychain_failed',
      details: {why: 'The process that reads it was ended by SIGKILL.'},
    });
    expect(atExit).toEqual([]);
    expect(askingProcesses(environment)).toEqual([]);
  });
});
