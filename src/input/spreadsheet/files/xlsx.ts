// Reads the visible sheets of an .xlsx: the exact value of each cell, and the text that the sheet shows.

import type {CellObject, Range, WorkBook, WorkSheet} from '@e965/xlsx';
import type {FileFault} from '../../../common/errors.js';
import {invalidCell, SAVE_AGAIN} from '../cells.js';
import {WorkbookParts} from './zip.js';

export interface XlsxRow {
  /** The row number in the sheet. The first is 1. */
  readonly line: number;
  /** Exact values. Words that are not pesos stand before the number: `1500.5`, `USD 1500.5`, `2026-12-15`. */
  readonly cells: readonly string[];
  /** Texts that the sheet shows, by index of the column, where they differ from `cells`: `00042`, `Jun-26`. */
  readonly shown?: ReadonlyMap<number, string>;
  /** Faults that do not depend on the columns. Their `column` is set later. */
  readonly faults: readonly FileFault[];
}

export interface VisibleSheet {
  readonly name: string;
  readonly hiddenColumns: ReadonlySet<number>;
  /** The rows that have cells, converted at the first call. */
  readonly rows: () => readonly XlsxRow[];
}

/** The parts of the library in use. Its types leave out `parse_zip` and `SSF`. */
interface Library {
  readonly SSF: {
    readonly format: (format: string, value: unknown, options: object) => string;
    readonly load: (format: string, id: number) => void;
    readonly is_date: (format: string) => boolean;
  };
  readonly parse_zip: (
    zip: WorkbookParts,
    options: object,
  ) => WorkBook & {
    readonly Directory: {readonly style?: string};
    readonly Styles: {
      readonly Fonts?: readonly {readonly strike?: unknown}[];
      readonly CellXf?: readonly {readonly fontId?: number | string}[];
    };
  };
}

/** With `date1904`, day 0 is 1904-01-01, as on old Macs. */
type Formatter = Library['SSF'] & {readonly date1904: boolean};

/** `sheetStubs` keeps formulas without a result; `cellStyles` keeps fills, and hidden rows and columns. */
const OPTIONS = {dense: true, cellNF: true, cellStyles: true, sheetStubs: true, cellText: false, cellHTML: false};

/** Formats in dollars that a file need not contain. Excel always writes them, with the sign of the country. */
const DOLLAR_FORMATS = [5, 6, 7, 8, 42, 44];

/** @returns the visible worksheets in the order of the tabs, without charts */
export async function readSheets(bytes: Uint8Array, file: string): Promise<readonly VisibleSheet[]> {
  const struck: {style?: string | undefined; isStruck: readonly boolean[]} = {isStruck: []};
  const parts = new WorkbookParts(bytes, file, (path, xml) => {
    // The library forgets the formats of the last file, and then reads this part.
    if (path === '/[Content_Types].xml') for (const id of DOLLAR_FORMATS) SSF.load('"$"#,##0.00', id);
    return struck.style === path ? markStruckStyles(xml, struck.isStruck) : xml;
  });
  const {parse_zip: parseZip, SSF} = (await import('@e965/xlsx')) as unknown as Library;
  const parse = (sheets: readonly number[]) => {
    try {
      return parseZip(parts, {...OPTIONS, sheets});
    } catch {
      return parts.refuse();
    }
  };
  const {Workbook: workbook = {}, Styles: styles, Directory: directory} = parse([]);
  const {Sheets: tabs = [], WBProps: {date1904 = false} = {}} = workbook;
  struck.isStruck = (styles.CellXf ?? []).map(({fontId = 0}) => Boolean(styles.Fonts?.[Number(fontId)]?.strike));
  if (struck.isStruck.includes(true)) struck.style = directory.style;
  const visible = tabs.flatMap(({Hidden: hidden}, index) => (hidden ? [] : [index]));
  const {Sheets: sheets} = parse(visible);
  if (parts.isDamaged) parts.refuse();
  return visible.flatMap((index) => {
    const name = tabs[index]!.name!;
    const sheet = sheets[name];
    // A chart, or a dialog.
    if (sheet?.['!type']) return [];
    let rows: readonly XlsxRow[] | undefined;
    return {
      name,
      hiddenColumns: new Set((sheet?.['!cols'] ?? []).flatMap((column, at) => (column?.hidden ? [at] : []))),
      rows: () => (rows ??= (sheet && readRows(sheet, {...SSF, date1904})) ?? parts.refuse()),
    };
  });
}

