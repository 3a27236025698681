// A job that lost its key must not bill the sandbox silently: CENTAVO_REQUIRE_KEY, --live, and a note.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {configure} from '../../support/scenarios/limits.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {Merchant} from '../../support/scenarios/merchant.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let number: string;

beforeAll(async () => {
  const merchant = new Merchant(directory);
  number = (await merchant.open()).billing_statement_number as string;
  merchant.close();
});

const ANA = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'];

describe('CENTAVO_REQUIRE_KEY=1', () => {
  const env = {CENTAVO_REQUIRE_KEY: '1'};

  test.for([ANA, ['customers', 'list'], ['bill', '--dry-run'], ['api', 'GET', '/customers'], ['status'], ['owed']])(
    'refuses the default sandbox: %j',
    async (words) => {
      const {status, stdout, error} = await run([...words, '--json'], {env});
      expect({status, stdout}).toEqual({status: 4, stdout: ''});
      const {code, hint, applied} = error();
      expect({code, applied}).toEqual({code: 'no_key', applied: 'no'});
      expect(hint).toContain('centavo login');
    },
  );

  test.for([
    [['customers', 'list', '--profile', 'sandbox'], env],
    [['customers', 'list'], {...env, CENTAVO_PROFILE: 'sandbox'}],
    [['customers', 'list'], {CENTAVO_REQUIRE_KEY: '0'}],
    [['sandbox', 'seed', '--dry-run'], env],
    [['sandbox', 'events', 'list'], env],
    [['sandbox', 'pay', 'NUMBER'], env],
    [['history'], env],
    [['config', 'list'], env],
  ] as const)('allows a chosen sandbox: %j %j', async ([words, variables]) => {
    const typed = words.map((word) => word.replace('NUMBER', number));
    expect(await run(typed, {env: variables})).toMatchObject({status: 0});
  });

  test('allows the sandbox chosen with profiles use', async () => {
    const folder = commandsIn(temporaryDirectory());
    expect(await folder(['customers', 'list'], {env})).toMatchObject({status: 4});
    expect(await folder(['profiles', 'use', 'sandbox'], {env})).toMatchObject({status: 0});
    expect(await folder(['customers', 'list'], {env})).toMatchObject({status: 0});
  });
});

describe('--live without a live key exits 4, and says where it looked', () => {
  const configured = (profile: string | undefined, keys: object = {}): object => ({
    ...(profile && {profile}),
    profiles: {shop: {id: 'shop', keys}},
  });
  const live = {
    live_secret: {
      store: 'file',
      fingerprint: '00c0ffee',
      last4: 'cdef',
      origin: 'https://api.payrexhq.com',
      checked_at: 1,
    },
  };

  test.for([
    [
      'nothing',
      {},
      undefined,
      [],
      'CENTAVO_SECRET_KEY is not set, and HOME/.config/centavo/config.json does not exist.',
    ],
    ['no active profile', {}, configured(undefined), [], 'config.json selects no profile.'],
    ['the sandbox', {}, configured('sandbox'), [], 'config.json selects the profile sandbox, which has no key.'],
    ['the variable', {CENTAVO_PROFILE: 'sandbox'}, undefined, [], 'CENTAVO_PROFILE is sandbox, which has no key.'],
    ['the flag', {}, undefined, ['-p', 'sandbox'], '--profile is sandbox, which has no key.'],
    ['another profile with a key', {}, configured(undefined, live), [], 'centavo profiles use shop'],
    ['a test key', {CENTAVO_SECRET_KEY: TEST_KEY}, undefined, [], 'from CENTAVO_SECRET_KEY is a test key.'],
    ['a required key', {CENTAVO_REQUIRE_KEY: '1'}, undefined, [], 'CENTAVO_SECRET_KEY is not set'],
  ] as const)('%s', async ([, env, configuration, flags, said]) => {
    const home = temporaryDirectory();
    if (configuration) configure(home, configuration);
    for (const words of [ANA, ['customers', 'list'], ['status']]) {
      const all = {CENTAVO_PROFILE: undefined, ...env};
      const {status, stdout, error} = await commandsIn(home)([...words, ...flags, '--live', '--json'], {env: all});
      const {code, message, hint, applied} = error();
      const expected = 'CENTAVO_SECRET_KEY' in env ? 'wrong_mode' : 'no_key';
      expect({status, stdout, code, applied}).toEqual({status: 4, stdout: '', code: expected, applied: 'no'});
      expect(`${message} ${hint}`).toContain(said.replace('HOME', home));
      expect(hint).toMatch(/centavo login|centavo profiles use shop/);
      expect(hint).not.toMatch(/--live|remove|leave/i);
    }
  });
});

describe('a sandbox that is only the default is noted', () => {
  const NOTE = 'The sandbox, by default: nothing here is real. To choose it: centavo profiles use sandbox\n';
  const ERROR = /^The sandbox, by default: [^\n]+\n\{"error":.*\}\n$/;

  test.for([
    ['a change', ANA, {}, `${NOTE}→ sandbox\n`],
    ['a change whose answer a program reads', [...ANA, '--json'], {}, NOTE],
    ['a change under CI', [...ANA, '-o', 'jsonl'], {CI: '1'}, NOTE],
    ['a change that is only shown', [...ANA, '--dry-run', '--json'], {}, NOTE],
    ['a read', ['customers', 'list'], {}, NOTE],
    ['a report', ['owed', '--json'], {}, NOTE],
    ['a chosen sandbox', [...ANA, '-p', 'sandbox', '--json'], {CI: '1'}, ''],
    ['a sandbox of the environment', ['customers', 'list'], {CENTAVO_PROFILE: 'sandbox'}, ''],
    ['--quiet', [...ANA, '--quiet'], {CI: '1'}, ''],
    ['a sandbox command', ['sandbox', 'clock', '--json'], {}, ''],
    ['a payment of the sandbox', ['sandbox', 'pay', 'PAID', '--json'], {}, /^\{"error":\{"code":"not_payable".*\n$/],
    ['the configuration', ['config', 'list', '--json'], {}, ''],
    ['help', ['customers', '--help'], {}, ''],
    ['an error', ['billing-statements', 'void', 'bstm_2mQ8', '--json'], {}, ERROR],
  ] as const)('%s', async ([, words, env, said]) => {
    const typed = words.map((word) => word.replace('PAID', number));
    const {stderr} = await run(typed, {env: {CENTAVO_PROFILE: undefined, ...env}});
    expect(stderr).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
  });

  test('not at a terminal, but with a machine format there', async () => {
    const env = {CENTAVO_PROFILE: undefined};
    const stdin = {isTTY: true} as never;
    const at = (words: readonly string[]) => run(words, {env, columns: 120, host: {stdin}});
    expect((await at(['customers', 'list'])).stderr).not.toContain('default');
    expect((await at(['customers', 'list', '--json'])).stderr).toContain(NOTE);
  });

  test('no longer after profiles use sandbox', async () => {
    const folder = commandsIn(temporaryDirectory(), {env: {CENTAVO_PROFILE: undefined}});
    expect((await folder(['customers', 'list'])).stderr).toBe(NOTE);
    await folder(['profiles', 'use', 'sandbox']);
    expect((await folder(['customers', 'list'])).stderr).toBe('');
  });
});
