// The suggested command after a failure uses the same account: a check of another would find nothing, and invite a repeat.

import {existsSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {loggedIn} from '../../support/scenarios/accounts.js';
import {configure} from '../../support/scenarios/limits.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {commandsIn} from '../../support/commands.js';
import {temporaryDirectory} from '../../support/cli.js';
import {httpAnswer, LIVE_KEY, rawServer, TEST_KEY, type RawServer} from '../../support/services/servers.js';

let api: RawServer;
beforeAll(async () => {
  // Reads find nothing, and every change is lost on its way back.
  api = await rawServer((request) =>
    request.startsWith('GET')
      ? httpAnswer('404 Not Found', '{"errors":[{"code":"resource_not_found","detail":"No."}]}')
      : httpAnswer('502 Bad Gateway', '<html>'),
  );
});
afterAll(() => api.close());

const NAMED = ['--profile', 'shop', '--live', '--yes'];
const CUSTOMER = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'];
const COMPOSITE = ['billing-statements', 'create', '--customer', 'cus_2mQ8', '--item', 'Web design @ 15,000'];

async function hintOf(words: readonly string[]): Promise<{hint: string; exit_code: number}> {
  const {run} = await loggedIn(LIVE_KEY, api.url);
  const {stderr} = await run([...words, ...NAMED, '--json'], {pace: 0.01});
  return JSON.parse(stderr.trimEnd().split('\n').at(-1)!).error;
}

describe('after an unknown outcome', () => {
  test.each([
    [CUSTOMER, 'Check: centavo customers list --email ana@example.com --profile shop --live'],
    [
      ['billing-statements', 'send', 'bstm_7Hq2'],
      'centavo cannot check whether it was sent. Ask the customer or check your dashboard before you try again.',
    ],
    [
      ['billing-statements', 'void', 'bstm_1', 'bstm_2'],
      'Check: centavo billing-statements get bstm_1 bstm_2 --profile shop --live',
    ],
    [COMPOSITE, 'Check: centavo billing-statements list --limit 5 --profile shop --live'],
  ])('%j', async (words, hint) => {
    expect(await hintOf(words)).toMatchObject({exit_code: 10, hint});
  });
});

describe('after a refusal of the status', () => {
  const refusing = async (
    words: readonly string[],
    status: string,
    detail: string,
    parameter?: string,
    key = TEST_KEY,
  ) => {
    const server = await rawServer((request) =>
      request.startsWith('GET')
        ? httpAnswer(
            '200 OK',
            JSON.stringify({id: /bstm_\w+/.exec(request)![0], resource: 'billing_statement', status}),
          )
        : httpAnswer('400 Bad Request', JSON.stringify({errors: [{code: 'invalid', detail, parameter}]})),
    );
    onTestFinished(server.close);
    const {run} = await loggedIn(key, server.url);
    return (
      await run([...words, '--profile', 'shop', '--yes', ...(key === LIVE_KEY ? ['--live'] : []), '--json'])
    ).error();
  };

  test.each([
    ['send', 'draft', 'To finalize and send it: centavo send bstm_7Hq2 --finalize'],
    ['void', 'draft', 'To delete the draft instead: centavo billing-statements delete bstm_7Hq2'],
    ['mark-uncollectible', 'draft', 'To delete the draft instead: centavo billing-statements delete bstm_7Hq2'],
    ['delete', 'open', 'To void it instead: centavo void bstm_7Hq2'],
    ['finalize', 'void', 'To bill the same items again: centavo duplicate bstm_7Hq2'],
    ['send', 'uncollectible', 'To bill the same items again: centavo duplicate bstm_7Hq2'],
    ['void', 'paid', 'To refund it: centavo refund bstm_7Hq2'],
    ['delete', 'paid', 'To refund it: centavo refund bstm_7Hq2'],
    ['send', 'paid', 'See it: centavo billing-statements get bstm_7Hq2'],
  ])('%s of a statement that is %s', async (verb, state, hint) => {
    const error = await refusing(['billing-statements', verb, 'bstm_7Hq2'], state, 'Not now.');
    expect(error).toMatchObject({exit_code: 5, applied: 'no', hint: `${hint} --profile shop`, state});
    // The same step as arguments, for scripts. A refund asks for its amount, so a program only sees the statement.
    const step = hint.includes('centavo refund') ? 'centavo get bstm_7Hq2 --profile shop' : error.hint;
    expect(`centavo ${error.next[0].join(' ')}`).toBe(step.replace(/^.*?: /, ''));
    // In live mode a change is a person's: only the read is left.
    const live = await refusing(['billing-statements', verb, 'bstm_7Hq2'], state, 'Not now.', undefined, LIVE_KEY);
    const get = state === 'paid' && verb === 'send' ? ['billing-statements', 'get'] : ['get'];
    expect(live).toMatchObject({
      next: [[...get, 'bstm_7Hq2', '--profile', 'shop', '--live']],
      needs_person: get.length === 1,
    });
  });

  test('says that only another machine may know why a statement has ended', async () => {
    const error = await refusing(['billing-statements', 'send', 'bstm_7Hq2'], 'void', 'Not now.');
    expect(error.message).toContain('Whether it was paid outside or replaced is known only to the machine');
    expect(error.unknown).toContain('ended_why');
  });

  test('suggests a step for an update, and not for a refused parameter', async () => {
    const words = ['billing-statements', 'update', 'bstm_7Hq2', '--due', '2026-12-15'];
    const instead = 'To replace it with a corrected one: centavo reissue bstm_7Hq2';
    const due = await refusing(words, 'open', 'It is open.');
    expect(due.hint).toBe(`${instead} --due 2026-12-15 --profile shop`);
    expect(due.next).toEqual([`${instead} --due 2026-12-15 --profile shop`.split('centavo ')[1]!.split(' ')]);
    expect((await refusing([...words, '--description', 'June'], 'open', 'It is open.')).hint).toBe(
      `${instead} --edit --profile shop`,
    );
    expect((await refusing(words, 'open', 'It is open.', 'due_at')).hint).toBeNull();
  });

  test('each result of a batch has the state', async () => {
    const error = await refusing(['billing-statements', 'void', 'bstm_7Hq2', 'bstm_8Hq2'], 'paid', 'Not now.');
    expect(error.results).toMatchObject([
      {id: 'bstm_7Hq2', state: 'paid'},
      {id: 'bstm_8Hq2', state: 'paid'},
    ]);
  });

  test('limits are in pesos for people, and the API’s text for scripts', async () => {
    const words = ['refunds', 'create', '--payment', 'pay_3Fa9', '--amount', '9,000', '--reason', 'others'];
    const error = await refusing(words, 'open', 'The value for amount cannot be more than 300000.', 'amount');
    expect(error.message).toContain('cannot be more than ₱3,000.00.');
    expect(error.api_errors[0].detail).toContain('300000');
  });
});

test('after a missing object', async () => {
  expect(await hintOf(['customers', 'get', 'cus_2mQ8'])).toMatchObject({
    exit_code: 3,
    hint: 'To look for it: centavo customers list --profile shop --live',
  });
});

test('after a part that is read from another object', async () => {
  expect((await hintOf(['get', 're_5Kd8'])).hint).toMatch(/: centavo payments get <id>$/);
});

test('a refusal is reported if the current status cannot be read', async () => {
  const directory = temporaryDirectory();
  configure(directory, {profiles: {shop: {keys: {}, settings: {}}}});
  const refusing = await rawServer((request) =>
    request.startsWith('GET')
      ? httpAnswer('404 Not Found', '{"errors":[{"code":"resource_not_found","detail":"No."}]}')
      : httpAnswer('400 Bad Request', '{"errors":[{"code":"resource_invalid_state","detail":"Not open."}]}'),
  );
  onTestFinished(() => refusing.close());
  const run = commandsIn(directory, {env: {CENTAVO_BASE_URL: refusing.url, CENTAVO_SECRET_KEY: LIVE_KEY}});
  const result = await run(['billing-statements', 'void', 'bstm_7Hq2', '--live', '--yes', '--json']);
  expect(result.error()).toMatchObject({exit_code: 5, code: 'resource_invalid_state', applied: 'no'});
  const {data} = (await run(['history', '--json'])).json();
  expect(data).toMatchObject([{result: 'resource_invalid_state', applied: 'no'}]);
});

test('a profile from the environment is not repeated in the next command', async () => {
  const directory = temporaryDirectory();
  configure(directory, {profiles: {shop: {keys: {}, settings: {}}}});
  const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY, CENTAVO_PROFILE: 'shop'};
  const result = await commandsIn(directory, {env})([...CUSTOMER, '--live', '--yes']);
  expect(result.stderr).toContain('Check: centavo customers list --email ana@example.com\n');
});

