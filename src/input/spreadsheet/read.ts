// Reads a spreadsheet, whatever wrote it, row by row: what each cell holds by the name of its field. A CSV file of any length
// takes the same memory; a workbook is read at once.

import type {FileFault} from '../../errors.js';
import {isHeader, readHeader, type Columns, type Layout} from './columns.js';
import {csvRows} from './csv.js';
import {Doubts} from './doubts.js';
import {decode, findEncoding, type Encoding, type OpenBytes} from './encoding.js';
import {refuseFile} from './faults.js';
import {kindOfFile} from './formats.js';
import {wholeLines} from './lines.js';
import {misfit} from './rows.js';
import {findSeparator, separatorName} from './separator.js';
import {letters, readSheet} from './xlsx.js';

export interface Row {
  /** Line of the file on which it begins, or row of the sheet; from 1. */
  readonly line: number;
  /** The text of each field that the file has; without spaces at its ends. */
  readonly cells: ReadonlyMap<string, string>;
  /** Where a field stands, for a fault in it. */
  readonly place: (field: string) => Pick<FileFault, 'cell' | 'column' | 'line'>;
  /** What is wrong with the row whatever its fields hold; then `cells` is not to be used. */
  readonly faults: readonly FileFault[];
}

export interface Spreadsheet {
  /** Which fields the file has. */
  readonly fields: ReadonlySet<string>;
  /** What a person should know of how the file was read: sentences. */
  readonly notes: readonly string[];
  readonly rows: AsyncIterable<Row>;
  /** What is in doubt in columns that are skipped; complete when all rows were read. */
  readonly doubts: () => readonly FileFault[];
}

export interface ReadOptions {
  readonly layout: Layout;
  /** The file as it was named, for the words of errors. */
  readonly file: string;
  /** What columns hold, by their names; before what their names mean. */
  readonly map?: ReadonlyMap<string, string>;
  /** Names of columns that are not to be read, whatever they hold. */
  readonly ignored?: readonly string[];
}

interface RawRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly faults: readonly FileFault[];
}

/** Text of the beginning in which the header is looked for. */
const HEAD = 65_536;

/** @throws CentavoError kind `usage` when the file as a whole cannot be read: its kind, encoding, separator or header */
export async function readSpreadsheet(open: OpenBytes, options: ReadOptions): Promise<Spreadsheet> {
  const {file} = options;
  const head = await headOf(open);
  return kindOfFile(head, file) === 'zip'
    ? readWorkbook(await allOf(open), options)
    : readText(open, await findEncoding(open, head, file), options);
}

async function readText(open: OpenBytes, encoding: Encoding, options: ReadOptions): Promise<Spreadsheet> {
  const {file, layout, map = new Map<string, string>()} = options;
  const lines = () => wholeLines(decode(open, encoding, file));
  const {separator, skip} = await findSeparator(await beginning(lines()), file, (cells) =>
    isHeader(cells, layout, map),
  );
  const found = await withHeader(rawRows(lines(), separator, skip), options, false);
  const note =
    encoding === 'Windows-1252'
      ? ['Read as Windows-1252 (Excel’s ANSI). Check the letters with accents.']
      : encoding.startsWith('UTF-16') || separator === '|'
        ? [`Read as ${encoding}, cells separated by ${separatorName(separator)}.`]
        : [];
  return {...found, notes: [...note, ...found.notes]};
}

async function readWorkbook(bytes: Uint8Array, options: ReadOptions): Promise<Spreadsheet> {
  const {name, others, rows} = await readSheet(bytes, options.file);
  const inSheet = others.length > 0 ? `${options.file}, sheet ${JSON.stringify(name)}` : options.file;
  const found = await withHeader(rows, {...options, file: inSheet}, true);
  const note =
    others.length > 0
      ? [`Read the sheet ${JSON.stringify(name)}. Not read: ${others.map((each) => JSON.stringify(each)).join(', ')}.`]
      : [];
  return {...found, notes: [...note, ...found.notes]};
}

