// Invalid environments: base URLs, keys, modes, profiles and folders, refused before anything is sent.

import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {refuses, type Refusal} from '../../support/scenarios/refusals.js';
import {LIVE_KEY, PUBLIC_KEY} from '../../support/services/servers.js';

type Env = Readonly<Record<string, string | undefined>>;

const CREATE = ['customers', 'create', '--name', 'A', '--email', 'a@b.co'];

const withEnv =
  (exit: number) =>
  (env: Env, argv: readonly string[], ...mention: (RegExp | string)[]): Refusal => ({env, argv, exit, mention});
const [auth, refused, config, localIo] = [withEnv(4), withEnv(12), withEnv(14), withEnv(15)];

describe('base URLs', () => {
  const at = (url: string): Env => ({CENTAVO_BASE_URL: url});
  refuses([
    refused(at('http://api.example'), ['customers', 'list'], 'http://api.example', 'https://api.example'),
    refused(at('http://api.example'), CREATE, 'only to this machine'),
    refused(at('http://localhost.evil.example'), ['customers', 'list'], 'localhost.evil.example'),
    refused(at('http://127.0.0.1@evil.example'), ['customers', 'list'], 'user name'),
    refused(at('ftp://127.0.0.1'), ['customers', 'list'], 'ftp'),
    {...refused(at('https://me:hunter2@api.example'), ['customers', 'list'], 'password'), secret: 'hunter2'},
    {...refused(at('http://me:hunter2@127.0.0.1:4010'), CREATE), secret: 'hunter2'},
    config(at('{url}/v1'), ['customers', 'list'], 'path'),
    config(at('{url}?a=b'), ['customers', 'list'], 'query'),
    config(at('not a url'), ['customers', 'list'], 'or a URL'),
    config(at('api.example'), CREATE, 'or a URL'),
    config(at('localhost:4010'), CREATE, 'localhost:4010', 'or a URL'),
    {...config(at('me:hunter2@api.example'), CREATE, 'CENTAVO_BASE_URL'), secret: 'hunter2'},
  ]);
});

describe('keys and modes', () => {
  const key = (value: string | undefined): Env => ({CENTAVO_SECRET_KEY: value});
  refuses([
    auth(key(undefined), ['customers', 'list', '-p', 'env'], 'no API key', 'CENTAVO_SECRET_KEY'),
    auth(key(' '), ['customers', 'list'], 'no API key'),
    {...auth(key('hunter2'), ['customers', 'list'], 'sk_test_'), secret: 'hunter2'},
    {...auth(key('sk_test_hunter2-hunter2'), CREATE, 'character 16'), secret: 'hunter2'},
    auth(key(PUBLIC_KEY), ['customers', 'list'], 'public key'),
    auth(key(PUBLIC_KEY), CREATE, 'public key'),
    auth(key(PUBLIC_KEY), ['payment-intents', 'cancel', 'pi_5kT1'], 'public key'),
    refused(key(LIVE_KEY), CREATE, 'live mode', 'A person decides'),
    refused(key(LIVE_KEY), [...CREATE, '--yes'], 'A person decides'),
    refused(key(LIVE_KEY), [...CREATE, '--live'], 'needs confirmation', 'A person decides'),
    refused(key(LIVE_KEY), [...CREATE, '--live', '--no-input'], 'A person decides'),
    refused(key(LIVE_KEY), ['billing-statements', 'void', 'bstm_7Hq2'], 'void', 'bstm_7Hq2', 'A person decides'),
    refused(key(LIVE_KEY), ['api', 'DELETE', '/customers/cus_2mQ8'], 'DELETE /customers/cus_2mQ8', 'A person decides'),
    auth({}, [...CREATE, '--live'], '--live', 'test key'),
    auth({}, ['customers', 'list', '--live', '-p', 'sandbox'], '--live', '--profile is sandbox'),
  ]);
});

