// Writes the statements of a month into the columns of a sheet that an import reads.

import {statementCustomerOf, statementName} from '../../api/statement.js';
import {decimalPesos} from '../../common/pesos.js';
import {ownNumber} from '../../input/own-numbers.js';
import {textOfCell} from '../../input/spreadsheet/cells.js';
import {columnLetters} from '../../input/spreadsheet/files/xlsx.js';
import {comparedText} from '../../input/spreadsheet/items.js';
import {
  CHARGE,
  IGNORE,
  LEAVE_OUT,
  NOT_READ,
  comparedCell,
  isOrdinal,
  isPrice,
} from '../../input/spreadsheet/meanings.js';
import type {Spreadsheet} from '../../input/spreadsheet/read.js';
import type {Book} from '../reports/standings.js';
import {externalIdOf, periodOf} from './existing-statements.js';
import type {ExportedRow, ExportedStatement} from './export-month.js';
import {customerNameReference, readCustomer} from './read-rows.js';

export interface FilledSheet {
  /** The header, then a row for each item, or for each statement if the sheet has columns of charges. */
  readonly cells: readonly (readonly string[])[];
  /** Names of statements that are not in the sheet: it has no columns for their items, or has a later bill of the row. */
  readonly unfit: readonly string[];
  /** Numbers of rows of the sheet without a bill in the month. */
  readonly unbilled: readonly string[];
  /** The item of every row of a sheet without a column for it. */
  readonly item: string | undefined;
}

const textOf = (cell = ''): string => {
  const read = textOfCell(cell);
  return 'value' in read ? read.value : cell;
};

/** Reads the rows of the sheet, each by its own number and by its payer. */
async function earlierRows({rows}: Spreadsheet) {
  const earlier = new Map<string, {readonly at: number; readonly all: readonly string[]; readonly number: string}>();
  for await (const {cells, all, line: at} of rows) {
    const text = (field: string): string => textOf(cells.get(field));
    const {customer} = readCustomer(text, () => {});
    const number = text('external_id') && `#${ownNumber(text('external_id'))}`;
    // A total has no customer.
    const row = {at, all, number: customer ? text('external_id') : ''};
    for (const key of [number, customer]) if (key && !earlier.has(key)) earlier.set(key, row);
  }
  return earlier;
}

/**
 * Keeps the headers, the order of the rows, and the cells of columns that an import does not read.
 * @param dueText writes a day such as `2026-12-15` as a cell
 */
