// Every spreadsheet of the corpus: its items, or its error. messages.txt lists them all.

import {join} from 'node:path';
import {expect, test} from 'vitest';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../../src/common/errors.js';
import {readItems} from '../../../src/input/spreadsheet/items.js';
import {ITEM_COLUMNS, readAnswer, type ColumnAnswer} from '../../../src/input/spreadsheet/meanings.js';
import {formatPesos} from '../../../src/common/pesos.js';
import {answers, corpus} from '../../fixtures/spreadsheets/corpus.js';

const MESSAGES = join(import.meta.dirname, '../../fixtures/spreadsheets/messages.txt');

async function outcome(name: string): Promise<string[]> {
  const bytes = Buffer.from(await corpus[name]!());
  try {
    const map = new Map(
      answers[name]?.map((answer) => {
        const [header, means] = answer.split('=') as [string, string];
        return [header.toLowerCase(), readAnswer(means, ITEM_COLUMNS) as ColumnAnswer];
      }),
    );
    const {items, notes} = await readItems(() => [bytes], name, {map});
    const shown = items.map(
      ({description, quantity, unit_price: price}) =>
        `${JSON.stringify(description)} ${quantity} × ${formatPesos(price)}`,
    );
    return [...notes.map((note) => `note: ${note}`), ...shown];
  } catch (error) {
    if (error instanceof CentavoError) return errorLines(error);
    throw error;
  }
}

test('reads each file, or explains the refusal', async () => {
  const outcomes: string[] = [];
  for (const name of Object.keys(corpus))
    outcomes.push([name, ...(await outcome(name)).map((line) => `  ${line}`)].join('\n'));
  expect(outcomes.length).toBeGreaterThanOrEqual(40);
  await expect(`${outcomes.join('\n\n')}\n`).toMatchFileSnapshot(MESSAGES);
});
