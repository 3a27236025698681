// Reads a spreadsheet row by row. CSV files of any length take the same memory; workbooks are read as a whole.

import type {FileFault} from '../../common/errors.js';
import {isHeader, countKnownColumns, readHeader, type SheetColumns, type SheetLayout} from './columns.js';
import {MoneyColumns} from './money-columns.js';
import {unreadableFileError} from './row-errors.js';
import {csvRows, findSeparator, HEADER_ROWS, separatorName} from './files/csv.js';
import {decodeText, findEncoding, wholeLines, type FileEncoding, type OpenBytes} from './files/encoding.js';
import {columnLetters, readSheet, type XlsxRow} from './files/xlsx.js';
import {kindOfFile} from './formats.js';

export interface SheetRow {
  /** The first line of the row in a text file, or the row number in a sheet. The first is 1. */
  readonly line: number;
  /** Trimmed texts by field, for the fields in the file. */
  readonly cells: ReadonlyMap<string, string>;
  /** Exact texts by field, where the sheet shows another text, which is then in `cells`. */
  readonly raw?: ReadonlyMap<string, string>;
  /** All cells of the row, including skipped columns. */
  readonly all: readonly string[];
  readonly place: (field: string) => Pick<FileFault, 'cell' | 'column' | 'line'>;
  /** Faults that do not depend on the values. Do not use `cells` of a row with such faults. */
  readonly faults: readonly FileFault[];
}

export interface Spreadsheet {
  readonly fields: ReadonlySet<string>;
  /** Sentences on how the file was read. */
  readonly notes: readonly string[];
  readonly rows: AsyncIterable<SheetRow>;
  /** The place of a row, and of the first of these fields that the file has. */
  readonly place: (line: number, ...fields: readonly string[]) => ReturnType<SheetRow['place']>;
  /** Faults of skipped columns; complete after all rows. */
  readonly skippedColumnFaults: () => readonly FileFault[];
}

export interface ReadSpreadsheetOptions {
  readonly layout: SheetLayout;
  /** The file name that the user typed. */
  readonly file: string;
  /** Fields by header; these override the known headers. */
  readonly map?: ReadonlyMap<string, string>;
  /** Headers of columns to skip. */
  readonly ignored?: readonly string[];
}

/** Bytes or characters at the start of a file in which centavo looks for encoding and separator. */
const HEAD = 65_536;

/** @throws CentavoError kind `usage` if the file cannot be read as a whole; faults of rows are returned */
export async function readSpreadsheet(open: OpenBytes, options: ReadSpreadsheetOptions): Promise<Spreadsheet> {
  const {file} = options;
  const head = await readHeadBytes(open);
  return kindOfFile(head, file) === 'zip'
    ? readWorkbook(await readAllBytes(open), options)
    : readText(open, await findEncoding(open, head, file), options);
}

async function readText(
  open: OpenBytes,
  encoding: FileEncoding,
  options: ReadSpreadsheetOptions,
): Promise<Spreadsheet> {
  const {file, layout, map = new Map<string, string>()} = options;
  const lines = () => wholeLines(decodeText(open, encoding, file));
  const {separator, skip} = await findSeparator(await readHead(lines()), file, (cells) => isHeader(cells, layout, map));
  const found = await withHeader(rawRows(lines(), separator, skip), options, false);
  const note =
    encoding === 'Windows-1252'
      ? ['Read as Windows-1252 (Excel’s ANSI). Check the letters with accents.']
      : encoding.startsWith('UTF-16') || separator === '|'
        ? [`Read as ${encoding}, cells separated by ${separatorName(separator)}.`]
        : [];
  return {...found, notes: [...note, ...found.notes]};
}

async function readWorkbook(bytes: Uint8Array, options: ReadSpreadsheetOptions): Promise<Spreadsheet> {
  const {name, others, rows} = await readSheet(bytes, options.file);
  const inSheet = others.length > 0 ? `${options.file}, sheet ${JSON.stringify(name)}` : options.file;
  const found = await withHeader(rows, {...options, file: inSheet}, true);
  const note =
    others.length > 0
      ? [`Read the sheet ${JSON.stringify(name)}. Not read: ${others.map((each) => JSON.stringify(each)).join(', ')}.`]
      : [];
  return {...found, notes: [...note, ...found.notes]};
}