describe('shows people the number of a statement, and scripts its id', () => {
  const directory = temporaryDirectory(afterAll);
  const run = commandsIn(directory);
  let id: string;
  let number: string;
  beforeAll(async () => {
    const merchant = new Merchant(directory);
    ({id, billing_statement_number: number} = await merchant.draft());
    merchant.close();
  });
  test.each([
    ['link', 'Finalize it: centavo billing-statements finalize'],
    ['void', 'To delete the draft instead: centavo billing-statements delete'],
  ])('%s of a draft', async (verb, words) => {
    const {stderr} = await run(['billing-statements', verb, id]);
    expect(stderr).toContain(`${words} ${number}\n`);
    expect(stderr).not.toContain(id);
    expect((await run(['billing-statements', verb, number, '--json'])).error().hint).toBe(`${words} ${id}`);
  });

  test('caches the number, so that the command works before the list has it', async () => {
    const own = commandsIn(directory, {env: {CENTAVO_NO_CACHE: '1'}});
    const kept = join(directory, 'statement-numbers');
    rmSync(kept, {recursive: true, force: true});
    expect((await own(['billing-statements', 'link', id])).status).toBe(5);
    expect(existsSync(kept)).toBe(false);
    expect((await run(['billing-statements', 'link', id])).status).toBe(5);
    const look = await run(['billing-statements', 'finalize', number, '--dry-run', '--verbose']);
    expect(look.stderr).not.toContain('GET /billing_statements?');
    expect(look.stdout).toContain(`/billing_statements/${id}/finalize`);
  });
});
