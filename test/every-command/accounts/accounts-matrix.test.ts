// Which key goes to which address: every source of a profile, an address and a key, with real command lines.
// Never the sandbox with a given address, and never a key to an address that it does not belong to.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {answersFor, keyIn, person} from '../../support/scenarios/accounts.js';
import {configure} from '../../support/scenarios/limits.js';
import {rawServer, type RawServer} from '../../support/services/servers.js';

const PAYREX = 'https://api.payrexhq.com';
const GIVEN = 'sk_test_OfTheEnvironmentMadeUp0123456789';
const STORED = 'sk_test_OfTheProfileMadeUp0123456789';
const KEYS: Readonly<Record<string, string>> = {given: GIVEN, stored: STORED};

type Profile = 'active' | 'active sandbox' | 'environment' | 'flag' | 'none';
type Address = 'both' | 'environment' | 'none' | 'profile';
type Key = 'both' | 'environment' | 'none' | 'stored';

/** An exit code, the sandbox, or a key and its address: the server of the environment, of the profile, or the default. */
type Cell = '4' | '12' | 'sandbox' | `${'given' | 'stored'} → ${'environment' | 'payrex' | 'profile'}`;

const GIVEN_KEYS: readonly Key[] = ['none', 'stored', 'environment', 'both'];

/** For each source of profile and address: the result without a key, with a stored key, one in the environment, and both. */
const ROWS: readonly [Profile, Address, readonly [Cell, Cell, Cell, Cell]][] = [
  // --profile brings its own key and address.
  ['flag', 'none', ['4', 'stored → payrex', '4', 'stored → payrex']],
  ['flag', 'profile', ['4', 'stored → profile', '4', 'stored → profile']],
  ['flag', 'both', ['4', 'stored → profile', '4', 'stored → profile']],
  // The profile has no address, so the environment's applies, and the key was stored for another.
  ['flag', 'environment', ['4', '12', '4', '12']],
  // The environment sets the account and the key.
  ['environment', 'none', ['4', 'stored → payrex', 'given → payrex', 'given → payrex']],
  ['environment', 'profile', ['4', 'stored → profile', 'given → profile', 'given → profile']],
  ['environment', 'both', ['4', '12', 'given → environment', 'given → environment']],
  ['environment', 'environment', ['4', '12', 'given → environment', 'given → environment']],
  // A key from the environment does not use the active profile's address.
  ['active', 'none', ['4', 'stored → payrex', 'given → payrex', 'given → payrex']],
  ['active', 'profile', ['4', 'stored → profile', '12', '12']],
  ['active', 'both', ['4', '12', 'given → environment', 'given → environment']],
  ['active', 'environment', ['4', '12', 'given → environment', 'given → environment']],
  // No profile: no stored key applies; the configured address belongs to the profile env.
  ['none', 'none', ['sandbox', 'sandbox', 'given → payrex', 'given → payrex']],
  ['none', 'profile', ['4', '4', 'given → profile', 'given → profile']],
  ['none', 'both', ['4', '4', 'given → environment', 'given → environment']],
  ['none', 'environment', ['4', '4', 'given → environment', 'given → environment']],
  ['active sandbox', 'none', ['sandbox', 'sandbox', 'given → payrex', 'given → payrex']],
  ['active sandbox', 'profile', ['sandbox', 'sandbox', 'given → profile', 'given → profile']],
  ['active sandbox', 'both', ['4', '4', 'given → environment', 'given → environment']],
  ['active sandbox', 'environment', ['4', '4', 'given → environment', 'given → environment']],
];

const CELLS = ROWS.flatMap(([profile, address, cells]) =>
  cells.map((cell, index) => [profile, address, GIVEN_KEYS[index]!, cell] as const),
);

let servers: Readonly<Record<'environment' | 'profile' | 'proxy', RawServer>>;
beforeAll(async () => {
  const known = {[GIVEN]: {}, [STORED]: {}};
  servers = {
    environment: await rawServer(answersFor(known)),
    profile: await rawServer(answersFor(known)),
    proxy: await rawServer(() => 'HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n'),
  };
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));
const said = (what: Address | Key, by: 'environment' | 'profile' | 'stored'): boolean => what === by || what === 'both';

