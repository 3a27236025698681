// `customers ledger`: statements, payments and refunds with a running balance, and its limits.

import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {service} from '../../support/services/service.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;
let customer: string;

type Row = Record<string, any>;
const ledger = async (...words: string[]): Promise<{document: any; data: Row[]; stderr: string}> => {
  const {status, stdout, stderr} = await run(['customers', 'ledger', customer, ...words, '--json', '-v']);
  expect(status, stderr).toBe(0);
  const document = JSON.parse(stdout);
  return {document, data: document.data, stderr};
};

beforeAll(async () => {
  merchant = new Merchant(directory);
  customer = (
    await merchant.customer({name: 'Kapeng Barako', email: 'k@example.com', billing_statement_prefix: 'BARAKO'})
  ).id as string;
  const open = async (): Promise<string> => (await merchant.open({customer_id: customer})).id as string;
  const [paid, voided, lost] = [await open(), await open(), await open()];
  await open();
  await merchant.draft({customer_id: customer});
  await merchant.open();
  controlOf(merchant.sandbox).pay(paid, {method: 'gcash'});
  const record = (await merchant.call('GET', '/billing_statements?limit=100')).data.find(
    (each: Row) => each.id === paid,
  );
  await merchant.call('POST', '/refunds', {
    payment_id: record.payment_intent.latest_payment.id,
    amount: 30_000,
    currency: 'PHP',
    reason: 'others',
  });
  await run(['refunds', 'create', '--statement', paid, '--amount', '200', '--reason', 'others']);
  await run(['billing-statements', 'void', voided]);
  await merchant.call('POST', `/billing_statements/${lost}/mark_uncollectible`);
});
afterAll(() => merchant.close());

test('the running balance ends at the amount owed', async () => {
  const {document, data} = await ledger();
  let balance = 0;
  for (const row of data) {
    balance += row.billed - row.voided - row.received - row.settled - row.uncollectible;
    expect(row.balance).toBe(balance);
  }
  expect(document).toMatchObject({
    customer_id: customer,
    name: 'Kapeng Barako',
    billed: 600_000,
    voided: 150_000,
    received: 150_000,
    settled: 0,
    uncollectible: 150_000,
    owed: 150_000,
    refunded: 20_000,
    undated_refunds: 30_000,
    pending_refunds: 0,
  });
  expect(balance).toBe(150_000);
  const SUMS = ['billed', 'voided', 'received', 'settled', 'uncollectible', 'refunded', 'undated_refunds'];
  const of = (number: string) =>
    data
      .filter((row) => row.number === number)
      .map((row) => [row.type, row.detail, ...SUMS.flatMap((name) => (row[name] === 0 ? [] : [name, row[name]]))]);
  const [billing, payment, ...refunds] = of('BARAKO-0001');
  expect([billing, payment]).toEqual([
    ['billing', null, 'billed', 150_000],
    ['payment', 'gcash', 'received', 150_000],
  ]);
  // In the order of their dates; the undated one may be in the same second.
  expect(refunds.toSorted()).toEqual([
    ['refund', null, 'refunded', 20_000],
    ['refund', null, 'undated_refunds', 30_000],
  ]);
  expect(of('BARAKO-0002')).toEqual([
    ['billing', null, 'billed', 150_000],
    ['void', null, 'voided', 150_000],
  ]);
  expect(of('BARAKO-0003').at(-1)).toEqual(['uncollectible', null, 'uncollectible', 150_000]);
  expect(of('BARAKO-0005')).toEqual([]);
});

test('a refund made elsewhere has no date, with a note', async () => {
  const {data, stderr} = await ledger();
  expect(data.filter(({at}) => at === null)).toMatchObject([{type: 'refund', undated_refunds: 30_000}]);
  expect(stderr).toContain('₱300.00 was refunded on a date that the API does not give.');
});

test('rows in a pipe, and CSV with every field', async () => {
  const {stdout} = await run(['customers', 'ledger', customer]);
  expect(stdout).toMatch(/\tPayment, GCash\tBARAKO-0001\t\t₱1,500\.00\t/);
  expect(stdout).toMatch(/\tRefund, ₱300\.00\tBARAKO-0001\t\t\t₱/);
  const csv = (await run(['customers', 'ledger', customer, '-o', 'csv'])).stdout;
  expect(csv.split(/\r?\n/)[0]).toBe(
    'at,type,number,statement_id,checkout_session_id,payment_id,detail,billed_centavos,billed_pesos,voided_centavos,voided_pesos,received_centavos,received_pesos,' +
      'settled_centavos,settled_pesos,uncollectible_centavos,uncollectible_pesos,balance_centavos,balance_pesos,' +
      'refunded_centavos,refunded_pesos,undated_refunds_centavos,undated_refunds_pesos,replaced_by',
  );
});

