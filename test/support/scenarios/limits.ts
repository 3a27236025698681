// Limits of a profile: at the bound, above it and absent, for every kind of change. One table for short and long runs.

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, test} from 'vitest';
import type {HistoryRecord} from '../../../src/history/history.js';
import {historyIn, recordsIn} from '../history/history.js';
import {cli, temporaryDirectory} from '../cli.js';
import {inTurn, looksBroken} from '../processes.js';
import {TEST_KEY} from '../services/servers.js';
import {service} from '../services/service.js';

export interface LimitRow {
  /** Settings of the profile. */
  readonly limits: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  /** The code of the refusal; none when it is let through. */
  readonly refused?: string;
  /** The text that the refusal names. */
  readonly mention?: readonly RegExp[];
  /** True for a representative row. */
  readonly often?: true;
}

/** ₱31,000.00: the amount of every object at the service. */
const max_amount = 3_100_000;
const LIMIT = {max_amount};
const OVER = 'over_max_amount';
const UNKNOWN = 'unknown_amount';
const INTENT = ['payment-intents', 'create', '--payment-methods', 'card'];
const CHECKOUT = ['checkout-sessions', 'create', '--success-url', 'https://s.co/a', '--cancel-url', 'https://s.co/b'];
const REFUND = ['refunds', 'create', '--payment', 'pay_3Fa9', '--reason', 'others'];
const ITEM = ['billing-statement-line-items', 'create', '--description', 'Hosting', '--quantity', '1'];
const COMPOSITE = ['billing-statements', 'create', '--customer', 'cus_2mQ8'];
const CONTINUE = ['billing-statements', 'create', '--continue', 'bstm_7Hq2', '--item'];
const api = (method: string, path: string, ...data: string[]) => [
  ...['api', method, path],
  ...data.flatMap((each) => ['-d', each]),
];
const statements = (verb: string, ...ids: string[]) => ['billing-statements', verb, ...ids];

const passes = (limits: LimitRow['limits'], ...words: string[]): LimitRow => ({limits, words});
const refuses = (limits: LimitRow['limits'], refused: string, ...words: string[]): LimitRow => ({
  limits,
  words,
  refused,
});
const often = (row: LimitRow, ...mention: RegExp[]): LimitRow => ({...row, mention, often: true});