/** Sets all of these up. Returns a way to run commands, and the keys that each server received. */
async function surrounded(profile: Profile, address: Address, key: Key) {
  const someone = person();
  const url = said(address, 'profile') ? servers.profile.url : undefined;
  if (said(key, 'stored')) await someone.keep(STORED, url ?? PAYREX, {baseUrl: undefined});
  const shop = (someone.configured() || {profiles: {}}).profiles.shop ?? {keys: {}};
  const isNamed = profile !== 'none' && profile !== 'active sandbox';
  configure(someone.directory, {
    ...(profile === 'active' && {profile: 'shop'}),
    ...(profile === 'active sandbox' && {profile: 'sandbox'}),
    profiles: {
      shop: {...shop, ...(isNamed && url !== undefined && {base_url: url})},
      ...(!isNamed && url !== undefined && {env: {base_url: url}}),
    },
  });
  const env = {
    // Nothing leaves this machine: requests to the default address go through a proxy that refuses.
    HTTPS_PROXY: servers.proxy.url,
    ...(profile === 'environment' && {CENTAVO_PROFILE: 'shop'}),
    ...(said(address, 'environment') && {CENTAVO_BASE_URL: servers.environment.url}),
    ...(said(key, 'environment') && {CENTAVO_SECRET_KEY: GIVEN}),
  };
  const flags = profile === 'flag' ? ['--profile', 'shop'] : [];
  const before = {environment: servers.environment.requests.length, profile: servers.profile.requests.length};
  return {
    run: (...words: string[]) => someone.run([...words, ...flags, '--json'], {env}),
    shown: (where: 'environment' | 'profile') => servers[where].requests.slice(before[where]).map(keyIn),
  };
}

describe('a key, an address and a profile', () => {
  test.for(CELLS)('profile: %s, address: %s, key: %s: %s', async ([profile, address, key, cell]) => {
    const {run, shown} = await surrounded(profile, address, key);
    const [which, where] = cell.split(' → ') as ['given' | 'stored', 'environment' | 'payrex' | 'profile'];
    const status = await run('status', '--timeout', '1s');
    const used = await run('customers', 'list', ...(where === 'payrex' ? ['--dry-run'] : []));
    const baseUrl = (await run('config', 'get', 'base_url')).json().value;

    if (cell === 'sandbox') {
      expect([status.json().mode, used.status, baseUrl]).toEqual(['sandbox', 0, null]);
    } else if (where === undefined) {
      for (const result of [status, used]) {
        expect(result).toMatchObject({status: Number(cell), stdout: ''});
        expect(result.error()).toMatchObject({code: cell === '4' ? 'no_key' : 'other_origin', applied: 'no'});
      }
      // Whatever it failed for, it is not spoken of as the sandbox.
      expect(baseUrl).toMatch(/^https?:/);
    } else {
      expect(used.status, used.stderr).toBe(0);
      const address = where === 'payrex' ? PAYREX : servers[where].url;
      expect(status.json()).toMatchObject({base_url: address, reachable: where !== 'payrex'});
      expect(status.json().key_source).toBe(which === 'given' ? 'CENTAVO_SECRET_KEY' : 'profile shop (file)');
      expect(baseUrl).toBe(address);
    }
    const sent = (at: 'environment' | 'profile') => [...new Set(shown(at))];
    expect(sent('environment')).toEqual(where === 'environment' ? [KEYS[which]] : []);
    expect(sent('profile')).toEqual(where === 'profile' ? [KEYS[which]] : []);
  });

  test('every combination is in the table once', () => {
    expect(CELLS.length).toBe(5 * 4 * 4);
    expect(new Set(CELLS.map(([profile, address, key]) => `${profile}, ${address}, ${key}`)).size).toBe(CELLS.length);
  });
});

describe('an address without a key exits 4 for every command that would use it, and sends nothing', () => {
  const COMMANDS = [
    ['customers', 'create', '--name', 'A', '--email', 'a@b.co'],
    ['billing-statements', 'create', '--customer', 'cus_2mQ8', '--item', 'Rent @ 5,000', '--send', '--yes'],
    ['api', 'POST', '/customers', '-d', 'name=A'],
    ['webhooks', 'listen', '--forward-to', '3000', '--timeout', '1s'],
    ['webhooks', 'trigger', 'payment_intent.succeeded'],
    ['get', 'cus_2mQ8'],
    ['status'],
  ];
  test.for(COMMANDS.map((words) => [words.join(' '), words] as const))('%s', async ([, words]) => {
    const someone = person({CENTAVO_BASE_URL: servers.environment.url});
    const before = servers.environment.connections();
    const result = await someone.run([...words, '--json']);
    expect(result).toMatchObject({status: 4, stdout: ''});
    expect(result.error()).toMatchObject({code: 'no_key', applied: 'no'});
    expect(result.error().message).toContain(`${servers.environment.url}. The address comes from CENTAVO_BASE_URL.`);
    expect(result.error().hint).toMatch(/CENTAVO_SECRET_KEY.*--profile sandbox.*centavo login --base-url http:\S+\d$/);
    expect(servers.environment.connections()).toBe(before);
  });

  test('its suggestions work', async () => {
    const someone = person({CENTAVO_BASE_URL: servers.environment.url});
    expect((await someone.run(['customers', 'list'], {env: {CENTAVO_SECRET_KEY: GIVEN}})).status).toBe(0);
    const login = ['login', '--base-url', servers.environment.url, '--with-token', '--insecure-storage'];
    expect((await someone.run(login, {input: STORED})).status).toBe(0);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
    expect(servers.environment.requests.slice(-1).map(keyIn)).toEqual([STORED]);
    expect((await someone.run(['customers', 'list', '--profile', 'sandbox'])).status).toBe(0);
  });

  test('sandbox commands stay in the sandbox', async () => {
    const someone = person({CENTAVO_BASE_URL: servers.environment.url});
    const before = servers.environment.connections();
    expect((await someone.run(['sandbox', 'seed'])).status).toBe(0);
    expect((await someone.run(['sandbox', 'events', 'list', '--json'])).json().data.length).toBeGreaterThan(0);
    expect(servers.environment.connections()).toBe(before);
  });
});

