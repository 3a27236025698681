// Reading: lists of any length, narrowed and cut to fields, objects by any id, raw requests, and where it all comes from.

import {parse} from 'csv-parse/sync';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {LIVE_KEY, showsKey, TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const TOTAL = 120;
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory);
  for (let number = 1; number <= TOTAL; number++) await merchant.customer({name: `Customer ${number}`});
  for (let number = 0; number < 3; number++) await merchant.open();
  await merchant.draft();
});
afterAll(() => merchant.close());

const listed = async (...words: string[]) => (await run(['customers', 'list', ...words, '--json'])).json();

describe('lists', () => {
  test('print one page of the API, with the mode', async () => {
    const page = await listed('--limit', '7');
    expect(page).toEqual({...(await merchant.call('GET', '/customers?limit=7')), mode: 'sandbox'});
    expect(page).toMatchObject({has_more: true});
  });

  test('read several pages for more than 100, and all with --all, each item once', async () => {
    const some = await listed('--limit', '110');
    expect(some.data).toHaveLength(110);
    expect(some.has_more).toBe(true);
    const all = await listed('--all');
    expect(new Set(all.data.map(({id}: {id: string}) => id)).size).toBe(all.data.length);
    expect(all.data.length).toBeGreaterThanOrEqual(TOTAL);
    expect(all.has_more).toBe(false);
    expect(all.data.slice(0, 110)).toEqual(some.data);
  });

  test('continue after an id, and go back before one', async () => {
    const {data} = await listed('--limit', '6');
    const ids = data.map(({id}: {id: string}) => id);
    expect((await listed('--limit', '2', '--after', ids[1])).data).toEqual(data.slice(2, 4));
    expect((await listed('--limit', '2', '--before', ids[4])).data).toEqual(data.slice(2, 4));
  });

  test('are filtered by the API, and by status in centavo', async () => {
    expect((await listed('--name', 'Customer 7')).data).toMatchObject([{name: 'Customer 7'}]);
    const open = (await run(['billing-statements', 'list', '--status', 'open', '--json'])).json();
    expect(open.data.map(({status}: {status: string}) => status)).toEqual(['open', 'open', 'open']);
    expect((await run(['billing-statements', 'list', '--status', 'paid', '--json'])).json().data).toEqual([]);
  });

  test('exit 0 and print nothing in a pipe if empty', async () => {
    expect(await run(['webhooks', 'list'])).toMatchObject({status: 0, stdout: '', stderr: ''});
    expect(await run(['webhooks', 'list', '-o', 'jsonl'])).toMatchObject({status: 0, stdout: ''});
    expect((await run(['webhooks', 'list', '-o', 'csv'])).stdout).toBe('id,status,url,events,description\r\n');
  });
});

