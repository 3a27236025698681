// `centavo billing-statements aging` and `centavo owed`: every format, and APIs that omit details.

import {createServer} from 'node:http';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {listen} from '../../support/services/sockets.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const DAY = 86_400;
const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;
let ids: Record<'ana' | 'bea', string>;

beforeAll(async () => {
  merchant = new Merchant(directory);
  const open = async (customer: string, days: number): Promise<void> => {
    const {id} = await merchant.draft({customer_id: customer});
    await merchant.call('PUT', `/billing_statements/${id}`, {due_at: merchant.sandbox.now() - days * DAY});
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
  };
  ids = {
    ana: (await merchant.customer({name: 'Ana Cruz', email: 'ana@example.com'})).id as string,
    bea: (await merchant.customer({name: 'Bea Santos', email: 'bea@example.com'})).id as string,
  };
  await open(ids.ana, -10);
  await open(ids.ana, 40);
  for (const days of [2, 100, 95]) await open(ids.bea, days);
  await merchant.draft({customer_id: ids.ana});
  controlOf(merchant.sandbox).pay((await merchant.open({customer_id: ids.ana})).id as string, {});
});
afterAll(() => merchant.close());

describe('who owes what', () => {
  test('as JSON: open statements only, most overdue first, by bucket', async () => {
    const result = await run(['owed', '--json']);
    expect(result).toMatchObject({status: 0, stderr: ''});
    const {as_of: asOf, ...document} = result.json<{as_of: number}>();
    expect(asOf).toBeCloseTo(merchant.sandbox.now(), -2);
    expect(document).toEqual({
      resource: 'list',
      has_more: false,
      mode: 'sandbox',
      currency: 'PHP',
      total: 750_000,
      overdue: 600_000,
      statements: 5,
      buckets: {current: 150_000, days_1_30: 150_000, days_31_60: 150_000, days_61_90: 0, days_over_90: 300_000},
      counts: {current: 1, days_1_30: 1, days_31_60: 1, days_61_90: 0, days_over_90: 2},
      unknown_amounts: [],
      data: [
        {
          ...{customer_id: ids.bea, name: 'Bea Santos', email: 'bea@example.com'},
          ...{owed: 450_000, overdue: 450_000, statements: 3, days_overdue: 100},
          ...{current: 0, days_1_30: 150_000, days_31_60: 0, days_61_90: 0, days_over_90: 300_000},
          oldest_due_at: expect.any(Number),
          // Earliest due date first.
          numbers: [4, 5, 3].map((each) => expect.stringMatching(new RegExp(`-000${each - 2}$`))),
          last_sent_at: null,
        },
        {
          ...{customer_id: ids.ana, name: 'Ana Cruz', email: 'ana@example.com'},
          ...{owed: 300_000, overdue: 150_000, statements: 2, days_overdue: 40},
          ...{current: 150_000, days_1_30: 0, days_31_60: 150_000, days_61_90: 0, days_over_90: 0},
          oldest_due_at: expect.any(Number),
          numbers: [expect.stringMatching(/-0002$/), expect.stringMatching(/-0001$/)],
          last_sent_at: null,
        },
      ],
    });
    expect((await run(['billing-statements', 'aging', '--json'])).json()).toMatchObject(document);
  });

  test('as rows, lines, CSV and chosen fields', async () => {
    expect((await run(['owed'])).stdout).toBe(
      'Bea Santos\t₱4,500.00\t₱4,500.00\t100 days\t3\nAna Cruz\t₱3,000.00\t₱1,500.00\t40 days\t2\n',
    );
    const lines = (await run(['owed', '-o', 'jsonl'])).stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{name: 'Bea Santos'}, {name: 'Ana Cruz'}]);
    const [header, first] = (await run(['owed', '-o', 'csv'])).stdout.split('\r\n');
    expect(header).toBe(
      'customer_id,name,email,owed_centavos,owed_pesos,overdue_centavos,overdue_pesos,oldest_due_at,days_overdue,statements,current_centavos,current_pesos,' +
        'days_1_30_centavos,days_1_30_pesos,days_31_60_centavos,days_31_60_pesos,days_61_90_centavos,days_61_90_pesos,days_over_90_centavos,days_over_90_pesos,numbers,last_sent_at',
    );
    expect(first).toContain(`${ids.bea},Bea Santos,bea@example.com,450000,4500.00,450000,4500.00,`);
    expect((await run(['owed', '--fields', 'name,days_over_90', '--json'])).json()).toMatchObject({
      total: 750_000,
      data: [
        {name: 'Bea Santos', days_over_90: 300_000},
        {name: 'Ana Cruz', days_over_90: 0},
      ],
    });
    expect((await run(['owed', '--jq', '.buckets.days_over_90'])).stdout).toBe('300000\n');
  });

  test('filters by customer and by days overdue', async () => {
    expect((await run(['owed', ids.ana, '--json'])).json()).toMatchObject({
      total: 300_000,
      statements: 2,
    });
    const late = await run(['owed', '--overdue', '90d', '--json']);
    expect(late.json()).toMatchObject({total: 450_000, counts: {days_1_30: 1}, data: [{name: 'Bea Santos'}]});
    expect((await run(['owed', '--overdue', '41'])).stdout).toMatch(/^Bea Santos\t[^\n]*\n$/);
    expect((await run(['owed', '--overdue', '101d', '--json'])).json()).toMatchObject({total: 0, data: []});
  });

  test('takes part of a name', async () => {
    expect((await run(['owed', 'ana', '--json'])).json()).toMatchObject({total: 300_000, data: [{name: 'Ana Cruz'}]});
  });

  test('--overdue selects the same statements in owed, remind and list, with and without a duration', async () => {
    const list = async (...words: string[]) =>
      (await run(['billing-statements', 'list', ...words, '--fields', 'id'])).stdout.trim().split('\n').filter(Boolean);
    const remind = async (...words: string[]) =>
      (await run(['billing-statements', 'remind', ...words, '--dry-run', '--json'])).json().requests as object[];
    const owed = async (...words: string[]) => (await run(['owed', ...words, '--json'])).json().data as object[];
    for (const [words, statements, customers] of [
      [['--overdue'], 4, 2],
      [['--overdue', '3d'], 3, 2],
      [['--overdue=3d'], 3, 2],
      [['--overdue', '41'], 2, 1],
    ] as const) {
      expect(await list(...words), words.join(' ')).toHaveLength(statements);
      expect(await remind(...words), words.join(' ')).toHaveLength(statements);
      expect(await owed(...words), words.join(' ')).toHaveLength(customers);
    }
    expect(await list('--overdue', '--customer', 'ana')).toHaveLength(1);
    expect(await owed('--overdue', 'ana')).toHaveLength(1);
    expect(await owed('ana', '--overdue', '3d')).toHaveLength(1);
  });

  test.each([['5h'], ['0d'], ['soon'], ['-3d']])('--overdue %s is refused', async (text) => {
    const result = await run(['owed', `--overdue=${text}`]);
    expect(result).toMatchObject({status: 2, stdout: ''});
    expect(result.stderr).toContain('--overdue');
  });

  test('--dry-run shows the request', async () => {
    expect((await run(['owed', '--dry-run'])).stdout).toMatch(/^GET \S+\/billing_statements\?limit=100\n/);
  });

  test('counts days by the clock of the sandbox', async () => {
    const own = temporaryDirectory();
    const here = commandsIn(own);
    await here(['sandbox', 'seed']);
    await here(['sandbox', 'clock', 'advance', '400d']);
    const {total, overdue, buckets} = (await here(['owed', '--json'])).json();
    expect(total).toBeGreaterThan(0);
    expect([overdue, buckets.days_over_90]).toEqual([total, total]);
  });
});