/** @param skip characters of a line at the beginning that names the separator */
async function* rawRows(
  lines: AsyncIterable<{readonly text: string; readonly line: number}>,
  separator: string,
  skip: number,
): AsyncIterable<RawRow> {
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
      const {line, broken, fix} = row;
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

/** @param isSheet whether cells have letters */
async function withHeader(
  raw: AsyncIterable<RawRow> | Iterable<RawRow>,
  {file, layout, map = new Map<string, string>(), ignored = []}: ReadOptions,
  isSheet: boolean,
): Promise<Spreadsheet> {
  const rows = filled(raw)[Symbol.asyncIterator]();
  const {value: first} = (await rows.next()) as {value: RawRow | undefined};
  if (!first) return refuseFile(file, 'it is empty.', `Begin with a row like this: ${layout.example}`);
  const columns = readHeader(first.cells, layout, map, ignored);
  if ('problem' in columns) {
    const further = isHeader(first.cells, layout, map) ? undefined : await headerBelow(rows, layout, map);
    if (further !== undefined)
      refuseFile(
        file,
        `the names of its columns are in ${isSheet ? 'row' : 'line'} ${further}, not in the first row.`,
        'Delete the rows above them.',
      );
    return refuseFile(file, columns.problem, columns.fix);
  }
  const {skipped} = columns;
  const doubts = new Doubts(columns, ignored);
  return {
    fields: new Set(columns.fields.filter((field) => field !== undefined)),
    notes:
      skipped.length > 0
        ? [
            `Skipped ${skipped.length === 1 ? 'the column' : 'the columns'} ${skipped.map((name) => JSON.stringify(name)).join(', ')}.`,
          ]
        : [],
    rows: withFields(rows, columns, doubts, isSheet),
    doubts: () => doubts.faults,
  };
}

/** The line of a header under other rows. */
async function headerBelow(
  rows: AsyncIterator<RawRow>,
  layout: Layout,
  map: ReadonlyMap<string, string>,
): Promise<number | undefined> {
  for (let left = 12; left > 0; left--) {
    const {value, done} = (await rows.next()) as {value: RawRow; done?: boolean};
    if (done) return undefined;
    if (isHeader(value.cells, layout, map)) return value.line;
  }
  return undefined;
}

/** Rows with anything in them. */
async function* filled(rows: AsyncIterable<RawRow> | Iterable<RawRow>): AsyncIterable<RawRow> {
  for await (const row of rows) if (row.cells.some((cell) => cell.trim() !== '')) yield row;
}

async function* withFields(
  rows: AsyncIterator<RawRow>,
  columns: Columns,
  doubts: Doubts,
  isSheet: boolean,
): AsyncIterable<Row> {
  const at = new Map(columns.fields.flatMap((field, index) => (field === undefined ? [] : [[field, index] as const])));
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    const {line, cells, faults} = next.value;
    const place = (field: string) => placeIn(columns, at.get(field), line, isSheet);
    doubts.look(cells, (column) => placeIn(columns, column, line, isSheet));
    const tooMany = isSheet ? undefined : misfit(cells, columns, line);
    yield {
      line,
      cells: new Map([...at].map(([field, index]) => [field, (cells[index] ?? '').trim()])),
      place,
      faults:
        tooMany && faults.length === 0 ? [tooMany] : faults.flatMap((fault) => withColumn(fault, columns, doubts)),
    };
  }
}

const placeIn = (
  {header}: Columns,
  index: number | undefined,
  line: number,
  isSheet: boolean,
): Pick<FileFault, 'cell' | 'column' | 'line'> => ({
  line,
  column: index === undefined ? null : header[index]!,
  ...(isSheet && index !== undefined && {cell: `${letters(index)}${line}`}),
});

/** With the name of its column; none for a cell of a column that is skipped and says nothing of money. */
function withColumn(fault: FileFault, {header, fields}: Columns, doubts: Doubts): FileFault[] {
  if (fault.cell === undefined || fault.cell.includes(':')) return [fault];
  const index = header.findIndex((_, at) => fault.cell === `${letters(at)}${fault.line}`);
  return fields[index] === undefined && !doubts.has(index) ? [] : [{...fault, column: header[index]!}];
}

/** The first bytes, however few a piece has. */
async function headOf(open: OpenBytes): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  for await (const bytes of open()) {
    head = Buffer.concat([head, bytes]);
    if (head.length >= HEAD) break;
  }
  return head.subarray(0, HEAD);
}

async function allOf(open: OpenBytes): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const bytes of open()) parts.push(bytes);
  return Buffer.concat(parts);
}

async function beginning(lines: AsyncIterable<{readonly text: string}>): Promise<string> {
  let text = '';
  for await (const piece of lines) {
    text += piece.text;
    if (text.length >= HEAD) break;
  }
  return text;
}
