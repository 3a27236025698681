// Machine output of every command: global flags anywhere; version, help and errors as JSON; nested fields; exact numbers.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);

beforeAll(async () => {
  await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com', '-d', 'metadata[order]=7']);
});

describe('flags before the command', () => {
  test.for([
    ['--json', 'customers', 'list', '--limit', '1'],
    ['customers', '--json', 'list', '--limit', '1'],
    ['-p', 'sandbox', '-o', 'json', 'customers', 'list', '--limit=1'],
    ['-qyo', 'json', 'customers', 'list', '--limit', '1'],
    ['--profile=sandbox', '-ojson', '-q', 'customers', 'list', '--limit', '1'],
    ['--timeout', '9s', '--output=json', 'customers', 'list', '--limit', '1', '--no-color'],
  ])('%j', async (words) => {
    const result = await run(words);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json().data).toHaveLength(1);
  });

  test.for([
    [['-p', 'shop', 'customers', 'list'], 'unknown_profile', /shop/],
    [['--nosuch', 'customers', 'list'], 'unknown_flag', /--nosuch/],
    [['--jsn', 'customers', 'list'], 'unknown_flag', /--jsn/],
    [['-q'], 'missing_command', /no command/],
    [['--quiet', 'customers', 'lst'], 'unknown_command', /customers lst/],
  ] as [string[], string, RegExp][])('%j is an error', async ([words, code, message]) => {
    const result = await run([...words, '--json']);
    expect(result.stdout).toBe('');
    expect(result.error()).toMatchObject({code, message: expect.stringMatching(message)});
  });

  test('words after -- are not flags', async () => {
    const result = await run(['--json', 'customers', 'get', '--', '--json']);
    expect(result.status).toBe(2);
    expect(result.error()).toMatchObject({code: 'invalid_id'});
  });
});

describe('under --json', () => {
  test.for([
    ['--version', '--json'],
    ['version', '--json'],
    ['--json', '-V'],
    ['version', '-o', 'json'],
  ])('the version is JSON: %j', async (words) => {
    const result = await cli(directory)(words);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      platform: `${process.platform}-${process.arch}`,
      node: process.version,
    });
  });

  test.for([
    [
      ['commands', 'customers', 'create', '--json'],
      ['customers', 'create', '--help', '--json'],
    ],
    [
      ['commands', 'customers', 'create', '--json'],
      ['help', 'customers', 'create', '--json'],
    ],
    [
      ['commands', 'customers', 'create', '--json'],
      ['--json', 'customers', 'create', '-h'],
    ],
    [
      ['commands', 'webhooks', '--json'],
      ['webhooks', '--json'],
    ],
    [['commands', '--json'], ['--json']],
    [
      ['commands', '--json'],
      ['help', '--json'],
    ],
    [
      ['commands', '--json'],
      ['--help', '-o', 'json'],
    ],
  ])('%j prints what %j prints', async ([commands, help]) => {
    const [first, other] = await Promise.all([run(commands!), run(help!)]);
    expect(first).toMatchObject({status: 0, stderr: ''});
    expect(other).toMatchObject({status: 0, stderr: '', stdout: first.stdout});
  });

  test.for([
    [['help', 'nosuch']],
    [['nosuch']],
    [['customers', 'list', '--nosuch']],
    [['customers', 'list', '--limit']],
    [['customers', 'list', '--output', 'xml']],
    [['customers', 'list', '-qyo']],
    [['customers', 'list', '--fields', '']],
    [['customers', 'list', '--fields', ' , ']],
    [['customers', 'get', 'a', 'b', '--limit', '3']],
  ])('%j is an error in one line of JSON', async ([words]) => {
    const result = await run([...words!, '--json']);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr.split('\n')).toHaveLength(2);
    expect(result.error()).toMatchObject({exit_code: 2});
  });
});

describe('--fields', () => {
  const list = ['customers', 'list', '--limit', '1', '--fields', 'name,metadata.order,metadata.branch,billing.phone'];

  test.for([
    [['--json'], /"data": \[\n {4}\{\n {6}"name": "Ana",\n {6}"metadata\.order": "7",\n {6}"metadata\.branch": null/],
    [['-o', 'jsonl'], /^\{"name":"Ana","metadata\.order":"7","metadata\.branch":null,"billing\.phone":null\}\n$/],
    [['-o', 'csv'], /^name,metadata\.order,metadata\.branch,billing\.phone\r\nAna,7,,\r\n$/],
    [[], /^Ana\t7\t\t\n$/],
    [['-o', 'table'], /NAME\s+METADATA\.ORDER\s+METADATA\.BRANCH\s+BILLING\.PHONE\s+Ana\s+7/],
    [['--jq', '.data[0]["metadata.order"]'], /^"?7"?\n$/],
  ] as [string[], RegExp][])('reaches inside with %j', async ([words, expected]) => {
    const result = await run([...list, ...words]);
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.stdout).toMatch(expected);
  });

  test('with an unknown field is null, and -q leaves out the warning', async () => {
    const result = await run(['customers', 'list', '--fields', 'nosuch.field,emial', '--json']);
    expect(result).toMatchObject({status: 0, stderr: expect.stringContaining('Did you mean email?')});
    expect(result.rows()[0]).toEqual({'nosuch.field': null, emial: null});
    expect(await run(['customers', 'list', '--fields', 'emial', '-q'])).toMatchObject({status: 0, stderr: ''});
  });
});

describe('a number of twenty digits', () => {
  const object = '{"id":"cus_1","resource":"customer","name":"A","serial":12345678901234567890,"rate":[1e400,1.5]}';
  const formats: [string[], RegExp][] = [
    [['--json'], /"serial": 12345678901234567890,\n {2}"rate": \[\n {4}1e400,\n {4}1\.5\n/],
    [['-o', 'jsonl'], /"serial":12345678901234567890,"rate":\[1e400,1\.5\]/],
    [['-o', 'csv', '--fields', 'serial'], /^serial\r\n12345678901234567890\r\n$/],
    [['--fields', 'serial'], /^serial\t12345678901234567890\n$/],
  ];

  test.for(formats)('is printed unchanged: %j', async ([words, expected]) => {
    const server = await rawServer(() => httpAnswer('200 OK', object));
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    for (const command of [
      ['customers', 'get', 'cus_1'],
      ['api', 'GET', '/customers/cus_1'],
    ])
      expect((await run([...command, ...words], {env})).stdout).toMatch(expected);
    await server.close();
  });

  test('is sent unchanged', async () => {
    const result = await run(['api', 'POST', '/x', '--dry-run', '-d', '-'], {
      input: '{"n":12345678901234567890,"m":1.5}',
    });
    expect(result.stdout).toContain('{"n":12345678901234567890,"m":1.5}');
  });

  test('is not an amount', async () => {
    const statement = '{"id":"bstm_1","resource":"billing_statement","status":"draft","amount":12345678901234567890}';
    const server = await rawServer(() => httpAnswer('200 OK', statement));
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await run(['billing-statements', 'get', 'bstm_1', '--json'], {env});
    expect(result).toMatchObject({status: 8, stdout: ''});
    expect(result.error()).toMatchObject({code: 'unusable_answer'});
    await server.close();
  });
});
