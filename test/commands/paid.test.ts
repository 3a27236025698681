// `paid`, `month`, and receipts in lists: who paid, when and how, and the number of requests.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {pagedService, statementNumbered} from '../support/services/paged-service.js';
import {TEST_KEY} from '../support/services/servers.js';
import {controlOf} from '../../src/sandbox/control/control.js';

type Wire = Record<string, any>;

/** Just after midnight in Manila, when UTC still has the day before. */
const NOW = Date.parse('2026-11-24T00:30:00+08:00') / 1000;
const DAY = 86_400;

describe('in the sandbox', () => {
  const directory = temporaryDirectory(afterAll);
  let now = NOW;
  const run = commandsIn(directory, {now: () => now * 1000});
  const data = async (...words: string[]): Promise<Wire> => {
    const {status, stdout, stderr} = await run([...words, '--json']);
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  };

  beforeAll(async () => {
    const merchant = new Merchant(directory, () => now);
    const made: Wire[] = [];
    const people = ['Juan Dela Cruz', 'Kapeng Barako', 'Tita Baby', 'Angelica Reyes'];
    now = NOW - 40 * DAY;
    for (const [index, name] of people.entries()) {
      const email = `${name.split(' ')[0]!.toLowerCase()}@example.com`;
      const {id} = await merchant.customer({name, email, billing_statement_prefix: `SHOP${index}`});
      made.push(await merchant.open({customer_id: id}));
    }
    now = NOW - 1800 - 1;
    controlOf(merchant.sandbox).pay(made[0]!.id, {method: 'gcash'});
    now = NOW;
    controlOf(merchant.sandbox).pay(made[1]!.id, {card: '4242424242424242'} as never);
    merchant.close();
    await run(['billing-statements', 'settle', 'SHOP2-0001', '--paid-outside', 'cash, at the counter']);
  });

  test('today starts at midnight in Manila, and includes cash', async () => {
    const today = await data('paid');
    expect(today).toMatchObject({received: 150_000, settled: 150_000, after_refunds: 150_000});
    const byNumber = today.data.toSorted((a: Wire, b: Wire) => (a.number < b.number ? 1 : -1));
    expect(byNumber).toMatchObject([
      {number: 'SHOP2-0001', settled_reason: 'cash, at the counter', method: null, settled: 150_000, state: 'settled'},
      {
        number: 'SHOP1-0001',
        method: 'card',
        received: 150_000,
        paid_at: NOW,
        customer: 'Kapeng Barako',
      },
    ]);
    const before = await data('paid', '--since', 'yesterday', '--until', 'yesterday');
    expect(before.data).toMatchObject([{number: 'SHOP0-0001', method: 'gcash'}]);
    expect((await data('paid', '--since', '2026-11-24T00:30:01+08:00')).data).toEqual([]);
  });

  test('dates cash by the account’s clock, which may be ahead', async () => {
    const own = temporaryDirectory(onTestFinished);
    const shop = new Merchant(own, () => now);
    await shop.open();
    shop.close();
    const inOwn = commandsIn(own, {now: () => now * 1000});
    await inOwn(['sandbox', 'clock', 'set', '2031-03-03T10:00:00+08:00']);
    await inOwn(['billing-statements', 'settle', 'Juan Dela Cruz', '--paid-outside', 'cash']);
    expect((await inOwn(['paid', '--json'])).json()).toMatchObject({settled: 150_000});
    expect((await inOwn(['month', '2031-03', '--json'])).json()).toMatchObject({settled: 150_000});
    expect((await inOwn(['month', '2026-11', '--json'])).json()).toMatchObject({settled: 0, billed: 150_000});
  });

  test('filters by customer, without a period', async () => {
    expect((await data('paid', 'juan')).data).toMatchObject([{number: 'SHOP0-0001'}]);
    expect((await data('paid', 'angelica@example.com')).data).toEqual([]);
    const none = await run(['paid', 'Angelica Reyes'], {columns: 80});
    expect(none.stderr).toContain('No billing statement was paid in this period.');
  });

  test('prints a table at a terminal and in a pipe', async () => {
    const {stdout, stderr} = await run(['paid'], {columns: 80});
    expect(stderr).toContain('Not included or not known: payments of your own payment intents;');
    expect(stdout).toMatch(/24 Nov 00:30 +SHOP1-0001 +Kapeng Barako +₱1,500\.00 +card\n/);
    expect(stdout).toMatch(/24 Nov 00:30 +SHOP2-0001 +Tita Baby +₱1,500\.00 +outside: cash, at the\n +counter\n/);
    expect(stdout).toContain('2 customers paid ₱3,000.00\n₱1,500.00 online, ₱1,500.00 outside\n');
    expect((await run(['paid'])).stdout.split('\n')).toContain(
      '2026-11-24 00:30\tSHOP1-0001\tKapeng Barako\t₱1,500.00\tcard',
    );
  });

  test('reports a month', async () => {
    const month = await data('month');
    expect(month).toMatchObject({
      ...{month: '2026-11', opening_balance: 450_000, billed: 0, received: 300_000, settled: 150_000, balance: 0},
      ...{refunded: 0, uncollectible: 0, carried_forward: 150_000, owed: 150_000, after_refunds: 300_000},
    });
    const october = await data('month', 'october');
    expect(october).toMatchObject({month: '2026-10', billed: 600_000, received: 0, balance: 600_000, owed: 600_000});
    // Each was still owed at the end of October.
    expect(october.data.map(({number, balance}: Wire) => [number, balance])).toEqual(
      [0, 1, 2, 3].map((index) => [`SHOP${index}-0001`, 150_000]),
    );
    const {stdout, stderr} = await run(['month', '2026-11', '-o', 'csv']);
    const [header, ...rows] = stdout.trim().split('\r\n');
    expect(header).toMatch(
      /^number,customer,email,state,created_at,billed_at,due_at,opening_balance_centavos,opening_balance_pesos,billed_/,
    );
    expect(rows).toHaveLength(3);
    expect(rows.join('\n')).not.toMatch(/,,,,,/);
    expect(stderr).toContain('November 2026 so far, by days in Manila:');
    expect(stderr).toMatch(/Received +₱4,500\.00 {2}3 payments, before fees/);
    expect(stderr).toContain('Not included or not known: payments of your own payment intents;');
    expect(stderr).toContain('fees (not deducted) and payouts');
  });

  test.each([
    [['month', 'soon'], '"soon" is not a month.'],
    [['month', '2026-13'], '"2026-13" is not a month.'],
    [['month', '2026-12'], '2026-12 is in the future.'],
    [['paid', '--since', '2026-11-24', '--until', '2026-11-01'], '--since 2026-11-24 is after --until 2026-11-01.'],
  ])('%j is refused', async (words, message) => {
    const {status, stderr} = await run(words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each([['month'], ['paid'], ['owed'], ['history']])('%s --file begins with a byte order mark', async (name) => {
    const file = join(directory, `${name}.csv`);
    const written = await run([name, '--file', file, '--json']);
    expect([written.status, written.json()]).toEqual([0, name === 'history' ? {file} : {file, mode: 'sandbox'}]);
    expect((await run([name, '--file', file])).stderr).toContain(`Wrote ${file}.`);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^\uFEFF\w+,/);
    expect((await run([name, '-o', 'csv'])).stdout).toBe(text.slice(1));
    expect((await run([name, '--file', file], {columns: 80})).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await run([name, '--file', file, '--dry-run'])).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('shows receipts in lists, CSV and one statement', async () => {
    const list = ['billing-statements', 'list'];
    const paid = await run([...list, '--paid-since', 'yesterday']);
    expect(paid.stdout.split('\n').map((line) => line.split('\t').slice(-2))).toEqual([
      // Settled: paid outside the service, so without a method.
      ['2026-11-24 00:30', ''],
      ['2026-11-24 00:30', 'card'],
      ['2026-11-23 23:59', 'gcash'],
      [''],
    ]);
    const until = await run([...list, '--paid-until', 'yesterday', '--fields', 'number,paid,method', '-o', 'csv']);
    expect(until.stdout).toBe(
      'billing_statement_number,paid_at,method\r\nSHOP0-0001,2026-11-23T23:59:59+08:00,gcash\r\n',
    );
    const fields = await run([...list, '--limit', '4', '--fields', 'number,paid_at', '--json']);
    expect(fields.json()).toMatchObject({
      data: [{}, {}, {paid_at: NOW}, {}].map((each) => expect.objectContaining(each)),
    });
    const one = await run(['get', 'SHOP1-0001', '--fields', 'status,paid,method']);
    expect(one.stdout).toBe('status\tpaid\npaid_at\t2026-11-24 00:30\nmethod\tcard\n');
    expect((await run(['get', 'SHOP1-0001'], {columns: 80})).stdout).toContain(
      'Tuesday, 24 November 2026, Visa ending',
    );
  });

  test('suggests paid when a list is filtered by today’s creation date', async () => {
    const {stdout, stderr} = await run(['billing-statements', 'list', '--status', 'paid', '--since', 'today']);
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('centavo paid --since today')]);
  });

  test('cash stays in the export for the next month', async () => {
    const {stdout, stderr} = await run(['billing-statements', 'export', '--month', '2026-10', '--json']);
    expect(JSON.parse(stdout).data.map(({customer_name: name}: Wire) => name)).toContain('Tita Baby');
    expect(stderr).not.toContain('Skipped');
  });
});

describe('with an API that omits payments from lists', () => {
  const PAYMENTS = 5;
  /** An API whose payments must be read one by one. */
  async function remote() {
    const place = await pagedService();
    const payment = (index: number) => `pay_${String(index).padStart(32, '0')}`;
    place.leftOut = ['payment_intent'];
    place.statements = [...Array(2 * PAYMENTS).keys()].map((index) =>
      statementNumbered(index, {
        ...(index % 2 === 0 && {status: 'paid', updated_at: NOW - (index / 2) * DAY}),
        ...{created_at: NOW - 60 * DAY, finalized_at: NOW - 60 * DAY},
        payment_intent: {id: 'pi_5Ls8', latest_payment: index % 2 === 0 ? payment(index) : null},
      }),
    );
    place.payments = [...Array(PAYMENTS).keys()].map((index) => ({
      ...{id: payment(2 * index), resource: 'payment', amount: 150_000, amount_refunded: 100 * index},
      ...{created_at: NOW - index * DAY, status: 'paid', payment_method: {type: 'maya'}},
    }));
    const directory = temporaryDirectory(onTestFinished);
    const env = {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY};
    return {place, run: commandsIn(directory, {env, now: () => NOW * 1000})};
  }

  test('reads date and method of a payment once, and its refunds again', async () => {
    const {place, run} = await remote();
    const list = ['billing-statements', 'list', '--paid-since', '2d', '-o', 'csv', '--fields', 'number,paid,method'];
    const first = await run(list);
    expect(first.stdout.split('\r\n').slice(1, -1)).toEqual([
      'SHOP-0000,2026-11-24T00:30:00+08:00,maya',
      'SHOP-0002,2026-11-23T00:30:00+08:00,maya',
      'SHOP-0004,2026-11-22T00:30:00+08:00,maya',
    ]);
    // A read of statement and payment for each later change.
    expect(place.taken().filter((request) => !request.includes('?'))).toHaveLength(6);
    expect(first.stderr).toContain('6 requests for details that lists omit, such as payments.');
    const second = await run(list);
    expect(second.stdout).toBe(first.stdout);
    expect(place.taken()).toEqual(['GET /billing_statements?limit=100']);
    expect(second.stderr).toMatch(/^Not included or not known: [^\n]+\n$/);

    expect((await run([...list, '-q'], {env: {CENTAVO_NO_CACHE: '1'}})).stdout).toBe(first.stdout);
    expect(place.taken()).toHaveLength(7);

    expect((await run(['month', '--json'])).json()).toMatchObject({received: 5 * 150_000, undated_refunds: 1000});
    place.payments[1]!.amount_refunded = 1100;
    expect((await run(['month', '--json'])).json()).toMatchObject({received: 5 * 150_000, undated_refunds: 2000});
  });

  test('a list without receipts makes no extra requests', async () => {
    const {place, run} = await remote();
    await run(['billing-statements', 'list', '--status', 'paid', '-o', 'csv']);
    expect(place.taken()).toEqual(['GET /billing_statements?limit=100']);
  });

  test('a single statement always has its receipt, unless the payment cannot be read', async () => {
    const {place, run} = await remote();
    const get = ['billing-statements', 'get', String(place.statements[0]!.id), '--fields', 'paid,method'];
    expect((await run(get)).stdout).toBe('paid_at\t2026-11-24 00:30\nmethod\tmaya\n');
    place.payments = [];
    const without = await run(get);
    expect([without.status, without.stdout]).toEqual([0, 'paid_at\t\nmethod\t\n']);
  });

  test('a service without a list of sessions is no error', async () => {
    const {place, run} = await remote();
    place.noSessions = true;
    for (const name of ['paid', 'month']) {
      const {status, stdout, stderr} = await run([name, '--json']);
      expect(status, stderr).toBe(0);
      expect(JSON.parse(stdout).not_seen).toContain('payments of checkout sessions, which the API did not list');
    }
    place.noSessions = false;
    const [paid, month, listed] = (
      await Promise.all(
        [['paid', '--since', '2d'], ['month'], ['billing-statements', 'list', '--paid-since', '2d']].map((words) =>
          run([...words, '--json']),
        ),
      )
    ).map((result) => result.json());
    expect(listed.data.length).toBeGreaterThan(0);
    expect(month.not_seen).toEqual(paid.not_seen);
    // A list of statements has no sessions, and says so.
    expect(listed.not_seen).toEqual(['payments of checkout sessions (see centavo paid)', ...paid.not_seen]);
    expect((await run(['paid', '--json'])).json().not_seen.join()).not.toContain('checkout');
  });

  test('without a payment, the date is the last change, and a note says so', async () => {
    const {place, run} = await remote();
    for (const statement of place.statements) statement.payment_intent = null;
    const {stdout, stderr} = await run(['paid']);
    expect(stdout).toBe('2026-11-24 00:30\tSHOP-0000\tCustomer 1\t₱1,500.00\tnot known\n');
    expect(stderr).toContain('the date of the payment of SHOP-0000: the last change counts');
  });
});

test('a month counts checkout payments beside the bills; a month without rows still says what is owed', async () => {
  const directory = temporaryDirectory();
  let now = Date.parse('2026-10-05T10:00:00+08:00');
  const merchant = new Merchant(directory, () => now / 1000);
  onTestFinished(() => merchant.close());
  const totals = async (month: string): Promise<string> =>
    (await commandsIn(directory, {now: () => now})(['month', month, '-o', 'table'])).stderr.replaceAll(/ +/g, ' ');
  await merchant.open();
  const session = await merchant.call('POST', '/checkout_sessions', {
    ...{currency: 'PHP', success_url: 'https://s.example/a', cancel_url: 'https://s.example/b'},
    line_items: [{name: 'Shirt', amount: 45_000, quantity: 1, currency: 'PHP'}],
  });
  controlOf(merchant.sandbox).pay(session.id as string, {});
  expect(await totals('2026-10')).toContain('Billed ₱1,950.00 1 billing statement, 1 checkout payment\n');
  now = Date.parse('2026-12-05T10:00:00+08:00');
  expect(await totals('2026-11')).toMatch(/Owed ₱1,500\.00\n of other months ₱1,500\.00\n/);
});
