// Reads a spreadsheet row by row. CSV files of any length take the same memory; workbooks are read as a whole.

import type {FileFault} from '../../common/errors.js';
import {quote} from '../money.js';
import {shellQuote} from '../../common/next-text.js';
import {namesForeignMoney, namesScale} from './currencies.js';
import {
  PAYERS,
  decideColumns,
  headerKey,
  type ColumnAnswers,
  type ColumnDecision,
  type ColumnReading,
} from './decide.js';
import {
  CHARGE,
  IGNORE,
  LEAVE_OUT,
  NOT_READ,
  candidateOf,
  comparedCell,
  isLoud,
  isPrice,
  type ColumnAnswer,
  type SheetLayout,
  isTotal,
} from './meanings.js';
import type {NumberOptions} from './cells.js';
import {unreadableFileError} from './row-errors.js';
import {csvRows, findSeparator, HEADER_ROWS, separatorName} from './files/csv.js';
import {decodeText, findEncoding, wholeLines, type FileEncoding, type OpenBytes} from './files/encoding.js';
import {columnLetters, readSheets, type XlsxRow} from './files/xlsx.js';
import {kindOfFile} from './formats.js';
import {ColumnSurvey} from './survey.js';

export interface SheetRow {
  /** The first line of the row in a text file, or the row number in a sheet. The first is 1. */
  readonly line: number;
  /** Trimmed texts by field. A column of charges is `charge 4`, a further total `amount 7`. */
  readonly cells: ReadonlyMap<string, string>;
  /** Exact texts by field, where the sheet shows another text, which is then in `cells`. */
  readonly raw?: ReadonlyMap<string, string>;
  /** All cells of the row, including columns that are not read. */
  readonly all: readonly string[];
  readonly place: (field: string) => Pick<FileFault, 'cell' | 'column' | 'line'>;
  /** Faults that do not depend on the values. Do not use `cells` of a row with such faults. */
  readonly faults: readonly FileFault[];
  /** How the file writes numbers. */
  readonly numbers?: NumberOptions;
  /** The cell that says that the row is not billed. */
  readonly leftOut?: {readonly column: string; readonly value: string};
}

export interface Spreadsheet {
  readonly fields: ReadonlySet<string>;
  readonly decision: ColumnDecision;
  /** Sentences on how the file was read. */
  readonly notes: readonly string[];
  readonly rows: AsyncIterable<SheetRow>;
  /** Faults of columns and titles, found before the rows are read. */
  readonly faults: readonly FileFault[];
  /** The place of a row, and of the first of these fields that the file has. */
  readonly place: (line: number, ...fields: readonly string[]) => ReturnType<SheetRow['place']>;
}

/** A sheet whose cells were all seen, before its columns have a meaning. */
export interface SurveyedSheet {
  readonly columns: readonly ColumnSurvey[];
  /** Texts above the header. */
  readonly titles: readonly string[];
  readonly decide: (answers: ColumnAnswers) => ColumnDecision;
}

export interface ReadSpreadsheetOptions {
  readonly layout: SheetLayout;
  /** The file name that the user typed. */
  readonly file: string;
  /** Answers of flags, by header. */
  readonly map?: ReadonlyMap<string, ColumnAnswer>;
  /** The sheet of a workbook; by default the one with a table. */
  readonly sheet?: string | undefined;
  /** Fields that flags fill in for every row: `item`. */
  readonly filled?: readonly string[];
  /** Decides the columns with what is remembered, and asks a person where one is there. */
  readonly decide?: (sheet: SurveyedSheet, given: ColumnAnswers['given']) => ColumnDecision | Promise<ColumnDecision>;
}

/** Bytes or characters at the start of a file in which centavo looks for encoding and separator. */
const HEAD = 65_536;