test('refuses the sandbox and an address in one environment', async () => {
  const env = {CENTAVO_PROFILE: 'sandbox', CENTAVO_BASE_URL: servers.environment.url};
  for (const [more, exit] of [
    [{}, 4],
    [{CENTAVO_SECRET_KEY: GIVEN}, 14],
  ] as const) {
    const someone = person({...env, ...more});
    for (const words of [['customers', 'list'], ['status'], ['config', 'list', '--show-origin']])
      expect(await someone.run(words)).toMatchObject({status: exit, stdout: ''});
    expect((await someone.run(['customers', 'list', '--profile', 'sandbox'])).status).toBe(0);
  }
});

describe('an invalid address exits 14 and names its source', () => {
  test.for([
    [{CENTAVO_BASE_URL: 'api.example'}, {}, 'CENTAVO_BASE_URL cannot be "api.example"'],
    [{CENTAVO_BASE_URL: 'localhost:4010'}, {}, 'CENTAVO_BASE_URL cannot be "localhost:4010"'],
    [{CENTAVO_BASE_URL: 'payrx', CENTAVO_SECRET_KEY: GIVEN}, {}, 'CENTAVO_BASE_URL cannot be "payrx"'],
    [{CENTAVO_PROFILE: 'shop'}, {base_url: 'api.example'}, 'base_url of profile shop cannot be "api.example"'],
    [{CENTAVO_SECRET_KEY: GIVEN, CENTAVO_PROFILE: 'shop'}, {base_url: 'nonsense'}, 'base_url of profile shop'],
    [{}, {profile: 'shop', base_url: 'localhost:4010'}, 'base_url of profile shop cannot be "localhost:4010"'],
  ] as const)('%j %j', async ([env, {profile, base_url}, words]: any) => {
    const someone = person(env);
    configure(someone.directory, {profile, profiles: {shop: {keys: {}, ...(base_url && {base_url})}}});
    for (const command of [
      ['customers', 'list'],
      ['status'],
      ['config', 'get', 'base_url'],
      ['webhooks', 'listen', '--timeout', '1s'],
    ]) {
      const result = await someone.run([...command, '--json']);
      expect(result, command.join(' ')).toMatchObject({status: 14, stdout: ''});
      expect(result.error().message).toContain(words);
    }
  });

  test('config set fixes an address in the configuration', async () => {
    const someone = person();
    configure(someone.directory, {profile: 'shop', profiles: {shop: {keys: {}, base_url: 'nonsense'}}});
    expect((await someone.run(['config', 'set', 'base_url', 'payrex'])).status).toBe(0);
    expect((await someone.run(['config', 'get', 'base_url'])).stdout).toBe(`${PAYREX}
`);
  });
});

describe('login stores a key for the address that commands use', () => {
  const LOGIN = ['login', '--with-token', '--insecure-storage', '--profile', 'shop'];
  test.for([
    ['--base-url, before all', ['--base-url', '{profile}'], true, 'payrex', 'profile'],
    ['that of the profile that is named', [], true, '{profile}', 'profile'],
    ['that of the environment, where the profile has none', [], true, undefined, 'environment'],
    ['that of the profile', [], false, '{profile}', 'profile'],
  ] as const)('%s', async ([, more, inEnvironment, ofProfile, where]) => {
    const fill = (text: string) => text.replace('{profile}', servers.profile.url);
    const someone = person(inEnvironment ? {CENTAVO_BASE_URL: servers.environment.url} : {});
    configure(someone.directory, {
      profiles: ofProfile === undefined ? {} : {shop: {keys: {}, base_url: fill(ofProfile)}},
    });
    const login = await someone.run([...LOGIN, ...more.map(fill)], {input: STORED});
    expect(login.status, login.stderr).toBe(0);
    const before = servers[where].requests.length;
    const used = await someone.run(['customers', 'list', '--profile', 'shop']);
    expect(used.status, used.stderr).toBe(0);
    expect(servers[where].requests.slice(before).map(keyIn)).toEqual([STORED]);
  });
});

test.each([
  ['http://api.example', 12, 'unsafe_url'],
  ['ftp://api.example', 12, 'unsafe_url'],
  ['https://api.example/v1', 14, 'config'],
])('%s is reported before a missing key', async (url, exit, code) => {
  const result = await person({CENTAVO_BASE_URL: url}).run(['customers', 'list', '--json']);
  expect(result).toMatchObject({status: exit, stdout: ''});
  expect(result.error()).toMatchObject({code, applied: 'no'});
  expect(result.error().hint ?? '').not.toContain('login');
});
