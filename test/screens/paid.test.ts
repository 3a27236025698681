// Screens of paid and month, at three widths.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {screenInProcess} from '../support/in-process.js';
import {FIXED_NOW} from '../support/screen.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const DAY = 86_400;

/** Days before today on which each customer paid, the earliest first: the sandbox's clock never goes back. None if unpaid. */
const PEOPLE: readonly [name: string, prefix: string, centavos: number, method?: string, days?: number][] = [
  ['Jeepney Brewing Company', 'JEEPNEY', 18_450_000, 'gcash', 12],
  ['Barangay Malinis Water Refilling Station', 'MALINIS', 2_130_000, 'maya', 0],
  ['Niño Ibañez', 'NINO', 1_595_000, 'qrph', 0],
  ['Sari-Sari ni Aling Nena', 'NENA', 450_000],
  ['Kapeng Barako Roasters', 'BARAKO', 120_000],
  ['Mabuhay Learning Center', 'MABUHAY', 4_458_000],
];

const directory = temporaryDirectory(afterAll);

beforeAll(async () => {
  let now = FIXED_NOW - 20 * DAY;
  const merchant = new Merchant(directory, () => now);
  const run = commandsIn(directory, {now: () => FIXED_NOW * 1000});
  const ids: string[] = [];
  for (const [name, prefix, unit_price] of PEOPLE) {
    const email = `accounts@${prefix.toLowerCase()}.example`;
    const customer = {name, email, currency: 'PHP', billing_statement_prefix: prefix};
    const {id: customer_id} = await merchant.call('POST', '/customers', customer);
    const {id} = await merchant.call('POST', '/billing_statements', {currency: 'PHP', customer_id});
    const item = {billing_statement_id: id, description: 'Monthly order', unit_price, quantity: 1};
    await merchant.call('POST', '/billing_statement_line_items', item);
    await merchant.call('PUT', `/billing_statements/${id}`, {due_at: FIXED_NOW});
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    ids.push(id as string);
  }
  // In the order of time: the sandbox's clock never goes back.
  for (const [index, [, , , method, days = 0]] of PEOPLE.entries()) {
    now = FIXED_NOW - days * DAY - 600;
    if (method) controlOf(merchant.sandbox).pay(ids[index]!, {method} as never);
  }
  merchant.close();
  for (const words of [
    ['billing-statements', 'settle', 'NENA-0001', '--paid-outside', 'cash at the shop, counted by Tita Baby'],
    ['billing-statements', 'void', 'BARAKO-0001'],
    ['refunds', 'create', '--statement', 'JEEPNEY-0001', '--amount', '950', '--reason', 'others'],
  ]) {
    const {status, stderr} = await run(words);
    expect(status, stderr).toBe(0);
  }
});

describe.runIf(loaded.pty)('at a terminal', () => {
  test.each(widths([60, 80, 100]))('who paid, and the month, at %i columns', async (columns) => {
    for (const [name, words] of Object.entries({
      paid: ['paid', '--since', '2026-12-01'],
      month: ['month'],
      'month-before': ['month', '2026-11'],
      'paid-list': ['billing-statements', 'list', '--paid-since', '2026-12-01'],
    })) {
      const desk = screenInProcess(directory, words, {columns});
      expect(await desk.ended).toBe(0);
      await expect(await desk.show()).toMatchFileSnapshot(`texts/${name}-${columns}.txt`);
    }
  });
});
