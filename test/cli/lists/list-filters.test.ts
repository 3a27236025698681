// Filters that the API does not have: the matching objects, in every format, and the number of pages read.

import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {endOfManilaDay} from '../../../src/common/manila.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {
  customerNumbered,
  pagedService,
  statementNumbered,
  type PagedService,
} from '../../support/services/paged-service.js';
import {TEST_KEY} from '../../support/services/servers.js';

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);
/** The end of today in Manila. */
const TONIGHT = endOfManilaDay(NOW);
const manilaDate = (at: number): string => new Date((at + 8 * 3600) * 1000).toISOString().slice(0, 10);

let api: PagedService;
const closers: (() => void)[] = [];
const directory = temporaryDirectory(afterAll);
afterAll(() => closers.forEach((close) => close()));

/** 450 statements, newest first: one a day at noon, for each customer in turn. */
beforeAll(async () => {
  api = await pagedService({done: (close) => closers.push(close)});
  const noon = TONIGHT - DAY / 2 + 1;
  const STATES = ['open', 'paid', 'draft'];
  api.statements = Array.from({length: 450}, (_, age) =>
    statementNumbered(450 - age, {
      created_at: noon - age * DAY,
      due_at: age % 2 === 0 ? TONIGHT - DAY : TONIGHT,
      status: STATES[age % 3],
      customer: {id: customerNumbered(age % 5).id, name: `Customer ${age % 5}`, email: 'c@example.com'},
    }),
  );
  // A service may give the customer as an id only.
  const {customer, ...bare} = api.statements[5]!;
  api.statements[5] = {...bare, customer_id: customer.id};
  api.customers = Array.from({length: 250}, (_, age) => customerNumbered(249 - age, {created_at: noon - age * DAY}));
});

const run = (...words: string[]) =>
  commandsIn(directory, {env: {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY}})(words);

/** The age in days of each listed statement, and the number of pages read. */
async function listed(...words: string[]) {
  api.taken();
  const {status, stdout, stderr} = await run('billing-statements', 'list', ...words, '--json');
  expect(status, stderr).toBe(0);
  const {data, has_more} = JSON.parse(stdout);
  const ages = data.map(({created_at}: {created_at: number}) => Math.floor((TONIGHT - created_at) / DAY));
  return {ages, more: has_more, pages: api.taken().filter((line) => line.includes('/billing_statements')).length};
}

const range = (from: number, to: number): number[] => Array.from({length: to - from + 1}, (_, index) => from + index);

describe('days', () => {
  test('--since starts at the beginning of the Manila day and stops reading before it', async () => {
    const since = manilaDate(TONIGHT - 3 * DAY);
    expect(await listed('--since', since)).toEqual({ages: [0, 1, 2, 3], more: false, pages: 1});
    expect(await listed('--since', '120d', '--limit', '400')).toEqual({ages: range(0, 120), more: false, pages: 2});
    expect((await listed('--since', since, '--all')).ages).toEqual([0, 1, 2, 3]);
  });

  test('reading continues after an unsorted page', async () => {
    const [first, second] = api.statements as [object, object];
    api.statements.splice(0, 2, second, first);
    expect(await listed('--since', '3d', '--all')).toEqual({ages: [1, 0, 2, 3], more: false, pages: 2});
    api.statements.splice(0, 2, first, second);
  });

  test('--until includes the whole day', async () => {
    const until = manilaDate(TONIGHT - 2 * DAY);
    expect((await listed('--until', until, '--limit', '2')).ages).toEqual([2, 3]);
    expect((await listed('--since', until, '--until', until)).ages).toEqual([2]);
  });

  test('a day includes its last second, and not the next', async () => {
    const [day, {created_at: noon}] = [manilaDate(TONIGHT - 2 * DAY), api.statements[2] as {created_at: number}];
    const listing = async (time: number, ...words: string[]) => {
      api.statements[2]!.created_at = time;
      return (await listed(...words, '--limit', '1')).ages;
    };
    expect(await listing(TONIGHT - 2 * DAY, '--until', day)).toEqual([2]);
    expect(await listing(TONIGHT - 2 * DAY + 1, '--until', day)).toEqual([3]);
    expect(await listing(TONIGHT - 3 * DAY + 1, '--since', day, '--until', day)).toEqual([2]);
    expect(await listing(TONIGHT - 3 * DAY, '--since', day, '--until', day)).toEqual([]);
    expect(await listing(noon, '--until', String(noon))).toEqual([2]);
  });

  test('accept durations and instants', async () => {
    expect((await listed('--since', '2d')).ages).toEqual([0, 1, 2]);
    expect((await listed('--since', '1w', '--until', '5d')).ages).toEqual([5, 6, 7]);
    const instant = api.statements[2]!.created_at as number;
    expect((await listed('--since', String(instant))).ages).toEqual([0, 1, 2]);
    expect((await listed('--since', String(instant + 1))).ages).toEqual([0, 1]);
    expect((await listed('--since', new Date(instant * 1000).toISOString())).ages).toEqual([0, 1, 2]);
  });

  test('backwards, a list stops after --until', async () => {
    const {id} = api.statements[300]!;
    const {ages} = await listed('--before', id as string, '--since', '299d', '--limit', '2');
    expect(ages.every((age: number) => age < 300)).toBe(true);
    expect(ages).toHaveLength(2);
  });

  test.for([
    [['--since', 'whenever'], 'is not a date'],
    [['--since', '2026-12-02', '--until', '2026-12-01'], 'is after --until'],
    [['--due-before', '2026-13-01'], 'is not a date'],
    [['--customer', 'cus_'], 'cus_'],
  ] as const)('refuses %j before any request', async ([words, message]) => {
    api.taken();
    const result = await run('billing-statements', 'list', ...words);
    expect(result).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining(message)});
    expect(api.taken()).toEqual([]);
  });
});

