// Line items of a command: those of --item, and those of a spreadsheet.

import {Flags, repeatable} from '../../../cli/oclif.js';
import type {Context} from '../../../context/context.js';
import {formatPesos} from '../../../common/pesos.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {readItem, type StatementItem} from '../../../input/items.js';
import {quote} from '../../../input/money.js';
import {shellQuote} from '../../../input/shell-quoting.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';
import {alternativeReading} from '../../../input/typed-items.js';

/** Those of --item. Says so where a number in a name may be meant as the quantity, since nobody is asked. */
export const readItemFlags = (context: Context, texts: readonly string[]): StatementItem[] =>
  texts.map((text) => {
    const item = valueOrThrow(readItem(text), '--item');
    const {count, meant} = alternativeReading(item, text.trim()) ?? {};
    if (meant !== undefined)
      context.io.note(
        `${quote(item.description)} is one piece at ${formatPesos(item.unit_price)}. If ${count} is the quantity: --item ${shellQuote(meant)}`,
      );
    return item;
  });

/** How the table of a command is read. */
export const tableFlags = (dependsOn: string[] = []) => ({
  'ignore-column': Flags.string({
    dependsOn,
    summary: 'A column that is not to be read, whatever it says of money: "VAT". Repeatable.',
    helpValue: '<column>',
    ...repeatable,
  }),
  'allow-repeated-items': Flags.boolean({summary: 'Bill rows of a statement that are the same.', dependsOn}),
});

/** The line items in a spreadsheet. Says how it was read where that needs saying. @param name the flag, for errors */
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