/** @param skip length of a first line that names the separator */
async function* rawRows(
  lines: AsyncIterable<{readonly text: string; readonly line: number}>,
  separator: string,
  skip: number,
): AsyncIterable<XlsxRow> {
  let first = true;
  const pieces = async function* (): AsyncIterable<{text: string; line: number}> {
    for await (const {text, line} of lines) {
      yield first && skip > 0 ? {text: text.slice(skip), line: line + 1} : {text, line};
      first = false;
    }
  };
  for await (const row of csvRows(pieces(), separator)) {
    if ('cells' in row) yield {...row, faults: []};
    else {
      const {line, problem: broken, fix} = row;
      yield {
        line,
        cells: ['?'],
        faults: [
          {line, column: null, value: '', code: 'invalid_row', problem: `${broken} Nothing below was read.`, fix},
        ],
      };
    }
  }
}

/** @param isSheet true for a workbook, whose cells have letters */
async function withHeader(
  raw: AsyncIterable<XlsxRow> | Iterable<XlsxRow>,
  {file, layout, map = new Map<string, string>(), ignored = []}: ReadSpreadsheetOptions,
  isSheet: boolean,
): Promise<Spreadsheet> {
  const rows = withoutEmpty(raw)[Symbol.asyncIterator]();
  const firstRows: XlsxRow[] = [];
  for (let next; firstRows.length < HEADER_ROWS && !(next = await rows.next()).done;) firstRows.push(next.value);
  const [first] = firstRows;
  if (!first) return unreadableFileError(file, 'it is empty.', `Start with a row like this: ${layout.example}`);
  const unit = isSheet ? 'row' : 'line';
  const headers = firstRows.filter(({cells}) => isHeader(cells, layout, map));
  if (headers.length > 1)
    unreadableFileError(
      file,
      `the names of columns are in ${unit} ${headers.map(({line}) => line).join(` and in ${unit} `)}.`,
      'Keep one table in it, with one header.',
    );
  const count = ({cells}: XlsxRow): number => countKnownColumns(cells, layout, map);
  const header = headers[0] ?? firstRows.reduce((best, each) => (count(each) > count(best) ? each : best));
  const isFirst = header === first;
  const columns = readHeader(header.cells, layout, map, ignored);
  if ('problem' in columns) {
    const where = isFirst ? '' : `${unit} ${header.line} looks like the header: `;
    return unreadableFileError(file, `${where}${columns.problem}`, columns.fix);
  }
  const {skipped} = columns;
  const money = new MoneyColumns(columns, ignored);
  return {
    fields: new Set(columns.fields.filter((field) => field !== undefined)),
    notes: [
      ...(isFirst ? [] : [`The header is ${unit} ${header.line}. Skipped the ${unit}s above it.`]),
      ...(skipped.length > 0
        ? [
            `Skipped ${skipped.length === 1 ? 'the column' : 'the columns'} ${skipped.map((name) => JSON.stringify(name)).join(', ')}.`,
          ]
        : []),
    ],
    rows: withFields(restOf(firstRows.slice(firstRows.indexOf(header) + 1), rows), columns, money, isSheet),
    place: (line, ...names) => {
      const index = names.map((name) => columns.fields.indexOf(name)).find((at) => at >= 0);
      return placeIn(columns, index, line, isSheet);
    },
    skippedColumnFaults: () => money.faults,
  };
}

async function* restOf(read: readonly XlsxRow[], unread: AsyncIterator<XlsxRow>): AsyncIterable<XlsxRow> {
  yield* read;
  for (let next; !(next = await unread.next()).done;) yield next.value;
}

async function* withoutEmpty(rows: AsyncIterable<XlsxRow> | Iterable<XlsxRow>): AsyncIterable<XlsxRow> {
  for await (const row of rows) if (row.cells.some((cell) => cell.trim() !== '')) yield row;
}

async function* withFields(
  rows: AsyncIterable<XlsxRow>,
  columns: SheetColumns,
  money: MoneyColumns,
  isSheet: boolean,
): AsyncIterable<SheetRow> {
  const at = new Map(columns.fields.flatMap((field, index) => (field === undefined ? [] : [[field, index] as const])));
  for await (const {line, cells, faults} of rows) {
    const place = (field: string) => placeIn(columns, at.get(field), line, isSheet);
    money.check(cells, (column) => placeIn(columns, column, line, isSheet));
    const tooMany = isSheet ? undefined : sizeFault(cells, columns, line);
    yield {
      line,
      cells: new Map([...at].map(([field, index]) => [field, (cells[index] ?? '').trim()])),
      all: cells,
      place,
      faults: tooMany && faults.length === 0 ? [tooMany] : faults.flatMap((fault) => withColumn(fault, columns, money)),
    };
  }
}

