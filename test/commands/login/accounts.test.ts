// Several keys of one account, keys of another account, public keys, and the served sandbox as an account.

import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {operations} from '../../../src/api/registry.js';
import {BAKERY, keyIn, loggedIn, person, serve, SHOP} from '../../support/scenarios/accounts.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {httpAnswer, LIVE_KEY, PUBLIC_KEY, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const OTHER_KEY = TEST_KEY.replace('abcdef', 'second');
const BAKERY_KEY = TEST_KEY.replace('abcdef', 'bakery');
const LIVE_PUBLIC = PUBLIC_KEY.replace('test', 'live');

let api: RawServer;
beforeAll(async () => {
  const [secret, publicKeys] = [
    {[TEST_KEY]: SHOP, [OTHER_KEY]: SHOP, [LIVE_KEY]: SHOP},
    {[PUBLIC_KEY]: {}, [LIVE_PUBLIC]: {}},
  ];
  api = await serve({...secret, ...publicKeys, [BAKERY_KEY]: BAKERY}, afterAll);
});

const FILE = ['login', '--with-token', '--insecure-storage'];
const at = (url = api.url): string[] => ['--base-url', url];
const asked = (key: string): string[] => api.requests.filter((request) => keyIn(request) === key);

describe.concurrent('a profile with a key', () => {
  test('refuses a key of another account in a script without --yes', async ({expect}) => {
    const {run, configured} = person();
    expect((await run([...FILE, ...at(), '-p', 'shop'], {input: TEST_KEY})).status).toBe(0);
    const refused = await run([...FILE, '-p', 'shop'], {input: BAKERY_KEY});
    expect(refused.status).toBe(12);
    expect(refused.stderr).toMatch(/the key belongs to Panaderia Reyes, but shop belongs to Aling Nena Store\./);
    expect(refused.stderr).toMatch(/A person decides this, at a terminal\. Use another profile with --profile/);
    expect(configured().profiles.shop).toMatchObject({
      merchant: {id: 'merc_Shop1'},
      keys: {test_secret: {last4: 'cdef'}},
    });
    expect((await run([...FILE, '-p', 'shop', '--yes'], {input: BAKERY_KEY})).status).toBe(0);
    expect(configured().profiles.shop).toMatchObject({
      merchant: {id: 'merc_Bake2'},
      keys: {test_secret: {last4: 'kery'}},
    });
  });

  test('replaces a key of the same account, names the old key, and stores it nowhere', async ({expect}) => {
    const {run, holding} = await loggedIn(TEST_KEY, api.url);
    const login = await run(FILE, {input: OTHER_KEY});
    expect(login.status).toBe(0);
    expect(login.stderr).toContain('key      sk_test_…cond, replacing …cdef');
    expect([holding(TEST_KEY), holding(OTHER_KEY)]).toEqual([[], [expect.stringMatching(/^key-shop-/)]]);
    await run(['customers', 'list']);
    expect(
      keyIn(api.requests.findLast((request) => request.startsWith('GET /customers') && keyIn(request) === OTHER_KEY)!),
    ).toBe(OTHER_KEY);
  });

  test('holds test, live and public keys side by side, each used for its mode', async ({expect}) => {
    const {run, keep, configured} = await loggedIn(TEST_KEY, api.url);
    const live = await run(['login', '--with-token', '--insecure-storage=live'], {input: LIVE_KEY});
    expect(live).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^mode {5}LIVE$[^]*Key stored. To use it, add --live\./m),
    });
    for (const key of [PUBLIC_KEY, LIVE_PUBLIC]) await keep(key, api.url);
    expect(Object.keys(configured().profiles.shop.keys)).toEqual([
      'test_secret',
      'live_secret',
      'test_public',
      'live_public',
    ]);

    const intent = ['payment-intents', 'get', 'pi_1a'];
    const withSecret = [...intent, '--client-secret', 'pi_1a_secret_x'];
    for (const words of [['customers', 'list', '--live'], intent, withSecret, [...withSecret, '--live']])
      await run(words);
    const used = (key: string, path: string) => asked(key).some((request) => request.startsWith(`GET ${path}`));
    expect(used(LIVE_KEY, '/customers')).toBe(true);
    expect([TEST_KEY, PUBLIC_KEY, LIVE_PUBLIC].map((key) => used(key, '/payment_intents/pi_1a'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(used(LIVE_KEY, '/payment_intents/pi_1a')).toBe(false);
  });
});

