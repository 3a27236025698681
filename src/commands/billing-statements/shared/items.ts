// Line items of a command: read from a spreadsheet, and as people and plans write them.

import type {StatementItem} from '../../../billing/compose/plan.js';
import {Flags, repeatable} from '../../../cli/oclif.js';
import type {Context} from '../../../context.js';
import type {ItemInput} from '../../../input/items.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';

export const plannedItem = ({text, quantity, unitPrice}: ItemInput): StatementItem => ({
  description: text,
  quantity,
  unit_price: unitPrice,
});
export const typedItem = ({description, quantity, unit_price: unitPrice}: StatementItem): ItemInput => ({
  text: description,
  quantity,
  unitPrice,
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
): Promise<ItemInput[]> {
  const bytes = await context.readFile(path, name);
  const {readItems} = await import('../../../input/spreadsheet/items.js');
  const {items, notes} = await readItems(() => [bytes], path, options);
  for (const note of notes) context.io.note(`${path}: ${note}`);
  return items;
}
