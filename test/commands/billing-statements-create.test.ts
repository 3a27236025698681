// `billing-statements create`: one command for the calls that a statement takes, which goes on where it was stopped and does nothing twice.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../helpers/cli.js';
import {commandsIn} from './support/commands.js';
import {failingServer, type Failure} from './support/failing.js';
import {Merchant} from './support/merchant.js';
import {rawServer, TEST_KEY} from './support/servers.js';
import {CTRL_C, ENTER, loaded, terminal} from './support/terminal.js';
import {wordsOf} from './support/words.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const create = (...words: string[]) => run(['billing-statements', 'create', ...words]);
let merchant: Merchant;
let customer: string;

beforeAll(async () => {
  merchant = new Merchant(directory);
  customer = (await merchant.customer({email: 'only@example.com'})).id as string;
});
afterAll(() => merchant.close());

const count = async (): Promise<number> => (await merchant.call('GET', '/billing_statements?limit=100')).data.length;
const WHOLE = ['--item', 'Web design x2 @ 15,000', '--item', 'Hosting @ 1,250.50', '--due', '2031-12-15', '--send'];
const DUE = Date.parse('2031-12-15T23:59:59+08:00') / 1000;

describe('in one go', () => {
  test('makes the draft, adds items and due date, opens and sends it', async () => {
    const result = await create('--customer', customer, ...WHOLE, '--metadata', 'order=1042', '--json');
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toMatchObject({
      status: 'open',
      amount: 3_125_050,
      due_at: DUE,
      customer_id: customer,
      url: expect.stringMatching(/^http/),
      metadata: {order: '1042'},
      line_items: [
        {description: 'Web design', unit_price: 1_500_000, quantity: 2},
        {description: 'Hosting', unit_price: 125_050, quantity: 1},
      ],
    });
  });

  test('says each step on stderr, and back how the date was read', async () => {
    const {status, stderr, stdout} = await create('--customer', customer, ...WHOLE);
    expect(status).toBe(0);
    for (const words of ['due: 2031-12-15 23:59 in Manila', '→ sandbox', 'draft bstm_', '2 items, ₱31,250.50', 'sent'])
      expect(stderr).toContain(words);
    expect(stdout).toMatch(/^status\topen$/m);
  });

  test('without --finalize it stays a draft, with or without items', async () => {
    const bare = await create('--customer', customer, '--json');
    expect(bare.json()).toMatchObject({status: 'draft', amount: 0, line_items: []});
    const itemised = await create('--customer', customer, '--item', 'Hosting @ 450', '--json');
    expect(itemised.json()).toMatchObject({status: 'draft', amount: 45_000});
  });

  test('takes items from a CSV file, after those that were typed', async () => {
    const file = join(directory, 'items.csv');
    writeFileSync(
      file,
      '\uFEFFdescription,quantity,unit_price\r\n"Logo, in colour",1,"₱12,500.00"\r\nStickers,100,4.50\r\n',
    );
    const result = await create('--customer', customer, '--item', 'Hosting @ 450', '--items', file, '--json');
    expect(result.json().line_items).toMatchObject([
      {description: 'Hosting', unit_price: 45_000, quantity: 1},
      {description: 'Logo, in colour', unit_price: 1_250_000, quantity: 1},
      {description: 'Stickers', unit_price: 450, quantity: 100},
    ]);
  });

  test('finds the customer by e-mail address; none is exit 3, several are exit 2', async () => {
    expect((await create('--customer-email', 'only@example.com', '--json')).json().customer_id).toBe(customer);
    const before = await count();
    expect(await create('--customer-email', 'nobody@example.com')).toMatchObject({status: 3, stdout: ''});
    await merchant.customer({email: 'twin@example.com'});
    await merchant.customer({email: 'twin@example.com'});
    const several = await create('--customer-email', 'twin@example.com');
    expect(several.status).toBe(2);
    expect(several.stderr.match(/cus_\w+/g)?.length ?? 0).toBeGreaterThan(0);
    expect(await count()).toBe(before);
  });
});