const AMOUNTS: readonly LimitRow[] = [
  often(passes(LIMIT, ...INTENT, '--amount', '31,000')),
  often(
    refuses(LIMIT, OVER, ...INTENT, '--amount', '31,000.01', '--yes'),
    /₱31,000\.01/,
    /₱31,000\.00/,
    /max_amount is set by profile env/,
  ),
  passes({}, ...INTENT, '--amount', '31,000.01'),
  refuses(LIMIT, OVER, ...INTENT, '--amount-centavos', '3100001'),
  often(refuses(LIMIT, OVER, ...INTENT, '--amount', '20', '-d', 'amount=3100001')),
  passes(LIMIT, ...INTENT, '--amount', '20', '-d', 'amount=3100000'),
  refuses(LIMIT, OVER, ...INTENT, '--amount', '20', '-d', '{"amount":"3100001"}'),
  refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', 'amount[]=20'),
  often(
    refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', '{"amount[]":20}'),
    /does not know the parameter "amount\[\]"/,
  ),
  often(refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', '{"amount":20.5}'), /amount is not a whole number/),
  refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', 'currency=USD'),
  passes({}, ...INTENT, '--amount', '20', '-d', 'note=June'),
  refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', 'amount=null'),
  // The effect of an unknown parameter is unknown.
  refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', 'quantity=0'),
  refuses(LIMIT, UNKNOWN, 'refunds', 'update', 're_6Wn3', '-d', 'amount=20'),
  refuses(LIMIT, UNKNOWN, ...api('POST', '/billing_statements/bstm_Small1/void', 'amount=20')),
  refuses(LIMIT, UNKNOWN, ...ITEM, '--billing-statement', 'bstm_Small1', '--unit-price', '20', '-d', 'amount=20'),
  passes(LIMIT, ...api('POST', '/payment_intents', 'amount=3100000')),
  often(refuses(LIMIT, OVER, ...api('POST', '/payment_intents', 'amount=3100001'))),
  refuses(LIMIT, OVER, ...api('POST', '/payment%5Fintents/', 'amount=3100001')),
  often(refuses(LIMIT, UNKNOWN, ...api('POST', '/coupons', 'amount=20')), /POST \/coupons/),
  passes({}, ...api('POST', '/coupons', 'amount=20')),
  passes(LIMIT, ...CHECKOUT, '--item', 'Shirt x2 @ 15,500'),
  refuses(LIMIT, OVER, ...CHECKOUT, '--item', 'Shirt x2 @ 15,500', '--item', 'Pin @ 0.01'),
  refuses(
    LIMIT,
    UNKNOWN,
    ...[...CHECKOUT, '--item', 'Shirt @ 20'],
    ...['-d', '{"line_items":{"0":{"amount":20,"quantity":1}}}'],
  ),
  // A second price, a second list under another name, and no quantity at all.
  often(
    refuses(LIMIT, UNKNOWN, ...CHECKOUT, '-d', '{"line_items":[{"unit_price":1,"amount":20,"quantity":1}]}'),
    /line_items\[unit_price\]/,
  ),
  often(refuses(LIMIT, UNKNOWN, ...CHECKOUT, '--item', 'Pin @ 20', '-d', '{"line_items[0][amount]":3100001}')),
  refuses(LIMIT, UNKNOWN, ...CHECKOUT, '-d', '{"line_items":[{"amount":3100001,"quantity":0}]}'),
  refuses(LIMIT, UNKNOWN, ...INTENT, '--amount', '20', '-d', ' amount=3100001'),
  refuses(LIMIT, UNKNOWN, ...COMPOSITE, '--item', 'Pin @ 20', '-d', '{"line_items[][unit_price]":3100001}'),
  // More than a number can hold exactly.
  refuses(LIMIT, OVER, ...CHECKOUT, '--item', 'Shirt x1000000000 @ 59,999,999.99'),
  passes(LIMIT, ...REFUND, '--amount', '31,000'),
  refuses(LIMIT, OVER, ...REFUND, '--amount', '31,000.01'),
  passes(LIMIT, 'payment-intents', 'capture', 'pi_5kT1', '--amount', '31,000'),
  refuses(LIMIT, OVER, 'payment-intents', 'capture', 'pi_5kT1', '--amount', '31,000.01'),
  passes(LIMIT, ...api('POST', '/payment_intents/pi_5kT1/capture')),
  refuses(LIMIT, OVER, ...api('POST', '/payment_intents/pi_Over1/capture')),
  often(refuses(LIMIT, UNKNOWN, ...api('POST', '/payment_intents/pi_Gone1/capture')), /pi_Gone1 was not found/),
  refuses(LIMIT, UNKNOWN, ...api('POST', '/payment_intents/x/capture')),
  refuses(LIMIT, OVER, 'payment-intents', 'attach', 'pi_Over1', '--payment-method', 'pm_9dK2'),
  refuses(LIMIT, OVER, 'payment-intents', 'update', 'pi_5kT1', '--amount', '31,000.01'),
  passes(LIMIT, ...COMPOSITE, '--item', 'Web design x2 @ 15,500'),
  often(refuses(LIMIT, OVER, ...COMPOSITE, '--item', 'Web design x2 @ 15,500', '--item', 'Pin @ 0.01')),
  passes({}, ...COMPOSITE, '--item', 'Web design x2 @ 15,500', '--item', 'Pin @ 0.01'),
  passes(LIMIT, ...COMPOSITE),
  // An item that the draft has already is not added again.
  passes(LIMIT, ...CONTINUE, 'Web design x2 @ 15,500', '--finalize'),
  refuses(LIMIT, OVER, ...CONTINUE, 'Web design x3 @ 15,500'),
  // With given items the amount of a draft is known; otherwise it is read.
  refuses(LIMIT, UNKNOWN, ...statements('create', '--continue', 'bstm_Gone1', '--finalize')),
  passes(LIMIT, ...statements('finalize', 'bstm_7Hq2')),
  often(
    refuses(LIMIT, OVER, ...statements('finalize', 'bstm_Over1')),
    /billing statement bstm_Over1 comes to ₱31,000\.01/,
  ),
  refuses(LIMIT, OVER, ...statements('send', 'bstm_Over1')),
  refuses(LIMIT, OVER, ...statements('update', 'bstm_Over1', '--due', '+30d')),
  often(refuses(LIMIT, OVER, ...statements('finalize', 'bstm_7Hq2', 'bstm_8Jr3', 'bstm_Over1')), /bstm_Over1/),
  passes(LIMIT, ...ITEM, '--billing-statement', 'bstm_Small1', '--unit-price', '30,999'),
  refuses(LIMIT, OVER, ...ITEM, '--billing-statement', 'bstm_Small1', '--unit-price', '30,999.01'),
  passes(LIMIT, 'billing-statement-line-items', 'update', 'bstm_li_4Rt8', '--quantity', '2'),
  refuses(LIMIT, OVER, 'billing-statement-line-items', 'update', 'bstm_li_4Rt8', '--quantity', '3'),
  refuses(LIMIT, UNKNOWN, 'billing-statement-line-items', 'update', 'bstm_li_None1', '--quantity', '1'),
  // Changes that end an object, or only its text, collect nothing.
  passes(LIMIT, ...statements('void', 'bstm_Over1')),
  passes(LIMIT, 'payment-intents', 'cancel', 'pi_Over1'),
  passes(LIMIT, 'refunds', 'update', 're_6Wn3', '--metadata', 'ticket=8841'),
  passes(LIMIT, 'customers', 'delete', 'cus_2mQ8'),
];

const MOST = 'too_many_statements';
const TWO = {max_statements_per_run: 2};
const COUNTS: readonly LimitRow[] = [
  passes(TWO, ...statements('send', 'bstm_1', 'bstm_2')),
  often(
    refuses(TWO, MOST, ...statements('send', 'bstm_1', 'bstm_2', 'bstm_3', '--yes')),
    /3 billing statements/,
    /limit is 2/,
    /max_statements_per_run is set by profile env/,
  ),
  passes({}, ...statements('send', 'bstm_1', 'bstm_2', 'bstm_3')),
  refuses(TWO, MOST, ...statements('void', 'bstm_1', 'bstm_2', 'bstm_3')),
  passes({max_statements_per_run: 1}, ...COMPOSITE, '--item', 'Pin @ 20'),
  passes({max_statements_per_run: 1}, ...api('POST', '/billing_statements', 'customer_id=cus_2mQ8')),
  // Two items of one statement count as one statement.
  passes({max_statements_per_run: 1}, 'billing-statement-line-items', 'delete', 'bstm_li_4Rt8', 'bstm_li_5Sv9'),
  passes({max_statements_per_run: 1}, 'customers', 'delete', 'cus_2mQ8', 'cus_3nR9'),
];

const READ_ONLY = {read_only: true};
const UNTOUCHED: readonly LimitRow[] = [
  often(
    refuses(READ_ONLY, 'read_only', 'customers', 'create', '--name', 'A', '--email', 'a@b.co', '--yes'),
    /profile env/,
    /read_only is set by profile env/,
  ),
  passes({read_only: false}, 'customers', 'create', '--name', 'A', '--email', 'a@b.co'),
  refuses(READ_ONLY, 'read_only', ...api('POST', '/customers', 'name=A')),
  often(refuses(READ_ONLY, 'read_only', ...api('POST', '/coupons', 'name=A'))),
  refuses(READ_ONLY, 'read_only', ...COMPOSITE, '--item', 'Pin @ 20'),
  often(refuses(READ_ONLY, 'read_only', 'webhooks', 'listen')),
  refuses(READ_ONLY, 'read_only', 'webhooks', 'disable', 'wh_1Bv7'),
  passes(READ_ONLY, 'customers', 'list'),
  passes(READ_ONLY, ...api('GET', '/customers')),
  passes(READ_ONLY, ...COMPOSITE, '--item', 'Pin @ 20', '--dry-run'),
];

export const LIMIT_ROWS: readonly LimitRow[] = [...AMOUNTS, ...COUNTS, ...UNTOUCHED];

const ITEMS = ['bstm_li_4Rt8', 'bstm_li_5Sv9'].map((id, index) => ({
  ...{id, description: index ? 'Hosting' : 'Web design'},
  ...{unit_price: 1_550_000, quantity: index ? 0 : 2},
}));
const OBJECTS = {
  bstm_Over1: {amount: max_amount + 1},
  bstm_Small1: {amount: 100},
  bstm_Made1: {line_items: ITEMS},
  pi_Over1: {amount: max_amount + 1},
  pi_Gone1: '404 Not Found',
  bstm_Gone1: '404 Not Found',
};

/** Puts a configuration where a process with this data directory finds it. */
export function configure(directory: string, configuration: object): void {
  const folder = join(directory, '.config', 'centavo');
  mkdirSync(folder, {recursive: true, mode: 0o700});
  writeFileSync(join(folder, 'config.json'), JSON.stringify({version: 1, ...configuration}), {mode: 0o600});
}

/** The recorded starts in this folder's history; empty without a history. */
export const begun = (directory: string): HistoryRecord[] => recordsIn(historyIn(directory));

/** Commands that only read, or only preview. */
const isRead = (words: readonly string[]): boolean => ['GET', 'list', '--dry-run'].some((word) => words.includes(word));

/** Defines a test for each of the rows. */
export function limitTests(rows: readonly LimitRow[]): void {
  const root = temporaryDirectory(afterAll);
  const turn = inTurn();
  const titled = rows.map((row, index) => [titleOf(row), row, index] as const);
  test.concurrent.for(titled)('%s', async ([, row, index], {expect}) => {
    const {limits, words, refused, mention = []} = row;
    const directory = join(root, String(index));
    configure(directory, {profiles: {env: limits}});
    const api = await service(OBJECTS);
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY};
    const result = await turn(() => cli(directory, {env})([...words, '--json']));
    await api.close();
    expect(looksBroken(result), result.stderr).toBe(false);
    if (refused === undefined) {
      expect(result.status, result.stderr).toBe(words.includes('/coupons') ? 3 : 0);
      expect(api.writes().length > 0).toBe(!isRead(words));
      expect(begun(directory)).toHaveLength(isRead(words) ? 0 : 1);
      return;
    }
    expect(result, result.stderr).toMatchObject({status: 12, stdout: ''});
    const {message, hint, ...error} = result.error();
    expect(error).toMatchObject({code: refused, applied: 'no', exit_code: 12});
    for (const said of mention) expect(message).toMatch(said);
    expect(hint).toBe('A person can change this limit at a terminal.');
    expect(api.writes()).toEqual([]);
    expect(begun(directory)).toEqual([]);
  });
}

function titleOf({limits, words, refused}: LimitRow): string {
  const line = words.join(' ').replaceAll('%', '%%').replaceAll('$', '$ ');
  return `${JSON.stringify(limits)}: ${line} → ${refused ?? 'done'}`;
}
