// The process that asks the keychain: what everybody on the machine can see of it, and that it never outlives who asked.

import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createKeychain, hostOf} from '../support/config/built.js';
import {
  askingProcesses,
  keychainMissing,
  keychainSession,
  processShows,
  silentBus,
} from '../support/config/keychain-session.js';

const missing = keychainMissing();
const USER = fileURLToPath(new URL('../support/config/keychain-user.mjs', import.meta.url));
const CANARY = 'canary-that-nobody-may-see';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await turn();
  }
}

describe.skipIf(missing)(`the process that asks${missing ? ` (${missing})` : ''}`, () => {
  test('shows no secret while it runs, and gets only what it needs of the environment', async () => {
    const {environment, arrival} = await silentBus();
    const arrived = arrival();
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
    while (!done) {
      for (const pid of askingProcesses(environment)) shown.push(processShows(pid) ?? {cmdline: '', environ: ''});
      await turn();
    }
    expect(await writing).toMatchObject({code: 'keychain_silent'});
    await arrived;
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.filter(({cmdline, environ}) => `${cmdline}${environ}`.includes(CANARY))).toEqual([]);
    const names = shown[0]!.environ.match(/[^\0]+?(?==)[^\0]*/g)!.map((entry) => entry.slice(0, entry.indexOf('=')));
    expect(names.sort()).toEqual(['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'HOME', 'LANG', 'PATH', 'XDG_RUNTIME_DIR']);
  });

  test.each(['a bus that never answers', 'a keychain that never answers'])(
    'is gone with the one who asked, killed while it waits: %s',
    async (what) => {
      const {environment} = what.startsWith('a bus') ? await silentBus() : await keychainSession('black hole');
      const asker = spawn(process.execPath, [USER], {env: environment, stdio: ['pipe', 'ignore', 'ignore']});
      onTestFinished(() => void asker.kill('SIGKILL'));
      asker.stdin.end(JSON.stringify([['write', 'shop/slot', CANARY]]));
      await until(() => askingProcesses(environment)[0]);
      asker.kill('SIGKILL');
      await until(() => askingProcesses(environment).length === 0 || undefined);
    },
  );

  test('is gone with the one who asked, hung in a native call when that one is killed', async () => {
    const {environment, arrival} = await silentBus();
    const arrived = arrival();
    const asker = spawn(process.execPath, [USER], {env: environment, stdio: ['pipe', 'ignore', 'ignore']});
    onTestFinished(() => void asker.kill('SIGKILL'));
    asker.stdin.end(JSON.stringify([['read', 'shop/slot']]));
    await arrived;
    expect(askingProcesses(environment)).toHaveLength(1);
    asker.kill('SIGKILL');
    // The bus never answers, and nobody is left who would end it: only the end of its input does.
    await until(() => askingProcesses(environment).length === 0 || undefined);
  });

  test('is killed when the one who asked ends by itself', async () => {
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
