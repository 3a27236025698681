// --idempotency-key: the same again is done once, whatever ended the first attempt.

import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../src/storage/sqlite.js';
import {temporaryDirectory, type CliResult} from '../support/cli.js';
import {commandsIn, type CommandOptions} from '../support/commands.js';
import {terminalInProcess} from '../support/in-process.js';
import {EVERYDAY, wordsOf} from '../support/scenarios/everyday.js';
import {machine, type Fault, type Machine} from '../support/scenarios/killed.js';
import {service} from '../support/services/service.js';
import {TEST_KEY} from '../support/services/servers.js';
import {ENTER} from '../support/terminal.js';

const KEY = ['--idempotency-key', 'k-1'];
const ANA = ['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'];
const WEBHOOK = ['webhooks', 'create', '--url', 'https://shop.example/a', '--events', 'payment_intent.succeeded'];

/** At the first change: before it, the command reads what is there. */
const CHANGE = /^POST/;
const at = (number: RegExp | number, is: Fault['is'], applied: boolean): {fault: Fault} => ({
  fault: {at: number, is, applied},
});

const words = ({stderr}: CliResult): string => stderr;

function codeOf(result: CliResult | undefined, status: number, code: string): any {
  expect(result, result?.stderr).toMatchObject({status, stdout: ''});
  const error = JSON.parse(words(result!).trimEnd().split('\n').at(-1)!).error;
  expect(error).toMatchObject({code});
  return error;
}

const customersIn = async ({merchant}: Pick<Machine, 'merchant'>): Promise<any[]> =>
  (await merchant.call('GET', '/customers?limit=100')).data;

const refundOf = (payment: string, amount = '100'): string[] => [
  ...['refunds', 'create', '--payment', payment, '--amount', amount, '--reason', 'others'],
];

async function refunding() {
  const own = await machine();
  const payment = (await own.merchant.payment()).id as string;
  const refunded = async () => (await own.merchant.call('GET', `/payments/${payment}`)).amount_refunded as number;
  const colleague = (amount = 10_000) =>
    own.merchant.call('POST', '/refunds', {payment_id: payment, amount, currency: 'PHP', reason: 'others'});
  return {...own, payment, refunded, colleague};
}

describe('done', () => {
  test.each(EVERYDAY.filter(({isKeyed}) => isKeyed))('$name: the same again changes nothing', async (each) => {
    const own = await machine();
    const argv = [...(await wordsOf(own, each)), ...KEY];
    const first = (await own.run([...argv, '--json']))!;
    expect(first.status, first.stderr).toBe(0);
    const applied = [...own.applied];
    const second = (await own.run([...argv, '--json']))!;
    expect(second.json()).toMatchObject({id: first.json().id, already: true, done_at: expect.any(Number)});
    const third = (await own.run(argv))!;
    expect(third).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/Done before, on .* under the key "k-1"\. Nothing was changed\./),
    });
    expect(own.applied).toEqual(applied);
  });

  test('is known in the embedded sandbox, until it is reset', async () => {
    const run = commandsIn(temporaryDirectory());
    const first = (await run([...ANA, ...KEY, '--json'])).json();
    expect((await run([...ANA, ...KEY, '--json'])).json()).toMatchObject({id: first.id, already: true});
    await run(['sandbox', 'reset', '--yes']);
    const other = (await run([...ANA, ...KEY, '--json'])).json();
    expect(other.id).not.toBe(first.id);
    expect(other).not.toHaveProperty('already');
  });

  test.each([
    ['customer', ANA, '/customers'],
    ['webhook', WEBHOOK, '/webhooks'],
  ])('a %s that was deleted is never answered', async (_, argv, path) => {
    const own = await machine();
    const {id} = (await own.run([...argv, ...KEY, '--json']))!.json();
    await own.merchant.call('DELETE', `${path}/${id}`);
    expect(codeOf(await own.run([...argv, ...KEY, '--json']), 3, 'object_gone')).toMatchObject({ids: [id]});
    expect(own.applied).toHaveLength(1);
  });

  test('a refund that was pending is answered as of then', async () => {
    const {url, writes, close} = await service({re_Made1: {status: 'pending'}});
    onTestFinished(close);
    const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: TEST_KEY}});
    const argv = [...refundOf('pay_1'), ...KEY];
    expect((await run(argv)).status).toBe(0);
    const again = await run(argv);
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('It was pending then, and may have failed since.'),
    });
    expect(writes()).toHaveLength(1);
  });

  test('a webhook shows its secret again', async () => {
    const {run} = await machine();
    const first = (await run([...WEBHOOK, ...KEY, '--json']))!.json();
    expect(first.secret_key).toMatch(/^whsk_\w+$/);
    for (const words of [[], ['--reveal']])
      expect((await run([...WEBHOOK, ...KEY, ...words, '--json']))!.json()).toMatchObject({
        already: true,
        secret_key: first.secret_key,
      });
  });
});

