// The line items of a statement in a spreadsheet.

import {CentavoError, type FileFault} from '../../errors.js';
import {formatPesos} from '../../pesos.js';
import type {ItemInput} from '../items.js';
import {readCentavos, readPesos, readQuantity, type Cell} from './cells.js';
import {ITEM_COLUMNS} from './columns.js';
import type {OpenBytes} from './encoding.js';
import {Faults, refuseFile} from './faults.js';
import {readSpreadsheet, type Row} from './read.js';
import {isTotal, Totals} from './totals.js';

const at = (row: Row, field: string, problem: Omit<FileFault, 'cell' | 'column' | 'line' | 'value'>): FileFault => ({
  ...row.place(field),
  value: row.cells.get(field) ?? '',
  ...problem,
});

/**
 * The item of a row, or all that is wrong with it.
 * @param named the field that names the item
 */
export function readItem(row: Row, named: string): ItemInput | FileFault[] {
  if (row.faults.length > 0) return [...row.faults];
  const {cells} = row;
  const faults: FileFault[] = [];
  const take = <T>(field: string, read: (text: string) => Cell<T>, text = cells.get(field) ?? ''): T | undefined => {
    const cell = read(text);
    if ('value' in cell) return cell.value;
    faults.push(at(row, field, cell));
    return undefined;
  };
  const text = cells.get(named) ?? '';
  if (text === '')
    faults.push(
      at(row, named, {
        code: 'missing_description',
        problem: 'It is empty.',
        fix: 'Say what is billed, or delete the row.',
      }),
    );
  else if (isTotal(text))
    return [
      at(row, named, {
        code: 'total_row',
        problem: 'The row looks like a total.',
        fix: 'Delete it: the total is added up.',
      }),
    ];
  const quantity = cells.has('quantity') ? take('quantity', readQuantity) : 1;
  const unitPrice = readPrice(row, faults, take);
  if (quantity === undefined || unitPrice === undefined || faults.length > 0) return faults;
  const wrongTotal = checkTotal(row, quantity, unitPrice);
  return wrongTotal ? [wrongTotal] : {text, quantity, unitPrice};
}

function readPrice(
  row: Row,
  faults: FileFault[],
  take: (field: string, read: (text: string) => Cell<number>) => number | undefined,
): number | undefined {
  const {cells} = row;
  const centavos = cells.get('unit_price_centavos');
  if (!centavos)
    return take(
      cells.has('unit_price') ? 'unit_price' : 'unit_price_centavos',
      cells.has('unit_price') ? readPesos : readCentavos,
    );
  if (!cells.get('unit_price')) return take('unit_price_centavos', readCentavos);
  faults.push(
    at(row, 'unit_price_centavos', {
      code: 'invalid_amount',
      problem: 'The row has both a price in pesos and one in centavos.',
      fix: 'Clear one of them.',
    }),
  );
  return undefined;
}

/** Where the row has a total of its own, it must be that of the item: else price or quantity were meant otherwise. */
function checkTotal(row: Row, quantity: number, unitPrice: number): FileFault | undefined {
  const written = row.cells.get('amount');
  const total = written ? readPesos(written) : undefined;
  if (!total) return undefined;
  if (!('value' in total)) return at(row, 'amount', total);
  if (BigInt(total.value) === BigInt(quantity) * BigInt(unitPrice)) return undefined;
  return at(row, 'amount', {
    code: 'total_differs',
    problem: `${quantity} × ${formatPesos(unitPrice)} is not that.`,
    fix: 'Correct the row, or remove the column.',
  });
}

/**
 * The items of a file, in its order.
 * @param file as it was named, for the words of errors
 * @returns the items, and what a person should know of how the file was read
 * @throws CentavoError kind `usage` with all faults
 */
export async function readItems(
  open: OpenBytes,
  file: string,
): Promise<{readonly items: ItemInput[]; readonly notes: readonly string[]}> {
  try {
    return await readAll(open, file);
  } catch (error) {
    throw error instanceof CentavoError ? error.with({code: 'invalid_items_file'}) : error;
  }
}

async function readAll(open: OpenBytes, file: string): ReturnType<typeof readItems> {
  const {rows, fields, notes} = await readSpreadsheet(open, {file, layout: ITEM_COLUMNS});
  const faults = new Faults();
  const totals = new Totals();
  const items: ItemInput[] = [];
  for await (const row of rows) {
    const total = totals.leavesOut(row);
    if (typeof total === 'object') faults.add(total);
    if (total !== false) continue;
    const item = readItem(row, 'description');
    if (Array.isArray(item)) faults.add(...item);
    else items.push(item);
    totals.add(Array.isArray(item) ? undefined : BigInt(item.quantity) * BigInt(item.unitPrice));
  }
  if (faults.count > 0) throw faults.error(file);
  if (items.length === 0) refuseFile(file, 'it has no rows under its header.', 'Add one: Web design,2,"15,000"');
  const counted = fields.has('quantity') ? [] : ['There is no quantity column: each row counts as 1.'];
  return {items, notes: [...notes, ...counted, ...(totals.note === undefined ? [] : [totals.note])]};
}
