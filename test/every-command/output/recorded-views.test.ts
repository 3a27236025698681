// Output for people from recorded API bodies: every command, in every format.

import {parse} from 'csv-parse/sync';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {operations} from '../../../src/api/registry.js';
import {cli, temporaryDirectory, type CliResult} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {inTurn} from '../../support/processes.js';
import {recorded} from '../../support/scenarios/recorded-bodies.js';
import {idOf, LINK} from '../../support/scenarios/recorded-statements.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {service, type Service} from '../../support/services/service.js';
import {wordsOf} from '../../support/words.js';

const turn = inTurn();

let api: Service;
let run: ReturnType<typeof cli>;
beforeAll(async () => {
  api = await service({}, recorded);
  const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY, COLUMNS: '80', NO_COLOR: '1'};
  run = commandsIn(temporaryDirectory(afterAll), {env});
});
afterAll(() => api.close());

const ok = async (words: readonly string[]): Promise<CliResult> => {
  const result = await run(words);
  expect(result.status, `${words.join(' ')}: ${result.stderr}`).toBe(0);
  return result;
};

/** The prefix of every time in the fixtures, which no amount, id or secret has. */
const RAW_TIME = /\b177\d{7}\b/;

function expectReadable(text: string): void {
  expect(text).not.toMatch(RAW_TIME);
  expect(text).not.toMatch(/\[object |\bundefined\b|\bnull\b|\bNaN\b|1970-01-01/);
}

const FORMS = {table: ['-o', 'table'], tabs: [], csv: ['-o', 'csv']};

/** Every operation by its first example, and each kind of object with its recorded forms. */
const COMMANDS: readonly (readonly string[])[] = [
  ...operations.map(({id, operation}) => [
    ...[...wordsOf(operation.examples[0])[0]!, '--yes'],
    // Each form sends and refunds again.
    ...(['billing-statements:send', 'refunds:create'].includes(id) ? ['--allow-duplicate'] : []),
  ]),
  ...['Open', 'Draft', 'Paid', 'Void', 'Uncollectible', 'SomethingNew'].map((name) => ['get', idOf('bstm_', name)]),
  ['customers', 'get', idOf('cus_', 'Gone')],
  ['payment-intents', 'get', idOf('pi_', 'Null')],
  ...['Card', 'Gcash', 'Bare', 'None'].map((name) => ['payments', 'get', idOf('pay_', name)]),
  ['checkout-sessions', 'get', idOf('cs_', 'One'), idOf('cs_', 'Two')],
  ['api', 'GET', `/payment_intents/${idOf('pi_', 'Full')}`, '--fields', 'id,created_at,capture_before_at,customer'],
  ['get', idOf('bstm_', 'Open'), '--fields', 'id,created_at,payment_intent.created_at'],
  ['payments', 'get', idOf('pay_', 'Card'), '--fields', 'id,billing.address,payment_method.card'],
];

describe.each(Object.entries(FORMS))('no raw times and no JavaScript values, as a %s:', (_, form) => {
  test.for(COMMANDS.map((words) => [words.join(' '), words] as const))('%s', async ([, words]) => {
    expectReadable((await ok([...words, ...form])).stdout);
  });
});

describe('the payment link', () => {
  const STATES = [
    ['Open', true],
    ['Draft', false],
    ['Paid', false],
    ['Void', false],
    ['Uncollectible', false],
    ['SomethingNew', false],
  ] as const;

  test.for(STATES)('of %s is shown: %s, beside the status, in every form', async ([name, open]) => {
    const id = idOf('bstm_', name);
    for (const form of Object.values(FORMS)) {
      for (const words of [
        ['billing-statements', 'get', id],
        ['get', id],
        ['billing-statements', 'get', id, id],
      ]) {
        const {stdout} = await ok([...words, ...form]);
        if (form !== FORMS.table || !words.includes('billing-statements') || words.length === 3)
          expect(stdout.includes(LINK), `${words.join(' ')} ${form.join(' ')}`).toBe(open);
        // People see how long it is overdue.
        const status = name === 'SomethingNew' ? 'somethingNew' : name.toLowerCase();
        expect(stdout).toContain(open && form === FORMS.table ? 'overdue' : status);
      }
    }
    const {stdout} = await ok(['api', 'GET', `/billing_statements/${id}`, '-o', 'table']);
    expect(stdout.includes(LINK)).toBe(open);
  });

  test.for(STATES)('of %s is found by --fields: %s', async ([name, open]) => {
    const get = ['billing-statements', 'get', idOf('bstm_', name)];
    for (const field of ['url', 'billing_statement_url']) {
      const words = [...get, '--fields', field];
      expect((await ok([...words, '--json'])).json()).toEqual({[field]: open ? LINK : null});
      expect((await ok([...words, '-o', 'jsonl'])).json()).toEqual({[field]: open ? LINK : null});
      expect((await ok([...words, '-o', 'csv'])).stdout).toBe(`${field}\r\n${open ? LINK : ''}\r\n`);
      expect((await ok(words)).stdout).toBe(`${field}\t${open ? LINK : ''}\n`);
    }
    // Without --fields it is the API's value.
    for (const form of ['json', 'jsonl'])
      expect((await ok([...get, '-o', form])).json()).toMatchObject({billing_statement_url: LINK});
    expect((await ok([...get, '--jq', '.billing_statement_url'])).stdout).toBe(`${LINK}\n`);
  });

  test.for([
    [['finalize', idOf('bstm_', 'Draft')], true],
    [['update', idOf('bstm_', 'Open'), '--description', 'Q1'], true],
    [['void', idOf('bstm_', 'Open'), '--yes'], false],
    [['mark-uncollectible', idOf('bstm_', 'Open'), '--yes'], false],
  ] as const)('after %j is shown: %s', async ([words, open]) => {
    for (const form of Object.values(FORMS))
      expect((await ok(['billing-statements', ...words, ...form])).stdout.includes(LINK)).toBe(open);
  });

  test.for([
    [['--finalize'], true],
    [['--send'], true],
    [[], false],
  ] as const)('after create %j is shown: %s', async ([words, open]) => {
    const create = ['billing-statements', 'create', '--customer', idOf('cus_', 'Juan'), '--item', 'Hosting @ 750'];
    for (const form of Object.values(FORMS)) {
      const {stdout} = await ok([...create, '--due', '2031-12-15', ...words, ...form]);
      expect(stdout.includes(LINK), stdout).toBe(open);
      expect(stdout).toContain('750.00');
      expectReadable(stdout);
    }
  });

  test('is in a list for open statements only: last in a pipe, and in a table on request', async () => {
    const list = ['billing-statements', 'list'];
    const rows = (await ok(list)).stdout.split('\n').slice(0, -1);
    expect(rows.map((row) => row.split('\t').at(-7))).toEqual([LINK, '', '']);
    const csv: {status: string; url: string}[] = parse((await ok([...list, '-o', 'csv'])).stdout, {columns: true});
    expect(csv.map(({status, url}) => [status, url])).toEqual([
      ['open', LINK],
      ['draft', ''],
      ['paid', ''],
    ]);
    expect((await ok([...list, '-o', 'table'])).stdout).not.toContain('http');
    // A requested column is complete, so that it can be copied.
    expect((await ok([...list, '-o', 'table', '--fields', 'status,url'])).stdout).toContain(LINK);
  });
});

describe('the customer', () => {
  test('is shown by id in a list without expanded customers', async () => {
    const customer = idOf('cus_', 'Juan');
    for (const row of (await ok(['billing-statements', 'list'])).stdout.split('\n').slice(0, -1))
      expect(row.split('\t')[1]).toBe(customer);
    const listed = await ok(['billing-statements', 'list', '--fields', 'customer', '--json']);
    expect(listed.json().data[0]).toEqual({customer});
  });

  test('is shown by name in one object, by id without a name, and as deleted', async () => {
    const table = async (...words: string[]) => (await ok([...words, '-o', 'table'])).stdout;
    const customer = idOf('cus_', 'Juan');
    expect(await table('get', idOf('bstm_', 'Open'))).toMatch(/^Juan Dela Cruz <juan@example\.com>$/m);
    expect(await table('get', idOf('cs_', 'One'))).toMatch(/^Customer +Juan Dela Cruz$/m);
    expect(await table('get', idOf('pi_', 'Full'))).toMatch(new RegExp(`^Customer +${customer}$`, 'm'));
    expect(await table('get', idOf('bstm_', 'Uncollectible'))).toMatch(new RegExp(`^${customer} \\(deleted\\)$`, 'm'));
  });

  test('is marked as deleted, alone and beside another', async () => {
    const [gone, there] = [idOf('cus_', 'Gone'), idOf('cus_', 'Juan')];
    expect((await ok(['customers', 'get', gone, '-o', 'table'])).stdout).toBe(`Deleted  yes\nId       ${gone}\n`);
    expect((await ok(['customers', 'get', gone])).stdout).toMatch(/^deleted\tyes$/m);
    const both = await ok(['customers', 'get', gone, there, '-o', 'table']);
    expect(both.stdout).toMatch(new RegExp(`^NAME +DELETED .*\n +yes +${gone.slice(0, 12)}…\nJuan Dela Cruz `));
    // Columns for programs keep their position.
    const rows = (await ok(['customers', 'get', gone, there])).stdout.split('\n').slice(0, -1);
    expect(rows.map((row) => row.split('\t').at(-1))).toEqual(['yes', '']);
    expect(rows[1]!.split('\t')[1]).toBe('Juan Dela Cruz');
    expect((await ok(['customers', 'get', gone, '--json'])).json()).toEqual({
      id: gone,
      resource: 'customer',
      deleted: true,
    });
  });
});

describe('the amount of a checkout session without one', () => {
  const get = ['checkout-sessions', 'get', idOf('cs_', 'One')];
  test('is the sum of its items, marked as computed', async () => {
    const computed = /^amount\s+₱1,101\.00 \(computed\)$/im;
    expect((await ok([...get, '-o', 'table'])).stdout).toMatch(computed);
    expect((await ok(get)).stdout).toMatch(computed);
    expect((await ok([...get, '--fields', 'amount'])).stdout).toMatch(computed);
    const several = await ok([...get, idOf('cs_', 'Two'), '-o', 'table']);
    expect(several.stdout.match(/₱1,101\.00 \(computed\)/g)).toHaveLength(2);
  });

  test('is a separate field in machine formats, and in no API body', async () => {
    const [row] = parse((await ok([...get, '-o', 'csv'])).stdout, {columns: true}) as Record<string, string>[];
    expect(row).toMatchObject({
      amount_centavos: '',
      computed_amount_centavos: '110100',
      computed_amount_pesos: '1101.00',
    });
    expect((await ok([...get, '--fields', 'amount,computed_amount', '--json'])).json()).toEqual({
      amount: null,
      computed_amount: 110_100,
    });
    expect((await ok([...get, '--json'])).stdout).not.toMatch(/computed/);
  });

  test.for([
    ['no items', {line_items: []}],
    ['items as ids', {line_items: ['cs_li_1']}],
    ['an item without a price', {line_items: [{quantity: 2}]}],
    ['an amount of its own', {amount: 45_000}],
  ] as const)('is not computed of %s', async ([, body]) => {
    const id = idOf('cs_', 'Other');
    const other = await service({[id]: body}, recorded);
    const {stdout} = await run(['get', id, '-o', 'table'], {env: {CENTAVO_BASE_URL: other.url}});
    await other.close();
    expect(stdout).toContain(id);
    expect(stdout).not.toMatch(/computed/);
    expect(/^Amount +₱450\.00$/m.test(stdout)).toBe('amount' in body);
  });
});

test('shows the payment method from the known fields', async () => {
  const method = async (name: string) =>
    /^Method +(.*)$/m.exec((await ok(['get', idOf('pay_', name), '-o', 'table'])).stdout)?.[1];
  expect(await method('Card')).toBe('Visa ending in 4242');
  expect(await method('Gcash')).toBe('GCash');
  expect(await method('Bare')).toBe('BDO Installment');
  expect(await method('None')).toBeUndefined();
});

test('programs get the API body unchanged', async () => {
  const id = idOf('bstm_', 'Void');
  const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const {stdout} = await turn(() => commandsIn(temporaryDirectory(), {env})(['get', id, '--json']));
  const body = recorded.one({name: 'billing_statement'} as never, id);
  const shown = JSON.parse(stdout);
  expect(shown.payment_intent.client_secret).toContain('[redacted]');
  expect({...shown, payment_intent: null}).toEqual({...body, payment_intent: null});
});
