// Settings of profiles: shown with their sources, set, unset and refused.

import {describe, test} from 'vitest';
import {loggedIn, person} from '../../support/scenarios/accounts.js';
import {TEST_KEY} from '../../support/services/servers.js';

const URL = 'https://api.example';
const shop = (env = {}) => loggedIn(TEST_KEY, URL, env);

describe.concurrent('config list and get', () => {
  test('show current values, and sources with --show-origin', async ({expect}) => {
    const {run, keep, configuration} = await shop({CENTAVO_TIMEOUT: '2m'});
    await keep(TEST_KEY, URL);
    await run(['config', 'set', 'max_amount', '50,000']);
    const list = await run(['config', 'list', '--show-origin']);
    expect(list).toMatchObject({status: 0, stderr: `${configuration}\n`});
    expect(list.stdout.split('\n')).toEqual([
      'profile\tshop\tconfiguration',
      'base_url\thttps://api.example\tprofile shop',
      'encoding\tjson\tdefault',
      'timeout\t120s\tCENTAVO_TIMEOUT',
      'read_only\tfalse\tdefault',
      'max_amount\t₱50,000.00\tprofile shop',
      'agents\task\tdefault',
      'max_statements_per_run\t\tdefault',
      '',
    ]);
    const plain = await run(['config', 'list', '--timeout', '5s']);
    expect(plain).toMatchObject({stderr: ''});
    expect(plain.stdout).toMatch(/^timeout\t5s$/m);
    expect((await run(['config', 'list', '--json'])).json().data).toContainEqual({
      name: 'max_amount',
      value: 5_000_000,
      source: 'profile shop',
    });
  });

  test('get prints one value as text for scripts', async ({expect}) => {
    const {run} = await shop();
    expect(await run(['config', 'get', 'base_url'])).toMatchObject({status: 0, stdout: `${URL}\n`, stderr: ''});
    expect((await run(['config', 'get', 'base-url', '--show-origin'])).stdout).toBe(`${URL}\tprofile shop\n`);
    expect((await run(['config', 'get', 'max_amount'])).stdout).toBe('\n');
    expect((await run(['config', 'get', 'profile', '-p', 'sandbox', '--json'])).json()).toEqual({
      name: 'profile',
      value: 'sandbox',
      source: '--profile',
    });
  });

  test('print the same value in CSV', async ({expect}) => {
    const {run} = await shop();
    await run(['config', 'set', 'max_amount', '1,250.50']);
    for (const name of ['max_amount', 'read_only', 'timeout']) {
      const {stdout} = await run(['config', 'get', name, '-o', 'csv', '--fields', 'name,value']);
      expect((await run(['config', 'list', '-o', 'csv'])).stdout.split(/\r?\n/)).toContain(stdout.split(/\r?\n/)[1]);
    }
  });

  test('show no address for the sandbox', async ({expect}) => {
    const list = await person({CENTAVO_PROFILE: undefined}).run(['config', 'list', '--json']);
    const {data} = list.json();
    expect(data).toContainEqual({name: 'base_url', value: null, source: 'the sandbox is embedded'});
    expect(data).toContainEqual({name: 'profile', value: 'sandbox', source: 'default'});
  });
});