describe('the same change', () => {
  const SAME: readonly (readonly [string, readonly string[]])[] = [
    ['--json', ['--json']],
    ['--yes', ['--yes']],
    ['-q', ['-q']],
    ['-v', ['-v']],
    ['--timeout', ['--timeout', '50s']],
    ['-o csv', ['-o', 'csv']],
    ['--fields', ['--fields', 'id']],
    ['--no-input', ['--no-input']],
  ];
  test.each(SAME)('is the same with %s', async (_, more) => {
    const own = await machine();
    await own.run([...ANA, ...KEY]);
    expect((await own.run([...ANA, ...KEY, ...more]))!.status).toBe(0);
    expect(await customersIn(own)).toHaveLength(1);
  });

  test('is the same with another order of flags, and with the profile that has the key', async () => {
    const own = await machine();
    await own.run([...ANA, ...KEY]);
    const turned = ['customers', 'create', ...KEY, '--email', 'ana@example.com', '--name', 'Ana'];
    expect((await own.run(turned))!.status).toBe(0);
    expect((await own.run(['-p', 'env', ...turned]))!.status).toBe(0);
    expect(await customersIn(own)).toHaveLength(1);
  });

  test.each<[string, string[], CommandOptions, CommandOptions]>([
    ['--data @file', ['--data', '@{file}'], {}, {}],
    ['--data -', ['--data', '-'], {input: '{"name":"Ana"}'}, {input: '{"name":"Eva"}'}],
  ])('is told by the bytes of %s', async (_, data, one, other) => {
    const own = await machine();
    const file = join(own.home, 'data.json');
    const write = (name: string) => writeFileSync(file, `{"name":"${name}"}`);
    const argv = ['customers', 'create', '--email', 'ana@example.com', ...KEY, '--json'].concat(
      data.map((word) => word.replace('{file}', file)),
    );
    write('Ana');
    const first = (await own.run(argv, one))!;
    expect(first.json()).toMatchObject({name: 'Ana'});
    expect((await own.run(argv, one))!.json()).toMatchObject({already: true});
    write('Eva');
    codeOf(await own.run(argv, other), 12, 'idempotency_mismatch');
    expect(await customersIn(own)).toHaveLength(1);
  });

  test('is told by the bytes of --items, wherever the file is', async () => {
    const own = await machine();
    const {id} = await own.merchant.customer();
    const file = join(own.home, 'items.csv');
    const argv = ['billing-statements', 'create', '--customer', id, '--items', file, ...KEY, '--json'];
    writeFileSync(file, 'description,quantity,unit price\nHosting,1,100\n');
    const first = (await own.run(argv))!.json();
    expect((await own.run(argv))!.json()).toMatchObject({id: first.id, already: true});
    writeFileSync(file, 'description,quantity,unit price\nHosting,1,200\n');
    const error = codeOf(await own.run(argv), 12, 'idempotency_mismatch');
    expect(error).toMatchObject({ids: [first.id], retryable: false, next: [['get', first.id]]});
  });

  test.each([
    [['--name', 'Eva', '--email', 'ana@example.com']],
    [['--name', 'Ana', '--email', 'ana@example.com', '--data', 'metadata[a]=1']],
  ])('is another one with %j', async (values) => {
    const own = await machine();
    await own.run([...ANA, ...KEY]);
    codeOf(await own.run(['customers', 'create', ...values, ...KEY, '--json']), 12, 'idempotency_mismatch');
    codeOf(await own.run([...WEBHOOK, ...KEY, '--json']), 12, 'idempotency_mismatch');
    expect(own.applied).toEqual(['POST /customers']);
  });
});

