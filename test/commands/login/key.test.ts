// Login with a key on stdin: accepted input, the check with the API, and nothing stored after a refusal.

import {afterAll, beforeAll, describe, test} from 'vitest';
import {keyIn, loggedIn, person, serve, SHOP} from '../../support/scenarios/accounts.js';
import {looksBroken} from '../../support/processes.js';
import {httpAnswer, LIVE_KEY, showsKey, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const NEW_KEY = TEST_KEY.replace('abcdef', 'newone');
const UNKNOWN = TEST_KEY.replace('abcdef', 'nobody');
const KNOWN_PUBLIC = TEST_KEY.replace('sk_', 'pk_');
const ODD_TEST = TEST_KEY.replace('abcdef', 'oddone');
const ODD_LIVE = LIVE_KEY.replace('abcdef', 'oddone');

let api: RawServer;
beforeAll(async () => {
  api = await serve(
    {
      [TEST_KEY]: SHOP,
      [NEW_KEY]: {},
      [ODD_TEST]: {...SHOP, livemode: true},
      [ODD_LIVE]: {...SHOP, livemode: false},
      [KNOWN_PUBLIC]: {},
    },
    afterAll,
  );
});

const FILE = ['login', '--with-token', '--insecure-storage'];
const at = (url = api.url): string[] => ['--base-url', url];
const asked = (key: string): string[] => api.requests.filter((request) => keyIn(request) === key);

describe.concurrent('a key on stdin', () => {
  test.for([
    ['as it is', TEST_KEY],
    ['with a line feed', `${TEST_KEY}\n`],
    ['with a carriage return and blanks around', `  ${TEST_KEY} \r\n\r\n`],
  ] as const)('%s is checked and stored', async ([, input], {expect}) => {
    const {runProcess, configured, holding} = person();
    const login = await runProcess([...FILE, ...at(), '--json'], {input});
    expect(login).toMatchObject({status: 0, stderr: ''});
    expect(login.json()).toEqual({
      profile: 'default',
      mode: 'test',
      key: 'sk_test_…cdef',
      slot: 'test_secret',
      merchant_id: 'merc_Shop1',
      merchant_name: 'Aling Nena Store',
      base_url: api.url,
      store: 'file',
      checked: true,
      active: true,
    });
    expect(configured()).toMatchObject({
      profile: 'default',
      profiles: {
        default: {
          merchant: {id: 'merc_Shop1', name: 'Aling Nena Store'},
          keys: {test_secret: {store: 'file', last4: 'cdef', origin: api.url, checked_at: expect.any(Number)}},
          base_url: api.url,
        },
      },
    });
    expect(holding('MadeUpForTests')).toEqual([expect.stringMatching(/^key-default-\w{10}\.test_secret-\w{8}$/)]);
    expect(showsKey(login.stdout + login.stderr)).toBe(false);
  });

  test('is shown as account, mode and last four characters', async ({expect}) => {
    const {stdout, stderr, status} = await person().run([...FILE, ...at(), '--profile', 'shop'], {
      input: TEST_KEY,
    });
    expect(status).toBe(0);
    expect(stderr.split('\n')).toEqual([
      'profile  shop (new)',
      'account  Aling Nena Store · merc_Shop1',
      'mode     test',
      'key      sk_test_…cdef',
      `address  ${api.url}`,
      'storage  a file that only you can read',
      'Key stored.',
      'Commands now use shop. To use the sandbox: --profile sandbox',
      '',
    ]);
    expect(stdout).toMatch(/^profile\tshop$/m);
  });

  test('of an account without a statement is stored without a name', async ({expect}) => {
    const login = await person().run([...FILE, ...at()], {input: NEW_KEY});
    expect(login.status).toBe(0);
    expect(login.stderr).toContain('which names the account once it has a billing statement');
  });

  test('that is public is recognized, and names no account', async ({expect}) => {
    const login = await person().run([...FILE, ...at()], {input: KNOWN_PUBLIC});
    expect(login.status).toBe(0);
    expect(login.stderr).toContain('accepted by the API, which does not name the account for a public key');
  });

  test('equal to the stored one is reported as the same; another one is not', async ({expect}) => {
    const {run} = await loggedIn(TEST_KEY, api.url);
    expect((await run([...FILE], {input: TEST_KEY})).stderr).toMatch(/^key {6}sk_test_…cdef, the same as before$/m);
    const other = await run([...FILE], {input: NEW_KEY});
    expect(other.stderr).toMatch(/^key {6}sk_test_…wone, replacing …cdef$/m);
  });

  test.for([
    [{CENTAVO_PROFILE: 'stall'}, [], 'Commands use stall where CENTAVO_PROFILE is set to it, and shop elsewhere.'],
    [{CENTAVO_PROFILE: 'shop'}, ['-p', 'stall'], 'CENTAVO_PROFILE is shop, and overrides it.'],
    [{CENTAVO_SECRET_KEY: NEW_KEY}, ['-p', 'stall'], 'CENTAVO_SECRET_KEY is set and overrides this key.'],
    [{}, ['-p', 'stall'], 'Commands still use shop. To switch: centavo profiles use stall'],
  ] as const)('with %j, names the account that commands use now', async ([env, words, said], {expect}) => {
    const {run} = await loggedIn(TEST_KEY, api.url);
    const login = await run([...FILE, ...at(), ...words], {input: TEST_KEY, env});
    expect(login.status).toBe(0);
    expect(login.stderr).toContain(`Key stored.\n${said}`);
  });

  test.for([
    ['zero-width space behind', `${TEST_KEY}\u200B`, 'character 39 is'],
    ['quotes around', `"${TEST_KEY}"`, 'character 1 is'],
    ['a line break within', `${TEST_KEY}\n${TEST_KEY}`, 'character 39 is'],
    ['UTF-16', Buffer.from(TEST_KEY, 'utf16le'), 'character 2 is'],
    ['a webhook’s secret', 'whsk_MadeUpForTests0123456789abcdefgh', 'starts with sk_test_'],
    ['nothing', '\n', 'It is empty.'],
  ] as const)(
    'that is none is exit 4, with words, and nothing of it is said: %s',
    async ([, input, words], {expect}) => {
      const {run, configured} = person();
      const login = await run([...FILE, ...at()], {input});
      expect(login).toMatchObject({status: 4, stdout: ''});
      expect(login.stderr).toMatch(/^Error: stdin is not an API key\.\n {2}.*Nothing was changed\.\n$/);
      expect(login.stderr).toContain(words);
      expect(login.stderr).not.toContain('MadeUp');
      expect(configured()).toBe(false);
    },
  );
});

describe.concurrent('when the API answers', () => {
  test('with a refusal: exit 4, and the key is stored nowhere', async ({expect}) => {
    const {run, configured, holding} = person();
    const login = await run([...FILE, ...at(), '-p', 'shop'], {input: UNKNOWN});
    expect(login).toMatchObject({status: 4, stdout: ''});
    expect(login.stderr.split('\n')).toEqual([
      'Error: the API refused the key sk_test_…body (HTTP 401), so it was not stored.',
      `  The key was checked at ${api.url}. Made up: auth_invalid. Nothing was changed.`,
      `  Copy the key again: centavo login --profile shop --base-url ${api.url} --insecure-storage=test`,
      '',
    ]);
    expect(configured()).toBe(false);
    expect(holding('MadeUp')).toEqual([]);
    expect(asked(UNKNOWN)).toHaveLength(1);
  });

  test('with a refusal of a new key: keeps using the old one', async ({expect}) => {
    const {run, configured} = await loggedIn(TEST_KEY, api.url);
    const before = configured();
    expect((await run([...FILE, '--json'], {input: `${UNKNOWN}x`})).error()).toMatchObject({
      exit_code: 4,
      applied: 'no',
    });
    expect(configured()).toEqual(before);
    expect((await run(['customers', 'list'])).status).toBe(0);
  });

  test('not at all, because nothing listens: exit 8, names --offline, stores nothing', async ({expect}) => {
    const {run, configured} = person();
    const login = await run([...FILE, ...at('http://127.0.0.1:9'), '--timeout', '2s'], {input: TEST_KEY});
    expect(login).toMatchObject({status: 8, stdout: ''});
    expect(login.stderr).toMatch(
      /could not be checked, so it was not stored\.\n {2}The API at http:\/\/127\.0\.0\.1:9 could not be reached\. The connection was refused \(ECONNREFUSED\)\.[^]*To store it without checking: centavo login --profile default --base-url http:\/\/127\.0\.0\.1:9 --insecure-storage=test --offline --with-token < key\.txt\n/,
    );
    expect(configured()).toBe(false);
  });

  test('not within CENTAVO_TIMEOUT', async ({expect, onTestFinished}) => {
    const silent = await serve(() => undefined, onTestFinished);
    const login = await person({CENTAVO_TIMEOUT: '1s'}).run([...FILE, ...at(silent.url)], {input: TEST_KEY});
    expect(login.status).toBe(8);
    expect(login.stderr).toContain('--offline');
  });

  test.for([
    ['a page', httpAnswer('200 OK', '<html>Welcome</html>', {'content-type': 'text/html'})],
    ['something else', httpAnswer('200 OK', '{"hello":"world"}')],
    ['a list of something else', httpAnswer('200 OK', '{"resource":"list","has_more":false,"data":[{"id":"cus_1"}]}')],
    ['a redirect', httpAnswer('302 Found', '', {location: 'https://elsewhere.example/'})],
  ] as const)('with %s: exit 8, stores nothing', async ([, answer], {expect, onTestFinished}) => {
    const odd = await serve(() => answer, onTestFinished);
    const {run, configured} = person();
    const login = await run([...FILE, ...at(odd.url)], {input: TEST_KEY});
    expect(login.status).toBe(8);
    expect(login.stderr).toContain('was not stored');
    expect(configured()).toBe(false);
    expect(looksBroken(login)).toBe(false);
  });

  test.for([
    ['test', ODD_TEST, 'test', 'the API answered in live mode to a test key.'],
    ['live', ODD_LIVE, 'live', 'the API answered in test mode to a live key.'],
  ] as const)('in the other mode to a %s key: exit 12, stores nothing', async ([, input, mode, words], {expect}) => {
    const {run, configured} = person();
    const login = await run(['login', '--with-token', `--insecure-storage=${mode}`, ...at(), '--yes', '--json'], {
      input,
    });
    expect(login.error()).toMatchObject({exit_code: 12, code: 'mode_mismatch', applied: 'no'});
    expect(login.stderr).toContain(words);
    expect(configured()).toBe(false);
  });

  test('does not connect with --offline, and stores the key unchecked', async ({expect, onTestFinished}) => {
    const silent = await serve(() => undefined, onTestFinished);
    const {run, configured} = person();
    const login = await run([...FILE, '--offline', ...at(silent.url), '--json'], {input: TEST_KEY});
    expect(login.json()).toMatchObject({checked: false, merchant_id: null});
    expect(silent.connections()).toBe(0);
    expect(configured().profiles.default.keys.test_secret.checked_at).toBeNull();
  });
});
