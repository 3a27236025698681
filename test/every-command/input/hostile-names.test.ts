// A name is the customer's own words. Whatever is in it, it begins no line, colours nothing, and cannot be taken for a line of ours.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const FORGED = '→ LIVE · shop';
const BREAKS = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
/** centavo's own colours, other sequences, C1, bidi overrides, and invisible characters. */
const NAME = `Eve${BREAKS.map((each) => `${each}\u001B[31m${FORGED}\u001B[39m`).join('')}\u001B[2J\u009B31m\u202E\u2066\u200B`;

const directory = temporaryDirectory(afterAll);
const file = join(directory, 'rows.csv');
const run = commandsIn(directory, {columns: 100, env: {FORCE_COLOR: '1'}});
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory);
  const eve = await merchant.customer({name: NAME, email: 'eve@example.com', billing_statement_prefix: 'EVE'});
  await merchant.customer({name: NAME, email: 'twin@example.com'});
  for (let made = 0; made < 4; made++) await merchant.open({customer_id: eve.id});
  await merchant.draft({customer_id: eve.id});
  const paid = await merchant.open({customer_id: eve.id});
  controlOf(merchant.sandbox).pay(paid.id as string, {});
  writeFileSync(
    file,
    'External ID,Customer Email,Description,Quantity,Unit Price,Due\nA-1,eve@example.com,Web,1,500,2031-01-01\nA-2,twin@example.com,Web,1,600,2031-01-01\n',
  );
});
afterAll(() => merchant.close());

/** Allowed text at the beginning, between parts, and at the end of a note. */
// oxlint-disable-next-line no-control-regex
const OURS = /\u001B\[(?:0|2|22|39|33)m/g;

/** Bold, and the colours of statuses. */
// oxlint-disable-next-line no-control-regex
const OF_TABLES = /\u001B\[(?:1|22|3\d)m/g;

function expectHarmless(shown: string): void {
  expect(shown.replaceAll('\r\u001B[2K', '').replace(OURS, '')).not.toMatch(/[^\P{C}\n]|\p{Zl}|\p{Zp}/u);
  for (const line of shown.replace(OURS, '').split('\n')) expect(line.trimStart()).not.toMatch(/^→ LIVE/);
}

const CUSTOMER = ['--customer', 'eve@example.com'];
const ITEM = ['--item', 'Web design @ 1,500', '--due', '+30d'];

test.each([
  [['customers', 'ledger', 'eve@example.com'], 0],
  [['customers', 'ledger', 'eve@example.com', '--since', '2031-01-01'], 0],
  [['customers', 'list'], 0],
  [['customers', 'get', 'Eve'], 2],
  [['customers', 'update', 'eve@example.com', '--metadata', 'a=b'], 0],
  [['billing-statements', 'list', ...CUSTOMER], 0],
  [['billing-statements', 'get', 'EVE-0001'], 0],
  [['billing-statements', 'create', ...CUSTOMER, ...ITEM], 0],
  [['billing-statements', 'create', ...CUSTOMER, ...ITEM, '--send'], 0],
  [['billing-statements', 'duplicate', 'EVE-0001', '--due', '+30d', '--send'], 12],
  [['billing-statements', 'duplicate', 'EVE-0001', '--due', '+30d', '--send', '--allow-duplicate'], 0],
  [['billing-statements', 'edit', 'EVE-0005', '--item', 'Other @ 700'], 0],
  [['billing-statements', 'finalize', 'EVE-0005'], 0],
  [['billing-statements', 'reissue', 'EVE-0002', '--item', 'Less @ 100', '--send'], 0],
  [['billing-statements', 'send', 'EVE-0001'], 0],
  [['billing-statements', 'remind', 'EVE-0001'], 0],
  [['billing-statements', 'settle', 'EVE-0003', '--paid-outside', 'cash', '--yes'], 0],
  [['billing-statements', 'void', 'EVE-0004', 'EVE-0001'], 0],
  [['billing-statements', 'link', 'EVE-0005', '--message', 'en'], 0],
  [['billing-statements', 'import', file, '--dry-run'], 0],
  [['billing-statements', 'import', file, '--send', '--yes', '--result', join(directory, 'result.csv')], 0],
  [['refunds', 'create', '--statement', 'EVE-0006', '--amount', '10', '--reason', 'others'], 0],
  [['owed'], 0],
  [['history'], 0],
  [['customers', 'delete', 'eve@example.com', 'twin@example.com'], 12],
  [['customers', 'delete', 'eve@example.com', 'twin@example.com', '--allow-owed'], 0],
  [['customers', 'ledger', 'eve@example.com'], 0],
] as [string[], number][])('%j', async (words, status) => {
  const {stdout, stderr, ...ended} = await run(words);
  expect(ended.status, stderr).toBe(status);
  expectHarmless(stderr);
  expectHarmless(stdout.replace(OF_TABLES, ''));
});

test.each([
  ['drawn', 'xterm-256color'],
  ['in plain lines', 'dumb'],
])('the guided flow, %s', async (_, TERM) => {
  const own = temporaryDirectory();
  const shop = new Merchant(own);
  // Short enough that no terminal breaks it by itself.
  const {id} = await shop.customer({name: `Eve\n\u001B[31m${FORGED}\u2028${FORGED}`, email: 'eve@example.com'});
  await shop.open({customer_id: id});
  shop.close();
  const isPlain = TERM === 'dumb';
  const desk = screenInProcess(own, ['billing-statements', 'create'], {columns: 160, now: null, env: {TERM}});
  await desk.until(isPlain ? /Customer:/ : /1 customer/);
  desk.type(isPlain ? 'eve\r' : 'eve');
  await desk.until(isPlain ? /1\. Eve/ : /❯ Eve/);
  desk.type(isPlain ? '1\r' : '\r');
  await desk.until(/(Item|Line) 1:/);
  desk.type('Web design @ 1,500\r');
  await desk.until(/(Item|Line) 2:/);
  desk.type('done\r');
  await desk.until(/Due:/);
  desk.type('+30d\r');
  await desk.until(isPlain ? /Letter:/ : /What's next\?/);
  desk.type('s\r');
  await desk.until(/bills\s+the\s+same\s+items\s+and\s+is\s+open\?/);
  desk.type('y\r');
  expect(await desk.ended, await desk.text()).toBe(0);
  for (const line of (await desk.text()).split('\n')) expect(line).not.toMatch(/^→ LIVE/);
  // Every colour but the program's own: red is for live accounts and errors.
  expect(desk.raw()).not.toContain(`\u001B[31m${FORGED}`);
});
