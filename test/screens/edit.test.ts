// Screens of editing a draft's items: input, changes and result, at three widths.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {screenInProcess} from '../support/in-process.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {FIXED_NOW, masked} from '../support/screen.js';
import {ENTER, loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';

const WIDTHS = widths([60, 80, 100]);
const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory, {now: () => FIXED_NOW * 1000});
let merchant: Merchant;
let customer: string;

beforeAll(async () => {
  merchant = new Merchant(directory, () => FIXED_NOW);
  customer = (
    await merchant.customer({name: 'Ana Reyes', email: 'ana@reyes.example', billing_statement_prefix: 'REYES'})
  ).id as string;
});
afterAll(() => merchant.close());

async function draft(): Promise<string> {
  const {id, billing_statement_number: number} = await merchant.draft({customer_id: customer});
  for (const [description, quantity, unit_price] of [
    ['Hosting', 1, 125_000],
    ['Delivery, Metro Manila', 1, 50_000],
  ] as const)
    await merchant.call('POST', '/billing_statement_line_items', {
      ...{billing_statement_id: id, description, quantity, unit_price},
    });
  return number as string;
}

describe.runIf(loaded.pty)('at a terminal', () => {
  test.each(WIDTHS)('items are changed, added, removed, reviewed and saved, at %i columns', async (columns) => {
    const number = await draft();
    const desk = screenInProcess(directory, ['billing-statements', 'edit', number], {columns, rows: 30});
    const screens: string[] = [];
    const step = async (until: RegExp, keys: string): Promise<void> => {
      await desk.until(until);
      if (keys.endsWith(ENTER) && /Item 4|next/.test(until.source)) screens.push(await desk.text());
      desk.type(keys);
    };
    await step(/Item 4:/, `2${ENTER}`);
    await step(/Line 2: Hosting/, '\u0015Hosting @ 1,300');
    await step(/1 × ₱1,300\.00 = /, ENTER);
    await step(/₱3,300\.00[^]*Item 4:/, `-3${ENTER}`);
    await step(/Item 3:/, `Training x2 @ 900${ENTER}`);
    await step(/Item 4:/, `done${ENTER}`);
    await step(/What's next/, `d${ENTER}`);
    expect(await desk.ended).toBe(0);
    screens.push(await desk.text());
    const shown = masked(screens.join('\n')).replaceAll(number, 'REYES-0001');
    await expect(shown).toMatchFileSnapshot(`texts/edit-${columns}.txt`);
    const {line_items: items} = (await run(['get', number, '--json'])).json();
    expect((items as {description: string}[]).map(({description}) => description)).toEqual([
      'Web design',
      'Hosting',
      'Training',
    ]);
  });
});