describe('a key', () => {
  test.each([[''], ['with space'], ['ü'], ['x'.repeat(256)]])('%j is refused', async (key) => {
    const own = await machine();
    codeOf(await own.run([...ANA, '--idempotency-key', key, '--json']), 2, 'invalid_key');
    expect(own.applied).toEqual([]);
  });

  test.each([[['bstm_1', 'bstm_2']], [['-']]])('names one change: %j is exit 2', async (ids) => {
    const own = await machine();
    const result = await own.run(['billing-statements', 'send', ...ids, ...KEY, '--json'], {input: 'bstm_1\n'});
    codeOf(result, 2, 'invalid_flag');
    expect(own.applied).toEqual([]);
  });

  test('behind -- is a word', async () => {
    const own = await machine();
    expect((await own.run(['find', '--json', '--', ...KEY]))!.status).not.toBe(1);
    expect(existsSync(join(own.home, 'repeats.db'))).toBe(false);
  });

  test('a dry run keeps nothing', async () => {
    const own = await machine();
    await own.run([...ANA, ...KEY, '--dry-run']);
    expect(existsSync(join(own.home, 'repeats.db'))).toBe(false);
    expect((await own.run([...ANA, ...KEY, '--json']))!.json()).not.toHaveProperty('already');
  });

  test('while a living process holds it, others are told so', async () => {
    const own = await machine();
    expect(await own.run([...ANA, ...KEY], at(CHANGE, 'kill', true))).toBeUndefined();
    const isAlive = {host: {kill: () => true}};
    const busy = await own.run([...ANA, ...KEY, '--json'], isAlive);
    expect(codeOf(busy, 12, 'in_progress')).toMatchObject({retryable: true, applied: 'no'});
    expect(own.applied).toHaveLength(1);
    // Another change under this key, too.
    codeOf(await own.run([...WEBHOOK, ...KEY, '--json'], isAlive), 12, 'in_progress');
    expect((await own.run([...ANA, ...KEY, '--json']))!.json()).toMatchObject({already: true});
    expect(await customersIn(own)).toHaveLength(1);
  });

  test('a refused change frees it: mended, it goes', async () => {
    const {run, payment, refunded} = await refunding();
    expect((await run([...refundOf(payment, '99999'), ...KEY]))!.status).toBe(5);
    expect((await run([...refundOf(payment), ...KEY]))!.status).toBe(0);
    expect(await refunded()).toBe(10_000);
  });

  test('another key is another change, to the guard of equal changes too; no key is not', async () => {
    const {run, payment, refunded} = await refunding();
    expect((await run([...refundOf(payment), ...KEY]))!.status).toBe(0);
    expect((await run([...refundOf(payment), '--idempotency-key', 'k-2']))!.status).toBe(0);
    expect(await refunded()).toBe(20_000);
    codeOf(await run([...refundOf(payment), '--json']), 12, 'repeated_refund');
    // What was done without a key is a repeat for every key.
    expect((await run([...refundOf(payment, '50')]))!.status).toBe(0);
    codeOf(await run([...refundOf(payment, '50'), '--idempotency-key', 'k-3', '--json']), 12, 'repeated_refund');
    expect(await refunded()).toBe(25_000);
  });
});

