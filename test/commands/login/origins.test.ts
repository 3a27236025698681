// A key stored for one address is never sent to another: not by settings, redirects or proxies.

import {writeFileSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {answersFor, keyIn, loggedIn, person, serve, SHOP, type Person} from '../../support/scenarios/accounts.js';
import {httpAnswer, LIVE_KEY, showsKey, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const CREATE = ['customers', 'create', '--name', 'A', '--email', 'a@b.co'];
const UNSAFE = 'http://api.example';

/** Edits the configuration file by hand. */
function edit(someone: Person, change: (profile: any) => unknown): void {
  const document = someone.configured();
  change(document.profiles.shop);
  writeFileSync(someone.configuration, JSON.stringify(document), {mode: 0o600});
}

describe.concurrent('another address', () => {
  let [mine, other]: RawServer[] = [];
  beforeAll(async () => {
    mine = await serve({[TEST_KEY]: SHOP}, afterAll);
    other = await serve({[TEST_KEY]: SHOP}, afterAll);
  });

  test.for([
    ['CENTAVO_BASE_URL', ['customers', 'list']],
    ['CENTAVO_BASE_URL', CREATE],
    ['CENTAVO_BASE_URL', ['api', 'GET', '/customers']],
    ['config set', CREATE],
    ['the file', ['status']],
    ['the file', ['webhooks', 'list']],
  ] as const)('in %s: %j is exit 12, and neither server gets a request', async ([who, words], {expect}) => {
    const someone = await loggedIn(TEST_KEY, mine!.url);
    const env = who === 'CENTAVO_BASE_URL' ? {CENTAVO_BASE_URL: other!.url} : {};
    if (who === 'config set') expect((await someone.run(['config', 'set', 'base_url', other!.url])).status).toBe(0);
    if (who === 'the file') edit(someone, (shop) => (shop.base_url = other!.url));
    const used = await someone.run([...words, '--json'], {env});
    expect(used.error()).toMatchObject({exit_code: 12, code: 'other_origin', applied: 'no'});
    expect(used.stderr).toContain(`was stored for ${mine!.url}, so it is not sent to ${other!.url}`);
    expect([mine!.connections(), other!.connections(), used.stdout]).toEqual([0, 0, '']);
  });

  test('after a new login: does not send the other key there, and does not ask the old address', async ({expect}) => {
    const [first, second] = [await serve({[LIVE_KEY]: SHOP}, afterAll), await serve({[TEST_KEY]: SHOP}, afterAll)];
    const someone = await loggedIn(LIVE_KEY, first.url);
    const login = ['login', '--with-token', '--insecure-storage', '--base-url', second.url];
    expect((await someone.run(login, {input: TEST_KEY})).status).toBe(0);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
    expect((await someone.run(['customers', 'list', '--live'])).status).toBe(12);
    expect([first.connections(), second.requests.some((request) => keyIn(request) === LIVE_KEY)]).toEqual([0, false]);
  });
});

describe.concurrent('the sandbox', () => {
  test('tour stays in the sandbox with any active account and key', async ({expect, onTestFinished}) => {
    const own = await serve({[TEST_KEY]: SHOP}, onTestFinished);
    const someone = await loggedIn(TEST_KEY, own.url, {CENTAVO_SECRET_KEY: TEST_KEY});
    const tour = await someone.run(['sandbox', 'demo']);
    expect(tour.status, tour.stderr).toBe(0);
    expect(tour.stdout).toMatch(/\$ centavo billing-statements send bstm_\w+ --profile sandbox\n/);
    expect(own.connections()).toBe(0);
  });
});

describe.concurrent('plain http to another machine is refused without a lookup', () => {
  const refused = {status: 12, stdout: '', stderr: expect.stringContaining('http://api.example')};

  test('at login, before reading the key', async ({expect}) => {
    const someone = person();
    const login = ['login', '--with-token', '--insecure-storage', '--base-url', UNSAFE, '--offline'];
    expect(await someone.run(login, {input: 'no key at all'})).toMatchObject(refused);
    expect(someone.configured()).toBe(false);
  });

  test('by config set, which keeps the old value', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, 'https://api.example');
    expect(await someone.run(['config', 'set', 'base_url', UNSAFE])).toMatchObject(refused);
    expect(someone.configured().profiles.shop.base_url).toBe('https://api.example');
  });

  test('at use, even if the file was edited to send the key there', async ({expect}) => {
    const someone = await loggedIn(TEST_KEY, 'https://api.example');
    edit(someone, (shop) => {
      shop.base_url = UNSAFE;
      shop.keys.test_secret.origin = UNSAFE;
    });
    expect(await someone.run(['customers', 'list'])).toMatchObject(refused);
  });
});

