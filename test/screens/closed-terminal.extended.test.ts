// A terminal that is closed, at each question and on a screen: the program ends with an exit status, and keeps what was typed.

import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {screen, type ScreenOptions} from '../support/screen.js';
import {ENTER, loaded} from '../support/terminal.js';

type Keys = readonly (readonly [shown: RegExp, typed: string])[];

async function shop() {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  await merchant.customer({name: 'Ana Reyes', email: 'ana.reyes@example.com', billing_statement_prefix: 'ANA'});
  await merchant.customer({name: 'Ana Cruz', email: 'ana.cruz@example.com', billing_statement_prefix: 'CRUZ'});
  return {directory, merchant};
}

/** Closes the terminal once it shows this, and returns the exit status. */
async function closedAt(directory: string, args: readonly string[], keys: Keys, shown: RegExp, options: ScreenOptions) {
  const desk = screen(directory, args, {now: null, ...options});
  for (const [pattern, typed] of keys) {
    await desk.until(pattern);
    desk.type(typed);
  }
  await desk.until(shown);
  desk.close();
  return desk.ended;
}

const CUSTOMER: Keys = [
  [/2 customers/, 'reyes'],
  [/❯ Ana Reyes/, ENTER],
];
const ITEM: Keys = [...CUSTOMER, [/(Item|Line) 1:/, `Hosting @ 500${ENTER}`]];
const DUE: Keys = [...ITEM, [/(Item|Line) 2:/, `done${ENTER}`]];
const REVIEW: Keys = [...DUE, [/Due:/, `+7d${ENTER}`]];

describe.runIf(loaded.pty)('closing the terminal', () => {
  test.each<[string, Keys, RegExp, kept: RegExp | undefined]>([
    ['who pays', [], /Customer:/, undefined],
    ['a half-typed name', [[/2 customers/, 'an']], /❯ Ana/, /"an"/],
    ['the items', ITEM, /Item 2:/, /Hosting/],
    ['a half-typed item', [...ITEM, [/Item 2:/, 'Tie wi']], /Item 2: Tie wi/, /Hosting.*Tie wi|Tie wi.*Hosting/],
    ['the due date', DUE, /Due:/, /Hosting/],
    ['the review', REVIEW, /What's next\?/, /Hosting/],
  ])('at %s keeps what was typed', async (_, keys, shown, kept) => {
    const {directory, merchant} = await shop();
    expect([130, 143]).toContain(await closedAt(directory, ['bill'], keys, shown, {}));
    const folder = join(directory, 'unfinished');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
    if (kept) expect(readFileSync(join(folder, names[0]!), 'utf8')).toMatch(kept);
    else expect(names).toEqual([]);
    expect((await merchant.call('GET', '/billing_statements')).data).toEqual([]);
  });

  test.each<[string, string[], Keys, RegExp, ScreenOptions, statuses: number[]]>([
    ['a search', ['customers', 'get', 'ana'], [], /Which/, {}, [2, 130, 143]],
    ['yes or no', ['customers', 'delete', 'ana.reyes@example.com'], [], /\(y\/N\)/, {}, [12, 130, 143]],
    ['a key', ['login', '--insecure-storage'], [], /key/i, {}, [2, 130, 143]],
    ['a plain line', ['bill'], [], /Customer:/, {env: {ACCESSIBLE: '1'}}, [130, 143]],
    ['the screen of a listener', ['webhooks', 'listen'], [], /Waiting for events/, {}, [143]],
    ['a server', ['sandbox', 'serve', '--port', '0'], [], /http:/, {}, [143]],
  ])('at %s', async (_, args, keys, shown, options, statuses) => {
    const {directory} = await shop();
    expect(statuses).toContain(await closedAt(directory, args, keys, shown, options));
  });
});