describe('cut short', () => {
  test.each<[string, string[], Fault]>([
    ['before the account was read', ANA, at(1, 'kill', false).fault],
    ['before the request left', ANA, at(CHANGE, 'kill', false).fault],
    ['by an answer that was lost before the change', ANA, at(CHANGE, 'lose', false).fault],
    ['after the change', ANA, at(CHANGE, 'kill', true).fault],
    ['by an answer that was lost after the change', ANA, at(CHANGE, 'lose', true).fault],
    ['after the webhook', WEBHOOK, at(CHANGE, 'kill', true).fault],
  ])('%s: one object', async (_, argv, fault) => {
    const own = await machine();
    await own.run([...argv, ...KEY], {fault});
    const again = (await own.run([...argv, ...KEY, '--json']))!;
    expect(again.status, again.stderr).toBe(0);
    expect(own.applied).toHaveLength(1);
    expect((await own.run([...argv, ...KEY, '--json']))!.json()).toMatchObject({id: again.json().id, already: true});
  });

  test('a customer of that address from before is not taken for it', async () => {
    const own = await machine();
    const {id} = await own.merchant.customer({name: 'Ana', email: 'ana@example.com'});
    await own.run([...ANA, ...KEY], at(CHANGE, 'kill', false));
    const made = (await own.run([...ANA, ...KEY, '--json']))!.json();
    expect(made.id).not.toBe(id);
    expect(made).not.toHaveProperty('already');
    expect(await customersIn(own)).toHaveLength(2);
  });

  test.each<[string, object[], boolean]>([
    ['found twice', [{name: 'Ana', email: 'ana@example.com'}], true],
    [
      'found with other values',
      [{name: 'Ana', email: 'ana@example.com', currency: 'PHP', billing: {phone: '0917'}}],
      false,
    ],
  ])('%s: exit 10, and nothing is sent', async (name, others, applied) => {
    const own = await machine();
    const argv = [...ANA, ...(name === 'found twice' ? [] : ['--data', 'billing[phone]=0918']), ...KEY, '--json'];
    await own.run(argv, at(CHANGE, 'kill', applied));
    for (const other of others) await own.merchant.customer(other);
    const before = own.applied.length;
    for (let round = 0; round < 2; round++)
      expect(codeOf(await own.run(argv), 10, 'outcome_unknown')).toMatchObject({
        applied: 'unknown',
        needs_person: true,
      });
    expect(own.applied).toHaveLength(before);
  });

  test('a name that was corrected meanwhile: exit 10, and no second customer', async () => {
    const own = await machine();
    await own.run([...ANA, ...KEY], at(CHANGE, 'kill', true));
    const [{id}] = await customersIn(own);
    await own.merchant.call('PUT', `/customers/${id}`, {name: 'Ana Reyes'});
    codeOf(await own.run([...ANA, ...KEY, '--json']), 10, 'outcome_unknown');
    expect(await customersIn(own)).toHaveLength(1);
  });

  test('a bill is not made again, even after its journal is removed', async () => {
    const own = await machine();
    const {id} = await own.merchant.customer();
    const bill = (name: string) => ['billing-statements', 'create', '--customer', id, '--item', `${name} @ 500`];
    const argv = [...bill('Hosting'), '--due', '2030-01-15', '--send', ...KEY, '--json'];
    await own.run(argv, at(/send/, 'kill', true));
    const before = own.applied.length;
    for (const others of [[], bill('Domain')]) {
      await own.later(100 * 24 * 3600);
      // It reads first, so it removes the old journal.
      if (others.length > 0) await own.run([...others, '--due', '2031-01-15', '--finalize', '--json']);
      expect((await own.run(argv))!.status).toBe(10);
    }
    expect(own.applied.slice(before).filter((kind) => /finalize|send/.test(kind))).toHaveLength(1);
  });

  test('two keys never share an object', async () => {
    const own = await machine();
    const [one, two] = ['k-1', 'k-2'].map((key) => [...ANA, '--idempotency-key', key, '--json']);
    await own.run(one!, at(CHANGE, 'kill', false));
    await own.run(two!, at(CHANGE, 'kill', true));
    const answers = [(await own.run(one!))!.json(), (await own.run(two!))!.json()];
    expect(new Set(answers.map(({id}) => id)).size).toBe(2);
    expect(await customersIn(own)).toHaveLength(2);
  });

  test.each([
    ['kill', false],
    ['kill', true],
    ['lose', true],
  ] as const)('a refund (%s, applied: %s) stays unknown, and says what the payment shows', async (is, applied) => {
    const {run, payment, refunded, merchant} = await refunding();
    await run([...refundOf(payment), ...KEY], at(CHANGE, is, applied));
    const error = codeOf(await run([...refundOf(payment), ...KEY, '--json']), 10, 'outcome_unknown');
    expect(error).toMatchObject({needs_person: true, ids: [payment], next: [['payments', 'get', payment]]});
    expect(error.message).toContain(applied ? '₱100.00 is now' : 'as before. A refund may still be pending.');
    expect(await refunded()).toBe(applied ? 10_000 : 0);
    expect(merchant).toBeDefined();
  });

  test('a colleague’s refund is not taken for one', async () => {
    const {run, payment, refunded, colleague} = await refunding();
    await run([...refundOf(payment), ...KEY], at(CHANGE, 'kill', false));
    await colleague();
    codeOf(await run([...refundOf(payment), ...KEY, '--json']), 10, 'outcome_unknown');
    expect(await refunded()).toBe(10_000);
  });

  test('mended after a lost answer: refused where nobody can be asked', async () => {
    const own = await machine();
    await own.run([...ANA, ...KEY], at(CHANGE, 'lose', true));
    const mended = ['customers', 'create', '--name', 'Ana R.', '--email', 'ana@example.com', ...KEY, '--json'];
    const error = codeOf(await own.run(mended), 12, 'idempotency_mismatch');
    expect(error.message).toContain('its outcome is unknown');
    expect(error).toMatchObject({needs_person: true});
    expect(own.applied).toHaveLength(1);
  });

  test('a bill goes on with its own draft', async () => {
    const own = await machine();
    const {id} = await own.merchant.customer();
    const argv = [
      ...[
        'billing-statements',
        'create',
        '--customer',
        id,
        '--item',
        'Hosting @ 500',
        '--due',
        '+7d',
        '--send',
        ...KEY,
      ],
      '--json',
    ];
    await own.run(argv, at(/finalize/, 'kill', true));
    await own.later(24 * 3600);
    const bill = (await own.run(argv))!;
    expect(bill.status, bill.stderr).toBe(0);
    expect(own.applied.filter((kind) => kind === 'POST /billing_statements')).toHaveLength(1);
    expect(own.applied.filter((kind) => /finalize|send/.test(kind))).toHaveLength(2);
  });
});

