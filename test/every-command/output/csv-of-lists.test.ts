// `-o csv` of every list: the same header with any number of rows, the rows of --json, and no formulas.

import {parse} from 'csv-parse/sync';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {eventBody} from '../../support/webhooks/events.js';
import {newId, openStore} from '../../support/webhooks/listener.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {load} from '../../support/load.js';
import {importFile} from '../../support/services/import-service.js';
import {Merchant} from '../../support/scenarios/merchant.js';

type Wire = Record<string, any>;
type Schema = {anyOf?: Schema[]; type?: unknown; properties?: Record<string, {const?: unknown}>};

/** A list, or objects that contain a list, printed as rows. */
const isList = ({anyOf, type, properties = {}}: Schema): boolean =>
  anyOf
    ? isList(anyOf[0]!)
    : type === 'array' || properties.resource?.const === 'list' || 'data' in properties || 'rows' in properties;

const COMMANDS = await (await load<typeof import('../../../src/command-table.js')>('command-table.js')).loadCommands();
/** `help` prints its page in every format but JSON. */
const LISTS = Object.entries(COMMANDS).filter(
  ([id, command]) => id !== 'help' && command.risk === 'reads' && isList((command.output?.() ?? {}) as Schema),
);

const FORMULA = '=HYPERLINK("https://evil.example")';
const EXECUTED = /^[\s"';,]*[=+\-@＝＋－＠](?<!^'.*)/;
/** Cells that differ from JSON: `30s`, and pesos and dates in a file for editing. */
const IN_WORDS = new Set([
  'config:list value',
  'billing-statements:export unit_price',
  'billing-statements:export due',
]);
/** Ids, and the month, as arguments of lists. */
const made: Record<string, string> = {};
const WORDS: Readonly<Record<string, () => readonly string[]>> = {
  'customers:list-payment-methods': () => [made.saved!],
  'customers:ledger': () => [made.customer!],
  'payouts:list-transactions': () => [made.payout!],
  'billing-statements:export': () => ['--month', made.month!],
  'jobs:get': () => [made.job!],
  find: () => ['example'],
};
/** Lists that need nothing on this machine. */
const NEVER_EMPTY = [
  ...['commands', 'config:list', 'profiles:list', 'help:exit-codes', 'help:flags'],
  'sandbox:projects:list',
];
/** Lists that need an existing object. */
const OF_SOMETHING = ['customers:list-payment-methods', 'customers:ledger', 'payouts:list-transactions', 'jobs:get'];

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const empty = commandsIn(temporaryDirectory(afterAll));

beforeAll(async () => {
  const merchant = new Merchant(directory);
  made.payout = await merchant.payout();
  made.saved = (await merchant.saved()).customer;
  made.customer = (await merchant.customer({name: FORMULA, metadata: {note: FORMULA}})).id as string;
  await merchant.open({customer_id: made.customer, description: FORMULA, metadata: {note: FORMULA}});
  await merchant.session();
  await merchant.call('POST', '/webhooks', {
    url: 'https://shop.example/hooks',
    events: ['payment_intent.succeeded'],
    description: FORMULA,
  });
  made.month = new Date((merchant.sandbox.now() + 8 * 3600) * 1000).toISOString().slice(0, 7);
  merchant.close();
  const file = join(directory, 'june.csv');
  writeFileSync(file, importFile(3).text.replaceAll('JUNE', "'=JUNE"));
  expect((await run(['billing-statements', 'import', file, '--send', '--yes'])).status).toBe(0);
  const remembered = {number: 1, headers: [FORMULA], file: FORMULA, used_at: 1_790_000_000};
  const answers = [{column: FORMULA, means: 'ignore', seen: {loud: []}}];
  const sheets = [{...remembered, answers}];
  writeFileSync(join(directory, 'columns.json'), JSON.stringify({version: 1, sheets}), {mode: 0o600});
  await run(['sandbox', 'snapshot', 'save']);
  const [job] = (await run(['jobs', 'list', '--json'])).rows<Wire>();
  made.job = job!.id as string;
  const store = openStore(join(directory, 'deliveries.db'));
  const recorded = store.record(
    {
      ...{id: newId(), receivedAt: Date.now(), profile: 'sandbox', path: '/', headers: [], body: eventBody()},
      verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: 1},
      event: {type: FORMULA, objectId: 'bstm_1'},
    },
    ['http://localhost:3000/'],
  );
  await recorded;
  store.close();
});

