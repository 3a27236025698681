// `billing-statements edit`, and line items addressed by position.

import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const edit = (...words: string[]) => run(['billing-statements', 'edit', ...words]);
const items = (verb: string, ...words: string[]) => run(['billing-statement-line-items', verb, ...words]);
let merchant: Merchant;
let number: string;
let id: string;

type Wire = Record<string, any>;

beforeAll(() => {
  merchant = new Merchant(directory);
});
afterAll(() => merchant.close());
beforeEach(async () => {
  ({id, billing_statement_number: number} = (await merchant.draft()) as {
    id: string;
    billing_statement_number: string;
  });
  await merchant.call('POST', '/billing_statement_line_items', {
    ...{billing_statement_id: id, description: 'Hosting', quantity: 1, unit_price: 125_000},
  });
});

const now = (): Promise<Wire> => merchant.call('GET', `/billing_statements/${id}`);
const lines = async (): Promise<string[]> =>
  ((await now()).line_items as Wire[]).map((each) => `${each.description} x${each.quantity} @ ${each.unit_price}`);
const lastRecord = async (): Promise<Wire> => (await run(['history', '--json'])).json().data[0];

describe('an edit', () => {
  test('sets exactly these items, prints the changes, and is recorded', async () => {
    const before = (await now()).line_items as Wire[];
    const result = await edit(
      number,
      '--item',
      'Web design x2 @ 1,500',
      '--item',
      'Logo @ 400',
      '--item',
      'Hosting @ 1,250',
    );
    expect(result.status).toBe(0);
    for (const words of [
      'change  Web design: 1 × ₱1,500.00 to 2 × ₱1,500.00',
      'add     Logo: 1 × ₱400.00',
      'total   ₱2,750.00 to ₱4,650.00',
    ])
      expect(result.stderr).toContain(words);
    expect(await lines()).toEqual(['Web design x2 @ 150000', 'Hosting x1 @ 125000', 'Logo x1 @ 40000']);
    expect(((await now()).line_items as Wire[]).slice(0, 2).map((each) => each.id)).toEqual(
      before.map((each) => each.id),
    );
    const record = await lastRecord();
    expect(record).toMatchObject({command: 'billing-statements edit', result: 'ok', applied: 'yes', amount: 465_000});
    expect((record.steps as Wire[]).map(({step}) => step)).toEqual(['take_over', 'change', 'item']);
  });

  test('of the due date keeps the items', async () => {
    const result = await edit(number, '--due', '2031-12-15', '--json');
    expect(result.json()).toMatchObject({due_at: Date.parse('2031-12-15T23:59:59+08:00') / 1000, amount: 275_000});
    expect(await lines()).toEqual(['Web design x1 @ 150000', 'Hosting x1 @ 125000']);
  });

  test('to the same values changes nothing and is not in the history', async () => {
    const before = await lastRecord();
    const result = await edit(number, '--item', 'Hosting @ 1,250', '--item', 'Web design @ 1,500');
    expect([result.status, result.stderr]).toEqual([
      0,
      expect.stringContaining('already has these values; nothing was changed'),
    ]);
    expect(await lastRecord()).toEqual(before);
  });

  test('with --dry-run shows the requests and sends none', async () => {
    const {status, stdout} = await edit(number, '--item', 'Web design @ 1,600', '--due', '2031-12-15', '--dry-run');
    expect([status, stdout.match(/^(GET|PUT|POST|DELETE) /gm)]).toEqual([0, ['PUT ', 'PUT ', 'DELETE ']]);
    expect(await lines()).toEqual(['Web design x1 @ 150000', 'Hosting x1 @ 125000']);
  });

  test.each([
    ['open', ['finalize'], 'reissue NUMBER --edit'],
    ['void', ['finalize', 'void'], 'duplicate NUMBER'],
  ])('of a statement that is %s is refused, with the next command', async (state, verbs, next) => {
    for (const verb of verbs) await merchant.call('POST', `/billing_statements/${id}/${verb}`);
    const result = await edit(number, '--item', 'Logo @ 400');
    expect(result.status).toBe(5);
    expect(result.stderr).toContain(`${number} is ${state}.`);
    expect(result.stderr).toContain(`centavo ${next.replace('NUMBER', number)}`);
  });

  test.each([
    [[], /--item or --due is missing/],
    [['--item', 'Hosting'], /is not a line item/],
    [['--item', 'Gold x2 @ 59,000,000'], /too much/],
  ])('%j is exit 2', async (words, text) => {
    const result = await edit(number, ...words);
    expect([result.status, result.stderr]).toEqual([2, expect.stringMatching(text)]);
    expect(await lines()).toEqual(['Web design x1 @ 150000', 'Hosting x1 @ 125000']);
  });
});

describe('a line item by its position', () => {
  test.each(['2', 'Hosting', 'hosting'])('#%s is found', async (item) => {
    const result = await items('update', `${number}#${item}`, '--unit-price', '1,300');
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining(`${number} #2 Hosting (₱1,250.00)`)]);
    expect(await lines()).toEqual(['Web design x1 @ 150000', 'Hosting x1 @ 130000']);
  });

  test('resolves all positions before it removes an item', async () => {
    expect((await items('delete', `${id}#1`, `${number}#2`)).status).toBe(0);
    expect(await lines()).toEqual([]);
  });

  test('that is missing or ambiguous is exit 2 with the existing items', async () => {
    const none = await items('delete', `${number}#3`);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('#1 Web design (₱1,500.00), #2 Hosting')]);
    await items(
      'create',
      '--billing-statement',
      number,
      '--description',
      'Hosting',
      '--quantity',
      '1',
      '--unit-price',
      '9',
    );
    const twice = await items('delete', `${number}#hosting`);
    expect([twice.status, twice.stderr]).toEqual([
      2,
      expect.stringContaining('#2 Hosting (₱1,250.00), #3 Hosting (₱9.00)'),
    ]);
    expect(await lines()).toHaveLength(3);
  });

  test('of an open statement is refused before anything is sent', async () => {
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    const result = await items('delete', `${number}#1`);
    expect([result.status, result.stderr]).toEqual([5, expect.stringContaining(`reissue ${number} --edit`)]);
  });
});
