// Reads the line items of a statement from a spreadsheet.

import {CentavoError, type FileFault} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {DEDUCTION, NO_DEDUCTION, exactTotalOf, type StatementItem} from '../items.js';
import {shellQuote} from '../../common/next-text.js';
import {
  centavosOfCell,
  invalidCell,
  isNothing,
  pesosOfCell,
  quantityOfCell,
  textOfCell,
  type SheetCell,
} from './cells.js';
import {isPesoWord} from './currencies.js';
import {CHARGE, ITEM_COLUMNS, isTotal} from './meanings.js';
import {RowErrors, unreadableFileError} from './row-errors.js';
import type {OpenBytes} from './files/encoding.js';
import {readSpreadsheet, type ReadSpreadsheetOptions, type SheetRow} from './read.js';
import {isBlank} from './survey.js';
import {TotalRowFinder} from './totals.js';

const faultAt = (row: SheetRow, field: string, problem: Omit<FileFault, 'cell' | 'column' | 'line' | 'value'>) => ({
  ...row.place(field),
  value: row.cells.get(field) ?? '',
  ...problem,
});

/** Items and totals of a row, or all its faults. */
export type RowItems = FileFault[] | {readonly items: readonly StatementItem[]; readonly claims: readonly RowClaim[]};

/** A total in a row that differs from the row's items, and must therefore equal the statement's total. */
export interface RowClaim {
  /** Centavos. */
  readonly amount: number;
  /** The fault, if the statement comes to another amount. */
  readonly fault: FileFault;
}

export interface RowItemOptions {
  /** The field with the description. */
  readonly named: string;
  /** The item of rows that name none. */
  readonly item?: string | undefined;
}

/** Reads the items of a row: the one that it describes, and one for each charge that it has. */
export function itemsOfRow(row: SheetRow, options: RowItemOptions): RowItems {
  if (row.faults.length > 0) return [...row.faults];
  const faults: FileFault[] = [];
  const items: StatementItem[] = [];
  const hasCharges = [...row.cells.keys()].some((field) => field.startsWith(`${CHARGE} `));
  for (const [field, text] of row.cells) {
    if (field === 'currency' && text !== '' && !isPesoWord(text))
      faults.push(
        faultAt(row, field, invalidCell('not_in_pesos', 'Pesos are the only currency.', 'Convert the price to pesos.')),
      );
    if (!field.startsWith(`${CHARGE} `) || isNothing(text)) continue;
    const price = pesosOfCell(text, row.numbers);
    if ('value' in price) items.push({description: row.place(field).column!, quantity: 1, unit_price: price.value});
    else faults.push(faultAt(row, field, price));
  }
  const isDescribed = ['unit_price', 'unit_price_centavos', ...(hasCharges ? [] : ['amount'])].some((field) =>
    row.cells.has(field),
  );
  const unread = [options.named, 'quantity'].find((field) => !/^1?$/.test(row.cells.get(field) ?? ''));
  if (isDescribed || !hasCharges) {
    const item = itemOfRow(row, options);
    if (Array.isArray(item)) return item.some(({code}) => code === 'total_row') ? item : [...faults, ...item];
    items.unshift(item);
  } else if (unread) {
    const problem = 'The headers of the charges are the items, each with the quantity 1.';
    const fix = `Clear it, or add --map ${shellQuote(`${row.place(unread).column!}=ignore`)}`;
    faults.push(faultAt(row, unread, {code: 'unread_cell', problem, fix}));
  } else if (items.length === 0 && faults.length === 0) {
    const field = [...row.cells.keys()].find((each) => each.startsWith(`${CHARGE} `))!;
    const isNamedTotal = row.all.some((text) => isTotal(text.trim()));
    faults.push(
      faultAt(
        row,
        field,
        invalidCell(
          isNamedTotal ? 'total_row' : 'no_charge',
          'The row has no charge.',
          'Fill one in, or delete the row.',
        ),
      ),
    );
  }
  if (faults.length > 0) return faults;
  const claims = claimsOf(row, items, isDescribed || !hasCharges ? items[0] : undefined);
  return Array.isArray(claims) ? {items, claims} : [claims];
}

function itemOfRow(row: SheetRow, {named, item: filled}: RowItemOptions): StatementItem | FileFault[] {
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
  const written = cells.get(named) ?? '';
  const description = take(named, textOfCell, isBlank(written) ? (filled ?? '') : written) ?? '';
  if (faults.length > 0) return faults;
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
  const quantity = cells.has('quantity') ? take('quantity', (text) => quantityOfCell(text, row.numbers)) : 1;
  const unitPrice =
    cells.has('unit_price') || cells.has('unit_price_centavos')
      ? readPrice(row, faults, take)
      : dividedPrice(row, quantity, faults, take);
  if (quantity === undefined || unitPrice === undefined || faults.length > 0) return faults;
  return {description, quantity, unit_price: unitPrice};
}

type Take = (field: string, read: (text: string) => SheetCell<number>) => number | undefined;