describe('output', () => {
  test('--fields takes known and nested fields, in the given order', async () => {
    const words = 'billing-statements list --status open --limit 1 --fields amount,customer.email'.split(' ');
    expect((await run(words)).stdout).toBe('₱1,500.00\tjuan@example.com\n');
    expect((await run([...words, '-o', 'csv'])).stdout).toBe(
      'amount_centavos,amount_pesos,customer.email\r\n150000,1500.00,juan@example.com\r\n',
    );
    expect((await run([...words, '--json'])).json().data).toEqual([
      {amount: 150_000, 'customer.email': 'juan@example.com'},
    ]);
  });

  test('--jq runs on the API response; strings are printed bare', async () => {
    expect((await run(['customers', 'list', '--limit', '2', '--jq', '.data | length'])).stdout).toBe('2\n');
    const names = await run(['customers', 'list', '--name', 'Customer 7', '--jq', '.data[].name']);
    expect(names).toMatchObject({status: 0, stdout: 'Customer 7\n', stderr: ''});
  });

  test('amounts are exact throughout', async () => {
    const {id} = await merchant.intent({amount: 5_999_999_999});
    const result = await run(['payment-intents', 'get', id as string, '-o', 'csv']);
    const [header, row] = parse(result.stdout) as [string[], string[]];
    expect(row[header.indexOf('amount_centavos')]).toBe('5999999999');
    expect(row[header.indexOf('amount_pesos')]).toBe('59999999.99');
    expect((await run(['payment-intents', 'get', id as string])).stdout).toMatch(/^amount\t₱59,999,999\.99$/m);
  });

  test('a cell that a spreadsheet would run becomes text', async () => {
    const {id} = await merchant.customer({name: '=HYPERLINK("https://evil.example")'});
    const [header, row] = parse((await run(['customers', 'get', id as string, '-o', 'csv'])).stdout) as [
      string[],
      string[],
    ];
    expect(row[header.indexOf('name')]).toBe(`'=HYPERLINK("https://evil.example")`);
    expect((await run(['customers', 'get', id as string, '--json'])).json().name).toBe(
      '=HYPERLINK("https://evil.example")',
    );
  });

  test('--quiet omits notes and keeps the data', async () => {
    const words = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'];
    const result = await run([...words, '--quiet']);
    expect(result).toMatchObject({status: 0, stderr: '', stdout: expect.stringContaining('ana@example.com')});
  });
});

describe('get', () => {
  test('shows any object that the API returns by id', async () => {
    const made = [await merchant.customer(), await merchant.open(), await merchant.intent(), await merchant.session()];
    made.push(
      await merchant.payment(),
      await merchant.webhook(),
      await merchant.setupIntent(),
      await merchant.customerSession(),
    );
    for (const {id, resource} of made) {
      const result = await run(['get', id as string, '--json']);
      expect(result.json(), resource as string).toMatchObject({id, resource});
    }
  });

  test.for([
    ['re_6Wn3', 'payments get'],
    ['bstm_li_4Rt8', 'billing-statements get'],
    ['pm_9dK2', 'customers list-payment-methods'],
    ['po_9Xc5', 'payouts list-transactions'],
  ])('of %s exits 2 and names the right command: %s', async ([id, where]) => {
    const result = await run(['get', id!]);
    expect(result).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining(`centavo ${where}`)});
  });
});

describe('api', () => {
  test('sends any request, and prints the response unchanged', async () => {
    const result = await run(['api', 'get', '/customers', '-d', 'limit=2']);
    expect(result.json()).toEqual(await merchant.call('GET', '/customers?limit=2'));
    const made = await run('api POST customers -d name=Raw -d email=raw@example.com -d currency=PHP'.split(' '));
    expect(made).toMatchObject({status: 0, stderr: expect.stringContaining('→ sandbox')});
    expect(made.json()).toMatchObject({name: 'Raw'});
    expect(made.json()).not.toHaveProperty('mode');
  });

  test('exits 3 for a missing object', async () => {
    expect(await run(['api', 'GET', '/nothing'])).toMatchObject({status: 3, stdout: ''});
  });
});

describe('status', () => {
  test('shows the working embedded sandbox on a new machine', async () => {
    const result = await run(['status', '--json']);
    expect(result.json()).toMatchObject({
      profile: 'sandbox',
      mode: 'sandbox',
      reachable: true,
      data_directory: directory,
    });
  });

  test.for([
    [TEST_KEY, 'test'],
    [LIVE_KEY, 'live'],
  ])('shows the mode and source of a key, not the key', async ([key, mode]) => {
    const env = {CENTAVO_SECRET_KEY: key, CENTAVO_BASE_URL: 'http://127.0.0.1:9'};
    const result = await run(['status', '--json', '--timeout', '2s'], {env});
    expect(result.status).toBe(8);
    expect(result.json()).toMatchObject({
      mode,
      key_source: 'CENTAVO_SECRET_KEY',
      base_url: 'http://127.0.0.1:9',
      reachable: false,
    });
    expect(showsKey(result.stdout + result.stderr)).toBe(false);
  });
});
