// Line items of a command that are read from a spreadsheet.

import {Flags, repeatable} from '../../../cli/oclif.js';
import type {Context} from '../../../context.js';
import type {StatementItem} from '../../../input/items.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';

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