describe('without a key, the same again', () => {
  /** As docs/repeats.md says. */
  const NOTHING = /^(bill|copy (for|with|as a bill)|email|refund|reissue|capture)/;
  const keyed = EVERYDAY.filter(({isKeyed}) => isKeyed);

  test.each(keyed.filter(({name}) => !NOTHING.test(name)))('makes a second object: $name', async (each) => {
    const own = await machine();
    const argv = await wordsOf(own, each);
    await own.run(argv);
    const once = [...own.applied];
    expect((await own.run(argv))!.status).toBe(0);
    expect(own.applied).toEqual([...once, ...once]);
  });

  test.each(keyed.filter(({name}) => NOTHING.test(name)))('makes nothing: $name', async (each) => {
    const own = await machine();
    const argv = await wordsOf(own, each);
    await own.run(argv);
    const once = [...own.applied];
    // Of a payment that is wholly refunded, no more can be.
    const status = /^(reissue|capture)/.test(each.name) ? 0 : each.name === 'refund of the rest' ? 5 : 12;
    expect((await own.run(argv))!.status).toBe(status);
    expect(own.applied).toEqual(once);
  });
});

describe('an equal change', () => {
  const billOf = (customer: string): string[] => [
    ...['billing-statements', 'create', '--customer', customer, '--item', 'Hosting @ 500', '--due', '2030-01-15'],
    ...['--finalize', '--json'],
  ];
  const billed = ({applied}: Machine): number => applied.filter((kind) => kind.endsWith('/finalize')).length;

  test.each([
    ['by hand', async (own: Machine, argv: string[]) => void (await own.run([...argv, '--allow-duplicate']))],
    [
      'by a colleague',
      async ({merchant}: Machine, [, , , customer]: string[]) => {
        const {id} = await merchant.call('POST', '/billing_statements', {currency: 'PHP', customer_id: customer});
        const item = {billing_statement_id: id, description: 'Hosting', unit_price: 50_000, quantity: 1};
        await merchant.call('POST', '/billing_statement_line_items', item);
        const due_at = Date.parse('2030-01-15T23:59:59+08:00') / 1000;
        await merchant.call('PUT', `/billing_statements/${id}`, {due_at});
        await merchant.call('POST', `/billing_statements/${id}/finalize`);
      },
    ],
  ])('that was billed %s meanwhile stops a bill that was cut short', async (_, bill) => {
    const own = await machine();
    const argv = billOf((await own.merchant.customer()).id as string);
    await own.run([...argv, ...KEY], at(/line_items/, 'kill', true));
    await bill(own, argv);
    const before = billed(own);
    codeOf(await own.run([...argv, ...KEY]), 12, 'billed_before');
    expect(billed(own)).toBe(before);
    expect((await own.run([...argv, ...KEY, '--allow-duplicate']))!.status).toBe(0);
    expect(billed(own)).toBe(before + 1);
  });

  test('does not stop the email of a bill that is finalized', async () => {
    const own = await machine();
    const argv = [...billOf((await own.merchant.customer()).id as string), '--send'];
    await own.run([...argv, ...KEY], at(/finalize/, 'kill', true));
    expect((await own.run([...argv, ...KEY]))!.status).toBe(0);
    expect(own.applied.filter((kind) => /finalize|send/.test(kind))).toHaveLength(2);
  });

  test('that was billed without a key and sent under one is not that key’s', async () => {
    const own = await machine();
    const argv = billOf((await own.merchant.customer()).id as string);
    const {id} = (await own.run(argv))!.json();
    expect((await own.run(['billing-statements', 'send', id, '--json', ...KEY]))!.status).toBe(0);
    codeOf(await own.run([...argv, '--idempotency-key', 'k-2']), 12, 'billed_before');
    expect(billed(own)).toBe(1);
  });

  test('of unknown outcome under another key is asked about; a done one is not', async () => {
    const own = await machine();
    const {id} = await own.merchant.open();
    const send = ['billing-statements', 'send', id, '--json'];
    expect((await own.run([...send, ...KEY]))!.status).toBe(0);
    await own.run([...send, '--idempotency-key', 'k-2'], at(CHANGE, 'kill', true));
    codeOf(await own.run([...send, '--idempotency-key', 'k-2']), 10, 'outcome_unknown');
    codeOf(await own.run([...send, '--idempotency-key', 'k-3']), 12, 'sent_before');
    expect(own.applied).toHaveLength(2);
  });
});