/** An API whose lists have customer ids, but neither numbers nor items. */
async function thinService(count: number, customers: number, change: (index: number) => object = () => ({})) {
  const asked: string[] = [];
  const page = (query: URLSearchParams, of: (index: number) => object, all: number): string => {
    const from = Number(query.get('after')?.replace(/\D/g, '') ?? -1) + 1;
    const to = Math.min(from + Number(query.get('limit')), all);
    const data = Array.from({length: to - from}, (_, index) => of(from + index));
    return JSON.stringify({resource: 'list', has_more: to < all, data});
  };
  const statement = (index: number) => ({
    ...{id: `bstm_${index}`, resource: 'billing_statement', status: 'open', amount: 100, currency: 'PHP'},
    ...{customer_id: `cus_${index % customers}`, due_at: 0},
    ...change(index),
  });
  const customer = (index: number) => ({id: `cus_${index}`, resource: 'customer', name: `Name ${index}`});
  const server = createServer((request, response) => {
    const {pathname, searchParams} = new URL(request.url!, 'http://localhost');
    asked.push(pathname);
    const [, topic, id] = pathname.split('/');
    const body =
      topic === 'billing_statements'
        ? page(searchParams, statement, count)
        : id === undefined
          ? page(searchParams, customer, customers)
          : JSON.stringify(customer(Number(id.slice('cus_'.length))));
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  const {url} = await listen(server, onTestFinished);
  const own = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: TEST_KEY}});
  return {run: own, asked};
}

describe('with an API that omits details from lists', () => {
  test('reads few customers one by one', async () => {
    const {run: here, asked} = await thinService(250, 3);
    const {data, total} = (await here(['owed', '--json'])).json();
    expect(total).toBe(25_000);
    expect(data.map(({name}: {name: string}) => name).sort()).toEqual(['Name 0', 'Name 1', 'Name 2']);
    expect(asked.filter((path) => path.startsWith('/customers/'))).toHaveLength(3);
    expect(asked).toHaveLength(3 + 3);
  });

  test('reads many customers from their list', async () => {
    const {run: here, asked} = await thinService(250, 120);
    const {data} = (await here(['owed', '--json'])).json();
    expect(data).toHaveLength(120);
    expect(data.every(({name}: {name: string | null}) => name?.startsWith('Name '))).toBe(true);
    expect(asked).toHaveLength(3 + 2);
  });

  test('warns about a statement without an amount', async () => {
    const {run: here} = await thinService(5, 1, (index) => (index === 3 ? {amount: null} : {}));
    const result = await here(['owed', '--json']);
    expect(result.json()).toMatchObject({
      total: 400,
      unknown_amounts: [{id: 'bstm_3', number: null, customer_id: 'cus_0'}],
    });
    expect((await here(['owed'])).stderr).toContain('the API gives no amount for bstm_3; the totals exclude it.');
  });
});

test('reports that no customer owes anything', async () => {
  const here = commandsIn(temporaryDirectory());
  expect(await here(['owed'])).toMatchObject({status: 0, stdout: ''});
  expect((await here(['owed', '--json'])).json()).toMatchObject({total: 0, statements: 0, data: []});
});
