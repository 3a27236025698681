// `customers get` at a terminal: one screen with what a customer owes.

import {afterAll, beforeAll, expect, test} from 'vitest';
import {controlOf} from '../../../src/sandbox/control/control.js';
import {splitWords} from '../../../src/input/shell-quoting.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {customerNumbered, pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const TERMINAL = {columns: 80, env: {NO_COLOR: '1'}};
let merchant: Merchant;
let customer: string;

beforeAll(async () => {
  merchant = new Merchant(directory);
  const known = {name: 'Kapeng Barako', email: 'k@example.com', billing_statement_prefix: 'BARAKO'};
  // The keys of an import are not shown.
  const metadata = {segment: 'cafe', branch: 'Quezon City', centavo_run: 'job_1'};
  customer = (await merchant.customer({...known, metadata})).id as string;
  const ids: string[] = [];
  for (let made = 0; made < 7; made++) ids.push((await merchant.open({customer_id: customer})).id as string);
  await merchant.draft({customer_id: customer});
  await merchant.open();
  controlOf(merchant.sandbox).pay(ids[0]!, {method: 'gcash'});
  await run(['billing-statements', 'void', ids[1]!]);
  await run(['billing-statements', 'send', ids[2]!]);
});
afterAll(() => merchant.close());

/** The commands that a screen proposes, as words. */
const proposed = (screen: string): string[][] =>
  [...screen.matchAll(/: centavo (.*)$/gm)].map(([, command]) => splitWords(command!) as string[]);

test('shows the balance of the ledger, open statements first, the last payment and email, within 24 lines', async () => {
  const {stdout, status} = await run(['customers', 'get', 'k@example.com'], TERMINAL);
  expect(status).toBe(0);
  const {owed} = (await run(['customers', 'ledger', customer, '--json'])).json<{owed: number}>();
  const rows = (await run(['owed', '--json'])).rows<{customer_id: string; owed: number}>();
  const row = rows.find((each) => each.customer_id === customer);
  expect(row!.owed).toBe(owed);
  const pesos = (owed / 100).toLocaleString('en', {minimumFractionDigits: 2});
  expect(stdout).toMatch(new RegExp(`^Kapeng Barako  owes ₱${pesos}\\nk@example\\.com\\n\\nNUMBER `));
  expect(stdout.match(/^BARAKO-\d+ .*$/gm)!.map((line) => /\S+$/.exec(line)![0])).toEqual([
    ...Array.from({length: 4}, () => 'open'),
    'void',
  ]);
  expect(stdout).toContain('and 2 more, 1 of them open; 1 draft\n');
  expect(stdout).toMatch(/^Last payment {2}.* \(.+\): ₱.*, GCash, BARAKO-0001$/m);
  expect(stdout).toMatch(/^Last email {4}.*: BARAKO-0003$/m);
  expect(stdout).toMatch(/^Metadata {6}segment=cafe, branch=Quezon City$/m);
  // The prompt and the line that names the customer found need two more.
  expect(stdout.split('\n').length).toBeLessThanOrEqual(23);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('proposes commands that work, by what the customer owes', async () => {
  const screen = async () => (await run(['customers', 'get', customer], TERMINAL)).stdout;
  expect(proposed(await screen())).toEqual([
    ['send', 'BARAKO-0004'],
    ['print', 'BARAKO-0001'],
    ['bill', 'k@example.com'],
    ['customers', 'ledger', 'k@example.com'],
  ]);
  await run(['sandbox', 'clock', 'advance', '60d']);
  const [remind, ...others] = proposed(await screen());
  expect(remind).toEqual(['remind', 'BARAKO-0003', 'BARAKO-0004', 'BARAKO-0005']);
  for (const words of [remind!, others.at(-1)!]) expect((await run([...words, '--yes'])).status).toBe(0);
  // What was just sent is not proposed again.
  expect(proposed(await screen())[0]).toEqual(['remind', 'BARAKO-0006', 'BARAKO-0007']);
});

test('reads only the customer for a program, and keeps its output', async () => {
  const service = await pagedService();
  service.customers.push(customerNumbered(1));
  service.statements.push(statementNumbered(1));
  const env = {CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const {id} = customerNumbered(1);
  for (const format of [['--json'], ['-o', 'csv'], []]) {
    service.taken();
    const {stdout} = await run(['customers', 'get', id as string, ...format], {env});
    expect(stdout).not.toContain('owes');
    expect(service.taken()).toEqual([`GET /customers/${id}`]);
  }
});

test('shows the customer if a payment or the statements cannot be read', async () => {
  const service = await pagedService();
  service.customers.push(customerNumbered(1));
  service.statements.push(statementNumbered(1, {status: 'paid', payment_intent: 'pi_1'}));
  const env = {...TERMINAL.env, CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const shown = () => run(['customers', 'get', customerNumbered(1).id as string], {...TERMINAL, env});
  const withoutPayment = await shown();
  expect(withoutPayment.status).toBe(0);
  expect(withoutPayment.stdout).toMatch(/^Customer 1 {2}owes ₱0\.00\n/);
  expect(withoutPayment.stdout).toContain('Last payment  date not known: ₱1,500.00, SHOP-0001\n');

  service.statements.push({resource: 'billing_statement'});
  const {stdout, stderr, status} = await shown();
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Customer 1\ncustomer1@example\.com\n\nId {2}cus_/);
  expect(stderr).toMatch(/^Billing statements could not be read: /m);
});
