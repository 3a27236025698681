// `billing-statements print`: the words of the page for every state, foreign text on it, and where the page goes.

import {createHash} from 'node:crypto';
import {chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {encode} from 'uqr';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {standingOf, type KnownFacts} from '../../../src/accounting/standing.js';
import {payableLink, printedPage, type PageContent} from '../../../src/commands/billing-statements/print/page.js';

import {controlOf} from '../../../src/sandbox/control/control.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {recorded} from '../../support/scenarios/recorded-bodies.js';
import {idOf} from '../../support/scenarios/recorded-statements.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {service} from '../../support/services/service.js';
import {Merchant} from '../../support/scenarios/merchant.js';

type Json = Readonly<Record<string, unknown>>;

const NOW = Date.parse('2031-11-28T14:03:00+08:00') / 1000;
const DAY = 86_400;
const RENT = {
  id: 'bstm_1',
  billing_statement_number: 'ANA-0001',
  status: 'open',
  amount: 150_000,
  customer: {id: 'cus_1', name: 'Ana Reyes', email: 'ana@example.com'},
  description: 'Payment for Billing Statement ANA-0001',
  line_items: [{id: 'bstm_li_1', description: 'Rent', quantity: 2, unit_price: 75_000}],
  metadata: {unit: '4B', centavo_key: 'row 1'},
  finalized_at: NOW - 10 * DAY,
  updated_at: NOW - DAY,
  due_at: NOW + DAY,
  billing_statement_url: 'https://pay.example/b/1',
  payment_intent: {id: 'pi_1', status: 'awaiting_payment_method', amount: 150_000, latest_payment: null},
};
const PAID = {
  id: 'pay_1',
  amount: 150_000,
  amount_refunded: 0,
  created_at: NOW - 3 * DAY,
  payment_method: {type: 'gcash'},
};
const paid = (payment: Json = {}): Json => ({
  status: 'paid',
  payment_intent: {...RENT.payment_intent, status: 'succeeded', latest_payment: {...PAID, ...payment}},
});
const CASH = {at: NOW, paidAt: NOW - 2 * DAY, reason: 'cash, 26 Nov', amount: 150_000, isCertain: true};

/** Text of the page without tags, on one line. */
const textOf = (page: string): string =>
  page
    .replace(/^[^]*<body>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

async function printed(fields: Json = {}, known: KnownFacts = {}, content: Partial<PageContent> = {}) {
  const statement = {...RENT, ...fields};
  const standing = standingOf(statement, known, NOW);
  const made = await printedPage({statement, standing, now: NOW, mode: 'live', ...content});
  return {...made, text: textOf(made.page)};
}

const TABLE = 'Items Item Amount Rent 2 × ₱750.00 ';
const NOTICE =
  'This is not a BIR invoice or official receipt. This document is not valid for claim of input tax. As of Friday, 28 November 2031, 14:03 in Manila.';
const PARTIES = 'Billed to Ana Reyes ana@example.com Date Tuesday, 18 November 2031';
const DUE = 'Due Saturday, 29 November 2031';
const RECEIVED = `${PARTIES} ${DUE} Paid on Tuesday, 25 November 2031 Paid with GCash Payment id pay_1`;
const SUM = `${TABLE}₱1,500.00 Total ₱1,500.00`;
const PAY = 'Pay online Scan the code, or open this link: https://pay.example/b/1';

test.each<[string, string, string, Json?, KnownFacts?]>([
  [
    'open',
    'Billing statement ANA-0001',
    `Please pay by Saturday, 29 November 2031. ${PARTIES} ${DUE} ${SUM} To pay ₱1,500.00 ${PAY}`,
  ],
  [
    'without a due date',
    'Billing statement ANA-0001',
    `Not paid yet. ${PARTIES} ${SUM} To pay ₱1,500.00 ${PAY}`,
    {due_at: null},
  ],
  [
    'overdue',
    'Billing statement ANA-0001',
    `Overdue: it was due on Tuesday, 25 November 2031. ${PARTIES} Due Tuesday, 25 November 2031 ${SUM} To pay ₱1,500.00 ${PAY}`,
    {due_at: NOW - 3 * DAY},
  ],
  [
    'a draft',
    'Billing statement',
    `Draft: not final, and not to be paid yet. Billed to Ana Reyes ana@example.com ${DUE} ${SUM}`,
    {status: 'draft', billing_statement_number: null, description: null, finalized_at: null},
  ],
  [
    'held',
    'Billing statement ANA-0001',
    `Not collected yet: ₱1,500.00 is held on a card. ${PARTIES} ${DUE} ${SUM}`,
    {payment_intent: {...RENT.payment_intent, status: 'awaiting_capture', amount_capturable: 150_000}},
  ],
  [
    'processing',
    'Billing statement ANA-0001',
    `The payment is being processed. ${PARTIES} ${DUE} ${SUM}`,
    {payment_intent: {...RENT.payment_intent, status: 'processing'}},
  ],
  ['paid', 'Payment confirmation ANA-0001', `Paid. ${RECEIVED} ${SUM} Paid ₱1,500.00`, paid()],
  [
    'paid at a time and by a method that are not known',
    'Payment confirmation ANA-0001',
    `Paid. ${PARTIES} ${DUE} ${SUM} Paid ₱1,500.00`,
    {status: 'paid', payment_intent: 'pi_1'},
  ],
  [
    'partly refunded',
    'Payment confirmation ANA-0001',
    `Paid, then ₱450.00 refunded. ${RECEIVED} ${SUM} Paid ₱1,500.00 Refunded ₱450.00`,
    paid({amount_refunded: 45_000}),
  ],
  [
    'refunded',
    'Payment confirmation ANA-0001',
    `Paid, then refunded in full. ${RECEIVED} ${SUM} Paid ₱1,500.00 Refunded ₱1,500.00`,
    paid({amount_refunded: 150_000}),
  ],
  [
    'settled in cash',
    'Payment confirmation ANA-0001',
    `Paid. ${PARTIES} ${DUE} Paid on Wednesday, 26 November 2031 Paid with cash, 26 Nov ${SUM} Paid ₱1,500.00`,
    {status: 'void'},
    {settlement: CASH},
  ],
  [
    'replaced',
    'Billing statement ANA-0001',
    `Replaced by ANA-0002. Please do not pay this one. ${PARTIES} ${DUE} ${SUM}`,
    {status: 'void'},
    {replacement: {id: 'bstm_2', name: 'ANA-0002'}},
  ],
  ['void', 'Billing statement ANA-0001', `Void: it can no longer be paid. ${PARTIES} ${DUE} ${SUM}`, {status: 'void'}],
  [
    'uncollectible',
    'Billing statement ANA-0001',
    `Marked uncollectible: it can no longer be paid. ${PARTIES} ${DUE} ${SUM}`,
    {status: 'uncollectible'},
  ],
  [
    'uncollectible after a part was paid outside',
    'Billing statement ANA-0001',
    `Marked uncollectible: it can no longer be paid. ${PARTIES} ${DUE} Recorded cash, 26 Nov ${SUM}`,
    {status: 'uncollectible'},
    {settlement: {...CASH, isGivenUp: true}},
  ],
  [
    'of a status that centavo does not know',
    'Billing statement ANA-0001',
    `Status: in_review. ${PARTIES} ${DUE} ${SUM}`,
    {status: 'in_review'},
  ],
])('the page of a statement that is %s', async (_, heading, rest, fields, known) => {
  expect((await printed(fields, known)).text).toBe(`${heading} ${rest} ${NOTICE}`);
});

test('the title names the document and its number, and never an invoice or official receipt', async () => {
  const titles = await Promise.all([
    printed(),
    printed(paid()),
    printed({status: 'draft', billing_statement_number: null}),
    printed({billing_statement_number: undefined}),
  ]);
  expect(titles.map(({title}) => title)).toEqual([
    'Billing statement ANA-0001',
    'Payment confirmation ANA-0001',
    'Billing statement draft',
    'Billing statement bstm_1',
  ]);
});

test('a page of the sandbox or of test mode says so, and a live page does not', async () => {
  const first = async (mode: PageContent['mode'], fields: Json = {}) =>
    /^(.*?)(?:Billing|Payment)/.exec((await printed(fields, {}, {mode})).text)![1]!.trim();
  expect(await first('sandbox')).toBe('Sandbox: no money moved');
  expect(await first('test', paid())).toBe('Test mode: no money moved');
  expect(await first('live')).toBe('');
  expect(await first('live', {livemode: true})).toBe('');
  expect(await first('live', {livemode: false})).toBe('Test mode: no money moved');
});

test('metadata stands on the page only on request, without centavo’s own keys; the merchant’s name is at the top', async () => {
  expect((await printed()).text).not.toContain('4B');
  const {text} = await printed({}, {}, {withMetadata: true, from: 'Reyes & Sons'});
  expect(text).toMatch(/^Reyes &amp; Sons Billing statement/);
  expect(text).toContain(`${DUE} unit 4B Items`);
  expect(text).not.toContain('row 1');
  const named = {billing_statement_merchant_name: 'Santos & Co'};
  expect((await printed(named)).text).toMatch(/^Santos &amp; Co Billing statement/);
  expect((await printed(named, {}, {from: 'Reyes'})).text).toMatch(/^Reyes Billing statement/);
});

test('foreign text has no markup, no control characters and no marks of direction', async () => {
  const EVIL = `"'><script>alert(1)</script><img src=x onerror=y>\u001B[2J\u0000\u0085\u202E\u2066\u200F&amp;`;
  const {page, title} = await printed(
    {
      billing_statement_number: EVIL,
      customer: {id: 'cus_1', name: EVIL, email: EVIL},
      description: `${EVIL}\r\nsecond line`,
      line_items: [{id: EVIL, description: EVIL, quantity: EVIL, unit_price: EVIL}],
      metadata: {[EVIL]: EVIL},
      status: EVIL,
    },
    {},
    {from: EVIL, withMetadata: true},
  );
  expect(page).not.toMatch(/<(?:script|img)/);
  expect(page.match(/&lt;script&gt;/g)!.length).toBeGreaterThan(9);
  expect(page).toContain('\nsecond line');
  expect(page).not.toMatch(/[^\P{C}\n]|[\u202A-\u202E\u2066-\u2069\u200E\u200F]/u);
  expect(title).not.toMatch(/\p{C}/u);
  const content = page.replace(/<style>[^]*<\/style>/, '');
  expect(content.replace(/<(?:!doctype html|\/?[a-z][a-z0-9]*(?:\s[a-zA-Z-]+="[^"<>]*")*\s?\/?)>/g, '')).not.toMatch(
    /[<>]/,
  );
});

test('only a web address that a QR code can hold becomes a link', async () => {
  const linkOf = (billing_statement_url: string) =>
    payableLink({...RENT, billing_statement_url}, standingOf(RENT, {}, NOW));
  expect(linkOf('https://pay.example/b/1')).toBe('https://pay.example/b/1');
  expect(linkOf('javascript:alert(1)')).toBeUndefined();
  expect(linkOf(`https://pay.example/${'x'.repeat(3000)}`)).toBeUndefined();
});

test('the policy allows the style sheet by its hash, and nothing else', async () => {
  const {page} = await printed();
  const style = /<style>([^]*)<\/style>/.exec(page)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page.replaceAll('&#39;', "'")).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).not.toMatch(/<script|<link|\bstyle="|\bsrc=|url\(|@import/);
});

test('the payment of a statement that has only its id is read', async () => {
  const api = await service({}, recorded);
  onTestFinished(() => api.close());
  const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const run = commandsIn(temporaryDirectory(), {env});
  const {stdout} = await run(['print', idOf('bstm_', 'Paid')]);
  expect(textOf(stdout)).toContain(
    `Paid on Tuesday, 17 March 2026 Paid with Visa ending in 4242 Payment id ${idOf('pay_', 'Card')} Items`,
  );
});

describe('the command', () => {
  const directory = temporaryDirectory(afterAll);
  const run = commandsIn(directory);
  const print = (...words: string[]) => run(['print', ...words]);
  let merchant: Merchant;
  let open: Json;

  beforeAll(async () => {
    merchant = new Merchant(directory);
    const {id} = await merchant.customer({name: 'Ana Reyes', billing_statement_prefix: 'REYES'});
    open = await merchant.open({customer_id: id});
    const settled = await merchant.open({customer_id: id});
    controlOf(merchant.sandbox).pay(settled.id as string, {});
  });
  afterAll(() => merchant.close());

  test('prints the page in a pipe, with the link as a QR code', async () => {
    const {status, stdout, stderr} = await print('REYES-0001');
    expect({status, stderr}).toEqual({
      status: 0,
      stderr: 'To make a PDF, open the page in a browser, print it, and choose "Save as PDF".\n',
    });
    expect(textOf(stdout)).toMatch(/^Sandbox: no money moved Billing statement REYES-0001 /);
    expect(stdout).toContain(`href="${String(open.url)}"`);
    const {data} = encode(String(open.url), {ecc: 'M', border: 0});
    const dark = [...stdout.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`);
    expect(dark).toEqual(data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`${x},${y}`] : []))));
  });

  test('prints JSON with the page, or with the file that it wrote', async () => {
    const record = {
      number: 'REYES-0002',
      title: 'Payment confirmation REYES-0002',
      state: 'paid',
      opened: false,
      mode: 'sandbox',
    };
    expect((await print('REYES-0002', '--json')).json()).toEqual({
      ...record,
      id: expect.stringMatching(/^bstm_/),
      file: null,
      html: expect.stringContaining('<h1>Payment confirmation'),
    });
    const file = join(temporaryDirectory(), 'paid.html');
    const written = await print('REYES-0002', '--file', file, '--json');
    expect(written.json()).toMatchObject({...record, file, html: null});
    expect(textOf(readFileSync(file, 'utf8'))).toContain('Payment confirmation REYES-0002 Paid.');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('replaces the file that it wrote, and no other without --force', async () => {
    const file = join(temporaryDirectory(), 'page.html');
    expect((await print('REYES-0001', '--file', file)).status).toBe(0);
    expect((await print('REYES-0002', '--file', file)).status).toBe(0);
    writeFileSync(file, 'mine');
    const refused = await print('REYES-0001', '--file', file);
    expect(refused).toMatchObject({status: 12, stdout: ''});
    expect(refused.stderr).toContain('already exists.');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await print('REYES-0001', '--file', file, '--force')).status).toBe(0);
  });

  test('--open opens the file in the browser', async () => {
    const folder = temporaryDirectory();
    const [file, bin] = [join(folder, 'a b#1.html'), join(folder, 'bin')];
    mkdirSync(bin);
    writeFileSync(join(bin, 'my-browser'), '#!/bin/sh\nprintf %s "$1" > "$0.got"\n');
    chmodSync(join(bin, 'my-browser'), 0o755);
    const env = {PATH: `${bin}:/bin`, BROWSER: 'my-browser'};
    const {stdout, stderr} = await run(['print', 'REYES-0001', '--open', '--file', file], {env});
    expect({stdout, stderr}).toMatchObject({stdout: '', stderr: expect.stringContaining(`Wrote ${file}.\n`)});
    expect(readFileSync(join(bin, 'my-browser.got'), 'utf8')).toBe(file);
    const none = await run(['print', 'REYES-0001', '--open', '--file', file], {env: {PATH: '/bin', SSH_TTY: 'x'}});
    expect(none.stderr).toContain(`No browser found. The page: ${file}`);
  });

  test('a name stands for the statements of a customer, and --dry-run writes nothing', async () => {
    expect(await print('ana')).toMatchObject({status: 2, stdout: ''});
    const file = join(temporaryDirectory(), 'none.html');
    expect((await print('REYES-0001', '--file', file, '--dry-run')).stdout).toMatch(/^GET http/);
    expect(existsSync(file)).toBe(false);
  });
});