describe('what the service would refuse halfway', () => {
  const bad = join(directory, 'bad.csv');
  test.for([
    [['--finalize', '--due', '+30d'], /without items/],
    [['--finalize', '--item', 'Hosting @ 450'], /without a due date/],
    [['--finalize', '--item', 'Pin @ 19.99', '--due', '+30d'], /₱19\.99.*too little/],
    [['--item', 'Yacht x2 @ 59,999,999.99'], /too much/],
    [['--item', 'Hosting @ 1.250,50'], /1250\.50/],
    [['--item', 'Hosting x1.5 @ 450'], /quantity "1\.5"/],
    [['--items', 'none.csv'], /none\.csv cannot be read/],
    [['--items', bad], /line 3.*unit_price/],
    [['--due', '2026-02-30'], /28 days/],
    [['--continue', 'cus_2mQ8'], /customer/],
    [['--continue', 'bstm_7Hq2', '--metadata', 'order=1042'], /metadata cannot be given with --continue/],
  ] as [string[], RegExp][])('%j is exit 2, and nothing is made', async ([words, message]) => {
    writeFileSync(bad, 'description,quantity,unit_price\nLogo,1,100\nStickers,1,1.2E+03\n');
    const before = await count();
    const from = words.includes('--continue') ? [] : ['--customer', customer];
    const result = await create(...from, ...words);
    expect(result).toMatchObject({status: 2, stdout: '', stderr: expect.stringMatching(message)});
    expect(result.stderr).toContain('Nothing was sent.');
    expect(await count()).toBe(before);
  });

  test('no customer is exit 2, and names both ways to give one', async () => {
    const result = await create('--item', 'Hosting @ 450');
    expect(result.status).toBe(2);
    expect(result.stderr).toMatch(/--customer .*--customer-email/);
  });
});

test('--dry-run shows every request of the plan, and makes nothing', async () => {
  const before = await count();
  const result = await create('--customer', customer, ...WHOLE, '--dry-run', '--json');
  expect(
    result.json().requests.map(({method, url}: {method: string; url: string}) => `${method} ${new URL(url).pathname}`),
  ).toEqual([
    'POST /billing_statements',
    'POST /billing_statement_line_items',
    'POST /billing_statement_line_items',
    expect.stringMatching(/^PUT \/billing_statements\/./),
    expect.stringMatching(/^POST \/billing_statements\/.+\/finalize$/),
    expect.stringMatching(/^POST \/billing_statements\/.+\/send$/),
  ]);
  expect(await count()).toBe(before);
});

test('--dry-run does not even look for the customer: it shows how that would be done', async () => {
  const server = await rawServer(() => undefined);
  onTestFinished(server.close);
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const words = ['billing-statements', 'create', '--customer-email', 'juan@example.com', '--dry-run', '--json'];
  const result = await run(words, {env});
  const [look, make] = result.json().requests;
  expect(look).toMatchObject({method: 'GET', url: `${server.url}/customers?email=juan%40example.com&limit=5`});
  expect(JSON.parse(make.body)).toEqual({currency: 'PHP', customer_id: 'cus_…'});
  expect(server.connections()).toBe(0);
});

