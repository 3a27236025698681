// `centavo find` and `centavo get`: matches by number, name, amount and more, with the matched field.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {screenInProcess} from '../support/in-process.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {FIXED_NOW} from '../support/screen.js';
import {pagedService, statementNumbered} from '../support/services/paged-service.js';
import {TEST_KEY} from '../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory, () => FIXED_NOW);
  const customer = async (name: string, email: string, prefix: string, metadata: object = {}) =>
    (await merchant.customer({name, email, billing_statement_prefix: prefix, metadata})).id as string;
  const juan = await customer('Juan Dela Cruz', 'juan@example.com', 'JUAN', {branch: 'QC-07'});
  const nino = await customer('Niño Ibañez', 'nino@example.com', 'NINO');
  await merchant.open({customer_id: juan, metadata: {external_id: 'NOV-004', centavo_key: 'NOV-004x'}});
  await merchant.draft({customer_id: juan, metadata: {po: 'PO/2026/17'}});
  await merchant.open({customer_id: nino, metadata: {external_id: 'NOV-005', po: 'PO/2026/18'}});
  const gone = await customer('Old Friend', 'gone@example.com', 'GONE');
  const {id} = await merchant.open({customer_id: gone});
  await merchant.call('POST', `/billing_statements/${id}/void`);
  await merchant.call('DELETE', `/customers/${gone}`);
});
afterAll(() => merchant.close());

const found = async (...words: string[]): Promise<string[]> => {
  const result = await run(['find', ...words, '--json']);
  expect(result).toMatchObject({status: 0, stderr: ''});
  return result.json().data.map(({name, matched}: {name: string; matched: string}) => `${name}: ${matched}`);
};

describe('find', () => {
  test.for<[string[], string[]]>([
    [['juan-0001'], ['JUAN-0001: number']],
    [['juan'], ['Juan Dela Cruz: name', 'JUAN-0002: number', 'JUAN-0001: number']],
    [
      ['dela', 'cruz'],
      ['Juan Dela Cruz: name', 'JUAN-0002: name', 'JUAN-0001: name'],
    ],
    [['NINO@EXAMPLE.COM'], ['Niño Ibañez: email', 'NINO-0001: email']],
    [['ibanez'], ['Niño Ibañez: name', 'NINO-0001: name']],
    [['ino@ex'], ['Niño Ibañez: email', 'NINO-0001: email']],
    [['nov-004'], ['JUAN-0001: external_id=NOV-004']],
    [['nov'], ['NINO-0001: external_id=NOV-005', 'JUAN-0001: external_id=NOV-004']],
    [['qc-07'], ['Juan Dela Cruz: branch=QC-07']],
    [['NOV-004x'], []],
    [['friend'], ['Old Friend: name', 'GONE-0001: name']],
    [['₱1,500'], ['GONE-0001: amount', 'NINO-0001: amount', 'JUAN-0002: amount', 'JUAN-0001: amount']],
    [['1500.01'], []],
  ])('%j', async ([words, expected]) => {
    expect(await found(...words)).toEqual(expected);
  });

  test('finds items, after better matches, and shows what a customer owes as `owed` does', async () => {
    const matches = await found('web des');
    expect(new Set(matches.map((each) => each.replace(/.*: /, '')))).toEqual(new Set(['item']));
    // The default description of the API is the number.
    expect(await found('payment for')).toEqual([]);
    const owed = (await run(['owed', '--json'])).rows<{email: string; owed: number}>();
    const {data} = (await run(['find', 'juan', '--json'])).json();
    expect(data[0].owed).toBe(owed.find(({email}) => email === 'juan@example.com')!.owed);
    const shown = await run(['find', 'juan'], {columns: 100, env: {NO_COLOR: '1'}});
    expect(shown.stdout).toMatch(/^Juan Dela Cruz +juan@example\.com +owes ₱1,500\.00/m);
  });

  test('finds by the start of an id, and names the resource', async () => {
    const {id} = (await run(['get', 'NINO-0001', '--json'])).json();
    expect(await found(id.slice(0, 14))).toEqual(['NINO-0001: id']);
    const {data} = (await run(['find', 'friend', '--json'])).json();
    expect(data).toMatchObject([
      {resource: 'customer', email: 'gone@example.com', customer: null, state: 'deleted', amount: null},
      {resource: 'billing_statement', customer: 'Old Friend', state: 'void', amount: 150_000},
    ]);
  });

  test('counts results above the limit, with the command that lists them; no result is an empty list', async () => {
    const some = await run(['find', '1500', '--limit', '1']);
    expect(some.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(some.stderr).toBe('3 more: centavo find 1500 --limit 4\n');
    expect((await run(['find', '1500', '--limit', '1', '--json'])).json()).toMatchObject({has_more: true});
    expect((await run(['find', 'qqq', '--json'])).json()).toEqual({
      resource: 'list',
      has_more: false,
      mode: 'sandbox',
      data: [],
    });
  });

  test('suggests the next command at a terminal, and refuses a secret without a request', async () => {
    const one = screenInProcess(directory, ['find', 'nov-005']);
    expect(await one.ended).toBe(0);
    expect(await one.text()).toMatch(/^NINO-0001 +Niño Ibañez +₱1,500.00 .*external_id=NOV-005/m);
    expect(await one.text()).toContain('See it: centavo get NINO-0001');
    const none = screenInProcess(directory, ['find', 'qqq']);
    expect(await none.ended).toBe(0);
    expect(await none.text()).toContain('No billing statement, payment or customer matches "qqq".');
    const payment = screenInProcess(directory, ['find', 'pay_5Ls8']);
    expect(await payment.ended).toBe(0);
    expect(await payment.text()).toContain('To read it by its id: centavo get pay_5Ls8');
    expect(await run(['find', 'whsk_MadeUp'])).toMatchObject({
      status: 2,
      stderr: expect.not.stringContaining('MadeUp'),
    });
    expect(await run(['find'])).toMatchObject({status: 2, stderr: expect.stringContaining('centavo find juan')});
  });

  test('reads each list once', async () => {
    const api = await pagedService();
    api.statements = Array.from({length: 150}, (_, index) => statementNumbered(150 - index));
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const dry = await run(['find', 'SHOP-0001', '--dry-run', '-o', 'curl'], {env});
    expect(dry.stdout.match(/limit=100/g)).toHaveLength(2);
    expect(api.taken()).toEqual([]);
    expect((await run(['find', 'SHOP-0001', '--json'], {env})).json().data).toMatchObject([{name: 'SHOP-0001'}]);
    expect(api.taken().filter((each) => each.includes('/billing_statements'))).toHaveLength(2);
  });
});

describe('get', () => {
  test.for([
    ['nov-004', 'JUAN-0001'],
    ['PO/2026/18', 'NINO-0001'],
  ])('finds %s by your own number', async ([typed, number]) => {
    expect((await run(['get', typed!, '--json'])).json().billing_statement_number).toBe(number);
  });

  test('suggests find for an unknown name', async () => {
    const result = await run(['get', '1500.00']);
    expect(result).toMatchObject({status: 3, stdout: ''});
    expect(result.stderr).toContain('To search names, numbers and amounts: centavo find 1500.00');
  });
});
