// Sandbox commands: seed, reset, clock, pay, cards and the tour.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {TEST_CARDS} from '../../../src/sandbox/payments/instruments.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';

const DAY = 86_400;

describe('pay', () => {
  const directory = temporaryDirectory(afterAll);
  const run = commandsIn(directory);
  const pay = (...words: string[]) => run(['sandbox', 'pay', ...words]);
  let merchant: Merchant;
  beforeAll(() => {
    merchant = new Merchant(directory);
  });
  afterAll(() => merchant.close());

  test.for([
    ['statement', 'billing_statement', 'paid', (m: Merchant) => m.open()],
    ['checkout session', 'checkout_session', 'completed', (m: Merchant) => m.session()],
    ['payment intent', 'payment_intent', 'succeeded', (m: Merchant) => m.intent()],
  ] as const)('pays a %s', async ([, name, status, make]) => {
    const {id} = await make(merchant);
    const result = await pay(id as string, '--json');
    expect(result).toMatchObject({status: 0, stderr: ''});
    expect(result.json()).toMatchObject({result: 'paid', payment: {status: 'paid'}, [name]: {id, status}});
  });

  test('takes what `why` takes: a reference, a cut id, and what an event is about; says what to list otherwise', async () => {
    const {id} = await merchant.session({customer_reference_id: 'order_77'});
    const named = async (text: string) => (await pay(text, '--fail', 'blocked', '--json')).json().checkout_session.id;
    expect(await named('ORDER_77')).toBe(id);
    expect(await named(`${String(id).slice(0, 12)}…`)).toBe(id);
    const {payment} = (await pay('order_77', '--json')).json();
    const [event] = (await run(['sandbox', 'events', 'list', '--json', '--limit', '1'])).rows();
    for (const text of ['order_77', payment.id, event.id])
      expect((await pay(text, '--json')).error().message).toContain(`${String(id)} cannot be paid. Its status is`);
    const unknown = await pay('cs_nosuchsession', '--json');
    expect(unknown.status).toBe(3);
    expect(unknown.error().next).toEqual([['billing-statements', 'list', '--status', 'open']]);
  });

  test('pays by e-wallet; a second payment is exit 5 and changes nothing', async () => {
    const {id} = await merchant.open();
    const first = await pay(id as string, '--method', 'gcash', '--json');
    expect(first.json().payment.payment_method.type).toBe('gcash');
    const again = await pay(id as string, '--json');
    expect(again).toMatchObject({status: 5, stdout: ''});
    expect(again.error()).toMatchObject({code: 'not_payable', applied: 'no'});
  });

  test('waits for a card that needs approval, and says how to approve and decline', async () => {
    const {id} = await merchant.open();
    const waiting = await pay(id as string, '--card', '4000000000003220');
    expect(waiting.status).toBe(0);
    expect(waiting.stdout).toContain('awaiting_next_action');
    expect(waiting.stderr).toContain(`To decline: centavo sandbox pay ${id} --fail generic_decline`);
    expect(waiting.stderr).toContain(`To approve: centavo sandbox pay ${id}\n`);
    expect((await pay(id as string, '--json')).json()).toMatchObject({result: 'paid'});
  });

  test('fails on request with exit 6 and a reason, and leaves the statement open', async () => {
    const {id} = await merchant.open();
    const failed = await pay(id as string, '--fail', 'generic_decline');
    expect(failed.status).toBe(6);
    expect(failed.stderr).toMatch(/₱1,500\.00 failed: generic_decline/);
    expect(failed.stderr).toContain(' Nothing was paid; the attempt is recorded.\n');
    expect((await pay(id as string)).status).toBe(0);
  });

  test('a setup intent fails with exit 6 and the next command, then saves a wallet', async () => {
    const {id: customer} = await merchant.customer();
    const {id} = await merchant.ok('POST', '/setup_intents', {customer_id: customer});
    const failed = await pay(id as string, '--fail', 'funds_insufficient');
    expect(failed.status).toBe(6);
    expect(failed.stderr).toContain(`To save it: centavo sandbox pay ${id}\n`);
    expect(failed.stderr).toContain('the payment method was not saved: funds_insufficient.');
    const saved = await pay(id as string, '--method', 'maya');
    expect(saved.stdout).toMatch(/^result\tsaved$/m);
    expect(saved.stdout + failed.stdout + failed.stderr).not.toMatch(/\bpaid\b/);
    expect((await pay(id as string, '--json')).error()).toMatchObject({code: 'not_payable', applied: 'no'});
  });

  test.for([
    [['--card', '4111'], 2],
    [['--fail', 'nonsense'], 2],
    [['--method', 'cash'], 2],
    [['--card', '4242424242424242', '--method', 'gcash'], 2],
  ] as [string[], number][])('%j is exit %i', async ([words, status]) => {
    const {id} = await merchant.open();
    expect(await pay(id as string, ...words)).toMatchObject({status, stdout: ''});
  });

  test('refuses a draft with exit 5, and says how to finalize it', async () => {
    const {id} = await merchant.draft();
    const result = await pay(id as string);
    expect(result.status).toBe(5);
    expect(result.stderr).toContain(`centavo billing-statements finalize ${id}`);
  });

  test.for([
    [[], 2],
    [['cus_2mQ8'], 2],
    [['bstm_none'], 3],
  ] as [string[], number][])('%j is exit %i', async ([words, status]) => {
    expect(await pay(...words)).toMatchObject({status, stdout: ''});
  });

  test('accepts every test card', async () => {
    for (const {number, failure} of TEST_CARDS) {
      const {id} = await merchant.intent({payment_methods: ['card']});
      expect((await pay(id as string, '--card', number)).status, number).toBe(failure ? 6 : 0);
    }
  });
});

