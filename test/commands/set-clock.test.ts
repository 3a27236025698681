// This machine's clock is set between two commands: what is remembered is told by the service's clock, or the sandbox's.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openColumnMemory} from '../../src/config/column-memory.js';
import {temporaryDirectory, type CliResult} from '../support/cli.js';
import {commandsIn, type CommandOptions} from '../support/commands.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {machine} from '../support/scenarios/killed.js';
import {skippedOn, sleepOn} from '../support/skipped-time.js';
import {some} from '../support/test-size.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Seconds by which the clock is wrong at the first command, and at the second. */
const JUMPS = [-40 * DAY, -DAY, -HOUR, HOUR, DAY, 40 * DAY].flatMap((by) => [
  {first: by, second: 0},
  {first: 0, second: by},
  {first: by, second: -by},
]);

interface Stage {
  readonly merchant: Merchant;
  readonly run: (argv: readonly string[], wrongBy: number) => Promise<CliResult>;
  readonly later: (seconds: number) => Promise<void>;
}

/** An account of a service with a clock of its own. */
async function served(): Promise<Stage> {
  const {home, merchant, run, later} = await machine({isConsistent: true});
  const at = (wrongBy: number) => () => Date.now() + skippedOn(home) + wrongBy * 1000;
  return {merchant, later, run: async (argv, wrongBy) => (await run(argv, {now: at(wrongBy)}))!};
}

/** The embedded sandbox, which has only this machine's clock. */
async function embedded(): Promise<Stage> {
  const home = temporaryDirectory();
  const run = commandsIn(home, {pace: 0});
  const at = (wrongBy: number) => Date.now() + skippedOn(home) + wrongBy * 1000;
  const merchant = new Merchant(home, () => Math.floor(at(0) / 1000));
  onTestFinished(() => merchant.close());
  const later = (seconds: number): Promise<void> => sleepOn(home, 0)(seconds * 1000);
  return {merchant, later, run: (argv, wrongBy) => run(argv, {now: () => at(wrongBy)} as CommandOptions)};
}

/** A change, how it is refused as a repeat, and its words. */
const CHANGES: readonly (readonly [string, string, (merchant: Merchant) => Promise<readonly string[]>])[] = [
  [
    'refund',
    'repeated_refund',
    async (merchant) => [
      ...['refunds', 'create', '--payment', String((await merchant.payment()).id), '--amount', '100'],
      ...['--reason', 'others', '--yes', '--json'],
    ],
  ],
  [
    'send',
    'sent_before',
    async (merchant) => ['billing-statements', 'send', String((await merchant.open()).id), '--yes', '--json'],
  ],
  [
    'bill',
    'billed_before',
    async (merchant) => [
      ...['billing-statements', 'create', '--customer', String((await merchant.customer()).id)],
      ...['--item', 'Rent @ 1500', '--due', '2030-01-15', '--finalize', '--yes', '--json'],
    ],
  ],
];

const CASES = CHANGES.flatMap(([name, code, wordsOf]) => JUMPS.map((jump) => ({name, code, wordsOf, ...jump})));

describe.each(some(CASES, 3))('$name, $first s then $second s wrong', ({code, wordsOf, first, second}) => {
  test('is a repeat for 20 hours of the service, no longer', async () => {
    const {merchant, run, later} = await served();
    const argv = await wordsOf(merchant);
    expect(await run(argv, first)).toMatchObject({status: 0});
    expect((await run(argv, second)).error()).toMatchObject({code});
    await later(21 * HOUR);
    expect(await run(argv, second)).toMatchObject({status: 0});
  });

  test('is done once under a key', async () => {
    const {merchant, run} = await served();
    const argv = [...(await wordsOf(merchant)), '--idempotency-key', 'k'];
    const {id} = (await run(argv, first)).json();
    expect((await run(argv, second)).json()).toMatchObject({id, already: true});
  });
});

const BACK = CASES.filter(({first, second}) => second < first);

describe.each(some(BACK, 1))('$name in the sandbox, $first s then $second s', ({code, wordsOf, first, second}) => {
  test('a clock that is put back neither ends the 20 hours nor adds to them', async () => {
    const {merchant, run, later} = await embedded();
    const argv = await wordsOf(merchant);
    expect(await run(argv, first)).toMatchObject({status: 0});
    expect((await run(argv, second)).error()).toMatchObject({code});
    await later(21 * HOUR);
    expect(await run(argv, second)).toMatchObject({status: 0});
  });
});

describe.each(some(JUMPS, 1))('$first s then $second s wrong', ({first, second}) => {
  test('a number that is remembered leads to its statement', async () => {
    const {merchant, run} = await served();
    const {id, billing_statement_number: number} = await merchant.open();
    for (const wrongBy of [first, second])
      expect((await run(['billing-statements', 'get', String(number), '--json'], wrongBy)).json()).toMatchObject({id});
  });

  test('the columns that were answered last stay known', () => {
    const directory = temporaryDirectory();
    const at = (wrongBy: number): number => Math.floor(Date.now() / 1000) + wrongBy;
    const sheets = Array.from({length: 100}, (_, nth) => ({
      ...{number: nth + 1, headers: [`h${nth}`], answers: [], file: 'x.csv', used_at: at(first) - nth},
    }));
    writeFileSync(join(directory, 'columns.json'), JSON.stringify({version: 1, sheets}), {mode: 0o600});
    const options = {directory: () => directory, user: process.getuid?.(), token: () => 'a', now: () => at(second)};
    const memory = openColumnMemory(options);
    for (const nth of [100, 101]) memory.remember({headers: [`h${nth}`], answers: [], file: 'x.csv'});
    const known = memory.read().map(({headers}) => headers[0]);
    expect(known.slice(0, 3)).toEqual(['h101', 'h100', 'h0']);
  });
});