describe.concurrent('a redirect', () => {
  test.for([
    ['301 Moved Permanently', 'another', ['customers', 'list'], 8],
    ['302 Found', 'the same', ['customers', 'list'], 8],
    ['303 See Other', 'another', CREATE, 10],
    ['307 Temporary Redirect', 'another', CREATE, 10],
    ['307 Temporary Redirect', 'the same', CREATE, 10],
    ['308 Permanent Redirect', 'another', CREATE, 10],
  ] as const)('%s to %s server is not followed: %j', async ([status, to, words, exit], {expect, onTestFinished}) => {
    const other = await serve({[TEST_KEY]: SHOP}, onTestFinished);
    const location = `${to === 'another' ? other.url : ''}/elsewhere`;
    const own = await serve(() => httpAnswer(status, '', {location}), onTestFinished);
    const someone = await loggedIn(TEST_KEY, own.url);
    expect((await someone.run(words)).status).toBe(exit);
    expect(own.requests.some((request) => request.includes('elsewhere'))).toBe(false);
    expect(own.requests.filter((request) => request.includes(words === CREATE ? 'POST' : 'GET'))).toHaveLength(1);
    expect(other.connections()).toBe(0);
  });

  test('at login is not followed, and the key is not stored', async ({expect, onTestFinished}) => {
    const other = await serve({[TEST_KEY]: SHOP}, onTestFinished);
    const own = await serve(() => httpAnswer('302 Found', '', {location: other.url}), onTestFinished);
    const someone = person();
    const login = ['login', '--with-token', '--insecure-storage', '--base-url', own.url];
    expect((await someone.run(login, {input: TEST_KEY})).status).toBe(8);
    expect([own.requests.length, other.connections(), someone.holding('MadeUp')]).toEqual([1, 0, []]);
  });
});

describe.concurrent('a proxy from the environment', () => {
  const NAMES = ['http_proxy', 'https_proxy', 'all_proxy'];
  const named = (names: readonly string[], url: string, more: object = {}): Record<string, string> => ({
    ...Object.fromEntries(names.map((name) => [name, url])),
    ...more,
  });
  const ALL = [...NAMES, ...NAMES.map((name) => name.toUpperCase())];
  test.for([
    ['in small letters', '127.0.0.1', NAMES, {}],
    ['in large letters', '127.0.0.1', NAMES.map((name) => name.toUpperCase()), {}],
    ['in both', 'localhost', ['Http_Proxy', ...ALL], {}],
    ['with an empty NO_PROXY', '127.0.0.1', ALL, {NO_PROXY: '', no_proxy: ''}],
  ] as const)(
    '%s never hears of a service at %s, at login and at use',
    async ([, host, names, more], {expect, onTestFinished}) => {
      const proxy = await serve(() => httpAnswer('200 OK', '{}'), onTestFinished);
      const own = await serve({[TEST_KEY]: SHOP}, onTestFinished);
      const someone = person(named(names, proxy.url, more));
      const login = ['login', '--with-token', '--insecure-storage', '--base-url', own.url.replace('127.0.0.1', host)];
      expect((await someone.run(login, {input: TEST_KEY})).status).toBe(0);
      expect((await someone.run(CREATE)).status).toBe(5);
      expect([own.requests.length, proxy.connections()]).toEqual([2, 0]);
    },
  );

  test('gets a tunnel request for a remote service, and never the key', async ({expect, onTestFinished}) => {
    const proxy = await serve(() => 'HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n', onTestFinished);
    const someone = await loggedIn(TEST_KEY, 'https://api.example', {HTTPS_PROXY: proxy.url});
    expect((await someone.run(['customers', 'list', '--timeout', '5s'])).status).toBe(8);
    expect(proxy.requests[0]).toMatch(/^CONNECT api\.example:443 HTTP\/1\.1\r\n/);
    expect(proxy.requests.some((request) => showsKey(request) || /authorization/i.test(request))).toBe(false);
  });
});

describe.concurrent('a live key', () => {
  test('is not sent while NODE_TLS_REJECT_UNAUTHORIZED is 0; a test key is', async ({expect, onTestFinished}) => {
    const own = await serve(answersFor({[TEST_KEY]: SHOP}), onTestFinished);
    const someone = await loggedIn(LIVE_KEY, own.url, {NODE_TLS_REJECT_UNAUTHORIZED: '0'});
    await someone.keep(TEST_KEY, own.url);
    expect((await someone.run(['customers', 'list', '--live', '--json'])).error()).toMatchObject({
      exit_code: 12,
      code: 'unsafe_tls',
    });
    expect(own.connections()).toBe(0);
    expect((await someone.run(['customers', 'list'])).status).toBe(0);
  });

  test('without a test key, or the reverse: exit 4 names the stored one', async ({expect, onTestFinished}) => {
    const own = await serve({}, onTestFinished);
    const live = await (await loggedIn(LIVE_KEY, own.url)).run(CREATE);
    expect(live.status).toBe(4);
    expect(live.stderr).toMatch(/the profile shop has no test secret key\.[^]*only a live key/);
    const test = await (await loggedIn(TEST_KEY, own.url)).run([...CREATE, '--live', '--yes']);
    expect(test.status).toBe(4);
    expect(test.stderr).toMatch(/the profile shop has no live secret key\.[^]*--live needs a live key/);
    expect(own.connections()).toBe(0);
  });

  test('in the environment overrides the profile’s test key, and every write says so', async ({
    expect,
    onTestFinished,
  }) => {
    const own = await serve({[LIVE_KEY]: SHOP}, onTestFinished);
    const someone = await loggedIn(TEST_KEY, own.url, {CENTAVO_SECRET_KEY: LIVE_KEY, CENTAVO_PROFILE: 'shop'});
    await someone.run(['config', 'set', 'max_statements_per_run', '1']);
    const made = await someone.runProcess([...CREATE, '--live', '--yes']);
    expect(made.status).toBe(5);
    expect(made.stderr).toContain('→ LIVE · shop (key from CENTAVO_SECRET_KEY)');
    expect(own.requests.every((request) => request.includes(Buffer.from(`${LIVE_KEY}:`).toString('base64')))).toBe(
      true,
    );
    const many = await someone.run(['billing-statements', 'void', 'bstm_1a', 'bstm_2b', '--live', '--yes', '--json']);
    expect(many.error()).toMatchObject({exit_code: 12, code: 'too_many_statements'});
  });
});