test('treats the served sandbox like any account: checks its keys, names its merchant and uses it', async () => {
  const someone = person();
  const merchant = new Merchant(someone.directory);
  onTestFinished(() => merchant.close());
  await merchant.sandbox.seed();
  const {secret, public: publicKey} = merchant.sandbox.keys;
  const {url, close} = await merchant.sandbox.serve({port: 0});
  onTestFinished(close);
  const login = await someone.run([...FILE, ...at(url), '-p', 'local', '--json'], {input: secret});
  expect(login.json()).toMatchObject({mode: 'test', checked: true, merchant_id: expect.stringMatching(/^merc_/)});
  expect((await someone.run(FILE, {input: publicKey})).status).toBe(0);
  expect((await someone.run(FILE, {input: `${secret}x`})).status).toBe(4);
  const made = await someone.run('customers create --name Ana --email ana@example.com --json'.split(' '));
  expect(made.stderr).toBe('');
  expect((await merchant.call('GET', `/customers/${made.json().id}`)).name).toBe('Ana');
  const {id, client_secret: clientSecret} = await merchant.intent();
  const got = await someone.run(['payment-intents', 'get', id, '--client-secret', clientSecret, '--json']);
  // A public key is masked more than a secret key.
  expect([got.json().id, Object.keys(got.json()).includes('metadata')]).toEqual([id, false]);
});

describe.concurrent('a public key', () => {
  test('unknown to the API: exit 4', async ({expect}) => {
    const login = await person().run([...FILE, ...at()], {input: `${PUBLIC_KEY}x`});
    expect(login.status).toBe(4);
  });

  test('not accepted by a server without the API', async ({expect, onTestFinished}) => {
    const other = await serve(
      () => httpAnswer('404 Not Found', 'Not here', {'content-type': 'text/plain'}),
      onTestFinished,
    );
    const {run, configured} = person();
    expect((await run([...FILE, ...at(other.url)], {input: PUBLIC_KEY})).status).toBe(8);
    expect(configured()).toBe(false);
  });

  test('alone can only get a payment intent, and is sent without anything else', async ({expect, onTestFinished}) => {
    const own = await serve({[PUBLIC_KEY]: {}}, onTestFinished);
    const {run} = await loggedIn(PUBLIC_KEY, own.url);
    const intent = ['payment-intents', 'get', 'pi_1a'];
    const others = operations.map(({id}) => id.split(':')).filter(([, verb]) => verb !== 'get');
    for (const words of [
      ...others,
      ['customers', 'get', 'cus_1a'],
      ['get', 'cus_1a'],
      ['api', 'GET', '/customers'],
      ['api', 'POST', '/payment_intents/pi_1a/cancel'],
      ['webhooks', 'listen'],
      ['webhooks', 'trigger', 'customer.created', '--from', 'cus_1a', '--to', `${own.url}/hook`, '--secret-stdin'],
    ]) {
      const refused = await run([...words, '--json', '--no-input'], {input: 'whsk_MadeUpForTests'});
      expect(`${words.join(' ')}: ${refused.status} ${refused.stderr}`).toMatch(/: 4 .*"code":"public_key"/);
    }
    expect([others.length > 30, own.connections()]).toEqual([true, 0]);
    expect((await run([...intent, '--client-secret', 'pi_1a_secret_x'])).status).toBe(3);
    expect(own.connections()).toBe(1);
  });
});
