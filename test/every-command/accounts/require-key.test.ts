// A job that lost its key must not bill the sandbox silently: CENTAVO_REQUIRE_KEY, and notes under CI.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
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

describe('under CI', () => {
  const NOTHING = 'Nothing real happened: the change was made in the sandbox.\n';

  test.for([
    ['a change', ANA, {CI: 'true'}, `→ sandbox\n${NOTHING}`],
    ['a change whose answer a program reads', [...ANA, '--json'], {CI: '1'}, NOTHING],
    ['a change in the sandbox that was asked for', [...ANA, '-p', 'sandbox', '-o', 'jsonl'], {CI: '1'}, NOTHING],
    ['a change with --quiet', [...ANA, '--quiet'], {CI: '1'}, ''],
    ['a change elsewhere than under CI', [...ANA, '--json'], {CI: 'false'}, ''],
    ['a change that is only shown', [...ANA, '--dry-run', '--json'], {CI: '1'}, ''],
    ['what only reads', ['customers', 'list', '--json'], {CI: '1'}, ''],
    ['what is the sandbox’s own', ['sandbox', 'clock', '--json'], {CI: '1'}, ''],
  ] as const)('stderr of %s', async ([, words, env, said]) => {
    const {status, stderr} = await run(words, {env});
    expect({status, stderr}).toEqual({status: 0, stderr: said});
  });

  test('a failed change prints only the error', async () => {
    const {status, stderr} = await run(['billing-statements', 'void', 'bstm_2mQ8', '--json'], {env: {CI: '1'}});
    expect(status).not.toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(/^\{"error":/)]);
  });
});