describe('at a terminal', () => {
  const desk = ({home, env}: Machine, argv: readonly string[]) =>
    terminalInProcess(home, argv, {env, columns: 250, pace: 0});

  test('a missing value is exit 2, and is not asked for', async () => {
    const own = await machine();
    const screen = desk(own, ['customers', 'create', '--name', 'Ana', ...KEY]);
    expect(await screen.ended).toBe(2);
    expect(screen.text()).toContain('--email is missing');
    const refund = desk(own, ['refunds', 'create', ...KEY]);
    expect(await refund.ended).toBe(2);
    const bill = desk(own, ['billing-statements', 'create', ...KEY]);
    expect(await bill.ended).toBe(2);
    expect(own.applied).toEqual([]);
  });

  test.each(['duplicate', 'reissue'])('%s --edit asks for values, so it is exit 2', async (verb) => {
    const own = await machine();
    const {id} = await own.merchant.open();
    const screen = desk(own, ['billing-statements', verb, id, '--edit', ...KEY]);
    expect(await screen.ended).toBe(2);
    expect(own.applied).toEqual([]);
  });

  test('only the confirmation is asked', async () => {
    const own = await refunding();
    const screen = desk(own, [...refundOf(own.payment), ...KEY]);
    await screen.until(/\(y\/N\)\s*$/);
    screen.type(`y${ENTER}`);
    expect(await screen.ended).toBe(0);
    expect(await own.refunded()).toBe(10_000);
  });

  test.each<['made' | 'not made' | 'not known', string, number]>([
    ['made', '2', 0],
    ['not made', '3', 0],
    ['not known', '1', 10],
  ])('a person says that a refund was %s, and that is kept', async (said, keys, status) => {
    const own = await refunding();
    await own.run([...refundOf(own.payment), ...KEY], at(CHANGE, 'lose', said === 'made'));
    await own.later(60);
    const screen = desk(own, [...refundOf(own.payment), ...KEY]);
    await screen.until(/was the change made\?/);
    for (let down = 1; down < Number(keys); down++) screen.type('\u001B[B');
    screen.type(ENTER);
    if (said === 'not made') {
      await screen.until(/\(y\/N\)\s*$/);
      screen.type(`y${ENTER}`);
    }
    expect(await screen.ended).toBe(status);
    expect(await own.refunded()).toBe(said === 'not known' ? 0 : 10_000);
    const again = (await own.run([...refundOf(own.payment), ...KEY, '--json']))!;
    expect(again.status).toBe(status);
    expect(await own.refunded()).toBe(said === 'not known' ? 0 : 10_000);
  });

  test('mended after a lost answer: a person is asked, and “no” frees the key', async () => {
    const own = await machine();
    await own.run([...ANA, ...KEY], at(CHANGE, 'lose', false));
    await own.later(60);
    const screen = desk(own, ['customers', 'create', '--name', 'Ana R.', '--email', 'ana@example.com', ...KEY]);
    await screen.until(/was the change made\?/);
    screen.type(`\u001B[B\u001B[B${ENTER}`);
    expect(await screen.ended).toBe(0);
    expect(await customersIn(own)).toMatchObject([{name: 'Ana R.'}]);
  });
});