describe('what surrounds a command', () => {
  test('runs no code from a package.json in the data folder', async () => {
    const directory = temporaryDirectory();
    const [plugin, ran] = [join(directory, 'plugin'), join(directory, 'ran')];
    mkdirSync(plugin);
    writeFileSync(
      join(plugin, 'hook.js'),
      `module.exports = () => require('fs').writeFileSync(${JSON.stringify(ran)}, '')`,
    );
    const hooks = {init: './hook.js'};
    writeFileSync(join(plugin, 'package.json'), JSON.stringify({name: 'extra', version: '1.0.0', oclif: {hooks}}));
    const plugins = [{name: 'extra', type: 'link', root: plugin}];
    writeFileSync(join(directory, 'package.json'), JSON.stringify({name: 'data', oclif: {plugins}}));
    expect((await cli(directory)(['customers', 'list'])).status).toBe(0);
    expect(existsSync(ran)).toBe(false);
  });

  test('refuses a relative configuration folder', async () => {
    const run = cli(temporaryDirectory(), {env: {CENTAVO_CONFIG_DIR: 'relative'}});
    const result = await run(['status', '--json']);
    expect(result).toMatchObject({status: 14, stdout: ''});
    expect(result.error()).toMatchObject({exit_code: 14, message: expect.stringContaining('CENTAVO_CONFIG_DIR')});
    expect((await run(['status', '--help'])).status).toBe(0);
  });

  test('ignores DEBUG, which would print arguments', async () => {
    const words = ['api', 'GET', '/customers', '-d', 'email=typed@example.com', '--nope'];
    const result = await cli(temporaryDirectory())(words, {env: {DEBUG: '*', CLI_FLAGS_DEBUG: '1'}});
    expect(result.status).toBe(2);
    expect(result.stderr).not.toContain('typed@example.com');
    expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
  });
});

describe('profiles and folders', () => {
  const data = (path: string): Env => ({
    CENTAVO_DATA_DIR: path,
    CENTAVO_SECRET_KEY: undefined,
    CENTAVO_BASE_URL: undefined,
  });
  refuses([
    config({}, ['customers', 'list', '-p', 'shop'], '"shop"', 'sandbox'),
    config({CENTAVO_PROFILE: 'shop'}, CREATE, '"shop"'),
    config({CENTAVO_ENCODING: 'xml'}, ['customers', 'list'], 'CENTAVO_ENCODING', 'xml'),
    config(data('somewhere/else'), ['customers', 'list'], 'CENTAVO_DATA_DIR', 'absolute'),
    config(data('./data'), CREATE, 'CENTAVO_DATA_DIR'),
    localIo(data('{dir}/a-file'), ['customers', 'list'], 'a-file'),
    localIo(data('{dir}/a-file/below'), CREATE, 'a-file/below'),
  ]);
});

test('a sandbox file that is not a database exits 15, is named and unchanged', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'sandbox.db'), 'This is not a database. '.repeat(100));
  const result = await commandsIn(directory)(['customers', 'list']);
  expect(result).toMatchObject({status: 15, stdout: '', stderr: expect.stringContaining('sandbox.db')});
});

describe('unusual values are accepted', () => {
  test('a past due date is echoed, warned about, and set', async () => {
    const run = commandsIn(temporaryDirectory());
    const customer = (await run([...CREATE, '--json'])).json().id as string;
    const draft = (await run(['billing-statements', 'create', '--customer', customer, '--json'])).json().id as string;
    const result = await run(['billing-statements', 'update', draft, '--due', '2020-01-31']);
    expect(result.status).toBe(0);
    expect(result.stderr).toMatch(
      /due: Friday, 31 January 2020 in Manila, [\d,]+ days ago\nWarning: --due is in the past\./,
    );
    expect(result.stdout).toMatch(/^due_at\t2020-01-31 23:59$/m);
  });

  test('the machine’s time zone changes no date', async () => {
    const directory = temporaryDirectory();
    for (const TZ of ['America/New_York', 'Asia/Manila', 'Mars/Olympus']) {
      const run = cli(directory, {env: {TZ}});
      const {stdout} = await run(['sandbox', 'clock', 'set', '2031-12-15', '--json']);
      expect(JSON.parse(stdout)).toMatchObject({time: '2031-12-15T23:59:59+08:00'});
      await run(['sandbox', 'reset', '--yes']);
    }
  });
});

describe('output options', () => {
  test('an unknown field is empty, and a similar one is named', async () => {
    const run = commandsIn(temporaryDirectory());
    await run(CREATE);
    const result = await run(['customers', 'list', '--fields', 'id,nmae']);
    expect(result).toMatchObject({status: 0, stdout: expect.stringMatching(/^cus_\w+\t\n$/)});
    expect(result.stderr).toMatch(/"nmae"[^]*Did you mean name\?/);
  });

  test('a jq program that fails on the answer of a change does not claim that nothing was sent', async () => {
    const run = commandsIn(temporaryDirectory());
    const result = await run([...CREATE, '--jq', '.name | error("no")']);
    expect((await run(['customers', 'list', '--json'])).json().data).toHaveLength(1);
    expect(result.status).not.toBe(0);
    expect(result.stderr).not.toMatch(/Nothing was (sent|changed)/);
  });
});
