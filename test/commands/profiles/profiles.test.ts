// Profiles: list, use and remove. The two built-in profiles cannot be changed.

import {mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {loggedIn, person, type Person} from '../../support/scenarios/accounts.js';
import {LIVE_KEY, TEST_KEY} from '../../support/services/servers.js';
import {terminalInProcess} from '../../support/in-process.js';
import {ENTER, loaded} from '../../support/terminal.js';

const URL = 'https://api.example';

/** Has the profiles shop (active) and bakery. */
async function both(env = {}): Promise<Person> {
  const someone = await loggedIn(TEST_KEY, URL, env);
  await someone.keep(LIVE_KEY, URL, {merchant: {id: 'merc_1', name: 'Aling Nena Store'}});
  await someone.keep(TEST_KEY, URL, {profile: 'bakery', baseUrl: 'payrex'});
  return someone;
}

describe.concurrent('profiles list', () => {
  test('shows the active sandbox after a fresh install', async ({expect}) => {
    const list = await person().run(['profiles', 'list', '--json']);
    expect(list).toMatchObject({status: 0, stderr: ''});
    expect(list.json().data).toEqual([
      {
        name: 'sandbox',
        active: true,
        keys: [],
        stores: [],
        merchant_id: null,
        merchant_name: null,
        base_url: 'embedded sandbox',
      },
    ]);
  });

  test('shows every profile, with masked keys', async ({expect}) => {
    const {run} = await both();
    const list = await run(['profiles', 'list']);
    expect(list).toMatchObject({status: 0, stderr: ''});
    expect(list.stdout).toBe(
      [
        'sandbox\tno\t\t\tembedded sandbox',
        'shop\tyes\tsk_test_…cdef, sk_live_…cdef\tAling Nena Store\thttps://api.example',
        'bakery\tno\tsk_test_…cdef\t\thttps://api.payrexhq.com',
        '',
      ].join('\n'),
    );
  });

  test('names the variable that overrides the active profile', async ({expect}) => {
    const {run} = await both();
    const told = await run(['profiles', 'list'], {env: {CENTAVO_PROFILE: 'bakery'}});
    expect(told.stdout).toMatch(/^bakery\tyes/m);
    expect(told.stderr).toBe('CENTAVO_PROFILE selects bakery. Without it, shop is active.\n');
    const key = await person().run(['profiles', 'list'], {env: {CENTAVO_SECRET_KEY: TEST_KEY}});
    expect(key.stdout).toMatch(/^env\tyes/m);
    expect(key.stderr).toBe('CENTAVO_SECRET_KEY selects env. Without it, sandbox is active.\n');
  });
});

describe.concurrent('profiles use', () => {
  test('switches to another profile, or back to the sandbox', async ({expect}) => {
    const {run, configured} = await both();
    const use = await run(['profiles', 'use', 'bakery', '--json']);
    expect([use.status, use.json()]).toEqual([0, {profile: 'bakery', previous: 'shop'}]);
    expect(configured().profile).toBe('bakery');
    expect((await run(['profiles', 'use', 'sandbox'])).stdout).toMatch(/^profile\tsandbox\nprevious\tbakery$/m);
    expect((await run(['customers', 'list'])).status).toBe(0);
  });

  test('names overriding variables, and changes nothing with --dry-run', async ({expect}) => {
    const {run, configured} = await both({CENTAVO_PROFILE: 'shop'});
    expect((await run(['profiles', 'use', 'bakery', '--dry-run'])).stderr).toBe(
      'Nothing was changed: this would make bakery the active profile.\n',
    );
    expect(configured().profile).toBe('shop');
    expect((await run(['profiles', 'use', 'bakery'])).stderr).toBe('CENTAVO_PROFILE is set, and overrides it.\n');
  });

  test.for([
    [['use'], 2, 'centavo profiles list'],
    [['use', 'env'], 2, '--profile env'],
    [['use', 'shpo'], 14, 'Did you mean shop? Profiles: shop, bakery'],
    [['use', 'constructor'], 14, 'Profiles: shop, bakery'],
    [['remove'], 2, 'centavo profiles list'],
    [['remove', 'sandbox'], 2, 'built in'],
    [['remove', 'env'], 2, 'built in'],
    [['remove', 'shpo'], 14, 'Profiles: shop, bakery'],
    [['remove', 'toString'], 14, 'Profiles: shop, bakery'],
  ] as const)('profiles %j is exit %i, and changes nothing', async ([words, exit, hint], {expect}) => {
    const {run, configured} = await both();
    const before = configured();
    const refused = await run(['profiles', ...words]);
    expect(refused).toMatchObject({status: exit, stdout: ''});
    expect(refused.stderr).toContain(hint);
    expect(configured()).toEqual(before);
  });
});

describe.concurrent('profiles remove', () => {
  test('removes the active profile with its keys, and says that the sandbox is active', async ({expect}) => {
    const {run, configured, holding} = await both();
    const remove = await run(['profiles', 'remove', 'shop']);
    expect(remove).toMatchObject({status: 0, stderr: 'Commands now use sandbox.\n'});
    expect(remove.stdout).toBe('profile\tshop\nremoved\tsk_test_…cdef, sk_live_…cdef\nactive\tsandbox\n');
    expect(configured()).toMatchObject({profile: 'sandbox', profiles: {bakery: {}}});
    expect(configured().profiles.shop).toBeUndefined();
    expect(holding('MadeUp')).toEqual([expect.stringMatching(/^key-bakery-/)]);
  });

  test('keeps the active profile when another is removed; --dry-run changes nothing', async ({expect}) => {
    const {run, configured, holding} = await both();
    const would = await run(['profiles', 'remove', 'bakery', '--dry-run']);
    expect(would.stderr).toBe('Nothing was changed: this would remove the profile bakery with sk_test_…cdef.\n');
    expect(holding('MadeUp')).toHaveLength(3);
    const remove = await run(['profiles', 'remove', 'bakery', '--json']);
    expect(remove.json()).toEqual({profile: 'bakery', removed: ['sk_test_…cdef'], active: 'shop'});
    expect(configured().profile).toBe('shop');
  });

  test('removes its unfinished statements, and names their drafts', async ({expect}) => {
    const {run, directory} = await both();
    const folder = join(directory, 'unfinished');
    mkdirSync(folder);
    const owner = {pid: 1, startedAt: 1};
    const unfinished = {step: 'items', items: [], typing: '', at: 1, made: {key: 'k', since: 1, attempted: true}};
    for (const [file, profile, made] of [
      ['a.json', 'shop', {...unfinished.made, statementId: 'bstm_7Hq2'}],
      ['b.json', 'bakery', unfinished.made],
    ] as const)
      writeFileSync(
        join(folder, file),
        JSON.stringify({version: 1, owner, profile, unfinished: {...unfinished, made}}),
      );
    const words = ['profiles', 'remove', 'shop'];
    expect((await run([...words, '--dry-run'])).stderr).toContain(', and 1 unfinished billing statement.');
    const removed = await run(words);
    expect(removed.stderr).toContain('These unfinished drafts stay in the account: bstm_7Hq2\n');
    expect(readdirSync(folder)).toEqual(['b.json']);
  });

  test.runIf(loaded.pty)('keeps a profile that got another key during the question', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, URL);
    const remove = terminalInProcess(someone.directory, ['profiles', 'remove', 'shop'], {columns: 200});
    await remove.until(/Remove the profile shop with sk_test_…cdef\?/);
    await someone.keep(LIVE_KEY, URL);
    remove.type(`y${ENTER}`);
    expect(await remove.ended).toBe(14);
    expect(remove.text()).toContain('profile shop got a new key during this command');
    expect(Object.keys(someone.configured().profiles.shop.keys)).toEqual(['live_secret']);
    expect((await someone.run(['profiles', 'remove', 'shop'])).status).toBe(0);
    expect(someone.holding('MadeUp')).toEqual([]);
  });
});
