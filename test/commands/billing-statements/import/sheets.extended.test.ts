// Sheets that people and programs write, with the answers of their owners: billed exactly, or refused with a reason.

import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';

/** What a person answers, divided by semicolons, and what is then billed: centavos by number, or by address. */
interface Expected {
  readonly answers?: string;
  readonly bills?: Readonly<Record<string, number>>;
  /** The code and column of the first fault, if the sheet is refused. */
  readonly refused?: string;
}

const folder = new URL('../../../fixtures/sheets/', import.meta.url);
const sheets = Object.entries<Expected>(JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')));
/** A day on which no due date of the sheets has passed. */
const now = (): number => Date.UTC(2026, 10, 27);

/** The bills of a dry run; or the code and column of its first fault. */
async function outcome(file: string, answers: readonly string[], byAddress: boolean): Promise<unknown> {
  const flags = answers.flatMap((answer) => ['--map', answer]);
  const words = ['billing-statements', 'import', new URL(file, folder).pathname, '--dry-run', '--json', ...flags];
  const result = await commandsIn(temporaryDirectory(), {now})(words);
  if (result.status === 0) {
    const rows = result.rows<{external_id: string; amount: number}>();
    return rows.map(({external_id: id, amount}) => (byAddress ? amount : [id, amount]));
  }
  expect(result).toMatchObject({status: 2, stdout: ''});
  const {code, faults: [first] = []} = result.error();
  return [first?.code ?? code, first?.column].filter(Boolean).join(' ');
}

test.each(sheets)('%s', async (file, {answers, bills, refused}) => {
  const byAddress = Object.keys(bills ?? {}).some((key) => key.includes('@'));
  const wanted = bills ? Object.entries(bills).map((bill) => (byAddress ? bill[1] : bill)) : refused;
  expect(await outcome(file, answers?.split('; ') ?? [], byAddress)).toEqual(wanted);
  // Without its answers, a sheet bills the same or nothing.
  const unanswered = await outcome(file, [], byAddress);
  if (typeof unanswered !== 'string') expect(unanswered).toEqual(wanted);
});

test('refuses two honest sheets at most', () => {
  const refused = sheets.filter((sheet) => sheet[0].startsWith('honest/') && sheet[1].refused);
  expect(refused.map(([file]) => file)).toEqual([
    'honest/15-quickbooks-online.csv',
    'honest/22-loyverse-house-accounts.csv',
  ]);
});
