// Screens of a statement's life: link, reissue, wait, refund and ledger, at three widths.

import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {seededRandom} from '../../src/common/seeded-random.js';
import {copyDatabase, temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {FIXED_NOW} from '../support/screen.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {ENTER, loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const DAY = 86_400;
const WIDTHS = widths([60, 80, 100]);

const directory = temporaryDirectory(afterAll);
let merchant: Merchant;
let now = FIXED_NOW;
let customer: string;
const ids: Record<string, string> = {};

async function billed(name: string, items: readonly [description: string, quantity: number, unit_price: number][]) {
  const {id} = await merchant.call('POST', '/billing_statements', {currency: 'PHP', customer_id: customer});
  for (const [description, quantity, unit_price] of items)
    await merchant.call('POST', '/billing_statement_line_items', {
      billing_statement_id: id,
      description,
      quantity,
      unit_price,
    });
  await merchant.call('PUT', `/billing_statements/${id}`, {due_at: now + 14 * DAY});
  await merchant.call('POST', `/billing_statements/${id}/finalize`);
  ids[name] = id;
}

beforeAll(async () => {
  // Random links would change the QR code.
  const next = seededRandom(7);
  const random = (size: number): Uint8Array => Uint8Array.from({length: size}, () => Math.floor(next() * 256));
  merchant = new Merchant(directory, () => now, random);
  now = FIXED_NOW - 100 * DAY;
  const fields = {name: 'Kapeng Barako Roasters', email: 'orders@barako.example', billing_statement_prefix: 'BARAKO'};
  customer = (await merchant.call('POST', '/customers', {...fields, currency: 'PHP'})).id;
  await billed('paid', [['Beans, 25 kg', 2, 620_000]]);
  now += 3 * DAY;
  const {payment} = controlOf(merchant.sandbox).pay(ids.paid!, {method: 'gcash'});
  now += 10 * DAY;
  await merchant.call('POST', '/refunds', {payment_id: payment!.id, amount: 45_000, currency: 'PHP', reason: 'others'});
  await billed('void', [['Beans, 25 kg', 1, 620_000]]);
  now += 1 * DAY;
  await merchant.call('POST', `/billing_statements/${ids.void}/void`);
  now = FIXED_NOW - 20 * DAY;
  await billed('overdue', [
    ['Beans, 25 kg', 3, 620_000],
    ['Grinder rental', 1, 350_000],
  ]);
  now = FIXED_NOW - 2 * DAY;
  await billed('open', [['Beans, 25 kg', 1, 620_000]]);
  now = FIXED_NOW;
});
afterAll(() => merchant.close());

/** A separate machine with the same account. */
function copyOfSandbox(): string {
  const own = temporaryDirectory();
  copyDatabase(join(directory, 'sandbox.db'), join(own, 'sandbox.db'));
  return own;
}

const kept = (flow: string, columns: number): string => `texts/${flow}-${columns}.txt`;

/** The screen with ids and tokens masked, even if wrapped, and without seconds. */
function shownOf(text: string, columns: number): string {
  const whole = text
    .split('\n')
    .map((line) => (line.length === columns ? `${line}\u0000` : `${line}\n`))
    .join('');
  return whole
    .replace(/[A-Za-z0-9\0]{22,}/g, (found) => found.replace(/[A-Za-z0-9]/g, 'X'))
    .replaceAll('\0', '\n')
    .replace(/after \d+ s/g, 'after N s');
}

describe.runIf(loaded.pty)('at a terminal', () => {
  test.each(WIDTHS)('the link with its QR code, at %i columns', async (columns) => {
    const desk = screenInProcess(directory, ['billing-statements', 'link', ids.open!, '--qr'], {columns, rows: 40});
    expect(await desk.ended).toBe(0);
    await expect(shownOf(await desk.text(), columns)).toMatchFileSnapshot(kept('link-qr', columns));
  });

  test.each(WIDTHS)('a message in English and in Filipino, at %i columns', async (columns) => {
    const texts: string[] = [];
    for (const language of ['en', 'fil']) {
      const desk = screenInProcess(directory, ['billing-statements', 'link', ids.overdue!, '--message', language], {
        columns,
      });
      expect(await desk.ended).toBe(0);
      texts.push(await desk.text());
    }
    await expect(shownOf(texts.join('\n'), columns)).toMatchFileSnapshot(kept('link-message', columns));
  });

  test.each(WIDTHS)('the question of a reissue, and its result, at %i columns', async (columns) => {
    const words = ['billing-statements', 'reissue', ids.overdue!, '--due', '+14d', '--item', 'Beans, 25 kg x3 @ 6,000'];
    const desk = screenInProcess(copyOfSandbox(), [...words, '--send'], {columns, rows: 60});
    await desk.until(/\?/);
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(0);
    await expect(shownOf(await desk.text(), columns)).toMatchFileSnapshot(kept('reissue', columns));
  });

  test.each(WIDTHS)('refusals, each with the next command, at %i columns', async (columns) => {
    const texts: string[] = [];
    for (const [status, ...words] of [
      [5, 'billing-statements', 'link', ids.paid!],
      [5, 'billing-statements', 'reissue', ids.paid!],
      [5, 'billing-statements', 'reissue', ids.void!],
      [2, 'billing-statements', 'reissue', ids.overdue!],
      [5, 'refunds', 'create', '--statement', ids.open!, '--reason', 'others'],
      [2, 'refunds', 'create', '--statement', ids.paid!, '--reason', 'others', '--amount', '20,000'],
      [9, 'billing-statements', 'wait', ids.open!, '--timeout', '1s', '--fields', 'status'],
    ] as const) {
      const desk = screenInProcess(directory, words as string[], {columns});
      expect(await desk.ended).toBe(status);
      texts.push(await desk.text());
    }
    await expect(shownOf(texts.join('\n'), columns)).toMatchFileSnapshot(kept('life-refused', columns));
  });

  test.each(WIDTHS)('a refund that asks for every value, at %i columns', async (columns) => {
    const desk = screenInProcess(copyOfSandbox(), ['refunds', 'create'], {columns, rows: 30});
    await desk.until(/to refund/);
    desk.type(`barako${ENTER}`);
    const answers: [RegExp, string][] = [
      [/Do you mean/, 'y'],
      [/Amount to refund/, ''],
      [/Reason/, ''],
    ];
    for (const [question, answer] of answers) {
      await desk.until(question);
      desk.type(`${answer}${ENTER}`);
    }
    await desk.until(/refund ₱11,950\.00/);
    desk.type(`n${ENTER}`);
    expect(await desk.ended).toBe(12);
    await expect(shownOf(await desk.text(), columns)).toMatchFileSnapshot(kept('refund', columns));
  });

  test.each(WIDTHS)('waiting, at %i columns', async (columns) => {
    const desk = screenInProcess(copyOfSandbox(), ['billing-statements', 'wait', ids.open!], {columns});
    await desk.until(/stops waiting|Waiting until/);
    const waiting = await desk.text();
    desk.kill('SIGINT');
    expect(await desk.ended).toBe(130);
    await expect(shownOf(`${waiting}\n${await desk.text()}`, columns)).toMatchFileSnapshot(kept('wait', columns));
  });

  test.each(WIDTHS)('the ledger, at %i columns', async (columns) => {
    const desk = screenInProcess(directory, ['customers', 'ledger', customer], {columns});
    expect(await desk.ended).toBe(0);
    await expect(shownOf(await desk.text(), columns)).toMatchFileSnapshot(kept('ledger', columns));
  });
});