describe('the file of keys', () => {
  test('has no secret', async () => {
    const own = await machine();
    const {id} = await own.merchant.customer();
    const secrets: string[] = [];
    const commands = [
      WEBHOOK,
      ['customer-sessions', 'create', '--customer', id],
      ['setup-intents', 'create', '--customer', id],
      ['payment-intents', 'create', '--amount', '99'],
      ...[
        'checkout-sessions create --success-url https://shop.example/ok --cancel-url https://shop.example/no'.split(
          ' ',
        ),
      ].map((argv) => [...argv, '--item', 'Cap @ 250']),
    ];
    for (const [index, argv] of commands.entries())
      for (const form of [['--json', '--reveal'], ['--json']]) {
        const {stdout} = (await own.run([...argv, '--idempotency-key', `k-${index}`, ...form]))!;
        secrets.push(...(stdout.match(/whsk_\w{8,}|\w+_secret_\w{8,}|cs_secret_\w+/g) ?? []));
      }
    expect(secrets.length).toBeGreaterThan(3);
    for (const file of readdirSync(own.home, {recursive: true}) as string[]) {
      if (!/\.db/.test(file)) continue;
      const bytes = readFileSync(join(own.home, file), 'latin1');
      for (const secret of [...secrets, own.env.CENTAVO_SECRET_KEY]) expect(bytes).not.toContain(secret);
    }
  });

  /** Refuses to record a state, as a full disk would. */
  const refuse = (path: string, state: string): void => {
    const database = openDatabase(path);
    database.exec(
      `CREATE TRIGGER full BEFORE UPDATE ON change WHEN NEW.state = '${state}' BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    database.close();
  };

  test('that takes no intention: nothing is sent', async () => {
    const own = await machine();
    await own.run([...WEBHOOK, '--idempotency-key', 'k-0']);
    refuse(join(own.home, 'repeats.db'), 'sending');
    expect((await own.run([...ANA, ...KEY, '--json']))!.status).toBe(15);
    expect(own.applied).toEqual(['POST /webhooks']);
  });

  test('that takes no answer: the change is made, and found the next time', async () => {
    const own = await machine();
    await own.run([...WEBHOOK, '--idempotency-key', 'k-0']);
    refuse(join(own.home, 'repeats.db'), 'done');
    const {id} = (await own.run([...ANA, ...KEY, '--json']))!.json();
    const database = openDatabase(join(own.home, 'repeats.db'));
    database.exec('DROP TRIGGER full');
    database.close();
    expect((await own.run([...ANA, ...KEY, '--json']))!.json()).toMatchObject({id, already: true});
    expect(own.applied).toEqual(['POST /webhooks', 'POST /customers']);
  });

  test.each<[string, (path: string) => void]>([
    ['is a folder', (path) => mkdirSync(path)],
    ['is no database', (path) => writeFileSync(path, 'This is not a database. '.repeat(500), {mode: 0o600})],
  ])('that %s: nothing is sent', async (_, spoil) => {
    const own = await machine();
    spoil(join(own.home, 'repeats.db'));
    const result = (await own.run([...ANA, ...KEY, '--json']))!;
    expect(result.status, result.stderr).toBe(15);
    expect(own.applied).toEqual([]);
  });
});
