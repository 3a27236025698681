// Reads line items from --item flags and from spreadsheets.

import {Flags, repeatable} from '../../../cli/oclif.js';
import type {Context} from '../../../context/context.js';
import {formatPesos} from '../../../common/pesos.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {readItem, type StatementItem} from '../../../input/items.js';
import {quote} from '../../../input/money.js';
import {shellQuote} from '../../../input/shell-quoting.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';
import {alternativeReading} from '../../../input/typed-items.js';

/** Reads --item flags. Prints a note if a number in a description may be the quantity. */
export const readItemFlags = (context: Context, texts: readonly string[]): StatementItem[] =>
  texts.map((text) => {
    const item = valueOrThrow(readItem(text), '--item');
    const {count, rewritten} = alternativeReading(item, text.trim()) ?? {};
    if (rewritten !== undefined)
      context.io.note(
        `${quote(item.description)} counts as 1 × ${formatPesos(item.unit_price)}. If ${count} is the quantity: --item ${shellQuote(rewritten)}`,
      );
    return item;
  });

export const tableFlags = (dependsOn: string[] = []) => ({
  'ignore-column': Flags.string({
    dependsOn,
    summary: 'Ignore this column, even if it looks like an amount: "VAT". Repeatable.',
    helpValue: '<column>',
    ...repeatable,
  }),
  'allow-repeated-items': Flags.boolean({summary: 'Allow identical rows in a statement.', dependsOn}),
});

/** Reads line items from a spreadsheet and prints its notes. @param name the flag, for errors */
export async function readItemsFile(
  context: Context,
  path: string,
  name: string,
  options: ItemsOptions,
): Promise<StatementItem[]> {
  const bytes = await context.readFile(path, name);
  const {readItems} = await import('../../../input/spreadsheet/items.js');
  const {items, notes} = await readItems(() => [bytes], path, options);
  for (const note of notes) context.io.note(`${path}: ${note}`);
  return items;
}
