// Suggestions for words in the wrong place: a verb, a day, a value or a name of an object.

import {afterAll, beforeAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';

const run = commandsIn(temporaryDirectory(afterAll));

beforeAll(async () => {
  await run(['customers', 'create', '--name', 'Juan Dela Cruz', '--email', 'juan@example.com']);
});

const hintOf = async (...words: readonly string[]) => {
  const {status, stderr} = await run(words);
  return {status, hint: stderr.trimEnd().split('\n').at(-1)!.trim()};
};

/** Splits at spaces; `_` stands for a space inside of a word. */
const split = (line: string): string[] => line.split(' ').map((word) => word.replaceAll('_', ' '));

test.each([
  // A verb after bill.
  ['bill edit JEEPNEY-0002', 'edit JEEPNEY-0002'],
  ['bill void JEEPNEY-0002 --json', undefined],
  ['bill show JEEPNEY-0002', 'get JEEPNEY-0002'],
  ['bill refund juan --amount 5', 'refund juan --amount 5'],
  ['bill list', 'billing-statements list'],
  // A day without its flag.
  ['paid yesterday', 'paid --since yesterday'],
  ['paid 2026-11-20', 'paid --since 2026-11-20'],
  ['history today', 'history --since today'],
  ['bill juan friday', 'bill juan --due friday'],
  ['settle juan yesterday', 'settle juan --on yesterday'],
])('%s → %s', async (line, meant) => {
  if (meant === undefined) {
    const {next} = (await run(split(line))).error();
    expect(next).toEqual([['void', 'JEEPNEY-0002', '--json']]);
    return;
  }
  expect(await hintOf(...split(line))).toMatchObject({hint: `Did you mean: centavo ${meant}`});
});

test.each([
  ['remind yesterday', 'To see what it takes: centavo remind --help'],
  ['bill April', 'To add this customer: centavo customers create --name April'],
  ['paid april --since friday', 'To add this customer: centavo customers create --name april'],
  ['duplicate yesterday', 'To see what it takes: centavo duplicate --help'],
  ['month yesterday', expect.stringContaining('For example: 20')],
  ['month last month', 'Put text with spaces in quotes. To list the arguments: centavo month --help'],
  ['customers list id,name', 'Choose fields with --fields. To list the arguments: centavo customers list --help'],
  ['export --month last month', 'Put text with spaces in quotes. To list the arguments: centavo export --help'],
  ['bill create', 'To add this customer: centavo customers create --name create'],
  ['sandbox pay JEEPNEY-0002 --method gcsh', 'Did you mean --method gcash?'],
  ['billing-statements list --status void --since whenever', expect.stringContaining('Write a day as')],
])('%s: %s', async (line, hint) => {
  expect((await hintOf(...split(line))).hint).toEqual(hint);
});

test('says what --overdue takes', async () => {
  for (const words of [
    ['remind', '--overdue', 'yesterday'],
    ['owed', '--overdue', 'last', 'week'],
    ['billing-statements', 'list', '--overdue', 'tomorrow'],
    ['remind', '--dry-run', '--overdue', 'tomorrow'],
  ]) {
    // A command that only reads does not say that nothing was sent.
    const unsent = words[0] === 'remind' && words[1] !== '--dry-run' ? '  Nothing was sent.\n' : '';
    const day = words.find((word) => /^(?:yesterday|last|tomorrow)$/.test(word));
    expect((await run(words)).stderr).toBe(
      `Error: --overdue "${day}" is not a number of whole days.\n${unsent}  For example: --overdue 30d\n`,
    );
  }
});