/** @throws CentavoError kind `usage` if the file cannot be read as a whole; faults of rows are returned */
export async function readSpreadsheet(open: OpenBytes, options: ReadSpreadsheetOptions): Promise<Spreadsheet> {
  const {file} = options;
  const head = await readBytes(open, HEAD);
  return kindOfFile(head, file) === 'zip'
    ? readWorkbook(await readBytes(open), options)
    : readText(open, await findEncoding(open, head, file), options);
}

async function readText(open: OpenBytes, encoding: FileEncoding, options: ReadSpreadsheetOptions) {
  const {file, sheet} = options;
  if (sheet !== undefined) unreadableFileError(file, 'only a workbook (.xlsx) has sheets.', 'Leave out --sheet.');
  const lines = () => wholeLines(decodeText(open, encoding, file));
  const {separator, skip} = await findSeparator(await readHead(lines()), file, (cells) => isHeader(cells, options));
  const found = await readTable(() => rawRows(lines(), separator, skip), options, {commaDecimals: separator === ';'});
  const note =
    encoding === 'Windows-1252'
      ? ['Read as Windows-1252 (Excel’s ANSI). Check the letters with accents.']
      : encoding.startsWith('UTF-16') || separator === '|'
        ? [`Read as ${encoding}, cells separated by ${separatorName(separator)}.`]
        : [];
  return {...found, notes: [...note, ...found.notes]};
}

async function readWorkbook(bytes: Uint8Array, options: ReadSpreadsheetOptions): Promise<Spreadsheet> {
  const sheets = await readSheets(bytes, options.file);
  const {name, rows, hiddenColumns} = chooseSheet(sheets, options);
  const others = sheets.filter((sheet) => sheet.name !== name).map((sheet) => JSON.stringify(sheet.name));
  const inSheet = others.length > 0 ? `${options.file}, sheet ${JSON.stringify(name)}` : options.file;
  const read = rows();
  const found = await readTable(() => read, {...options, file: inSheet}, {}, hiddenColumns);
  const note = others.length > 0 ? [`Read the sheet ${JSON.stringify(name)}. Not read: ${others.join(', ')}.`] : [];
  return {...found, notes: [...note, ...found.notes]};
}

type Sheet = Awaited<ReturnType<typeof readSheets>>[number];