/** The library returns the fill of a cell, but not its font. So styles with a strike get a fill of their own. */
function markStruckStyles(xml: Buffer, isStruck: readonly boolean[]): Buffer {
  let index = 0;
  const fill = (pattern: string): string => `<fill><patternFill patternType="${pattern}"/></fill>`;
  const marked = xml
    .toString()
    .replace(/<((?:\w+:)?)fills\b[^]*?<\/\1fills>/, '')
    .replace(/<((?:\w+:)?)cellXfs\b[^]*?<\/\1cellXfs>/, (styles) =>
      styles
        .replace(/\sfillId=(["'])\d*\1/g, '')
        .replace(/<(?:\w+:)?xf\b/g, (tag) => `${tag} fillId="${isStruck[index++] ? 1 : 0}"`)
        .replace(/^/, `<fills>${fill('none')}${fill(STRUCK)}</fills>`),
    );
  return Buffer.from(marked);
}

const STRUCK = 'struck';

const hasStrike = ({s: fill, r: richText}: CellObject): boolean =>
  (fill as {patternType?: string} | undefined)?.patternType === STRUCK ||
  /<(?:\w+:)?strike\b(?![^>]*val=["'](?:0|false))/.test(String(richText));

const MAX_COLUMNS = 5000;

/** Returns undefined if a cell is far outside the table. */
function readRows(sheet: WorkSheet, formatter: Formatter): XlsxRow[] | undefined {
  const rows: XlsxRow[] = [];
  (sheet['!data'] as CellObject[][]).forEach((cells, index) => {
    const merges = (sheet['!merges'] ?? []).filter(({s, e}) => index >= s.r && index <= e.r);
    rows.push(readRow(cells, index + 1, merges, formatter, sheet['!rows']?.[index]?.hidden));
  });
  // Frees the memory.
  delete sheet['!data'];
  return rows.some(({cells}) => cells.findLastIndex(Boolean) >= MAX_COLUMNS) ? undefined : rows;
}

function readRow(
  values: readonly CellObject[],
  line: number,
  merges: readonly Range[],
  formatter: Formatter,
  isHidden = false,
): XlsxRow {
  const faults: FileFault[] = [];
  const struck: FileFault[] = [];
  const shown = new Map<number, string>();
  const fault = (cell: string, value: string, problem: CellProblem) => ({line, column: null, cell, value, ...problem});
  const length = Math.max(values.length, ...merges.map(({e}) => e.c + 1));
  const cells = Array.from({length}, (_, column) => {
    const cell = values[column];
    const {text, shown: onSheet = text} = cell ? readCell(cell, formatter) : {text: ''};
    if (onSheet.trim() !== text.trim()) shown.set(column, onSheet.trim());
    const isMerged = merges.some(({s, e}) => column >= s.c && column <= e.c);
    const problem = cellProblem(cell, text, isMerged);
    const place = `${columnLetters(column)}${line}`;
    if (problem) faults.push(fault(place, text, problem));
    if (text !== '' && hasStrike(cell!)) struck.push(fault(place, text, STRUCK_CELL));
    return text;
  });
  const filled = cells.filter(Boolean).length;
  const isAllStruck = filled > 0 && struck.length === filled;
  faults.push(...(isAllStruck ? [fault(`${line}:${line}`, '', STRUCK_ROW)] : struck));
  if (isHidden && filled > 0) faults.push(fault(`${line}:${line}`, '', HIDDEN_ROW));
  return {line, cells, ...(shown.size > 0 && {shown}), faults};
}

type CellProblem = ReturnType<typeof invalidCell>;

const STRIKE_FIX = 'Delete the row, or remove the strikethrough.';
const STRUCK_CELL = invalidCell('struck_cell', 'The cell is struck through.', STRIKE_FIX);
const STRUCK_ROW = invalidCell('struck_row', 'The row is struck through.', STRIKE_FIX);
const HIDDEN_ROW = invalidCell('hidden_row', 'The row is hidden.', 'Delete it, or unhide it to include it.');

function cellProblem(cell: CellObject | undefined, text: string, isMerged: boolean): CellProblem | undefined {
  if (cell?.t === 'e' || /^#(?:REF!|VALUE!|N\/A|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(text))
    return invalidCell('formula_error', 'The formula has no result.', 'Correct the formula.');
  if (cell?.f !== undefined && text === '')
    return invalidCell('formula_error', 'The formula was saved without its result.', SAVE_AGAIN);
  if (typeof cell?.v === 'number' && Math.abs(cell.v) >= 10 ** DIGITS)
    return invalidCell(
      'number_too_long',
      'A spreadsheet keeps 15 digits of a number, and this number has more.',
      'Format the column as Text, then type the number again.',
    );
  if (text === '' && isMerged)
    return invalidCell('merged_cell', 'It is merged with another cell.', 'Unmerge the cells, and fill in each.');
  return undefined;
}

/** The library has errors as numbers. */
const ERRORS: Readonly<Record<number, string>> = {
  ...{0: '#NULL!', 7: '#DIV/0!', 15: '#VALUE!', 23: '#REF!', 29: '#NAME?', 36: '#NUM!', 42: '#N/A'},
};

/** Returns the exact value as text, and the text that the sheet shows if the cell has a format. */
function readCell({t: type, v: value, z: format = 'General'}: CellObject, formatter: Formatter) {
  if (type === 'e') return {text: ERRORS[value as number] ?? '#ERROR!'};
  if (type === 'z' || value === undefined || value === null) return {text: ''};
  if (typeof value === 'boolean') return {text: value ? 'TRUE' : 'FALSE'};
  const exact = typeof value === 'number' ? inFifteenDigits(value) : String(value);
  const code = String(format);
  if (/^(?:general|@)$/i.test(code)) return {text: exact};
  try {
    const shown = formatter.format(knownFormat(code, exact), value, formatter).trim();
    if (typeof value !== 'number') return {text: exact, shown};
    return {text: formatter.is_date(code) ? dateText(value, formatter) : numberText(value, code, shown), shown};
  } catch {
    // The library does not know the format, or the date.
    return {text: `${exact} (${code})`};
  }
}

/** The library does not know `General" USD"`, and no letters such as ₱ without quotes. */
const knownFormat = (format: string, exact: string): string =>
  format.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*].|general|\P{ASCII}/gisu, (part) =>
    /^general$/i.test(part) ? `"${exact}"` : /^\P{ASCII}$/u.test(part) ? `"${part}"` : part,
  );

const DAY_MS = 86_400_000;

/** Formats a date as 2026-12-15, with the time in Manila if it has one. @param days since the end of 1899 */
function dateText(days: number, {date1904}: Formatter): string {
  // Spreadsheets have a 29 February 1900. A time is a fraction of a day, a little less or more than a second.
  const day = date1904 ? days + 1462 : days < 60 ? days + 1 : days;
  const date = new Date(Math.round((day * DAY_MS + Date.UTC(1899, 11, 30)) / 1000) * 1000);
  return date
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace(/\.000Z$/, '+08:00');
}

/** Returns the exact number, with the words or the other number that the sheet shows. */
function numberText(value: number, format: string, shown: string): string {
  if (/%/.test(format.replace(/"[^"]*"/g, ''))) return `${inFifteenDigits(value * 100)}%`;
  const number = inFifteenDigits(value);
  if (/\dE[-+]\d+$/.test(shown)) return number;
  const words = shown.replace(/[\d\s.,()[\]+\-−–/]+/g, ' ').trim();
  if (!/^(?:₱|php|p|pesos?)?$/i.test(words)) return `${words}${/\p{L}\s|\s\p{L}/u.test(shown) ? ' ' : ''}${number}`;
  const isNegative = /^\D*[-−–]\D*\d|^\(.*\)$/.test(shown);
  const isSame = Math.abs(Number(shown.replace(/[^\d.]/g, '')) - Math.abs(value)) < 1 && !(isNegative && value > 0);
  // A format in thousands, a minus sign in the format, or a hidden number.
  return isSame ? number : `${shown || 'hidden'} = ${number}`;
}

/** Significant digits that spreadsheets show: 0.1 + 0.2 is 0.3. */
const DIGITS = 15;

const inFifteenDigits = (value: number): string => String(Number(value.toPrecision(DIGITS)));

/** Returns the letters of a column: `A`, `Z`, `AA`. @param column the index; the first is 0 */
export const columnLetters = (column: number): string =>
  (column >= 26 ? columnLetters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));