describe.concurrent('config set and unset', () => {
  test('change only the active or named profile', async ({expect}) => {
    const {run, keep, configured} = await shop();
    await keep(TEST_KEY, URL, {profile: 'bakery'});
    const before = configured();
    const set = await run(['config', 'set', 'max_amount', '1,250.50']);
    expect(set).toMatchObject({status: 0, stdout: 'profile\tshop\nname\tmax_amount\nvalue\t₱1,250.50\n', stderr: ''});
    const other = await run(['config', 'set', 'read-only', 'true', '-p', 'bakery', '--json']);
    expect(other.json()).toEqual({profile: 'bakery', name: 'read_only', value: true});
    const {shop: own, bakery} = before.profiles;
    expect(configured().profiles).toEqual({shop: {...own, max_amount: 125_050}, bakery: {...bakery, read_only: true}});
    const unset = await run(['config', 'unset', 'max_amount', '--json']);
    expect(unset.json()).toEqual({profile: 'shop', name: 'max_amount', value: null});
    expect(configured().profiles.shop).toEqual(own);
  });

  test('apply at once: a read-only profile changes nothing', async ({expect}) => {
    const {run} = person();
    expect((await run(['config', 'set', 'read_only', 'true'])).stdout).toMatch(/^profile\tsandbox$/m);
    const create = await run(['customers', 'create', '--name', 'A', '--email', 'a@b.co', '--json']);
    expect(create.error()).toMatchObject({
      exit_code: 12,
      code: 'read_only',
      hint: 'A person can change this limit at a terminal.',
    });
    expect((await run(['config', 'unset', 'read_only'])).status).toBe(0);
    expect((await run(['customers', 'create', '--name', 'A', '--email', 'a@b.co'])).status).toBe(0);
  });

  test('of the address leave stored keys to their address: the next command names the login', async ({expect}) => {
    const {run} = await shop();
    expect(await run(['config', 'set', 'base_url', 'https://other.example'])).toMatchObject({status: 0, stderr: ''});
    expect((await run(['customers', 'list'])).stderr).toContain('centavo login --profile shop');
  });

  test('note that a variable overrides the setting, even if its value is invalid', async ({expect}) => {
    const {run, configured} = await shop({CENTAVO_TIMEOUT: 'soon'});
    const set = await run(['config', 'set', 'timeout', '45s']);
    expect(set).toMatchObject({status: 0, stderr: 'CENTAVO_TIMEOUT is set, and overrides it.\n'});
    expect(configured().profiles.shop.timeout).toBe(45);
    expect((await run(['config', 'get', 'timeout'])).status).toBe(14);
  });

  test('change nothing with --dry-run, and describe the change', async ({expect}) => {
    const {run, configured} = await shop();
    const before = configured();
    expect((await run(['config', 'set', 'max_amount', '20', '--dry-run'])).stderr).toBe(
      'Nothing was changed. max_amount of shop would be ₱20.00.\n',
    );
    expect((await run(['config', 'unset', 'base_url', '--dry-run'])).stderr).toBe(
      'Nothing was changed. base_url of shop would be unset.\n',
    );
    expect(configured()).toEqual(before);
  });

  test.for([
    [['set'], 2, 'Settings: profile, base_url'],
    [['set', 'max_amuont', '5'], 2, 'Did you mean max_amount? Settings: profile, base_url'],
    [['set', 'MaxAmount', '5'], 2, 'Did you mean max_amount?'],
    [['get', 'constructor'], 2, 'Settings: profile, base_url'],
    [['unset'], 2, 'Settings: profile, base_url'],
    [['set', 'max_amount'], 2, 'centavo config set --help'],
    [['set', 'max_amount', '-5'], 2, 'negative'],
    [['set', 'max_amount', '0'], 2, 'read_only'],
    [['set', 'read_only', 'maybe'], 2, 'true or false'],
    [['set', 'encoding', 'xml'], 2, 'json or form'],
    [['set', 'timeout', '0'], 2, 'longer than 0'],
    [['set', 'max_statements_per_run', 'many'], 2, 'whole number'],
    [['set', 'profile', 'shop'], 2, 'centavo profiles use shop'],
    [['set', 'base_url', 'nonsense'], 2, 'payrex, sandbox, or a URL'],
    [['set', 'base_url', 'https://api.example/v1'], 14, 'must not have a path'],
    [['set', 'base_url', 'https://me:hunter2@api.example'], 12, 'password'],
    [['set', 'base_url', 'ftp://api.example'], 12, 'not a safe address'],
    [['set', 'base_url', URL, '-p', 'sandbox'], 2, 'the sandbox is built in'],
    [['set', 'timeout', '5s', '-p', 'shpo'], 14, '"shpo"'],
  ] as const)('config %j is exit %i, and changes nothing', async ([words, exit, hint], {expect}) => {
    const {run, configured} = await shop();
    const before = configured();
    const refused = await run(['config', ...words]);
    expect(refused).toMatchObject({status: exit, stdout: ''});
    expect(refused.stderr).toContain(hint);
    expect(refused.stderr).not.toContain('hunter2');
    expect(configured()).toEqual(before);
  });
});