describe('statuses and customers', () => {
  test('--overdue matches open statements from the day after the due date; --due-before any status', async () => {
    expect((await listed('--overdue', '--since', '12d')).ages).toEqual([0, 6, 12]);
    expect((await listed('--due-before', manilaDate(NOW), '--since', '5d')).ages).toEqual([0, 2, 4]);
    const {due_at: due} = api.statements[1]!;
    for (const [time, ages] of [
      [TONIGHT - DAY, [0, 1, 2]],
      [TONIGHT - DAY + 1, [0, 2]],
    ] as const) {
      api.statements[1]!.due_at = time;
      expect((await listed('--due-before', manilaDate(NOW), '--since', '2d')).ages).toEqual(ages);
    }
    api.statements[1]!.due_at = due;
    expect((await listed('--due-before', '+1d', '--since', '3d')).ages).toEqual([0, 1, 2, 3]);
    expect((await listed('--due-before', manilaDate(NOW), '--status', 'paid', '--since', '12d')).ages).toEqual([4, 10]);
  });

  test('--customer takes an address, a name or an id', async () => {
    for (const customer of ['customer0@example.com', 'Customer 0', customerNumbered(0).id as string])
      expect((await listed('--customer', customer, '--since', '11d')).ages).toEqual([0, 5, 10]);
  });

  test('a filter prints 20 by default and notes that more exist', async () => {
    expect(await listed('--status', 'open')).toMatchObject({
      ages: range(0, 19).map((index) => index * 3),
      more: true,
      pages: 1,
    });
    expect(await listed('--status', 'open', '--limit', '40')).toMatchObject({more: true, pages: 2});
    const all = await listed('--status', 'open', '--all');
    expect([all.ages.length, all.more, all.pages]).toEqual([150, false, 5]);
  });

  test('programs get rows page by page, from as few pages as needed', async () => {
    const words = ['billing-statements', 'list', '--limit', '200', '--fields', 'billing_statement_number'];
    for (const [format, header] of [
      ['csv', 1],
      ['jsonl', 0],
    ] as const) {
      api.taken();
      const {stdout} = await run(...words, '-o', format);
      expect(stdout.trim().split(/\r?\n/)).toHaveLength(200 + header);
      expect(api.taken()).toHaveLength(2);
    }
  });

  test('every format has the same rows', async () => {
    const words = ['billing-statements', 'list', '--overdue', '--since', '12d', '--fields', 'billing_statement_number'];
    const numbers = [0, 6, 12].map((age) => `SHOP-0${450 - age}`);
    expect((await run(...words)).stdout.trim().split('\n')).toEqual(numbers);
    expect((await run(...words, '--all', '-o', 'csv')).stdout.trim().split(/\r?\n/).slice(1)).toEqual(numbers);
    const lines = (await run(...words, '--all', '-o', 'jsonl')).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).billing_statement_number)).toEqual(numbers);
    const table = await run(...words, '-o', 'table');
    expect(table.stdout.split('\n').slice(1, 4)).toEqual(numbers);
    expect(table.stdout).toContain('\n3 billing statements: ₱4,500.00 overdue\n');
    expect(table.stderr).toBe('');
  });

  test('lists of other objects have filters for their fields', async () => {
    const made = await run('customers', 'list', '--since', '1d', '--json');
    expect(made.json().data).toHaveLength(2);
    expect(await run('customers', 'list', '--overdue')).toMatchObject({status: 2});
    expect(await run('webhooks', 'list', '--customer', 'x')).toMatchObject({status: 2});
  });
});

test('overdue is computed by the account clock, which can be advanced in the sandbox', async () => {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  await merchant.open();
  await merchant.open();
  merchant.sandbox.advanceClock(40 * 86_400);
  const here = commandsIn(directory);
  expect((await here(['owed', '--json'])).json()).toMatchObject({overdue: 300_000});
  expect((await here(['billing-statements', 'list', '--overdue', '--json'])).json().data).toHaveLength(2);
  expect((await here(['billing-statements', 'list', '--due-before', 'today', '--json'])).json().data).toHaveLength(2);
  const {stdout} = await here(['billing-statements', 'list'], {columns: 100});
  expect(stdout).toMatch(/overdue 30 days/);
  expect(stdout).toMatch(/2 billing statements: ₱3,000\.00 overdue/);
  // A due date is counted from there as well.
  const made = await here(['billing-statements', 'duplicate', await numberIn(here), '--due', '+5d']);
  expect(made.stderr).toMatch(/due: .* in 5 days/);
  expect(made.stderr).not.toContain('in the past');
});

const numberIn = async (here: ReturnType<typeof commandsIn>): Promise<string> =>
  (await here(['billing-statements', 'list', '--json'])).json().data[0].billing_statement_number;
