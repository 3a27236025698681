// Screens of lists and single objects, at three widths.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {commandsIn} from '../support/commands.js';
import {temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {httpAnswer, rawServer, TEST_KEY} from '../support/services/servers.js';
import {loaded} from '../support/terminal.js';
import {FIXED_NOW} from '../support/screen.js';
import {widths} from '../support/test-size.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const DAY = 86_400;
const WIDTHS = widths([60, 80, 100]);
const directory = temporaryDirectory(afterAll);

type Wire = Record<string, any>;

let now = FIXED_NOW - 60 * DAY;
let drawn = 0;
/** Ids that do not vary between runs. */
const random = (length: number): Buffer =>
  Buffer.from(Array.from({length}, () => (drawn = (drawn * 1103 + 12_345) % 65_521) & 255));

/** Statements by status. */
const made: Record<'draft' | 'late' | 'open' | 'paid', string> = {draft: '', late: '', open: '', paid: ''};
let customer = '';
let payment = '';

beforeAll(async () => {
  const merchant = new Merchant(directory, () => now, random);
  const statement = async (
    payer: string,
    due: number | undefined,
    items: readonly [string, number, number][],
    metadata?: object,
  ) => {
    const {id} = await merchant.call('POST', '/billing_statements', {
      currency: 'PHP',
      customer_id: payer,
      ...(metadata && {metadata}),
    });
    for (const [description, quantity, price] of items)
      await merchant.call('POST', '/billing_statement_line_items', {
        billing_statement_id: id,
        description,
        quantity,
        unit_price: price,
      });
    if (due !== undefined) await merchant.call('PUT', `/billing_statements/${id}`, {due_at: due});
    return id as string;
  };
  const finalized = async (...of: Parameters<typeof statement>) => {
    const id = await statement(...of);
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    return id;
  };
  const named = async (name: string, email: string, prefix: string) =>
    (await merchant.call('POST', '/customers', {name, email, currency: 'PHP', billing_statement_prefix: prefix}))
      .id as string;

  const jeepney = (customer = await named('Jeepney Brewing Company', 'accounting@jeepneybrew.example', 'JEEPNEY'));
  const nino = await named('Niño Ibañez', 'nino.ibanez@example.com', 'NINO');
  const water = await named('Barangay Malinis Water Refilling Station', 'tubig@malinis.example', 'MALINIS');
  const yamada = await named('山田珈琲店 Makati', 'yamada@example.com', 'YAMADA');
  made.late = await finalized(
    jeepney,
    now + 13 * DAY,
    [
      ['Keg rental, 20 litres', 12, 350_000],
      ['Tap system with installation, cleaning and one year of service', 1, 14_250_000],
    ],
    {order: '1042', branch: 'Cebu'},
  );
  await finalized(water, now + 40 * DAY, [['Purifier filters', 3, 1_420_000]]);
  now = FIXED_NOW - 10 * DAY;
  made.paid = await finalized(nino, now + 20 * DAY, [
    ['Web design', 2, 1_500_000],
    ['Hosting', 1, 829_800],
  ]);
  now += DAY;
  payment = (controlOf(merchant.sandbox).pay(made.paid, {method: 'gcash'}) as {payment: Wire}).payment.id as string;
  now += DAY;
  made.open = await finalized(nino, now + 21 * DAY, [['Logo design', 1, 1_170_000]]);
  await finalized(yamada, FIXED_NOW + 30 * DAY, [['Coffee beans, 5 kg', 20, 195_000]]);
  made.draft = await statement(jeepney, undefined, [['Bottles', 240, 1_250]]);
  merchant.close();
});

async function shown(columns: number, words: readonly string[]): Promise<string> {
  const desk = screenInProcess(directory, words, {columns});
  expect(await desk.ended, await desk.text()).toBe(0);
  return desk.show();
}

describe.runIf(loaded.pty).for(WIDTHS)('at %i columns', (columns) => {
  test.for([
    ['statements', () => ['billing-statements', 'list']],
    ['statements-more', () => ['billing-statements', 'list', '--limit', '2']],
    ['statement-overdue', () => ['billing-statements', 'get', made.late]],
    ['statement-paid', () => ['billing-statements', 'get', made.paid]],
    ['statement-draft', () => ['billing-statements', 'get', made.draft]],
    ['customers', () => ['customers', 'list']],
    ['customer', () => ['customers', 'get', customer]],
    ['payments', () => ['payments', 'get', payment, payment]],
    ['payment', () => ['payments', 'get', payment]],
  ] as const)('%s', async ([name, words]) => {
    const text = await shown(columns, words());
    await expect(text).toMatchFileSnapshot(`texts/tables-${name}-${columns}.txt`);
    // No word, number or address is split over two lines.
    for (const line of text.split('\n')) expect(line).not.toMatch(/\S{161}/);
  });
});

describe.runIf(loaded.pty)('the requested columns and results', () => {
  test('a column selected by name is never omitted, and its header works as a name', async () => {
    const text = await shown(60, 'billing-statements list --limit 2 --fields number,due,status,created,id'.split(' '));
    expect(text).toMatch(/JEEPNEY-0002/);
    expect(text).toMatch(/bstm_X{32}/);
    expect(text).not.toMatch(/Not shown/);
  });

  test('send names the recipient', async () => {
    expect(await shown(80, ['billing-statements', 'send', made.open])).toMatch(
      /✓ Sent NINO-0002 to Niño Ibañez <nino\.ibanez@example\.com>\n/,
    );
  });

  test('send succeeds if the statement cannot be read', async () => {
    const api = await rawServer((request) =>
      request.startsWith('POST')
        ? httpAnswer('204 No Content', '')
        : httpAnswer('403 Forbidden', '{"errors":[{"code":"forbidden","detail":"This key may not read."}]}'),
    );
    const id = `bstm_${'7Hq2Kx9L'.repeat(4)}`;
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const desk = screenInProcess(temporaryDirectory(), ['billing-statements', 'send', id], {env});
    expect(await desk.ended).toBe(0);
    expect(await desk.text()).toContain(`✓ Sent ${id}\n`);
    expect(api.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
    await api.close();
  });

  test('in a pipe or with --fields, send prints the statement', async () => {
    const {stdout} = await commandsIn(directory)(['billing-statements', 'send', made.late]);
    expect(stdout).toMatch(new RegExp(`^id\t${made.late}$[^]*^state\toverdue$`, 'm'));
    expect(
      await shown(80, ['billing-statements', 'send', made.late, '--allow-duplicate', '--fields', 'id,status']),
    ).toMatch(/Status +overdue/);
  });
});
