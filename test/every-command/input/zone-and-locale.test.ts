// The same bytes in every zone and locale: days are in Manila, and texts are English.

import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {cli, temporaryDirectory, preload} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {desk} from '../../sandbox/studio/desk.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

/** 7:30 in Manila on the first of a month: elsewhere still the month before. */
const NOW = Date.parse('2026-12-01T07:30:00+08:00');
const ZONES = ['Asia/Manila', 'UTC', 'America/Los_Angeles', 'Pacific/Kiritimati'];
const COMMANDS = [
  ['billing-statements', 'list'],
  ['billing-statements', 'list', '-o', 'csv'],
  ['billing-statements', 'list', '--since', '2026-11-30', '--json'],
  ['owed'],
  ['owed', '-o', 'csv'],
  ['month'],
  ['month', '2026-11', '-o', 'csv'],
  ['paid', '--since', 'yesterday'],
  ['customers', 'ledger', 'juan@example.com'],
  ['get', 'juan@example.com'],
  [
    'billing-statements',
    'create',
    '--customer',
    'juan@example.com',
    '--item',
    'Pen @ 1250.5',
    '--due',
    'next friday',
    '--dry-run',
  ],
  ['sandbox', 'clock', '--json'],
];

const directory = temporaryDirectory(afterAll);
beforeAll(async () => {
  let now = NOW / 1000 - 40 * 86_400;
  const merchant = new Merchant(directory, () => now);
  const {id} = await merchant.customer();
  await merchant.open({customer_id: id});
  now = NOW / 1000 - 8 * 3600;
  const {id: paid} = await merchant.open({customer_id: id});
  now = NOW / 1000 - 7200;
  await controlOf(merchant.sandbox).pay(paid as string, {method: 'gcash'});
  await merchant.draft({customer_id: id});
  merchant.close();
});

async function inEachZone<T>(work: () => Promise<T>): Promise<T[]> {
  const {TZ} = process.env;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  const all: T[] = [];
  for (const zone of ZONES) {
    process.env.TZ = zone;
    // Otherwise this would test nothing.
    expect(new Date(NOW).getDate()).toBe(zone === 'UTC' || zone === 'America/Los_Angeles' ? 30 : 1);
    all.push(await work());
  }
  return all;
}

test('in every zone, at a terminal and in a pipe', async () => {
  const run = commandsIn(directory, {now: () => NOW});
  const [manila, ...others] = await inEachZone(async () => {
    const shown = [];
    for (const words of COMMANDS)
      for (const columns of [undefined, 100]) {
        const {status, stdout, stderr} = await run(words, {columns});
        expect(status, stderr).toBe(0);
        // These are random.
        const steady = stdout.replaceAll(/(?<=centavo_(?:key|run)":")\w+/g, '…');
        shown.push({words: words.join(' '), columns, stdout: steady, stderr});
      }
    return shown;
  });
  for (const other of others) expect(other).toEqual(manila);
  const of = (words: string) => manila!.find((each) => each.words === words)!.stdout;
  // Paid at 5:30 on the first, in Manila.
  expect(of('month')).toMatch(/1 Dec|2026-12-01/);
});

test('in every zone, the pages of the studio', async () => {
  const d = await desk();
  const statement = await d.open();
  d.pay(statement.id);
  const pages = ['', 'events', 'statements', 'payments', 'clock', statement.id as string];
  const [manila, ...others] = await inEachZone(async () => {
    const texts: string[] = [];
    for (const page of pages) texts.push((await d.see(page)).words);
    return texts;
  });
  for (const other of others) expect(other).toEqual(manila);
});

test('in every locale, and without an environment', async () => {
  const clock = fileURLToPath(new URL('../../support/fixed-clock.cjs', import.meta.url));
  const env = {...preload(clock), FIXED_NOW: String(NOW / 1000), PATH: undefined, HOME: undefined};
  const shownWith = (more: Readonly<Record<string, string | undefined>>) =>
    Promise.all(
      [
        ['billing-statements', 'list', '-o', 'table'],
        ['month', '-o', 'csv'],
        ['owed', '--help'],
      ].map(async (words) => {
        const {status, stdout, stderr} = await cli(directory, {env: {...env, ...more}})(words);
        expect(status, stderr).toBe(0);
        return {stdout, stderr};
      }),
    );
  const empty = await shownWith({});
  for (const more of [
    {LC_ALL: 'C', TZ: 'America/Los_Angeles'},
    {LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8'},
    {LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Manila'},
    {LANG: 'fil_PH', TZ: 'Pacific/Kiritimati'},
  ])
    expect(await shownWith(more), JSON.stringify(more)).toEqual(empty);
});
