// What happened to the money of statements, in lists, filters, details, sums and refusals: nothing settled or replaced is only void.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {TEST_KEY} from '../../support/services/servers.js';

const DAY = 86_400;
/** A card that asks for approval by 3-D Secure. */
const APPROVAL_CARD = '4000000000003220';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;
/** Numbers by state. */
const made: Record<string, string> = {};

const ok = async (...words: string[]): Promise<string> => {
  const {status, stdout, stderr} = await run(words);
  expect(status, stderr).toBe(0);
  return stdout;
};

beforeAll(async () => {
  merchant = new Merchant(directory);
  const {id} = await merchant.customer({name: 'Ana Reyes', billing_statement_prefix: 'ANA'});
  const open = async (state: string, days = 10): Promise<string> => {
    const draft = await merchant.draft({customer_id: id});
    await merchant.call('PUT', `/billing_statements/${draft.id}`, {due_at: merchant.sandbox.now() + days * DAY});
    const statement = await merchant.call('POST', `/billing_statements/${draft.id}/finalize`);
    return (made[state] = statement.billing_statement_number as string);
  };
  await ok('settle', await open('settled'), '--paid-outside', 'cash, 26 Nov');
  await ok('billing-statements', 'void', await open('void'));
  const {billing_statement_number: number} = JSON.parse(
    await ok('billing-statements', 'reissue', await open('replaced'), '--due', '+20d', '--json'),
  );
  made.open = number;
  await ok('sandbox', 'pay', await open('paid'));
  await ok('sandbox', 'pay', await open('partly_refunded'));
  await ok('refunds', 'create', '--statement', made.partly_refunded!, '--amount', '500', '--reason', 'others');
  await ok('sandbox', 'pay', await open('approving'), '--card', APPROVAL_CARD);
  await open('overdue', -3);
  await ok('billing-statements', 'mark-uncollectible', await open('uncollectible'));
});
afterAll(() => merchant.close());

const listed = async (...words: string[]): Promise<string[]> =>
  (await ok('billing-statements', 'list', '--fields', 'number', ...words)).split('\n').filter(Boolean).sort();
const numbers = (...states: string[]): string[] => states.map((state) => made[state]!).sort();
const shown = (...words: string[]): Promise<string> => ok(...words, '-o', 'table');

test('a pipe has the state, the debt and what is unknown in columns of their own; JSON stays the answer', async () => {
  const fields = 'number,status,state,owed,refunded,settled_reason,replaced_by,unknown';
  const {data} = JSON.parse(await ok('billing-statements', 'list', '--fields', fields, '--json'));
  const rows = new Map(data.map((row: {billing_statement_number: string}) => [row.billing_statement_number, row]));
  for (const [state, number] of Object.entries(made)) expect(rows.get(number)).toMatchObject({state});
  expect(rows.get(made.settled!)).toMatchObject({status: 'void', owed: 0, settled_reason: 'cash, 26 Nov'});
  expect(rows.get(made.replaced!)).toMatchObject({status: 'void', replaced_by: {name: made.open}});
  expect(rows.get(made.partly_refunded!)).toMatchObject({status: 'paid', owed: 0, refunded: 50_000});
  expect(rows.get(made.overdue!)).toMatchObject({status: 'open', owed: 150_000, refunded: 0});
  const [line] = (await ok('billing-statements', 'list', '--status', 'settled')).split('\n');
  expect(line!.split('\t').slice(-6)).toEqual(['settled', '₱0.00', '₱0.00', 'cash, 26 Nov', '', '']);
  expect(await ok('billing-statements', 'list', '-o', 'csv')).toMatch(
    /,state,owed_centavos,owed_pesos,refunded_centavos,refunded_pesos,settled_reason,replaced_by,unknown\r\n/,
  );
  expect(JSON.parse(await ok('get', made.settled!, '--json'))).not.toHaveProperty('state');
  expect(JSON.parse(await ok('get', made.replaced!, '--fields', 'state,replaced_by', '--json'))).toMatchObject({
    state: 'replaced',
    replaced_by: {name: made.open},
  });
});

describe('filters', () => {
  test.each([
    ['settled', ['settled']],
    ['replaced', ['replaced']],
    ['partly_refunded', ['partly_refunded']],
    ['refunded', []],
    ['held', []],
    ['overdue', ['overdue']],
    ['void', ['settled', 'replaced', 'void']],
    ['paid', ['paid', 'partly_refunded']],
    ['open', ['open', 'approving', 'overdue']],
  ])('--status %s lists %j', async (status, states) => {
    expect(await listed('--status', status)).toEqual(numbers(...states));
  });

  test('by payment include what was settled', async () => {
    expect(await listed('--paid-since', '1d')).toEqual(numbers('paid', 'partly_refunded', 'settled'));
    expect(await listed('--paid-until', '2d')).toEqual([]);
    const {data} = JSON.parse(
      await ok('billing-statements', 'list', '--paid-since', '1d', '--fields', 'number,paid_at,method', '--json'),
    );
    expect(data.find((row: Record<string, unknown>) => row.billing_statement_number === made.settled)).toMatchObject({
      paid_at: expect.any(Number),
      method: null,
    });
  });

  test('by the due date, and by days overdue', async () => {
    expect(await listed('--overdue')).toEqual(numbers('overdue'));
    expect(await listed('--due-before', '+1d')).toEqual(numbers('overdue'));
  });
});

