// Who owes what, reminding them, and settling what was paid outside, as a person sees it at four widths.

import {copyFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {screenAt} from '../support/in-process.js';
import {FIXED_NOW, masked, type Screen} from '../support/screen.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {ENTER, loaded} from '../support/terminal.js';
import {widths} from '../support/tiers.js';

const DAY = 86_400;
const WIDTHS = widths([60, 80, 100, 160]);

/** What each customer owes: the name, the prefix of the numbers, and of each statement the days it is overdue and its centavos. */
const OWING: readonly [name: string, prefix: string, ...statements: [days: number, centavos: number][]][] = [
  ['Jeepney Brewing Company', 'JEEPNEY', [47, 18_450_000]],
  ['Barangay Malinis Water Refilling Station', 'MALINIS', [33, 2_130_000], [-5, 1_065_000], [-20, 1_065_000]],
  ['Niño Ibañez', 'NINO', [3, 1_595_000]],
  ['Sari-Sari ni Aling Nena', 'NENA', [95, 450_000], [0, 120_000]],
  ['Mabuhay Learning Center', 'MABUHAY', [-12, 4_458_000]],
];

const directory = temporaryDirectory(afterAll);
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory, () => FIXED_NOW);
  for (const [name, prefix, ...statements] of OWING) {
    const email = `accounts@${prefix.toLowerCase()}.example`;
    const customer = {name, email, currency: 'PHP', billing_statement_prefix: prefix};
    const {id: customer_id} = await merchant.call('POST', '/customers', customer);
    for (const [days, unit_price] of statements) {
      const {id} = await merchant.call('POST', '/billing_statements', {currency: 'PHP', customer_id});
      const item = {billing_statement_id: id, description: 'Monthly order', unit_price, quantity: 1};
      await merchant.call('POST', '/billing_statement_line_items', item);
      await merchant.call('PUT', `/billing_statements/${id}`, {due_at: FIXED_NOW - days * DAY});
      await merchant.call('POST', `/billing_statements/${id}/finalize`);
    }
  }
});
afterAll(() => merchant.close());

/** A machine of its own with the same account. */
function copyOfSandbox(): string {
  const own = temporaryDirectory();
  copyFileSync(join(directory, 'sandbox.db'), join(own, 'sandbox.db'));
  return own;
}

/** The screen when the program has ended. An id is masked even where the terminal broke it. */
async function seen(desk: Screen, status = 0): Promise<string> {
  expect(await desk.ended).toBe(status);
  const {data} = await merchant.call('GET', '/billing_statements');
  const ids = (data as {id: string}[]).map(({id}) => new RegExp([...id].join('\\n?'), 'g'));
  const mask = (found: string): string => found.replace(/(?<=_\n?[^_]*)[A-Za-z0-9]/g, 'X');
  return masked(ids.reduce((text, id) => text.replace(id, mask), await desk.text()));
}

const kept = (flow: string, columns: number): string => `texts/${flow}-${columns}.txt`;

describe.runIf(loaded.pty)('at a desk', () => {
  test.each(WIDTHS)('who owes what, at %i columns', async (columns) => {
    const shown = await seen(screenAt(directory, ['owed'], {columns}));
    await expect(shown).toMatchFileSnapshot(kept('owed', columns));
  });

  test('who owes what, for a screen reader and without UTF-8: no bars, or bars of #', async () => {
    const plain = await seen(screenAt(directory, ['owed'], {env: {ACCESSIBLE: '1'}}));
    expect(plain).not.toMatch(/[█▏▎▍▌▋▊▉#]/);
    expect(plain).toMatch(/Not yet due {4}₱67,080\.00 {2}4\n/);
    const ascii = await seen(screenAt(directory, ['owed'], {env: {LC_ALL: 'C'}}));
    expect(ascii).not.toMatch(/[█▏▎▍▌▋▊▉]/);
    expect(ascii).toMatch(/Not yet due {4}₱67,080\.00 {2}#{10,40} +4\n/);
  });

  test.each(WIDTHS)('a reminder is previewed, and not sent when it is declined, at %i columns', async (columns) => {
    const desk = screenAt(directory, ['billing-statements', 'remind', '--overdue', '7d'], {columns});
    await desk.until(/y\/N/);
    desk.type(`n${ENTER}`);
    await expect(await seen(desk, 12)).toMatchFileSnapshot(kept('remind-declined', columns));
  });

  test('reminders are sent once, and the next run says when, at 80 columns', async () => {
    const own = copyOfSandbox();
    const desk = screenAt(own, ['billing-statements', 'remind', '--overdue', '40d']);
    await desk.until(/y\/N/);
    desk.type(`y${ENTER}`);
    await expect(await seen(desk)).toMatchFileSnapshot(kept('remind', 80));
    const again = screenAt(own, ['billing-statements', 'remind', '--overdue', '30d'], {now: FIXED_NOW + 2 * DAY});
    await again.until(/y\/N/);
    again.type(`y${ENTER}`);
    await expect(await seen(again)).toMatchFileSnapshot(kept('remind-again', 80));
  });

  test.each(WIDTHS)('what was paid outside is settled after a question, and shown, at %i columns', async (columns) => {
    const own = copyOfSandbox();
    const words = [
      'billing-statements',
      'settle',
      'JEEPNEY-0001',
      '--paid-outside',
      'cash, 12 Nov',
      '--fields',
      'status',
    ];
    const desk = screenAt(own, words, {columns});
    await desk.until(/y\/N/);
    desk.type(`y${ENTER}`);
    await expect(await seen(desk)).toMatchFileSnapshot(kept('settle', columns));
    const owed = await seen(screenAt(own, ['owed', '--settled'], {columns}));
    await expect(owed).toMatchFileSnapshot(kept('owed-settled', columns));
    const history = await seen(screenAt(own, ['history'], {columns}));
    await expect(history).toMatchFileSnapshot(kept('history-settle', columns));
  });
});