async function listed(id: string, runs = run): Promise<{header: string[]; rows: Wire[]; data: Wire[]; text: string}> {
  const all = Object.hasOwn(COMMANDS[id]!.flags ?? {}, 'all') ? ['--all'] : [];
  const words = [...id.split(':'), ...(WORDS[id]?.() ?? []), ...all];
  const csv = await runs([...words, '-o', 'csv']);
  const json = await runs([...words, '--json']);
  expect({csv: csv.status, json: json.status}, csv.stderr + json.stderr).toEqual({csv: 0, json: 0});
  const document = json.json<Wire>();
  const header = (parse(csv.stdout, {to: 1}) as string[][])[0]!;
  const data = (document.data ?? document.rows) as Wire[];
  return {header, rows: parse(csv.stdout, {columns: true}), data, text: csv.stdout};
}

/** The cell for a JSON value; undefined for a value that is shown in part. */
function cellOf(path: string, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'object') return undefined;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number' || !/(^|_)at$/.test(path)) return String(value);
  return value === 0 ? '' : `${new Date((value + 8 * 3600) * 1000).toISOString().slice(0, 19)}+08:00`;
}

describe.each(LISTS.map(([id]) => id))('%s', (id) => {
  test('has the rows of --json, and no formulas', async () => {
    const {header, rows, data, text} = await listed(id);
    expect(text).toMatch(/\r\n$/);
    expect(rows.length, text).toBeGreaterThan(0);
    expect(rows).toHaveLength(data.length);
    for (const [index, row] of rows.entries())
      for (const path of header) {
        const value: unknown = data[index]![path.replace(/_centavos$/, '')];
        if (typeof value !== 'number' && !path.endsWith('_pesos')) expect(row[path]).not.toMatch(EXECUTED);
        const cell = value === undefined || IN_WORDS.has(`${id} ${path}`) ? undefined : cellOf(path, value);
        if (cell !== undefined) expect([cell, `'${cell}`], JSON.stringify(data[index])).toContain(row[path]);
      }
  });

  if (OF_SOMETHING.includes(id)) return;

  test('has the same header without rows', async () => {
    const [full, none] = [await listed(id), await listed(id, empty)];
    // An import file has a column for each key of metadata.
    expect(none.header).toEqual(full.header.filter((name) => !name.startsWith('metadata.')));
    if (!NEVER_EMPTY.includes(id)) expect(none.rows).toEqual([]);
  });
});

test('a list has a column for computed session amounts, even without one', async () => {
  const {header} = await listed('checkout-sessions:list', empty);
  expect(header.slice(-2)).toEqual(['computed_amount_centavos', 'computed_amount_pesos']);
});

test('every list is covered', () => {
  expect(LISTS.map(([id]) => id).sort()).toMatchInlineSnapshot(`
    [
      "billing-statements:aging",
      "billing-statements:export",
      "billing-statements:list",
      "checkout-sessions:list",
      "columns:list",
      "commands",
      "config:list",
      "customers:ledger",
      "customers:list",
      "customers:list-payment-methods",
      "find",
      "help:exit-codes",
      "help:flags",
      "history",
      "jobs:get",
      "jobs:list",
      "month",
      "paid",
      "payouts:list-transactions",
      "profiles:list",
      "sandbox:events",
      "sandbox:events:list",
      "sandbox:logs",
      "sandbox:projects:list",
      "sandbox:snapshot:list",
      "webhooks:deliveries:list",
      "webhooks:list",
    ]
  `);
});