/** Returns the sheet of that name, or the only one with a table. */
function chooseSheet(sheets: readonly Sheet[], options: ReadSpreadsheetOptions): Sheet {
  const {file, sheet: wanted} = options;
  const names = sheets.map(({name}) => quote(name)).join(', ');
  if (wanted !== undefined) {
    const named = sheets.find(({name}) => comparedCell(name) === comparedCell(wanted));
    return named ?? unreadableFileError(file, `it has no sheet ${quote(wanted)}.`, `Its sheets: ${names}`);
  }
  const top = ({rows}: Sheet): readonly XlsxRow[] => rows().slice(0, HEADER_ROWS);
  const tables = sheets.filter((sheet) => top(sheet).some(({cells}) => isHeader(cells, options)));
  const likely =
    tables.length > 0 ? tables : sheets.filter((sheet) => top(sheet).some(({cells}) => countKnown(cells, options) > 1));
  const [first, second] = likely;
  if (second)
    unreadableFileError(
      file,
      `the sheets ${likely.map(({name}) => quote(name)).join(' and ')} have tables.`,
      `Add --sheet with the name of one, for example --sheet ${shellQuote(first!.name)}`,
    );
  return (
    first ?? sheets[0] ?? unreadableFileError(file, 'it has no visible sheet.', 'Unhide the sheet with the items.')
  );
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

const candidatesOf = (cells: readonly string[], {layout, map}: ReadSpreadsheetOptions): (string | undefined)[] =>
  cells.map((cell) => map?.get(headerKey(cell))?.means ?? candidateOf(cell, layout)?.means);

const countKnown = (cells: readonly string[], options: ReadSpreadsheetOptions): number =>
  new Set(candidatesOf(cells, options).filter((means) => means !== undefined && means !== NOT_READ)).size;

/** True if these cells name every column that a table needs. */
function isHeader(cells: readonly string[], options: ReadSpreadsheetOptions): boolean {
  const found = candidatesOf(cells, options);
  const hasCharges = found.includes(CHARGE);
  const {layout, filled = []} = options;
  return layout.required.every((field) => {
    if (filled.includes(field)) return true;
    if (field === 'unit_price') return hasCharges || found.some(isPrice);
    if (field === 'item') return hasCharges || found.includes('item') || found.includes('description');
    return field === 'customer_email' ? found.some((each) => PAYERS.includes(each!)) : found.includes(field);
  });
}

/** Surveys the columns that have a header or hold something. @param skip number of filled rows to the end of the header */
async function surveyColumns(
  raw: () => AsyncIterable<XlsxRow> | Iterable<XlsxRow>,
  header: XlsxRow,
  skip: number,
  {layout}: ReadSpreadsheetOptions,
  hidden: ReadonlySet<number> | undefined,
): Promise<ColumnSurvey[]> {
  const columns: ColumnSurvey[] = [];
  const columnAt = (index: number): ColumnSurvey => {
    const name = header.cells[index]?.trim() || `column ${columnLetters(index)}`;
    const column = new ColumnSurvey(index, name, candidateOf(header.cells[index] ?? '', layout));
    column.isHidden = hidden?.has(index) ?? false;
    return column;
  };
  for (const index of header.cells.keys()) columns[index] = columnAt(index);
  let nth = 0;
  for await (const {line, cells, shown} of withoutEmpty(raw())) {
    if (nth++ < skip) continue;
    // A total row bills nothing, so its cells ask nothing. It has no address, as a customer named Total has.
    const first = cells.find((cell) => cell.trim() !== '')!.trim();
    if (isTotal(first) && !cells.some((cell) => cell.includes('@'))) continue;
    // In a text file, a row with more cells than the header is a fault of its own.
    const count = hidden ? cells.length : Math.min(cells.length, columns.length);
    for (let index = 0; index < count; index++)
      (columns[index] ??= columnAt(index)).add(
        isExact(columns[index]!.candidate?.means) ? cells[index]! : (shown?.get(index) ?? cells[index]!),
        line,
      );
  }
  return columns.filter(({index, filled: count}) => count > 0 || header.cells[index]?.trim());
}

/** @param raw gives the rows anew each time @param hidden indexes of hidden columns, for a workbook only */
async function readTable(
  raw: () => AsyncIterable<XlsxRow> | Iterable<XlsxRow>,
  options: ReadSpreadsheetOptions,
  numbers: NumberOptions,
  hidden?: ReadonlySet<number>,
): Promise<Spreadsheet> {
  const {file, map = new Map<string, ColumnAnswer>(), decide} = options;
  const isSheet = hidden !== undefined;
  const {header, titles, skip} = await findHeader(raw, options, isSheet ? 'row' : 'line');
  const filled = await surveyColumns(raw, header, skip, options, hidden);
  for (const name of map.keys())
    if (!filled.some((column) => headerKey(column.name) === name))
      unreadableFileError(
        file,
        `it has no column ${quote(name)}.`,
        `Its columns are: ${filled
          .slice(0, 12)
          .map((column) => quote(column.name))
          .join(', ')}`,
      );
  const sheet: SurveyedSheet = {
    columns: filled,
    titles: titles.map(({text}) => text),
    decide: (answers) => decideColumns(filled, {...options, answers}),
  };
  const decision = await (decide?.(sheet, map) ?? sheet.decide({given: map, remembered: new Map()}));
  const rows = async function* (): AsyncIterable<XlsxRow> {
    let at = 0;
    for await (const row of withoutEmpty(raw())) if (at++ >= skip) yield row;
  };
  return {
    decision,
    fields: new Set(decision.columns.flatMap(({means}) => means ?? [])),
    notes: notesOf(decision, titles, `${isSheet ? 'row' : 'line'} ${header.line}`),
    rows: withFields(rows(), decision.columns.map(withDoubted), {numbers, width: header.cells.length, isSheet}),
    place: (line, ...fields) => {
      const readings = fields.map((field) => decision.columns.find(({means}) => means === field));
      return placeAt(readings.find(Boolean), line, isSheet);
    },
    faults: [
      ...titles.flatMap(titleFault),
      ...decision.faults.map((fault) => ({...fault, line: header.line})),
      ...decision.unknown.map(unknownFault),
      ...decision.missing.map((field) => missingFault(field, header.line, decision, options)),
    ].map((fault) => {
      const reading = decision.columns.find(({column}) => column.name === fault.column);
      return {...fault, ...placeAt(reading, fault.line, isSheet)};
    }),
  };
}

/** Sentences on the titles, and on the columns that are not read. @param place of the header: `row 4` */
function notesOf({columns}: ColumnDecision, titles: readonly Title[], place: string): string[] {
  const notRead = columns.filter(
    ({means, column, by}) => (means === NOT_READ || (means === IGNORE && by !== 'memory')) && column.filled > 0,
  );
  const above = titles.slice(0, 3).map(({text}) => quote(text));
  if (titles.length > above.length) above.push('…');
  return [
    ...(titles.length === 0 ? [] : [`The header is ${place}. Above it: ${above.join(', ')}`]),
    ...(notRead.length > 0 ? [`Not read: ${notRead.map(({column}) => quote(column.name)).join(', ')}.`] : []),
    ...columns.flatMap(otherValues),
  ];
}

/** Fields whose exact value counts; of others, the text that the sheet shows. */
const isExact = (means: string | undefined): boolean =>
  means !== undefined && (isPrice(means) || ['quantity', 'amount_due', 'due', CHARGE].includes(means));

interface Title {
  readonly line: number;
  readonly text: string;
}

/** Finds the header among the first rows. `skip` is the number of filled rows to its end. */
async function findHeader(
  raw: () => AsyncIterable<XlsxRow> | Iterable<XlsxRow>,
  options: ReadSpreadsheetOptions,
  unit: string,
): Promise<{readonly header: XlsxRow; readonly titles: readonly Title[]; readonly skip: number}> {
  const {file, layout} = options;
  const firstRows: XlsxRow[] = [];
  for await (const row of withoutEmpty(raw())) {
    firstRows.push(row);
    if (firstRows.length === HEADER_ROWS) break;
  }
  const [first] = firstRows;
  if (!first) return unreadableFileError(file, 'it is empty.', `Start with a row like this: ${layout.example}`);
  const headers = firstRows.filter(({cells}) => isHeader(cells, options));
  if (headers.length > 1)
    unreadableFileError(
      file,
      `the names of columns are in ${unit} ${headers.map(({line}) => line).join(` and in ${unit} `)}.`,
      'Keep one table in it, with one header.',
    );
  const count = ({cells}: XlsxRow): number => countKnown(cells, options);
  const header = headers[0] ?? firstRows.reduce((best, each) => (count(each) > count(best) ? each : best));
  if (count(header) === 0)
    unreadableFileError(file, 'its first row does not name its columns.', `Add a header row first: ${layout.example}`);
  const at = firstRows.indexOf(header);
  for (const near of [firstRows[at - 1], firstRows[at + 1]])
    if (near && isPartOfHeader(near, header))
      unreadableFileError(
        file,
        `its header has two rows, ${unit} ${Math.min(near.line, header.line)} and ${unit} ${Math.max(near.line, header.line)}.`,
        'Make it one row: write one name for each column, and delete the other row.',
      );
  const titles = firstRows.slice(0, at).map(({line, cells}) => ({
    line,
    text: cells
      .map((cell) => cell.trim())
      .filter(Boolean)
      .join(' '),
  }));
  return {header, titles, skip: at + 1};
}

/** True if a row beside the header names columns that the header leaves empty, and holds no value. */
function isPartOfHeader(row: XlsxRow, header: XlsxRow): boolean {
  const filled = [...row.cells.entries()].filter(([, cell]) => cell.trim() !== '');
  const fills = filled.some(([index]) => index < header.cells.length && !header.cells[index]?.trim());
  return fills && filled.length > 1 && !filled.some(([, cell]) => /[\d@]/.test(cell));
}

/** Refuses a title that says that the amounts are not pesos, or not owed. */
function titleFault({line, text}: Title): FileFault[] {
  const fault = (code: string, problem: string, fix: string) => [{line, column: null, value: text, code, problem, fix}];
  if (namesForeignMoney(text) || namesScale(text))
    return fault(
      'not_in_pesos',
      'The title names another currency or scale.',
      'Convert the prices to pesos, and delete it.',
    );
  return isLoud(text)
    ? fault('doubtful_title', 'The rows may no longer be owed.', 'Delete the title if they are.')
    : [];
}

/** Rows are read with the texts that are asked about, so that all their faults are told. */
const withDoubted = (reading: ColumnReading): ColumnReading => ({...reading, means: reading.means ?? reading.doubted});

/** Names the values whose rows are billed beside those that are left out, and what a flag leaves out in vain. */
function otherValues({column: {name, choices}, means, leaveOut, by}: ColumnReading): string[] {
  const others = choices?.filter((value) => !leaveOut.includes(comparedCell(value)));
  if (means !== LEAVE_OUT || others?.length === 0) return [];
  const none = by === 'flag' ? leaveOut.filter((value) => choices?.map(comparedCell).includes(value) === false) : [];
  const inVain = none.length > 0 ? ` No cell is ${none.map(quote).join(', ')}.` : '';
  return [`Billed: the rows whose ${quote(name)} is ${others?.map(quote).join(', ') ?? 'another value'}.${inVain}`];
}

const unknownFault = ({column, question, asked}: ColumnReading): FileFault => ({
  line: asked?.[1] ?? column.firstLine,
  column: column.name,
  value: asked?.[0] ?? column.samples[0] ?? '',
  code: 'unknown_column',
  problem:
    column.filled > 1 && !asked ? `${question!.slice(0, -1)} (${column.filled.toLocaleString('en')} rows).` : question!,
  fix: `Say what it is: --map ${shellQuote(`${column.name}=…`)}`,
});

function missingFault(field: string, line: number, {columns}: ColumnDecision, {layout}: ReadSpreadsheetOptions) {
  const due = field === 'unit_price' && columns.find(({means}) => means === 'amount_due');
  const title = field.replace('customer_email', 'customer or customer_email');
  return {
    ...{line, column: null, value: '', code: 'missing_column'},
    problem: `No column has the ${title.replaceAll('_', ' ')}.`,
    fix: due
      ? `If ${quote(due.column.name)} is the amount of each row, add --map ${shellQuote(`${due.column.name}=unit_price`)}`
      : field === 'item'
        ? 'Name the column Item, or name one item for all rows: --item "Monthly dues"'
        : `Name the columns like this: ${layout.example}`,
  };
}

async function* withoutEmpty(rows: AsyncIterable<XlsxRow> | Iterable<XlsxRow>): AsyncIterable<XlsxRow> {
  for await (const row of rows) if (row.cells.some((cell) => cell.trim() !== '')) yield row;
}

/** The key of a column's cells: its field; that of a further total or of a charge has its position. */
const fieldKey = ({means, column}: ColumnReading, before: ReadonlySet<string>): string =>
  means === CHARGE || before.has(means!) ? `${means!} ${column.index}` : means!;

async function* withFields(
  rows: AsyncIterable<XlsxRow>,
  columns: readonly ColumnReading[],
  {numbers, width, isSheet}: {readonly numbers: NumberOptions; readonly width: number; readonly isSheet: boolean},
): AsyncIterable<SheetRow> {
  const at = new Map<string, ColumnReading>();
  for (const reading of columns) {
    const {means} = reading;
    if (means !== undefined && ![IGNORE, LEAVE_OUT, NOT_READ].includes(means))
      at.set(fieldKey(reading, new Set(at.keys())), reading);
  }
  const fields = [...at];
  const leaving = columns.filter(({means}) => means === LEAVE_OUT);
  for await (const {line, cells, shown, faults} of rows) {
    const textAt = (index: number): string => shown?.get(index) ?? cells[index] ?? '';
    const textOf = ({means, column: {index}}: ColumnReading): string =>
      (isExact(means) ? (cells[index] ?? '') : textAt(index)).trim();
    const raw = shown && fields.filter(([, {means, column}]) => shown.has(column.index) && !isExact(means));
    const left = leaving.find(({column, leaveOut}) => leaveOut.includes(comparedCell(textAt(column.index))));
    const tooMany = isSheet ? undefined : sizeFault(cells, columns, width, line);
    yield {
      line,
      cells: new Map(fields.map(([field, reading]) => [field, textOf(reading)])),
      ...(raw && {raw: new Map(raw.map(([field, {column}]) => [field, cells[column.index]!.trim()]))}),
      all: cells,
      numbers,
      place: (field) => placeAt(at.get(field), line, isSheet),
      faults:
        tooMany && faults.length === 0
          ? [tooMany]
          : faults.flatMap((fault) => {
              if (fault.cell === undefined || fault.cell.includes(':')) return [fault];
              const found = columns.find(({column: {index}}) => fault.cell === `${columnLetters(index)}${line}`);
              const isRead = found?.means !== undefined && found.means !== IGNORE && found.means !== NOT_READ;
              return found && isRead ? [{...fault, column: found.column.name}] : [];
            }),
      ...(left && {leftOut: {column: left.column.name, value: textAt(left.column.index).trim()}}),
    };
  }
}

const placeAt = (reading: ColumnReading | undefined, line: number, isSheet: boolean) => ({
  line,
  column: reading?.column.name ?? null,
  ...(isSheet && {cell: reading ? `${columnLetters(reading.column.index)}${line}` : `${line}:${line}`}),
});

async function readBytes(open: OpenBytes, limit = Infinity): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of open()) {
    parts.push(bytes);
    size += bytes.length;
    if (size >= limit) break;
  }
  return Buffer.concat(parts).subarray(0, limit);
}

