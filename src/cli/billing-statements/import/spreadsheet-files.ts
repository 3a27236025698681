// Spreadsheets that are named on a command line.

import type {Context} from '../../../context.js';
import {Flags} from '../../oclif.js';
import type {ItemInput} from '../../../input/items.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';

/** How the table of a command is read. */
export const tableFlags = (dependsOn: string[] = []) => ({
  'ignore-column': Flags.string({
    dependsOn,
    summary: 'A column that is not to be read, whatever it says of money: "VAT". Repeatable.',
    helpValue: '<column>',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'allow-repeated-items': Flags.boolean({summary: 'Bill rows of a statement that are the same.', dependsOn}),
});

/**
 * The line items in a spreadsheet; how it was read is noted where that needs saying.
 * @param name the flag, for the error's words
 * @throws CentavoError kind `usage` with everything that is wrong in it
 */
export async function readItemsFile(
  context: Context,
  path: string,
  name: string,
  options: ItemsOptions,
): Promise<ItemInput[]> {
  const bytes = await context.readFile(path, name);
  const {readItems} = await import('../../../input/spreadsheet/items.js');
  const {items, notes} = await readItems(() => [bytes], path, options);
  for (const note of notes) context.io.note(`${path}: ${note}`);
  return items;
}
