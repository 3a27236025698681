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
import {customerNameReference} from './read-rows.js';

export interface FilledSheet {
  /** The header, then a row for each item, or for each statement if the sheet has columns of charges. */
  readonly cells: readonly (readonly string[])[];
  /** Names of statements that are not in the sheet: it has no columns for their items, or a later bill of the row. */
  readonly unfit: readonly string[];
  /** Fields with values that have no column: `description`. */
  readonly lost: readonly string[];
  /** The item of every row of a sheet without a column for it. */
  readonly item: string | undefined;
}

const textOf = (cell = ''): string => {
  const read = textOfCell(cell);
  return 'value' in read ? read.value : cell;
};

/** Keys by which a statement finds its row, the surest first: its own number, its customer, the customer's name. */
const keysOf = (number = '', id = '', email = '', name = ''): string[] =>
  [number && `#${ownNumber(number)}`, id, email.toLowerCase(), customerNameReference(name)].filter(Boolean);

/** Reads the rows of the sheet by their keys, each with its position. */
async function earlierRows({rows}: Spreadsheet) {
  const earlier = new Map<string, {readonly at: number; readonly all: readonly string[]}>();
  for await (const {cells, all, line: at} of rows) {
    const text = (field: string): string => textOf(cells.get(field));
    const payer = text('customer');
    const email = text('customer_email') || (payer.includes('@') ? payer : '');
    const name = text('customer_name') || `${text('first_name')} ${text('last_name')}`.trim() || payer;
    // An address tells apart customers of one name.
    for (const key of keysOf(text('external_id'), payer.startsWith('cus_') ? payer : '', email, email ? '' : name))
      if (!earlier.has(key)) earlier.set(key, {at, all});
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
  const {columns, missing} = sheet.decision;
  const has = (field: string): boolean => sheet.fields.has(field);
  const earlier = await earlierRows(sheet);
  const charges = columns.filter(({means}) => means === CHARGE);
  const isPriced = columns.some(({means}) => isPrice(means) && !(means === 'amount' && charges.length > 0));
  const [payer = ''] = columns.find(({means}) => means === 'customer')?.column.samples ?? [];
  const lost = new Set<string>();
  const unfit: string[] = [];
  let only: string | undefined;
  const periodic = new Set(
    entries.filter(({object}) => periodOf(object) !== null).map(({object}) => externalIdOf(object)),
  );
  /** The number of a row that is billed each period stays, so that the period knows the row again. */
  const keptNumber = ({statement}: ExportedStatement): string | undefined =>
    periodic.has(externalIdOf(statement)) ? externalIdOf(statement) : undefined;
  // A month may have the bills of two periods.
  const latest = new Map(statements.map((each) => [keptNumber(each), each]));

  const filled = statements.flatMap((exported) => {
    const {statement, rows} = exported;
    const {id = '', email = '', name: fullName = ''} = statementCustomerOf(statement);
    const keys = keysOf(externalIdOf(statement), id, email, fullName);
    const {at = Infinity, all = []} = keys.flatMap((key) => earlier.get(key) ?? [])[0] ?? {};
    const charged = new Map<number, number>();
    const others = rows.filter(({item, quantity, unit_price: price}) => {
      const {index} = charges.find(({column}) => comparedText(column.name) === comparedText(item))?.column ?? {};
      if (index !== undefined) charged.set(index, (charged.get(index) ?? 0) + quantity * price);
      return index === undefined;
    });
    if (missing.includes('item')) only ??= rows[0]!.item;
    const kept = keptNumber(exported);
    const isLatest = kept === undefined || latest.get(kept) === exported;
    const isFit = charges.length > 0 ? others.length === Number(isPriced) : others.length === 1 || has('external_id');
    if (!isLatest || !isFit || (only !== undefined && rows.some(({item}) => item !== only))) {
      unfit.push(statementName(statement));
      return [];
    }
    const [{external_id: next, due, description, metadata}] = rows as [ExportedRow];
    const total = rows.reduce((sum, {quantity, unit_price: price}) => sum + quantity * price, 0);
    const words = fullName.split(' ');
    return (charges.length > 0 ? [others[0]] : others).map((line) => {
      const {item = '', quantity = 1, unit_price: unit = 0} = line ?? {};
      // Without a quantity column, a row counts as 1.
      const price = has('quantity') ? unit : quantity * unit;
      const values: Record<string, string | null> = {
        external_id: kept ?? next,
        customer: payer.includes('@') ? email : payer.startsWith('cus_') ? id : fullName,
        customer_email: email,
        customer_name: fullName,
        first_name: words.slice(0, -1).join(' '),
        last_name: has('first_name') ? words.at(-1)! : fullName,
        item,
        quantity: line ? String(quantity) : '',
        unit_price: decimalPesos(price),
        unit_price_centavos: has('unit_price') ? '' : String(price),
        amount: decimalPesos(quantity * unit),
        amount_due: decimalPesos(total),
        currency: 'PHP',
        due: due === null ? '' : dueText(due),
        description,
      };
      for (const [key, value] of Object.entries(metadata)) values[`metadata.${key}`] = value;
      for (const [field, value] of Object.entries(values))
        if (/^(?:description$|metadata\.)/.test(field) && value && !has(field)) lost.add(field);
      const cells: string[] = [];
      for (const {column, means, leaveOut} of columns) {
        const {index} = column;
        const isCopied = means === undefined || [IGNORE, LEAVE_OUT, NOT_READ].includes(means);
        const copied = textOf(all[index]);
        if (means === CHARGE) cells[index] = charged.has(index) ? decimalPesos(charged.get(index)!) : '';
        else if (!isCopied) cells[index] = values[means] ?? '';
        else cells[index] = leaveOut.includes(comparedCell(copied)) ? '' : copied;
      }
      return {at, cells};
    });
  });
  const header: string[] = [];
  for (const {column} of columns)
    header[column.index] = column.name === `column ${columnLetters(column.index)}` ? '' : textOf(column.name);
  const sorted = filled.toSorted((one, other) => (one.at === other.at ? 0 : one.at - other.at));
  const counters = columns.filter(({means, column}) => means === NOT_READ && isOrdinal(column.name));
  for (const [row, {cells}] of sorted.entries()) for (const {column} of counters) cells[column.index] = String(row + 1);
  return {cells: [header, ...sorted.map(({cells}) => cells)], unfit, lost: [...lost], item: only};
}