/** The price of a row that states its quantity and its total only. */
function dividedPrice(row: SheetRow, quantity: number | undefined, faults: FileFault[], take: Take) {
  const total = take('amount', (text) => pesosOfCell(text, row.numbers));
  if (total === undefined || quantity === undefined || total % quantity === 0) return total && total / (quantity ?? 1);
  const problem = `It cannot be divided into ${quantity.toLocaleString('en')} equal prices.`;
  const fix = `Correct the row, or add --map ${shellQuote(`${row.place('quantity').column!}=ignore`)}`;
  faults.push(faultAt(row, 'amount', {code: 'total_differs', problem, fix}));
  return undefined;
}

function readPrice(row: SheetRow, faults: FileFault[], take: Take): number | undefined {
  const {cells} = row;
  const centavos = cells.get('unit_price_centavos');
  if (!centavos)
    return take(
      cells.has('unit_price') ? 'unit_price' : 'unit_price_centavos',
      cells.has('unit_price') ? (text) => pesosOfCell(text, row.numbers) : centavosOfCell,
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

/**
 * Compares the totals that a row states with its items. Returns those that may be its statement's, or a fault.
 * @param described the item beside the charges of the row
 */
function claimsOf(
  row: SheetRow,
  items: readonly StatementItem[],
  described: StatementItem | undefined,
): FileFault | RowClaim[] {
  const claims: RowClaim[] = [];
  const sum = exactTotalOf(items);
  const [only, ...others] = items;
  const sumText =
    only && others.length === 0
      ? `${only.quantity.toLocaleString('en')} × ${formatPesos(only.unit_price)} is`
      : `The items come to ${formatPesos(sum)},`;
  for (const [field, written] of row.cells) {
    if (!/^amount(?:_due)?(?: \d+)?$/.test(field) || written === '') continue;
    const total = pesosOfCell(written, row.numbers);
    // Zero is a total, too: a balance of 0.00 says that nothing is owed.
    const amount = 'value' in total ? total.value : isNothing(written) ? 0 : undefined;
    if (!('value' in total) && amount === undefined) return faultAt(row, field, total);
    const isLineTotal = described !== undefined && !field.startsWith('amount_due');
    if (BigInt(amount!) === sum || (isLineTotal && BigInt(amount!) === exactTotalOf([described]))) continue;
    const fault = faultAt(row, field, {
      code: 'total_differs',
      problem: `${sumText} not this amount.`,
      fix: `Correct the row. Only if the column is not the amount that is owed, add --map ${shellQuote(`${row.place(field).column!}=ignore`)}`,
    });
    if (!field.startsWith('amount_due') || amount === 0) return fault;
    claims.push({amount: amount!, fault});
  }
  return claims;
}

export const comparedText = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

export const repeatedItem = (row: SheetRow, named: string): FileFault =>
  faultAt(row, named, {
    code: 'repeated_item',
    problem: 'Another row of the statement has the same item, quantity and price.',
    fix: 'Use one row with the whole quantity.',
    override: '--allow-repeated-items',
  });

export interface ItemsOptions extends Pick<ReadSpreadsheetOptions, 'decide' | 'map' | 'sheet'> {
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
    throw error instanceof CentavoError && error.code === 'invalid_file'
      ? error.with({code: 'invalid_items_file'})
      : error;
  }
}

/** Collects the items of rows, passes over total rows, and finds the faults. */
export class ItemRows {
  readonly items: StatementItem[] = [];
  readonly totals = new TotalRowFinder();
  readonly #claims = new Map<number, FileFault>();
  readonly #seen = new Set<string>();

  constructor(
    private readonly faults: RowErrors,
    private readonly allowRepeated: boolean,
  ) {}

  add(row: SheetRow): void {
    const {faults, items, totals} = this;
    const total = totals.matchTotal(row);
    if (typeof total === 'object') faults.add(total);
    if (total !== false) return;
    const read = itemsOfRow(row, {named: 'description'});
    totals.add(row, Array.isArray(read) ? undefined : read.items);
    if (row.leftOut) return;
    if (Array.isArray(read)) return faults.add(...read);
    for (const item of read.items) {
      const same = JSON.stringify([comparedText(item.description), item.quantity, item.unit_price]);
      if (this.#seen.has(same) && !this.allowRepeated) faults.add(repeatedItem(row, 'description'));
      this.#seen.add(same);
      items.push(item);
    }
    for (const {amount, fault} of read.claims) this.#claims.set(amount, fault);
  }

  /** Compares the totals that rows state with the sum of all rows. */
  end(): void {
    for (const [amount, fault] of this.#claims) if (BigInt(amount) !== exactTotalOf(this.items)) this.faults.add(fault);
  }
}

async function readAll(open: OpenBytes, file: string, options: ItemsOptions): ReturnType<typeof readItems> {
  const {allowRepeated = false, ...reading} = options;
  const sheet = await readSpreadsheet(open, {...reading, file, layout: ITEM_COLUMNS});
  const faults = new RowErrors(sheet.decision);
  faults.add(...sheet.faults);
  const table = new ItemRows(faults, allowRepeated);
  for await (const row of sheet.decision.canReadRows ? sheet.rows : []) table.add(row);
  table.end();
  const {items, totals} = table;
  if (faults.count > 0) throw faults.error(file);
  if (items.length === 0)
    unreadableFileError(file, 'it has no rows under its header.', 'Add one: Web design,2,"15,000"');
  const counted = sheet.fields.has('quantity') ? [] : ['No quantity column: each row counts as 1.'];
  return {items, notes: [...sheet.notes, ...counted, ...totals.notes]};
}