export async function fillSheet(
  sheet: Spreadsheet,
  statements: readonly ExportedStatement[],
  {entries}: Pick<Book, 'entries'>,
  dueText: (day: string) => string,
): Promise<FilledSheet> {
  const {columns} = sheet.decision;
  const earlier = await earlierRows(sheet);
  const charges = columns.filter(({means}) => means === CHARGE);
  const isPriced = columns.some(({means}) => isPrice(means) && !(means === 'amount' && charges.length > 0));
  const hasItems = columns.some(({means}) => means === 'item' || means === CHARGE);
  const only = hasItems ? undefined : statements[0]?.rows[0]?.item;
  const unfit: string[] = [];
  const periodic = new Set(
    entries.filter(({object}) => periodOf(object) !== null).map(({object}) => externalIdOf(object)),
  );
  /** The number of a row that is billed each period stays, so that the period knows the row again. */
  const keptNumber = ({statement}: ExportedStatement): string | undefined =>
    periodic.has(externalIdOf(statement)) ? externalIdOf(statement) : undefined;
  // A month may have the bills of two periods.
  const latest = new Map(statements.map((each) => [keptNumber(each), each]));

  const cells = [
    columns.map(({column: {index, name}}) => (name === `column ${columnLetters(index)}` ? '' : textOf(name))),
  ];
  const rowOf = ({statement}: ExportedStatement) => {
    const {id = '', email = '', name = ''} = statementCustomerOf(statement);
    const keys = [`#${externalIdOf(statement)}`, id, email.toLowerCase(), customerNameReference(name)];
    return keys.flatMap((key) => earlier.get(key) ?? [])[0] ?? {at: Number.MAX_SAFE_INTEGER, all: []};
  };
  const placed = statements.map((exported) => ({exported, ...rowOf(exported)}));
  for (const {exported, all} of placed.toSorted((one, other) => one.at - other.at)) {
    const {statement, rows} = exported;
    const charged = new Map<number, number>();
    const others = rows.filter((row) => {
      const {index} = charges.find(({column}) => comparedText(column.name) === comparedText(row.item))?.column ?? {};
      if (index !== undefined) charged.set(index, (charged.get(index) ?? 0) + totalOf([row]));
      return index === undefined;
    });
    const kept = keptNumber(exported);
    const isLatest = kept === undefined || latest.get(kept) === exported;
    const isFit =
      charges.length > 0 ? others.length === Number(isPriced) : others.length === 1 || sheet.fields.has('external_id');
    if (!isLatest || !isFit || (only !== undefined && rows.some(({item}) => item !== only))) {
      unfit.push(statementName(statement));
      continue;
    }
    for (const line of charges.length > 0 ? [others[0]] : others) {
      const values = valuesOf(exported, line, kept, sheet, dueText);
      const cellOf = ({column: {index, name}, means = IGNORE, leaveOut}: (typeof columns)[number]): string => {
        if (means === CHARGE) return charged.has(index) ? decimalPesos(charged.get(index)!) : '';
        if (means === NOT_READ && isOrdinal(name)) return String(cells.length);
        const copied = textOf(all[index]);
        if ([IGNORE, LEAVE_OUT, NOT_READ].includes(means)) return leaveOut.includes(comparedCell(copied)) ? '' : copied;
        return values[means] ?? '';
      };
      cells.push(columns.map(cellOf));
    }
  }
  const billed = new Set(placed.map(({at}) => at));
  const unbilled = [...earlier].filter(([key, {at, number}]) => key.startsWith('#') && number && !billed.has(at));
  return {cells, unfit, unbilled: unbilled.map(([, {number}]) => number), item: only};
}

const totalOf = (rows: readonly ExportedRow[]): number =>
  rows.reduce((sum, {quantity, unit_price: price}) => sum + quantity * price, 0);

/** Returns the cells of a row by field. @param line its item, if charges do not have all @param kept its number, if it stays */
function valuesOf(
  {statement, rows}: ExportedStatement,
  line: ExportedRow | undefined,
  kept: string | undefined,
  {fields, decision}: Spreadsheet,
  dueText: (day: string) => string,
): Readonly<Record<string, string | null>> {
  const {id = '', email = '', name = ''} = statementCustomerOf(statement);
  const {external_id: next, due, description, metadata} = rows[0]!;
  const [payer = ''] = decision.columns.find(({means}) => means === 'customer')?.column.samples ?? [];
  const words = name.split(' ');
  const amount = line ? totalOf([line]) : 0;
  // Without a quantity column, a row counts as 1.
  const price = line && fields.has('quantity') ? line.unit_price : amount;
  return {
    external_id: kept ?? next,
    customer: payer.includes('@') ? email : payer.startsWith('cus_') ? id : name,
    customer_email: email,
    customer_name: name,
    first_name: words.slice(0, -1).join(' '),
    last_name: fields.has('first_name') ? words.at(-1)! : name,
    item: line?.item ?? '',
    quantity: line ? String(line.quantity) : '',
    unit_price: decimalPesos(price),
    unit_price_centavos: fields.has('unit_price') ? '' : String(price),
    amount: decimalPesos(amount),
    amount_due: decimalPesos(totalOf(rows)),
    currency: 'PHP',
    due: due === null ? '' : dueText(due),
    description,
    ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value])),
  };
}
