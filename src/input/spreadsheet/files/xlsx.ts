// Reads the rows of the first visible sheet of an .xlsx, each cell as a spreadsheet shows it.

import type {Cell, CellValue, Sheet} from 'hucre/xlsx';
import type {FileFault} from '../../../common/errors.js';
import {invalidCell, SAVE_AGAIN} from '../cells.js';
import {unreadableFileError} from '../row-errors.js';

export interface XlsxRow {
  /** The row number in the sheet. The first is 1. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly shown?: ReadonlyMap<number, string>;
  /** Faults that do not depend on the columns. Their `column` is set later. */
  readonly faults: readonly FileFault[];
}

interface VisibleSheet {
  readonly name: string;
  /** Names of the other visible sheets. */
  readonly others: readonly string[];
  readonly rows: readonly XlsxRow[];
}

/** Significant digits that spreadsheets show: 0.1 + 0.2 is 0.3. */
const DIGITS = 15;

export async function readSheet(bytes: Uint8Array, file: string): Promise<VisibleSheet> {
  checkWorkbook(namesInZip(bytes, file), file);
  const {readXlsx} = await import('hucre/xlsx');
  const seen: string[] = [];
  const {sheets} = await readXlsx(bytes, {
    readStyles: true,
    sheets: ({name, hidden, veryHidden}) => !hidden && !veryHidden && seen.push(name) === 1,
  }).catch(() =>
    unreadableFileError(
      file,
      'it is damaged, or has cells far outside the table.',
      'Copy the table into a new sheet, and save that as .xlsx or as CSV.',
    ),
  );
  const [sheet] = sheets;
  if (!sheet) return unreadableFileError(file, 'it has no visible sheet.', 'Unhide the sheet with the items.');
  return {
    name: sheet.name,
    others: seen.slice(1),
    rows: sheet.rows.map((values, row) => readSheetRow(sheet, values, row)),
  };
}

function readSheetRow(sheet: Sheet, values: readonly CellValue[], row: number): XlsxRow {
  const line = row + 1;
  const faults: FileFault[] = [];
  const cells = values.map((value, column) => {
    const cell = sheet.cells?.get(`${row},${column}`);
    const text = cellText(value, cell);
    const place = {line, column: null, cell: `${columnLetters(column)}${line}`, value: text};
    if (cell?.type === 'error' || /^#(?:REF!|VALUE!|N\/A|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(text))
      faults.push({...place, ...invalidCell('formula_error', 'The formula has no result.', 'Correct the formula.')});
    else if (cell?.formula && (value === null || value === ''))
      faults.push({
        ...place,
        ...invalidCell('formula_error', 'The formula was saved without its result.', SAVE_AGAIN),
      });
    else if (typeof value === 'number' && Math.abs(value) >= 10 ** DIGITS)
      faults.push({
        ...place,
        ...invalidCell(
          'number_too_long',
          'A spreadsheet keeps 15 digits of a number, and this number has more.',
          'Format the column as Text, then type the number again.',
        ),
      });
    else if (text === '' && isMerged(sheet, row, column))
      faults.push({
        ...place,
        ...invalidCell('merged_cell', 'It is merged with another cell.', 'Unmerge the cells, and fill in each.'),
      });
    return text;
  });
  if (sheet.rowDefs?.get(row)?.hidden && cells.some(Boolean))
    faults.push({
      line,
      column: null,
      cell: `${line}:${line}`,
      value: '',
      ...invalidCell('hidden_row', 'The row is hidden.', 'Delete it, or unhide it to include it.'),
    });
  return {line, cells, faults};
}

const isMerged = ({merges = []}: Sheet, row: number, column: number): boolean =>
  merges.some(
    ({startRow, startCol, endRow, endCol}) =>
      row >= startRow && row <= endRow && column >= startCol && column <= endCol,
  );

/** Formats a value like the sheet: dates as 2026-12-15, times in Manila, percentages and foreign money with a sign. */
function cellText(value: CellValue, cell: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$/, '')
      .replace(/\.\d+Z$/, '+08:00');
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value !== 'number') return value;
  const format = cell?.style?.numFmt ?? '';
  if (/%/.test(format.replace(/"[^"]*"/g, ''))) return `${inFifteenDigits(value * 100)}%`;
  const currency =
    /\[\$([^\]-]+)/.exec(format)?.[1] ?? /[$€£¥]/.exec(format.replace(/\[[^\]]*\]|[\\_]./g, ''))?.[0] ?? '';
  return /^\s*(?:₱|PHP|P)?\s*$/i.test(currency) ? inFifteenDigits(value) : `${currency}${inFifteenDigits(value)}`;
}

const inFifteenDigits = (value: number): string => String(Number(value.toPrecision(DIGITS)));

/** Returns the letters of a column: `A`, `Z`, `AA`. @param column the index; the first is 0 */
export const columnLetters = (column: number): string =>
  (column >= 26 ? columnLetters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

/** Maximum total size of all unpacked files, in bytes. */
const MAX_UNPACKED_SIZE = 100_000_000;

const END_RECORD = 0x06054b50;
const ENTRY_RECORD = 0x02014b50;
/** Maximum size of a zip's end record, with the longest comment, in bytes. */
const MAX_END_LENGTH = 22 + 0xffff;

const DAMAGED_ZIP = ['it is damaged.', 'Open it, and save it again as .xlsx or as CSV.'] as const;

/** Returns the file names in a zip, from its directory, before anything is unpacked. */
function namesInZip(bytes: Uint8Array, file: string): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) return unreadableFileError(file, ...DAMAGED_ZIP);
  const names: string[] = [];
  let unpacked = 0;
  let at = view.getUint32(end + 16, true);
  for (let remaining = view.getUint16(end + 10, true); remaining > 0; remaining--) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY_RECORD) return unreadableFileError(file, ...DAMAGED_ZIP);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    // A file that claims size 0 could unpack to any size.
    if (size === 0 && packed > 2) return unreadableFileError(file, ...DAMAGED_ZIP);
    unpacked += size;
    if (unpacked > MAX_UNPACKED_SIZE)
      unreadableFileError(
        file,
        'it unpacks to more than 100 MB.',
        'Save the sheet as CSV.',
        'A workbook of items is far smaller.',
      );
    const length = view.getUint16(at + 28, true);
    names.push(Buffer.from(bytes.subarray(at + 46, at + 46 + length)).toString('utf8'));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return names;
}

function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - MAX_END_LENGTH); at--)
    if (view.getUint32(at, true) === END_RECORD) return at;
  return undefined;
}

/** Other kinds of zip, by the names of files in them. */
const OTHER_ZIPS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['an .xlsb workbook', /^xl\/workbook\.bin$/],
  ['an OpenDocument file (.ods)', /^(?:mimetype|content\.xml)$/],
  ['a Numbers file', /^Index\/|^Index\.zip$|^index\.apxl/],
  ['a Word document', /^word\//],
  ['a presentation', /^ppt\//],
];

function checkWorkbook(names: readonly string[], file: string): void {
  if (names.some((name) => /^xl\/workbook\.xml$/i.test(name))) return;
  const kind =
    OTHER_ZIPS.find(([, sign]) => names.some((name) => sign.test(name)))?.[0] ?? 'a zip without a workbook in it';
  unreadableFileError(file, `it is ${kind}.`, 'Open it, and save the table as .xlsx or as CSV.');
}

export async function readSheets(bytes: Uint8Array, file: string) {
  const {name, rows} = await readSheet(bytes, file);
  return [{name, hiddenColumns: new Set<number>(), rows: () => rows}];
}