describe('clock', () => {
  const run = commandsIn(temporaryDirectory(afterAll));
  const clock = async (...words: string[]) => (await run(['sandbox', 'clock', ...words, '--json'])).json();

  test('follows real time, moves forward, and is reset', async () => {
    expect((await clock()).ahead_seconds).toBe(0);
    const {now} = await clock('advance', '3d');
    const later = await clock();
    expect(later.ahead_seconds).toBe(3 * DAY);
    expect(later.now).toBeGreaterThanOrEqual(now);
    expect(await clock('set', '2031-01-31')).toMatchObject({time: '2031-01-31T23:59:59+08:00'});
    expect((await run(['sandbox', 'reset', '--yes'])).status).toBe(0);
    expect((await clock()).ahead_seconds).toBe(0);
  });

  test.for([['advance'], ['advance', 'soon'], ['set'], ['set', '2020-01-01'], ['back', '3d']])(
    '%s %s is exit 2',
    async (words) => {
      expect(await run(['sandbox', 'clock', ...words])).toMatchObject({status: 2, stdout: ''});
    },
  );

  test('triggers what falls due: an unpaid session expires', async () => {
    const words = [
      '--item',
      'T-shirt @ 450',
      '--success-url',
      'https://a.example',
      '--cancel-url',
      'https://b.example',
    ];
    const {id} = (await run(['checkout-sessions', 'create', ...words, '--json'])).json();
    await clock('advance', '2d');
    expect((await run(['get', id, '--json'])).json().status).toBe('expired');
  });
});

describe('seed and reset', () => {
  test('add and delete data; existing data and keys stay', async () => {
    const run = commandsIn(temporaryDirectory());
    await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com']);
    const counts = (await run(['sandbox', 'seed', '--json'])).json();
    expect(counts).toMatchObject({customer: 25, billing_statement: 60});
    const customers = (await run(['customers', 'list', '--all', '--json'])).json().data as {name: string}[];
    expect(customers).toHaveLength(26);
    expect(customers.map(({name}) => name)).toContain('Ana');
    // Seeding again would double the data.
    const again = await run(['sandbox', 'seed']);
    expect(again).toMatchObject({status: 0, stdout: '', stderr: expect.stringContaining('Nothing was added.')});
    expect((await run(['sandbox', 'seed', '--json'])).json()).toEqual({});
    expect((await run(['customers', 'list', '--all', '--json'])).json().data).toHaveLength(26);
    expect(await run(['sandbox', 'reset', '--json'])).toMatchObject({status: 0, stderr: ''});
    expect((await run(['customers', 'list', '--all', '--json'])).json().data).toEqual([]);
    expect((await run(['sandbox', 'seed', '--json'])).json()).toMatchObject({customer: 25});
  });
});

describe('--dry-run', () => {
  const directory = temporaryDirectory(afterAll);
  const run = commandsIn(directory);
  const state = async () => {
    const sandbox = [
      ['sandbox', 'clock', 'show', '--fields', 'ahead_seconds'],
      ['sandbox', 'events', 'list', '--limit', '100'],
    ];
    const lists = ['customers', 'billing-statements', 'webhooks'].map((topic) => [topic, 'list', '--all']);
    const results = await Promise.all([...sandbox, ...lists].map((words) => run([...words, '--json'])));
    for (const {status, stderr} of results) expect({status, stderr}).toEqual({status: 0, stderr: ''});
    return results.map(({stdout}) => stdout);
  };

  test('describes each sandbox command, and runs none', async () => {
    const merchant = new Merchant(directory);
    const {id} = await merchant.open();
    merchant.close();
    const [, events] = await state();
    const event = (JSON.parse(events!) as {data: {id: string}[]}).data[0]!.id;
    const before = await state();
    for (const [words, would] of [
      [['sandbox', 'reset'], 'delete all sandbox data'],
      [['sandbox', 'seed'], 'add sample data to the sandbox'],
      [['sandbox', 'clock', 'advance', '3d'], 'move the sandbox clock to 20'],
      [['sandbox', 'clock', 'set', '2099-01-01'], 'move the sandbox clock to 2099-01-01T'],
      [['sandbox', 'pay', id as string], `pay ${String(id)} in the sandbox`],
      [['sandbox', 'events', 'resend', event], `send ${event} to every webhook`],
      [['sandbox', 'serve', '--port', '0'], 'serve the sandbox on port 0'],
      [['sandbox', 'demo'], 'create a customer and a billing statement'],
      [['webhooks', 'trigger', 'payment_intent.succeeded'], 'trigger payment_intent.succeeded'],
    ] as const) {
      const result = await run([...words, '--dry-run']);
      expect(result, words.join(' ')).toMatchObject({status: 0, stdout: ''});
      expect(result.stderr).toContain(`Nothing was changed: this would ${would}`);
    }
    expect(await state()).toEqual(before);
  });
});

test('runs the tour with commands that can be typed: exit 0, ends with a payment', async () => {
  const run = commandsIn(temporaryDirectory());
  const {status, stdout} = await run(['sandbox', 'demo']);
  expect(status).toBe(0);
  for (const command of ['customers create', 'billing-statements create', 'finalize', 'send', 'sandbox pay'])
    expect(stdout).toMatch(new RegExp(`^\\$ centavo .*${command}`, 'm'));
  expect(stdout).toContain('₱31,250.50');
  const {data} = (await run(['billing-statements', 'list', '--json'])).json();
  expect(data).toMatchObject([{status: 'paid', amount: 3_125_050}]);
  // At a terminal, centavo would ask about a customer with the same address.
  const again = await run(['sandbox', 'demo']);
  expect(again).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`$ centavo customers get ${data[0].customer_id}`),
  });
  expect((await run(['customers', 'list', '--json'])).json().data).toHaveLength(1);
});