describe('stopped on the way', () => {
  const CHANGES = [
    'POST /billing_statements',
    'POST /billing_statement_line_items',
    'POST /billing_statement_line_items',
    'PUT /billing_statements/:id',
    'POST /billing_statements/:id/finalize',
    'POST /billing_statements/:id/send',
  ];

  /** Runs into a failure at this change, then does what it is told to do next. */
  async function stopAndGoOn(at: number, failure: Failure) {
    const before = await count();
    const server = await failingServer(merchant, at, failure);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const other = commandsIn(temporaryDirectory(), {env});
    const stopped = await other(['billing-statements', 'create', '--customer', customer, ...WHOLE]);
    const next = /centavo (billing-statements create --continue .*)$/m.exec(stopped.stderr)?.[1];
    const finished = next === undefined ? undefined : await other([...wordsOf(next)[0]!, '--json']);
    await server.close();
    return {stopped, next, finished, changes: server.changes, made: (await count()) - before};
  }

  test('the calls of a whole run are these', async () => {
    const {stopped, changes} = await stopAndGoOn(0, 'refused');
    expect(stopped.status).toBe(0);
    expect(changes).toEqual(CHANGES);
  });

  test.for([2, 3, 4, 5, 6])('by a refusal of change %i, the printed command does the rest, once', async (at) => {
    const {stopped, finished, changes, made} = await stopAndGoOn(at, 'refused');
    expect(stopped).toMatchObject({status: 5, stdout: '', stderr: expect.stringContaining('Not today.')});
    expect(stopped.stderr).toMatch(/statement bstm_\w+ is made/);
    expect(finished).toMatchObject({status: 0});
    expect(finished!.json()).toMatchObject({status: 'open', amount: 3_125_050, due_at: DUE});
    expect(finished!.json().line_items).toHaveLength(2);
    expect(changes).toEqual([...CHANGES.slice(0, at), ...CHANGES.slice(at - 1)]);
    expect(made).toBe(1);
  });

  test.for([2, 3])('by a lost answer to change %i, the printed command adds no item twice', async (at) => {
    const {stopped, finished, made} = await stopAndGoOn(at, 'answer lost');
    expect(stopped).toMatchObject({status: 10, stdout: ''});
    expect(finished!.json()).toMatchObject({status: 'open', amount: 3_125_050});
    expect(finished!.json().line_items).toHaveLength(2);
    expect(made).toBe(1);
  });

  test.for([4, 5])('by a lost answer to change %i, which can be looked at, it goes on by itself', async (at) => {
    const {stopped, changes, made} = await stopAndGoOn(at, 'answer lost');
    expect(stopped.status).toBe(0);
    expect(changes).toEqual(CHANGES);
    expect(made).toBe(1);
  });

  test('by a lost answer to the draft itself, it is not made again', async () => {
    const {stopped, next, changes} = await stopAndGoOn(1, 'answer lost');
    expect(stopped.status).toBe(10);
    expect(stopped.stderr).toContain('centavo billing-statements list');
    expect(next).toBeUndefined();
    expect(changes).toEqual(CHANGES.slice(0, 1));
  });

  test('by a lost answer to the sending, it is not sent again without asking the customer', async () => {
    const {stopped, next, changes} = await stopAndGoOn(6, 'answer lost');
    expect(stopped.status).toBe(10);
    expect(stopped.stderr).toMatch(/Ask the customer.*centavo billing-statements send bstm_/);
    expect(next).toBeUndefined();
    expect(changes).toEqual(CHANGES);
  });
});

describe.runIf(loaded.pty)('guided, at a terminal', () => {
  const DOWN = '\u001B[B';

  async function guide(choice: string) {
    const own = temporaryDirectory();
    const mine = new Merchant(own);
    await mine.customer({name: 'Maria Clara', email: 'maria@example.com'});
    const desk = terminal(own, ['billing-statements', 'create']);
    await desk.until(/Who pays\?[^]*Maria Clara <maria@example\.com>/);
    desk.type(ENTER);
    await desk.until(/Item \(/);
    desk.type(`Web design x2 @ 15,000${ENTER}`);
    await desk.until(/Another item \(so far ₱30,000\.00/);
    desk.type(ENTER);
    await desk.until(/Due \(/);
    desk.type(ENTER);
    await desk.until(/To +Maria Clara[^]*Total[^]*₱30,000\.00[^]*What shall be done\?/);
    desk.type(`${choice}${ENTER}`);
    const status = await desk.ended;
    const {data} = await mine.call('GET', '/billing_statements');
    mine.close();
    return {status, statements: data as Record<string, any>[], text: desk.text()};
  }

  test('asks who, what and until when, shows the sum, and sends it', async () => {
    const {status, statements} = await guide('');
    expect(status).toBe(0);
    expect(statements).toMatchObject([{status: 'open', amount: 3_000_000}]);
  });

  test('takes no choice from an Enter that came before there was one to make', async () => {
    const own = temporaryDirectory();
    const mine = new Merchant(own);
    await mine.customer({name: 'Maria Clara', email: 'maria@example.com'});
    mine.close();
    const desk = terminal(own, ['billing-statements', 'create']);
    desk.type(ENTER);
    await desk.until(/Who pays\?/);
    desk.type(`${DOWN}${ENTER}`);
    await desk.until(/Name:/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test('keeps it as a draft when told to', async () => {
    const {status, statements} = await guide(DOWN + DOWN);
    expect(status).toBe(0);
    expect(statements).toMatchObject([{status: 'draft', amount: 3_000_000}]);
  });

  test('makes nothing when called off: exit 12', async () => {
    const {status, statements, text} = await guide(DOWN + DOWN + DOWN);
    expect(status).toBe(12);
    expect(statements).toEqual([]);
    expect(text).toContain('Nothing was changed.');
  });
});