test('a table and its totals name the states', async () => {
  const table = await shown('billing-statements', 'list');
  for (const state of ['settled', 'replaced', 'void', 'uncollectible']) expect(table).toContain(` ${state} `);
  expect(table.replace(/\s+/g, ' ')).toContain(
    '9 billing statements: ₱1,500.00 overdue, ₱3,000.00 not yet due, ₱1,500.00 paid, ₱1,500.00 partly refunded, ' +
      '₱1,500.00 settled, ₱1,500.00 replaced, ₱1,500.00 void, ₱1,500.00 uncollectible',
  );
  expect(await shown('find', made.replaced!)).toContain(' replaced ');
  const {data} = JSON.parse(await ok('find', made.settled!, '--json'));
  expect(data).toMatchObject([{name: made.settled, state: 'settled'}]);
});

describe('the details', () => {
  test.each([
    ['settled', /Settled +\w+, \d+ \w+ \d{4}: cash, 26 Nov \(voided\)/],
    ['replaced', /Replaced +by ANA-\d{4}/],
    ['approving', /Payment +The customer started a payment and has not approved it yet\./],
    ['partly_refunded', /Refunded +₱500\.00/],
  ])('of a statement that is %s', async (state, line) => {
    expect(await shown('get', made[state]!)).toMatch(line);
  });

  test('of a void statement that another machine ended say what is not known', async () => {
    const {id} = await merchant.open();
    await merchant.call('POST', `/billing_statements/${id}/void`);
    expect(await shown('get', id as string)).toMatch(/Not known +whether it was paid outside or replaced/);
  });

  test.each(['void', 'mark-uncollectible'])('after a %s from here do not doubt why it ended', async (verb) => {
    const {id} = await merchant.open();
    const ended = await shown('billing-statements', verb, id as string, '--yes');
    expect(ended).toMatch(/Finalized/);
    expect(ended).not.toContain('Not known');
  });

  test('of a held payment have its end, and the command that collects it', async () => {
    const service = await pagedService();
    const payment_intent = {
      ...{id: 'pi_5Ls8', resource: 'payment_intent', status: 'awaiting_capture', amount: 150_000},
      ...{amount_capturable: 150_000, capture_before_at: Date.parse('2031-12-11T12:00:00+08:00') / 1000},
    };
    service.statements = [{...statementNumbered(1), payment_intent}];
    const env = {CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const here = commandsIn(temporaryDirectory(), {env});
    const {stdout} = await here(['get', statementNumbered(1).id, '-o', 'table']);
    expect(stdout).toMatch(/^SHOP-0001 +held\n/);
    expect(stdout).toMatch(/Held +₱1,500\.00 until Thursday, 11 December 2031\n/);
    expect(stdout).toContain('To collect the held amount: centavo payment-intents capture pi_5Ls8 --amount 1500.00\n');
    const held = await here(['billing-statements', 'list', '--status', 'held', '--fields', 'number,state,owed']);
    expect(held.stdout).toBe('SHOP-0001\theld\t₱1,500.00\n');
    const reminded = await here(['remind', statementNumbered(1).id, '--json']);
    expect(reminded).toMatchObject({status: 5});
    expect(reminded.rows()).toMatchObject([{state: 'held', reminded: 'no', reason: 'not_open'}]);
  });
});

describe('refused with the next step', () => {
  test.each([
    ['settled', 'was paid outside the service', 'See it: centavo billing-statements get'],
    ['replaced', 'was replaced by', 'To wait for its replacement: centavo wait'],
    ['void', 'is void', 'To bill the same items again: centavo duplicate'],
  ])('a wait for a statement that is %s', async (state, message, hint) => {
    const result = await run(['wait', made[state]!, '--json']);
    expect(result.status).toBe(6);
    expect(result.error()).toMatchObject({
      ...{code: 'ended_otherwise', state},
      message: expect.stringContaining(`${made[state]} ${message}`),
      hint: expect.stringContaining(hint),
    });
  });

  test('a reminder of a replaced statement', async () => {
    const result = await run(['remind', made.replaced!, '--json']);
    expect(result.status).toBe(5);
    expect(result.rows()).toMatchObject([{state: 'replaced', reason: 'not_open'}]);
    expect(result.error().hint).toMatch(/^To send its replacement: centavo send bstm_/);
  });
});

test('the debt is the balance', async () => {
  expect(JSON.parse(await ok('owed', '--json'))).toMatchObject({total: 450_000, overdue: 150_000, statements: 3});
});
