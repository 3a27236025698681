// `billing-statements create`: makes all calls of a statement, continues after a stop and repeats nothing.

import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {failingServer, type Failure} from '../../../support/services/failing.js';
import {terminalInProcess} from '../../../support/in-process.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../../support/services/servers.js';
import {CTRL_C, ENTER, loaded} from '../../../support/terminal.js';
import {some} from '../../../support/test-size.js';
import {wordsOf} from '../../../support/words.js';

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
// The tests bill one customer for the same.
const WHOLE = [
  ...['--item', 'Web design x2 @ 15,000', '--item', 'Hosting @ 1,250.50', '--due', '2031-12-15', '--send'],
  '--allow-duplicate',
];
const DUE = Date.parse('2031-12-15T23:59:59+08:00') / 1000;

describe('in one go', () => {
  test('creates the draft, adds items and due date, finalizes and sends it', async () => {
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

  test('prints each step and the date as read on stderr', async () => {
    const {status, stderr, stdout} = await create('--customer', customer, ...WHOLE);
    expect(status).toBe(0);
    for (const words of ['due: Monday, 15 December 2031 in Manila, in ', '→ sandbox', '2 items, ₱31,250.50', 'sent'])
      expect(stderr).toContain(words);
    expect(stderr).toMatch(/^ {2}draft [A-Z0-9]+-\d{4}$/m);
    expect(stdout).toMatch(/^status\topen$/m);
  });

  test('notes a number that may be the quantity, without asking', async () => {
    const items = ['Paint 3 @ 200', '3 pcs Brush @ 50', 'Ube x3 @ 75', 'iPhone 15 x1 @ 50,000', 'Hosting @ 1,250'];
    const {status, stderr} = await create('--customer', customer, ...items.flatMap((item) => ['--item', item]));
    expect(status).toBe(0);
    const notes = stderr.split('\n').filter((line) => line.includes('counts as 1'));
    expect(notes).toEqual([
      `"Paint 3" counts as 1 × ₱200.00. If 3 is the quantity: --item 'Paint x3 @ 200'`,
      `"3 pcs Brush" counts as 1 × ₱50.00. If 3 is the quantity: --item 'Brush x3 @ 50'`,
    ]);
  });

  test('leaves a draft without --finalize, with or without items', async () => {
    const bare = await create('--customer', customer, '--json');
    expect(bare.json()).toMatchObject({status: 'draft', amount: 0, line_items: []});
    const itemised = await create('--customer', customer, '--item', 'Hosting @ 450', '--json');
    expect(itemised.json()).toMatchObject({status: 'draft', amount: 45_000});
  });

  test('adds items from a CSV file after those from flags', async () => {
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

describe('input that the API would refuse halfway', () => {
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
    [['--metadata', 'centavo_key=x'], /centavo_key is reserved/],
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

  test.each([
    [['--customer-email', ''], /--customer-email "" is not an email address/],
    [['--customer-email', 'only@example.com', '-d', 'customer_id=cus_2mQ8'], /cannot be given together/],
  ])('%j is exit 2, and nothing is billed', async (words, message) => {
    const own = temporaryDirectory();
    const lone = new Merchant(own);
    await lone.customer();
    const result = await commandsIn(own)(['billing-statements', 'create', ...words, '--item', 'Hosting @ 450']);
    expect(result).toMatchObject({status: 2, stdout: '', stderr: expect.stringMatching(message)});
    expect((await lone.call('GET', '/billing_statements')).data).toEqual([]);
    lone.close();
  });

  test('an API that does not filter by email address: exit 3', async () => {
    const other = {id: 'cus_2mQ8', resource: 'customer', name: 'Ana', email: 'ana@example.com'};
    const server = await rawServer(() => httpAnswer('200 OK', JSON.stringify({data: [other], has_more: false})));
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const words = ['billing-statements', 'create', '--customer-email', 'juan@example.com', '--item', 'Hosting @ 450'];
    expect(await commandsIn(temporaryDirectory(), {env})(words)).toMatchObject({status: 3});
    expect(server.requests).toHaveLength(1);
  });

  test('a missing customer is exit 2, with both ways to give one', async () => {
    const result = await create('--item', 'Hosting @ 450');
    expect(result.status).toBe(2);
    expect(result.stderr).toMatch(/--customer .*--customer-email/);
  });
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    'sent',
    ['--send'],
    ['PUT /billing_statements/:id', ...['finalize', 'send'].map((verb) => `POST /billing_statements/:id/${verb}`)],
  ],
  ['a draft with a due date', [], ['PUT /billing_statements/:id']],
])('%s, it sends one request per item, and these', async (_, words, rest) => {
  for (const items of [1, 3]) {
    const server = await failingServer(merchant);
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const all = Array.from({length: items}, (__, index) => ['--item', `Part ${index} of ${items} @ 450`]).flat();
    const line = ['billing-statements', 'create', '--customer', customer, ...all, '--due', '2031-12-15', ...words];
    expect(await commandsIn(temporaryDirectory(), {env})(line)).toMatchObject({status: 0});
    // Reads of the customer and of duplicates.
    const before = new Set(['GET /customers/:id', 'GET /billing_statements']);
    expect(server.requests.filter((request) => !before.has(request))).toEqual([
      'POST /billing_statements',
      ...Array.from({length: items}, () => 'POST /billing_statement_line_items'),
      ...rest,
    ]);
  }
});

test('--dry-run shows every request of the plan and sends none', async () => {
  const before = await count();
  const result = await create('--customer', customer, ...WHOLE, '--dry-run', '--json');
  expect(
    result.json().requests.map(({method, url}: {method: string; url: string}) => `${method} ${new URL(url).pathname}`),
  ).toEqual([
    'POST /billing_statements',
    'POST /billing_statement_line_items',
    'POST /billing_statement_line_items',
    'PUT /billing_statements/bstm_new',
    'POST /billing_statements/bstm_new/finalize',
    'POST /billing_statements/bstm_new/send',
  ]);
  expect(await count()).toBe(before);
});

test('--dry-run shows what a run sends, request by request', async () => {
  const server = await failingServer(merchant);
  onTestFinished(server.close);
  const bodies: unknown[] = [];
  const {handle} = merchant.sandbox;
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  const own = commandsIn(temporaryDirectory(), {env});
  const words = ['billing-statements', 'create', '--customer', customer, ...WHOLE, '--metadata', 'order=1042'];
  const shown = (await own([...words, '--dry-run', '--json'])).json().requests;
  const spied = {
    ...merchant.sandbox,
    handle: (request: Parameters<typeof handle>[0]) => {
      bodies.push([
        request.method,
        request.path,
        request.body ? JSON.parse(Buffer.from(request.body).toString()) : null,
      ]);
      return handle(request);
    },
  };
  const watched = await failingServer({sandbox: spied} as never);
  onTestFinished(watched.close);
  const result = await own([...words, '--json'], {env: {CENTAVO_BASE_URL: watched.url}});
  const {id, payment_settings: settings} = result.json();
  const [, , {metadata}] = bodies[0] as [string, string, {metadata: {centavo_key: string; centavo_run: string}}];
  const expected = shown.map(({method, url, body}: Record<string, string>) => {
    const parsed = JSON.parse((body ?? 'null').replaceAll('bstm_new', id as string));
    // Masks values from the API and random ones.
    if (parsed?.payment_settings) parsed.payment_settings = settings;
    if (parsed?.metadata)
      Object.assign(parsed.metadata, {centavo_key: metadata.centavo_key, centavo_run: metadata.centavo_run});
    return [method, new URL(url!).pathname.replace('bstm_new', id as string), parsed];
  });
  expect(bodies).toEqual(expected);
});

test('--dry-run does not look up the customer, and shows the request for it', async () => {
  const server = await rawServer(() => undefined);
  onTestFinished(server.close);
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const words = ['billing-statements', 'create', '--customer-email', 'juan@example.com', '--dry-run', '--json'];
  const result = await run(words, {env});
  const [look, make] = result.json().requests;
  expect(look).toMatchObject({method: 'GET', url: `${server.url}/customers?email=juan%40example.com&limit=100`});
  expect(JSON.parse(make.body)).toEqual({
    currency: 'PHP',
    customer_id: 'cus_new',
    metadata: {centavo_key: expect.stringMatching(/^\w{24}$/), centavo_run: expect.stringMatching(/^\w{24}$/)},
  });
  expect(server.connections()).toBe(0);
});

describe('interrupted by a failure', () => {
  const CHANGES = [
    'POST /billing_statements',
    'POST /billing_statement_line_items',
    'POST /billing_statement_line_items',
    'PUT /billing_statements/:id',
    'POST /billing_statements/:id/finalize',
    'POST /billing_statements/:id/send',
  ];

  /** Fails at this change, then runs the suggested command. */
  async function stopAndGoOn(at: number, failure: Failure) {
    const before = await count();
    const server = await failingServer(merchant, {[at]: failure});
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const other = commandsIn(temporaryDirectory(), {env, pace: 0.01});
    const stopped = await other(['billing-statements', 'create', '--customer', customer, ...WHOLE]);
    const next = /centavo (bill .*)$/m.exec(stopped.stderr)?.[1];
    const finished = next === undefined ? undefined : await other([...wordsOf(next)[0]!, '--json']);
    await server.close();
    return {stopped, next, finished, changes: server.changes, made: (await count()) - before};
  }

  test('a complete run makes these calls', async () => {
    const {stopped, changes} = await stopAndGoOn(0, 'refused');
    expect(stopped.status).toBe(0);
    expect(changes).toEqual(CHANGES);
  });

  test.for([2, 3, 4, 5, 6])(
    'at change %i, where nothing was applied, the printed command does the rest',
    async (at) => {
      const {stopped, next, finished, changes, made} = await stopAndGoOn(at, 'limited');
      // Exit 7 would promise that nothing was applied.
      expect(stopped).toMatchObject({
        status: 11,
        stdout: '',
        stderr: expect.stringContaining('The API asks to wait 600 s, longer than --timeout allows.'),
      });
      expect(stopped.stderr).toMatch(
        at < 6 ? /The draft [A-Z0-9]+-\d{4} has \d of 2 items\. This run did not/ : /is open; this run did not send it/,
      );
      expect(next).toContain('--due 2031-12-15 --send');
      expect(finished).toMatchObject({status: 0});
      expect(finished!.json()).toMatchObject({status: 'open', amount: 3_125_050, due_at: DUE});
      expect(finished!.json().line_items).toHaveLength(2);
      expect(changes).toEqual([...CHANGES.slice(0, at), ...CHANGES.slice(at - 1)]);
      expect(made).toBe(1);
    },
  );

  test('when the draft fails, there is nothing to continue', async () => {
    const {stopped, next} = await stopAndGoOn(1, 'limited');
    expect(stopped).toMatchObject({status: 7, stdout: ''});
    expect(stopped.stderr).toContain('Nothing was changed.');
    expect(next).toBeUndefined();
  });

  test.for([2, 3, 4, 5, 6])('when change %i is refused, the next command does not repeat it', async (at) => {
    const {stopped, next} = await stopAndGoOn(at, 'refused');
    expect(stopped).toMatchObject({status: 5, stdout: '', stderr: expect.stringContaining('Not today.')});
    expect(next).toBeUndefined();
    const see = /centavo (billing-statements get [A-Z0-9]+-\d{4})$/m.exec(stopped.stderr)![1]!;
    expect(await run(wordsOf(see)[0]!)).toMatchObject({status: 0});
  });

  test.for([1, 2, 3, 4, 5])('when the response to change %i is lost, it waits, reads and continues', async (at) => {
    const {stopped, changes, made} = await stopAndGoOn(at, 'answer lost');
    expect(stopped.status, stopped.stderr).toBe(0);
    // No wait for the due date, which can be set twice, or for finalize, which a read confirms.
    expect(/checking until \d\d:\d\d:\d\d whether the call was applied/.test(stopped.stderr)).toBe(at < 4);
    expect(changes).toEqual(at === 4 ? [...CHANGES.slice(0, 4), ...CHANGES.slice(3)] : CHANGES);
    expect(made).toBe(1);
  });

  test('--json hides waits unless --verbose is given', async () => {
    for (const words of [[], ['--verbose']]) {
      const server = await failingServer(merchant, {2: 'answer lost'});
      const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
      const other = commandsIn(temporaryDirectory(), {env, pace: 0.01});
      const result = await other([
        'billing-statements',
        'create',
        '--customer',
        customer,
        ...WHOLE,
        '--json',
        ...words,
      ]);
      await server.close();
      expect(result.status).toBe(0);
      expect(/checking until \d/.test(result.stderr)).toBe(words.length > 0);
      if (words.length === 0) expect(result.stderr).toBe('');
    }
  });

  test('when the response to the send is lost, it reports as send does, and does not suggest sending again', async () => {
    const {stopped, next, changes} = await stopAndGoOn(6, 'answer lost');
    expect(stopped.status).toBe(10);
    expect(next).toBeUndefined();
    expect(changes).toEqual(CHANGES);
    const [, number] = /^Error: centavo could not confirm whether (\S+-\d{4}) was sent\.$/m.exec(stopped.stderr)!;
    const server = await failingServer(merchant, {1: 'answer lost'});
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const lone = await commandsIn(temporaryDirectory(), {env})(['billing-statements', 'send', number!]);
    await server.close();
    // Two servers.
    const errorOf = (text: string) => text.slice(text.indexOf('Error:')).replace(/127\.0\.0\.1:\d+/, 'it');
    expect(errorOf(stopped.stderr)).toBe(errorOf(lone.stderr));
    expect(stopped.stderr).not.toMatch(/not (yet )?sent/);
  });
});

describe('killed or interrupted', () => {
  /** Sends a signal to a real process before or after change `at` is applied. */
  async function cutShort(
    at: number,
    when: 'after' | 'before',
    name: 'SIGINT' | 'SIGKILL' | 'SIGTERM',
    words: string[] = [],
  ) {
    const directory = temporaryDirectory();
    let begun!: (child: ChildProcess) => void;
    const running = new Promise<ChildProcess>((resolve) => (begun = resolve));
    const end = async () => {
      const child = await running;
      child.kill(name);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    const server = await failingServer(merchant, {[at]: when === 'after' ? {after: end} : {before: end}});
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const line = [RUN, 'billing-statements', 'create', '--customer', customer, ...WHOLE, ...words];
    const child = spawn(process.execPath, line, {env: cliEnvironment(directory, env)});
    begun(child);
    let stderr = '';
    child.stderr.on('data', (text) => (stderr += text));
    const [status] = (await once(child, 'close')) as [number | null];
    const own = commandsIn(directory, {env, pace: 0.01});
    const [record] = (await own(['history', '--json'])).json().data;
    return {status, stderr, record, own, server};
  }

  const STEPS = ['draft', 'item', 'item', 'due', 'finalize', 'send'];

  test.for(some([2, 5, 4], 2))(
    'by SIGKILL at change %i, it is found in the history and completed by --continue',
    async (at) => {
      for (const when of ['before', 'after'] as const) {
        const {record, own, server} = await cutShort(at, when, 'SIGKILL');
        expect(record).toMatchObject({result: 'unfinished', step: STEPS[at - 1], applied: null});
        const id = record.ids.find((each: string) => each.startsWith('bstm_'));
        const result = await own(['billing-statements', 'create', '--continue', id, ...WHOLE, '--json']);
        expect(result.status, result.stderr).toBe(0);
        expect(result.json()).toMatchObject({id, status: 'open', amount: 3_125_050});
        expect(server.changes.filter((change) => change.endsWith('/send'))).toHaveLength(1);
      }
    },
  );

  test('after SIGKILL during the send, --continue does not send again: exit 10', async () => {
    const {record, own, server} = await cutShort(6, 'after', 'SIGKILL');
    expect(record).toMatchObject({result: 'unfinished', step: 'send'});
    const id = record.ids.find((each: string) => each.startsWith('bstm_'));
    const result = await own(['billing-statements', 'create', '--continue', id, ...WHOLE]);
    expect(result.status).toBe(10);
    const {billing_statement_number: number} = (await own(['get', id, '--json'])).json();
    expect(result.stderr).toContain(`could not confirm whether ${number} was sent.`);
    expect(result.stderr).not.toMatch(/centavo send/);
    expect(server.changes.filter((change) => change.endsWith('/send'))).toHaveLength(1);
  });

  test.for([
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ] as const)(
    'by %s while it was sent, it is in doubt in words, in JSON and in the history',
    async ([name, code, result]) => {
      const {status, stderr, record} = await cutShort(6, 'after', name, ['--json']);
      expect(status).toBe(code);
      const {error} = JSON.parse(stderr);
      expect(error).toMatchObject({code: result, applied: 'unknown', request: {method: 'POST'}});
      expect(error.message).not.toMatch(/not (yet )?sent/);
      expect(error.hint).toMatch(/centavo cannot check whether it was sent/);
      expect(record).toMatchObject({result, applied: 'unknown', step: 'send'});
    },
  );

  test('after SIGINT before an item was added, it names the draft and how to continue', async () => {
    const {status, stderr, record, own} = await cutShort(3, 'before', 'SIGINT');
    expect(status).toBe(130);
    expect(stderr).toMatch(
      /has 1 of 2 items; centavo could not confirm whether another item was added\. This run did not finalize or send it\./,
    );
    expect(record).toMatchObject({applied: 'unknown'});
    const next = /centavo (bill --continue .*)$/m.exec(stderr)![1]!;
    const finished = await own([...wordsOf(next)[0]!, '--json']);
    expect(finished.json()).toMatchObject({status: 'open', amount: 3_125_050});
  });

  test('after a completed send, --continue reports it and does not send again', async () => {
    const server = await failingServer(merchant);
    onTestFinished(server.close);
    const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
    const own = commandsIn(temporaryDirectory(), {env});
    const sent = (await own(['billing-statements', 'create', '--customer', customer, ...WHOLE, '--json'])).json();
    const {id, billing_statement_number: number} = sent;
    const again = await own(['billing-statements', 'create', '--continue', id, ...WHOLE]);
    expect(again.status).toBe(0);
    expect(again.stderr).toContain(`${number} was sent by another run. It was not sent again.`);
    expect(server.changes.filter((change) => change.endsWith('/send'))).toHaveLength(1);
    expect((await own(['history', '--json', '--limit', '1'])).json().data).toMatchObject([
      {result: 'ok', applied: 'no'},
    ]);
  });
});

describe.runIf(loaded.pty)('guided, at a terminal', () => {
  const DOWN = '\u001B[B';

  /** Answers every question up to the review, then types these keys. */
  async function guide(choice: string) {
    const own = temporaryDirectory();
    const mine = new Merchant(own);
    await mine.customer({name: 'Maria Clara', email: 'maria@example.com'});
    const desk = terminalInProcess(own, ['billing-statements', 'create']);
    await desk.until(/1 customer/);
    desk.type('maria');
    await desk.until(/❯ Maria Clara/);
    desk.type(ENTER);
    await desk.until(/Item 1:/);
    desk.type(`Web design x2 @ 15,000${ENTER}`);
    await desk.until(/Item 2:/);
    desk.type(`done${ENTER}`);
    await desk.until(/Due:/);
    desk.type(`+14d${ENTER}`);
    await desk.until(/To +Maria Clara[^]*Total[^]*₱30,000\.00[^]*What's next\?/);
    desk.type(`${choice}${ENTER}`);
    const status = await desk.ended;
    const {data} = await mine.call('GET', '/billing_statements');
    mine.close();
    return {status, statements: data as Record<string, any>[], text: desk.text()};
  }

  test('asks for customer, items and due date, shows the total, and sends', async () => {
    const {status, statements, text} = await guide('s');
    expect(status).toBe(0);
    expect(statements).toMatchObject([{status: 'open', amount: 3_000_000}]);
    expect(text).toMatch(/Sent to Maria Clara <maria@example\.com>[^]*Amount {2}₱30,000\.00, 1 item/);
  });

  test('ignores an Enter typed before the choice appears', async () => {
    const own = temporaryDirectory();
    const mine = new Merchant(own);
    await mine.customer({name: 'Maria Clara', email: 'maria@example.com'});
    mine.close();
    const desk = terminalInProcess(own, ['billing-statements', 'create']);
    desk.type(ENTER);
    await desk.until(/Customer:[^]*1 customer/);
    desk.type(`Juana${ENTER}`);
    await desk.until(/Name of the customer: Juana/);
    desk.type(CTRL_C);
    expect(await desk.ended).toBe(130);
  });

  test('finalizes without an email if chosen', async () => {
    const {status, statements, text} = await guide('o');
    expect(status).toBe(0);
    expect(statements).toMatchObject([{status: 'open', amount: 3_000_000}]);
    expect(text).toMatch(/no email was sent[^]*Link {4}http/);
  });

  test('keeps the draft if chosen', async () => {
    const {status, statements} = await guide(DOWN.repeat(3));
    expect(status).toBe(0);
    expect(statements).toMatchObject([{status: 'draft', amount: 3_000_000}]);
  });

  test('creates nothing when the user quits: exit 0, and entries are kept', async () => {
    const {status, statements, text} = await guide('l');
    expect(status).toBe(0);
    expect(statements).toEqual([]);
    expect(text).toMatch(/Nothing was sent\. Your input is saved\.\s+To continue: centavo bill\b/);
  });
});
