// Reads the line items of a statement from a spreadsheet.

import {CentavoError, type FileFault} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {DEDUCTION, NO_DEDUCTION, exactTotalOf, type StatementItem} from '../items.js';
import {shellQuote} from '../shell-quoting.js';
import {invalidCell, centavosOfCell, pesosOfCell, quantityOfCell, type SheetCell} from './cells.js';
import {ITEM_COLUMNS} from './columns.js';
import {RowErrors, unreadableFileError} from './row-errors.js';
import type {OpenBytes} from './files/encoding.js';
import {readSpreadsheet, type SheetRow} from './read.js';
import {isTotal, TotalRowFinder} from './totals.js';

const faultAt = (
  row: SheetRow,
  field: string,
  problem: Omit<FileFault, 'cell' | 'column' | 'line' | 'value'>,
): FileFault => ({
  ...row.place(field),
  value: row.cells.get(field) ?? '',
  ...problem,
});

/** Reads the item of a row, or returns all faults. @param named the field with the description */
export function itemOfRow(row: SheetRow, named: string): StatementItem | FileFault[] {
  if (row.faults.length > 0) return [...row.faults];
  const {cells} = row;
  const faults: FileFault[] = [];
  const take = <T>(
    field: string,
    read: (text: string) => SheetCell<T>,
    text = cells.get(field) ?? '',
  ): T | undefined => {
    const cell = read(text);
    if ('value' in cell) return cell.value;
    faults.push(faultAt(row, field, cell));
    return undefined;
  };
  const description = cells.get(named) ?? '';
  if (description === '')
    faults.push(
      faultAt(row, named, invalidCell('missing_description', 'It is empty.', 'Describe the item, or delete the row.')),
    );
  else if (isTotal(description))
    return [
      faultAt(row, named, invalidCell('total_row', 'The row looks like a total.', 'Delete it: centavo sums the rows.')),
    ];
  else if (DEDUCTION.test(description))
    return [
      faultAt(
        row,
        named,
        invalidCell('deduction_row', 'The row looks like a deduction, but would be added to the total.', NO_DEDUCTION),
      ),
    ];
  const quantity = cells.has('quantity') ? take('quantity', quantityOfCell) : 1;
  const unitPrice = readPrice(row, faults, take);
  if (quantity === undefined || unitPrice === undefined || faults.length > 0) return faults;
  const wrongTotal = checkTotal(row, quantity, unitPrice);
  return wrongTotal ? [wrongTotal] : {description, quantity, unit_price: unitPrice};
}

function readPrice(
  row: SheetRow,
  faults: FileFault[],
  take: (field: string, read: (text: string) => SheetCell<number>) => number | undefined,
): number | undefined {
  const {cells} = row;
  const centavos = cells.get('unit_price_centavos');
  if (!centavos)
    return take(
      cells.has('unit_price') ? 'unit_price' : 'unit_price_centavos',
      cells.has('unit_price') ? pesosOfCell : centavosOfCell,
    );
  if (!cells.get('unit_price')) return take('unit_price_centavos', centavosOfCell);
  faults.push(
    faultAt(row, 'unit_price_centavos', {
      code: 'invalid_amount',
      problem: 'The row has both a price in pesos and one in centavos.',
      fix: 'Clear one of them.',
    }),
  );
  return undefined;
}

/** Returns a fault if a total in the row differs from quantity × price, whose columns may then mean something else. */
function checkTotal(row: SheetRow, quantity: number, unitPrice: number): FileFault | undefined {
  for (const [field, written] of row.cells) {
    if (!/^amount(?:_due| \d+)?$/.test(field) || written === '') continue;
    const total = pesosOfCell(written);
    if (!('value' in total)) return faultAt(row, field, total);
    if (BigInt(total.value) === BigInt(quantity) * BigInt(unitPrice)) continue;
    return faultAt(row, field, {
      code: 'total_differs',
      problem: `${quantity} × ${formatPesos(unitPrice)} is not this amount.`,
      fix: `Correct the row, or add --ignore-column ${shellQuote(row.place(field).column!)}`,
    });
  }
  return undefined;
}

export const comparedText = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** The fault of a row with the same item as another row, which may be a mistake. */
export const repeatedItem = (row: SheetRow, named: string): FileFault =>
  faultAt(row, named, {
    code: 'repeated_item',
    problem: 'Another row of the statement has the same item, quantity and price.',
    fix: 'Use one row with the whole quantity, or add --allow-repeated-items',
  });

export interface ItemsOptions {
  readonly ignored?: readonly string[];
  readonly allowRepeated?: boolean;
}

/** @returns the items in the order of the file, and notes on how the file was read */
export async function readItems(
  open: OpenBytes,
  file: string,
  options: ItemsOptions = {},
): Promise<{readonly items: StatementItem[]; readonly notes: readonly string[]}> {
  try {
    return await readAll(open, file, options);
  } catch (error) {
    throw error instanceof CentavoError ? error.with({code: 'invalid_items_file'}) : error;
  }
}

async function readAll(
  open: OpenBytes,
  file: string,
  {ignored, allowRepeated = false}: ItemsOptions,
): ReturnType<typeof readItems> {
  const {rows, fields, notes, skippedColumnFaults} = await readSpreadsheet(open, {file, layout: ITEM_COLUMNS, ignored});
  const faults = new RowErrors();
  const totals = new TotalRowFinder();
  const items: StatementItem[] = [];
  const seen = new Set<string>();
  for await (const row of rows) {
    const total = totals.matchTotal(row);
    if (typeof total === 'object') faults.add(total);
    if (total !== false) continue;
    const item = itemOfRow(row, 'description');
    if (Array.isArray(item)) faults.add(...item);
    else {
      const same = JSON.stringify([comparedText(item.description), item.quantity, item.unit_price]);
      if (seen.has(same) && !allowRepeated) faults.add(repeatedItem(row, 'description'));
      seen.add(same);
      items.push(item);
    }
    totals.add(Array.isArray(item) ? undefined : exactTotalOf([item]));
  }
  faults.add(...skippedColumnFaults());
  if (faults.count > 0) throw faults.error(file);
  if (items.length === 0)
    unreadableFileError(file, 'it has no rows under its header.', 'Add one: Web design,2,"15,000"');
  const counted = fields.has('quantity') ? [] : ['No quantity column: each row counts as 1.'];
  return {items, notes: [...notes, ...counted, ...(totals.note === undefined ? [] : [totals.note])]};
}