async function readHead(lines: AsyncIterable<{readonly text: string}>): Promise<string> {
  let text = '';
  for await (const piece of lines) {
    text += piece.text;
    if (text.length >= HEAD) break;
  }
  return text;
}

/** An amount that was split at the comma: `15` and `000`. */
const SPLIT_AMOUNT = /^(?:(?:₱|PHP|P)\s*)?(?!0)\d{1,3},\d{3}(?:\.\d{1,2})?$/i;

/** Returns the fault of a row with more cells than the header, or with an unquoted amount split at the comma. */
function sizeFault(cells: readonly string[], columns: readonly ColumnReading[], width: number, line: number) {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  const fault = (problem: string, fix: string): FileFault => ({
    ...{line, column: null, value: '', code: 'invalid_row'},
    ...{problem, fix},
  });
  if (filled > width)
    return fault(
      `It has ${filled} cells, and the header ${width}.`,
      'Put a cell with the separator in it, such as 15,000, in quotation marks.',
    );
  // The second half of a price may be in a skipped column at the end of the row.
  const price = columns.find(({means}) => means === 'unit_price')?.column.index ?? -2;
  const next = columns.find(({column}) => column.index === price + 1)?.means;
  const mayBeHalf = price + 2 === filled && (next === undefined || next === IGNORE || next === NOT_READ);
  const halves = mayBeHalf ? cells.slice(price, filled).map((cell) => cell.trim()) : [];
  const amount = halves.join(',');
  return SPLIT_AMOUNT.test(amount)
    ? fault(`${amount} is two cells here.`, `Put it in quotation marks: "${amount}"`)
    : undefined;
}