test('a settled statement counts as paid, and a void one names its replacement', async () => {
  const own = temporaryDirectory();
  const shop = new Merchant(own);
  const inOwn = commandsIn(own);
  const {id} = await shop.customer({name: 'Tita Baby', billing_statement_prefix: 'TITA'});
  for (let left = 2; left > 0; left--) await shop.open({customer_id: id});
  shop.close();
  await inOwn(['billing-statements', 'settle', 'TITA-0001', '--paid-outside', 'cash']);
  await inOwn(['billing-statements', 'reissue', 'TITA-0002', '--due', '+30d']);
  const {billed, voided, settled, owed, data} = (
    await inOwn(['customers', 'ledger', id as string, '--json'])
  ).json() as Row;
  expect({billed, voided, settled, owed}).toEqual({billed: 450_000, voided: 150_000, settled: 150_000, owed: 150_000});
  const ended = data.filter(({type}: Row) => type !== 'billing');
  expect(ended).toMatchObject([
    {type: 'settlement', number: 'TITA-0001', settled: 150_000, detail: 'cash', replaced_by: null},
    {type: 'void', number: 'TITA-0002', voided: 150_000, settled: 0, replaced_by: {name: 'TITA-0003'}},
  ]);
  const {stdout} = await inOwn(['customers', 'ledger', id as string]);
  expect(stdout).toMatch(/\tSettled, cash\tTITA-0001\t\t₱1,500\.00\t/);
  expect(stdout).toMatch(/\tVoid, replaced by TITA-0003\tTITA-0002\t/);
});

test('a period starts with the opening balance', async () => {
  const {data} = await ledger('--since', '2031-01-01');
  expect(data).toMatchObject([{type: 'opening', balance: 150_000, billed: 0, received: 0}]);
  expect((await ledger('--until', '2020-01-01')).data).toEqual([]);
  // A week ago, as in lists.
  expect((await ledger('--since', '7d')).data.slice(1)).toEqual((await ledger()).data);
  expect((await run(['customers', 'ledger', customer, '--since', '2031-01-01', '--until', '2030-01-01'])).status).toBe(
    2,
  );
});

test('a customer without statements', async () => {
  const {id} = await merchant.customer({name: 'Nobody', email: 'nobody@example.com'});
  const result = await run(['customers', 'ledger', id as string, '--json']);
  expect(result.json()).toMatchObject({owed: 0, data: []});
});

test('finds a payment by its id, and notes a missing one', async () => {
  const paid = {
    customer_id: 'cus_2mQ8',
    customer: 'cus_2mQ8',
    status: 'paid',
    amount: 150_000,
    created_at: 1_760_000_000,
  };
  const place = await service({
    bstm_Made1: {...paid, billing_statement_number: 'A-0001', payment_intent: {id: 'pi_5Ls8', latest_payment: null}},
    pi_5Ls8: {latest_payment: null},
  });
  onTestFinished(place.close);
  const own = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  const result = await own(['customers', 'ledger', 'cus_2mQ8', '--json']);
  expect(result.status, result.stderr).toBe(0);
  const {owed, received, not_seen: notSeen} = result.json();
  expect({owed, received}).toEqual({owed: 0, received: 150_000});
  expect(notSeen).toContain('the payment of A-0001');
});

const DATES: readonly unknown[] = [1e20, -1e20, 1e300, 99_999_999_999_999, 0, null, 'soon', {}, [1]];

test('shows the ledger with any dates; inexact amounts are an API error', async () => {
  const place = await pagedService();
  const {id} = customerNumbered(1);
  place.customers = [customerNumbered(1)];
  place.statements = ['open', 'void', 'uncollectible', 'paid'].flatMap((status, at) =>
    DATES.map((date, index) =>
      statementNumbered(at * 10 + index, {
        ...{status, amount: 100_000, payment_intent: null},
        ...{created_at: date, updated_at: date, finalized_at: date, due_at: date},
      }),
    ),
  );
  const own = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
  for (const more of [[], ['-o', 'csv'], ['--json'], ['--json', '--since', '2026-01-01', '--until', '2026-12-31']]) {
    const {status, stdout, stderr} = await own(['customers', 'ledger', id as string, ...more]);
    expect(status, stderr).toBe(0);
    expect(stdout).not.toMatch(/NaN|undefined|Invalid/);
  }
  const wide = await own(['customers', 'ledger', id as string], {columns: 100});
  expect(wide.stdout.replace(/\s+/g, ' ')).toMatch(/billed ₱18,000\.00, paid ₱9,000\.00, owes ₱9,000\.00/);

  place.statements = [1, 2].map((index) => statementNumbered(index, {amount: Number.MAX_SAFE_INTEGER}));
  const {status, stderr} = await own(['customers', 'ledger', id as string]);
  expect({status, stderr}).toEqual({status: 8, stderr: expect.stringContaining('too large to be added exactly')});
});