const placeIn = (
  {header}: SheetColumns,
  index: number | undefined,
  line: number,
  isSheet: boolean,
): Pick<FileFault, 'cell' | 'column' | 'line'> => ({
  line,
  column: index === undefined ? null : header[index]!,
  ...(isSheet && {cell: index === undefined ? `${line}:${line}` : `${columnLetters(index)}${line}`}),
});

/** Adds the column to a fault. Drops faults of skipped columns that are not doubtful. */
function withColumn(fault: FileFault, {header, fields}: SheetColumns, money: MoneyColumns): FileFault[] {
  if (fault.cell === undefined || fault.cell.includes(':')) return [fault];
  const index = header.findIndex((_, at) => fault.cell === `${columnLetters(at)}${fault.line}`);
  return fields[index] === undefined && !money.has(index) ? [] : [{...fault, column: header[index]!}];
}

async function readHeadBytes(open: OpenBytes): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  for await (const bytes of open()) {
    head = Buffer.concat([head, bytes]);
    if (head.length >= HEAD) break;
  }
  return head.subarray(0, HEAD);
}

async function readAllBytes(open: OpenBytes): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const bytes of open()) parts.push(bytes);
  return Buffer.concat(parts);
}

async function readHead(lines: AsyncIterable<{readonly text: string}>): Promise<string> {
  let text = '';
  for await (const piece of lines) {
    text += piece.text;
    if (text.length >= HEAD) break;
  }
  return text;
}

/** The two parts of an amount that was split at the comma: `000` or `500.50`, and the part before. */
const THOUSANDS = /^\s*\d{3}(?:\.\d{1,2})?\s*$/;
const BEFORE_THOUSANDS = /^\s*(?:₱|PHP|P)?\s*\d{1,3}\s*$/i;

/** Returns the fault of a row with more cells than the header, or with an unquoted amount split at the comma. */
function sizeFault(cells: readonly string[], {header, fields}: SheetColumns, line: number): FileFault | undefined {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  const excess = filled - header.length;
  if (excess > 0) {
    const amount = splitAmount(cells.slice(0, filled), excess);
    return amount === undefined
      ? rowFault(
          line,
          `It has ${filled} cells, and the header ${header.length}.`,
          'Put a cell with the separator in it, such as 15,000, in quotation marks.',
        )
      : splitAmountFault(line, amount);
  }
  // The second half of a price may be in a skipped column at the end of the row.
  const price = fields.indexOf('unit_price');
  const mayBeHalf = price >= 0 && price + 2 === filled && fields[price + 1] === undefined;
  const amount = mayBeHalf ? splitAmount(cells.slice(price, filled), 1) : undefined;
  return amount === undefined ? undefined : splitAmountFault(line, amount);
}

/** Returns the first split amount, if joining split amounts gives the right number of cells. */
function splitAmount(cells: readonly string[], excess: number): string | undefined {
  let remaining = excess;
  let amount: string | undefined;
  for (let at = cells.length - 1; at > 0 && remaining > 0; at--) {
    if (!THOUSANDS.test(cells[at]!) || !BEFORE_THOUSANDS.test(cells[at - 1]!)) amount = undefined;
    else {
      amount = `${cells[at - 1]!.trim()},${amount?.replace(/^[^\d]*/, '') ?? cells[at]!.trim()}`;
      remaining--;
    }
  }
  return remaining === 0 && !amount?.startsWith('0') ? amount : undefined;
}

const rowFault = (line: number, problem: string, fix: string, value = ''): FileFault => ({
  line,
  column: null,
  value,
  code: 'invalid_row',
  problem,
  fix,
});

const splitAmountFault = (line: number, amount: string): FileFault => {
  const cells = amount.split(',').length;
  return rowFault(
    line,
    `${amount} is ${cells === 2 ? 'two' : cells} cells here.`,
    `Put it in quotation marks: "${amount}"`,
  );
};
