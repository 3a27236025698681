// The next commands of errors run as they are, and none lifts a guard. The money of statements is in money-matrix.test.ts.

import {cpSync, mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {OVERRIDES} from '../../../src/cli/overrides.js';
import {type CliResult, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {loggedIn} from '../../support/scenarios/accounts.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {httpAnswer, LIVE_KEY, rawServer, type RawServer, TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const names: Record<string, string> = {};
beforeAll(async () => {
  const merchant = new Merchant(directory);
  const [draft, open] = [await merchant.draft(), await merchant.open()];
  Object.assign(names, {DRAFT: draft.id, OPEN: open.id, NUMBER: open.billing_statement_number});
  for (const email of ['ana@example.com', 'ana@example.com', 'bea@example.com'])
    await merchant.customer({name: 'Ana Reyes', email});
  const webhook = await merchant.webhook();
  await merchant.call('POST', `/webhooks/${String(webhook.id)}/disable`);
  names.WEBHOOK = String(webhook.id);
  merchant.close();
  names.EVENT = (await run(['sandbox', 'events', 'list', '--jq', '.data[0].id'])).stdout.trim().replaceAll('"', '');
  mkdirSync(join(directory, 'columns'), {recursive: true});
});

/** Command lines that end with an error, and its code. */
const PROVOKED: readonly (readonly [words: string, code: string])[] = [
  ['customers lst', 'unknown_command'],
  ['payments list', 'unknown_command'],
  ['refunds list', 'unknown_command'],
  ['xyzzy', 'unknown_command'],
  ['-q', 'missing_command'],
  ['--xyzzy', 'unknown_flag'],
  ['customers list --xyzzy', 'unknown_flag'],
  ['customers list Juan', 'unexpected_argument'],
  ['bill --xyzzy', 'unknown_flag'],
  ['customers get cus_none1', 'resource_not_found'],
  ['customers get Nobody', 'customer_not_found'],
  ['customers get Ana', 'customer_ambiguous'],
  ['billing-statements get NONE-0001', 'statement_not_found'],
  ['billing-statements link DRAFT', 'not_open'],
  ['billing-statements edit OPEN --due +9d', 'not_a_draft'],
  ['billing-statement-line-items delete DRAFT#9', 'item_not_found'],
  ['billing-statements remind', 'missing_argument'],
  ['billing-statements wait OPEN --timeout 1s', 'timed_out'],
  ['bill', 'missing_flag'],
  ['billing-statements create --customer-email none@example.com --item Rice@50', 'customer_not_found'],
  ['billing-statements create --continue DRAFT --description June', 'invalid_flag'],
  ['get re_5Kd8', 'invalid_id'],
  ['get EVENT', 'invalid_id'],
  ['columns forget', 'missing_argument'],
  ['columns forget 7', 'columns_not_found'],
  ['config set max_amount', 'missing_argument'],
  ['profiles use', 'missing_argument'],
  ['sandbox events get none', 'invalid_id'],
  ['sandbox events get evt_none', 'not_found'],
  ['sandbox events resend EVENT --webhook WEBHOOK', 'rejected'],
  ['sandbox logs none', 'invalid_id'],
  ['sandbox logs req_none', 'not_found'],
  ['sandbox clock advance -1d', 'invalid_duration'],
  ['sandbox pay DRAFT', 'not_payable'],
  ['webhooks deliveries get none', 'invalid_id'],
  ['webhooks deliveries get dlv_none', 'not_found'],
  ['why dlv_none', 'not_found'],
  ['why evt_none', 'not_found'],
  ['billing-statements send NUMBER DRAFT', 'partial'],
];

/** Runs a command on a copy of the sandbox, so that each begins with the same. */
async function runOnCopy(words: readonly string[]): Promise<CliResult> {
  const copy = temporaryDirectory(() => {});
  cpSync(directory, copy, {recursive: true});
  const result = await commandsIn(copy)(words, {pace: 0.01});
  rmSync(copy, {recursive: true});
  return result;
}

describe('in the sandbox', () => {
  test.for(PROVOKED)('%s: %s', async ([line, code], {expect}) => {
    const words = line.split(' ').map((word) => names[word] ?? word.replace('DRAFT#', `${names.DRAFT}#`));
    const error = (await runOnCopy([...words, '--json'])).error();
    expect(error).toMatchObject({code, next: expect.any(Array), ids: expect.any(Array)});
    if (code === 'unknown_flag') expect(error.needs_person, 'a slip of an agent is its own to correct').toBe(false);
    for (const args of error.next as string[][]) {
      const {status, stderr} = await runOnCopy(args);
      expect([0, 5, 12], `${args.join(' ')}: ${stderr}`).toContain(status);
    }
  });

  test('an ambiguous name has its candidates', async () => {
    const error = (await run(['customers', 'get', 'ana@example.com', '--json'])).error();
    expect(error).toMatchObject({code: 'customer_ambiguous', needs_person: true});
    expect(error.candidates).toHaveLength(2);
  });
});

test.for(['--json', '-ojson', '--jq=.', '--jq .', '-o jsonl', '-o csv', '--output=csv'])(
  'an error is JSON under %s, and text in a table',
  async (format, {expect}) => {
    const words = ['customers', 'get', 'cus_none1'];
    const {stderr} = await run([...words, ...format.split(' ')]);
    expect(JSON.parse(stderr)).toMatchObject({error: {code: 'resource_not_found', exit_code: 3}});
    expect((await run([...words, '-o', 'table'])).stderr).toMatch(/^Error: /);
  },
);

describe('in live mode', () => {
  let api: RawServer;
  beforeAll(async () => {
    api = await rawServer(() =>
      httpAnswer('404 Not Found', '{"errors":[{"code":"resource_not_found","detail":"No."}]}'),
    );
  });
  afterAll(() => api.close());
  const next = ['customers', 'list'];

  test('a read keeps --live with the keys of a profile', async () => {
    const profile = await loggedIn(LIVE_KEY, api.url);
    const words = ['customers', 'get', 'cus_2mQ8', '--live', '-p', 'shop', '--json'];
    expect((await profile.run(words)).error().next).toEqual([[...next, '--profile', 'shop', '--live']]);
  });

  test('a read of a profile with only a live key names the same read with --live, and a change is a person’s', async () => {
    const profile = await loggedIn(LIVE_KEY, api.url);
    const read = (await profile.run(['owed', 'juan', '-p', 'shop', '--json'])).error();
    expect(read).toMatchObject({code: 'no_key', needs_person: false});
    expect(read.next).toEqual([['owed', 'juan', '-p', 'shop', '--json', '--live']]);
    const change = (await profile.run(['customers', 'delete', 'cus_2mQ8', '-p', 'shop', '--json'])).error();
    expect(change).toMatchObject({code: 'no_key', needs_person: true, next: []});
  });

  test.for([LIVE_KEY, TEST_KEY])('a read needs no --live with a key of the environment: %s', async (key, {expect}) => {
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: key};
    const live = key === LIVE_KEY ? ['--live'] : [];
    const error = (await run(['customers', 'get', 'cus_2mQ8', ...live, '--json'], {env})).error();
    expect(error.next).toEqual([next]);
  });

  test('a change without --live is a person’s', async () => {
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY};
    const error = (await run(['customers', 'delete', 'cus_2mQ8', '--json'], {env})).error();
    expect(error).toMatchObject({code: 'live_not_given', needs_person: true, retryable: false, next: []});
    expect(error.hint).toBe('A person decides this, at a terminal.');
  });
});

test('the flags that lift a guard are listed, and marked in the list of commands', async () => {
  const {data, global_flags: globals} = (await run(['commands', '--json'])).json();
  const flags = [globals, ...data.map((each: {flags?: object}) => each.flags ?? {})].flatMap(Object.entries);
  const marked = new Set(flags.flatMap(([name, flag]) => (flag.overrides === true ? [name] : [])));
  expect([...marked].sort()).toEqual([...OVERRIDES].sort());
  // A new flag of such a name is an override, or is named here.
  const alike = flags
    .map(([name]) => name as string)
    .filter((name) => /^(?:accept|adopt|again|allow|force|insecure|live|resend|skip|yes)\b/.test(name));
  expect([...new Set(alike)].filter((name) => !OVERRIDES.has(name))).toEqual([]);
});

test('a file that exists is a person’s to replace', async () => {
  const file = join(directory, 'own.csv');
  writeFileSync(file, 'mine\n');
  const error = (await run(['billing-statements', 'export', '--file', file, '--json'])).error();
  expect(error).toMatchObject({code: 'file_exists', needs_person: true});
  expect(JSON.stringify(error)).not.toContain('--force');
});
