// `centavo status`: the account in use, its sources, its key store, and whether it answers.

import {chmodSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {loggedIn, person, serve, SHOP} from '../support/scenarios/accounts.js';
import {LIVE_KEY, PUBLIC_KEY, showsKey, TEST_KEY, type RawServer} from '../support/services/servers.js';
import {terminalInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';

let api: RawServer;
beforeAll(async () => {
  api = await serve({[TEST_KEY]: SHOP, [LIVE_KEY]: SHOP}, afterAll);
});

test.runIf(loaded.pty)('at a terminal, says how to leave the sandbox', async ({expect}) => {
  const fresh = terminalInProcess(person().directory, ['status']);
  expect(await fresh.ended).toBe(0);
  expect(fresh.text()).toContain('You are using the sandbox. No money moves. To use your own account: centavo login\n');
  const shop = terminalInProcess((await loggedIn(TEST_KEY, api.url)).directory, ['status', '-p', 'sandbox']);
  expect(await shop.ended).toBe(0);
  expect(shop.text()).toContain('To switch to shop: centavo profiles use <name>\n');
});

describe.concurrent('centavo status', () => {
  test('shows the sandbox after a fresh install', async ({expect}) => {
    const {run, directory, configuration} = person();
    const status = await run(['status', '--json'], {env: {CENTAVO_PROFILE: undefined}});
    expect(status).toMatchObject({status: 0, stderr: expect.stringContaining('by default: nothing here is real')});
    expect(status.json()).toMatchObject({
      profile: 'sandbox',
      profile_source: 'default',
      mode: 'sandbox',
      destination: 'sandbox',
      key: null,
      base_url: 'embedded sandbox',
      configuration,
      data_directory: directory,
      reachable: true,
      problem: null,
    });
  });

  test('shows everything of an account but the key', async ({expect}) => {
    const {run, keep} = await loggedIn(TEST_KEY, api.url);
    await keep(LIVE_KEY, api.url, {merchant: {id: 'merc_1', name: 'Aling Nena Store'}});
    const status = await run(['status', '--json']);
    expect(status.json()).toMatchObject({
      profile: 'shop',
      profile_source: 'configuration',
      mode: 'test',
      destination: 'test · shop',
      merchant_id: 'merc_1',
      merchant_name: 'Aling Nena Store',
      key: 'sk_test_…cdef',
      key_source: 'profile shop (file)',
      base_url: api.url,
      reachable: true,
    });
    const shown = await run(['status', '--live', '-p', 'shop']);
    expect(shown.stdout).toMatch(/^destination\tLIVE · shop$/m);
    expect(shown.stdout).toMatch(/^key\tsk_live_…cdef$/m);
    expect(shown.stdout).toMatch(/^profile_source\t--profile$/m);
    expect(shown.stdout).toMatch(/^reachable\tyes$/m);
    expect(showsKey(status.stdout + shown.stdout + shown.stderr)).toBe(false);
  });

  test('names the key from the environment, and the limits of the profile', async ({expect}) => {
    const {run, keep} = await loggedIn(TEST_KEY, api.url);
    await keep(TEST_KEY, api.url, {merchant: {id: 'merc_1', name: 'Aling Nena Store'}});
    await run(['config', 'set', 'max_amount', '50,000']);
    const status = await run(['status', '--json'], {env: {CENTAVO_SECRET_KEY: LIVE_KEY, CENTAVO_PROFILE: 'shop'}});
    expect(status.json()).toMatchObject({
      destination: 'LIVE · shop (key from CENTAVO_SECRET_KEY)',
      key: 'sk_live_…cdef',
      key_source: 'CENTAVO_SECRET_KEY',
      // It may belong to another account than the profile.
      merchant_id: null,
      merchant_name: null,
      max_amount: 5_000_000,
    });
  });

  test('shows the rest if the service does not answer, with exit 8', async ({expect}) => {
    const status = await (await loggedIn(TEST_KEY, 'http://127.0.0.1:9')).run(['status', '--json', '--timeout', '2s']);
    expect(status.status).toBe(8);
    expect(status.json()).toMatchObject({
      profile: 'shop',
      reachable: false,
      problem: 'the API at http://127.0.0.1:9 could not be reached.',
    });
    expect(status.error()).toMatchObject({exit_code: 8});
  });

  test('shows the rest if the key is refused, with exit 4 and how to replace it', async ({expect}) => {
    const status = await (await loggedIn(`${TEST_KEY}x`, api.url)).run(['status']);
    expect(status.status).toBe(4);
    expect(status.stdout).toMatch(/^reachable\tno$/m);
    expect(status.stderr).toMatch(/sk_test_…defx from profile shop \(file\)[^]*centavo login --profile shop/);
  });

  test('shows the rest if the key is unreadable, with exit 14, and never uses the sandbox instead', async ({
    expect,
  }) => {
    const {run, configuration} = await loggedIn(TEST_KEY, api.url);
    const keys = join(configuration, '..', 'keys');
    chmodSync(join(keys, readdirSync(keys)[0]!), 0o644);
    const status = await run(['status', '--json']);
    expect(status.status).toBe(14);
    expect(status.json()).toMatchObject({profile: 'shop', mode: 'test', reachable: false});
  });

  test('sends nothing with a public key, which cannot be checked', async ({expect, onTestFinished}) => {
    const own = await serve({}, onTestFinished);
    const status = await (await loggedIn(PUBLIC_KEY, own.url)).run(['status', '--json']);
    expect(status.status).toBe(0);
    expect(status.json()).toMatchObject({
      key: 'pk_test_…cdef',
      reachable: null,
      problem: expect.stringContaining('public key'),
    });
    expect(own.connections()).toBe(0);
  });
});
