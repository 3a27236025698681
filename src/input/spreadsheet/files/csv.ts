// Finds the separator of a CSV file, and reads its rows. Each row has the number of its first line.

import type {Options} from 'csv-parse';
import {unreadableFileError} from '../row-errors.js';
import {linesIn} from './encoding.js';

/** Maximum characters of a row, which limits the text after an unclosed quotation mark. */
const MAX_ROW_LENGTH = 262_144;

/** A row, or the reason why the rest of the file cannot be read. */
type CsvRow =
  | {readonly line: number; readonly cells: readonly string[]}
  | {readonly line: number; readonly problem: string; readonly fix: string};

const TEXT_AFTER_QUOTE = [
  'There is text after a closing quotation mark.',
  'Inside a cell in quotation marks, double each quotation mark: "5"" pipe".',
] as const;
const PROBLEMS: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  CSV_INVALID_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  INVALID_OPENING_QUOTE: [
    'There is a quotation mark in the middle of a cell.',
    'Put the whole cell in quotation marks, and double the quotation mark inside: "5"" pipe".',
  ],
  CSV_QUOTE_NOT_CLOSED: ['A quotation mark is not closed.', 'Close it, or remove it.'],
  CSV_MAX_RECORD_SIZE: ['The row is too long: a quotation mark is probably not closed.', 'Close it, or remove it.'],
};

const UNREADABLE = ['It is not readable as CSV.', 'Save the file again as CSV or as .xlsx.'] as const;

const csvOptions = (delimiter: string): Options => ({
  delimiter,
  // Blanks outside of quotation marks; every reader of cells ignores them.
  trim: true,
  record_delimiter: '\n',
  // The reader of the rows reports a row with too many cells.
  relax_column_count: true,
  max_record_size: MAX_ROW_LENGTH,
});

/**
 * Returns a function for the successive pieces of a file. It puts cells such as `="00042"`, which keep Excel from
 * changing them, in quotation marks: `"=""00042"""`.
 */
function formulaTextQuoter(separator: string): (piece: string) => string {
  const pattern = new RegExp(
    `"[^"]*(?:"|$)|(?<=^|[\\n${separator}]) *(="(?:[^"\\n]|"")*") *(?=$|[\\n${separator}])`,
    'g',
  );
  let isOpen = false;
  return (piece) => {
    // An opening quotation mark of an earlier piece.
    const before = isOpen ? '"' : '';
    const quoted = (before + piece).replace(pattern, (found, formula?: string) => {
      isOpen = formula === undefined && (found.length === 1 || !found.endsWith('"'));
      return formula === undefined ? found : `"${formula.replaceAll('"', '""')}"`;
    });
    return quoted.slice(before.length);
  };
}

/** @param pieces whole lines that end with LF */
export async function* csvRows(
  pieces: AsyncIterable<{readonly text: string; readonly line: number}>,
  delimiter: string,
): AsyncIterable<CsvRow> {
  const {parse} = await import('csv-parse');
  const quoteFormulaTexts = formulaTextQuoter(delimiter);
  const rows: CsvRow[] = [];
  let line: number | undefined;
  const parser = parse({
    ...csvOptions(delimiter),
    // Called while a piece is written, so that no row waits in the parser.
    on_record: (cells: string[]) => {
      rows.push({line: line!, cells});
      line! += 1 + cells.reduce((sum, cell) => sum + linesIn(cell), 0);
      return null;
    },
  });
  parser.on('error', () => {});
  parser.resume();
  let error: NodeJS.ErrnoException | null | undefined;
  for await (const {text, line: first} of pieces) {
    line ??= first;
    error = await new Promise((resolve) => parser.write(quoteFormulaTexts(text), resolve));
    yield* rows.splice(0);
    if (error) break;
  }
  error ??= await new Promise((resolve) => {
    parser.once('error', resolve);
    parser.end(() => resolve(undefined));
  });
  yield* rows.splice(0);
  if (!error) return;
  const [problem, fix] = PROBLEMS[error.code ?? ''] ?? UNREADABLE;
  yield {line: line!, problem, fix};
}

const SEPARATORS = {',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe'} as const;

export type Separator = keyof typeof SEPARATORS;

export const separatorName = (separator: Separator): string => SEPARATORS[separator];

/** Number of rows, from the first, in which centavo looks for the header. */
export const HEADER_ROWS = 20;

/** The first line of a file that names the separator for Excel: `sep=;`. */
const NAMED_SEPARATOR = /^"?sep=([^"\n]+)"?(?:\n|$)/i;

/**
 * Returns the separator with which the first row is a header.
 * @param text the start of the file
 * @returns `skip`: the length of a first line that names the separator
 */
export async function findSeparator(
  text: string,
  file: string,
  isHeader: (cells: readonly string[]) => boolean,
): Promise<{readonly separator: Separator; readonly skip: number}> {
  const named = NAMED_SEPARATOR.exec(text);
  if (named) {
    const separator = named[1]!.trim() === '' ? named[1]! : named[1]!.trim();
    if (isSeparator(separator)) return {separator, skip: named[0].length};
    unreadableFileError(
      file,
      `its first line names ${JSON.stringify(separator)} as the separator.`,
      'Save it with commas, semicolons or tabs.',
    );
  }
  const {parse} = await import('csv-parse/sync');
  const rowsOf = (separator: string, to: number): string[][] => {
    try {
      return parse(formulaTextQuoter(separator)(text), {
        ...csvOptions(separator),
        to,
        skip_records_with_empty_values: true,
      });
    } catch {
      return [];
    }
  };
  const all = Object.keys(SEPARATORS).filter(isSeparator);
  const first = new Map(all.map((separator) => [separator, rowsOf(separator, 1)[0] ?? []]));
  const fits = all.filter((separator) => isHeader(first.get(separator)!));
  if (fits.length > 1)
    unreadableFileError(
      file,
      `its cells may be separated by ${fits.map(separatorName).join(' or ')}.`,
      'Save it again as .xlsx, or with every cell in quotation marks.',
    );
  // Otherwise: the separator with a header in a later row, or with the most cells in the first row.
  const further = all.find((separator) => rowsOf(separator, HEADER_ROWS).some(isHeader));
  const most = all.reduce((best, each) => (first.get(each)!.length > first.get(best)!.length ? each : best));
  return {separator: fits[0] ?? further ?? most, skip: 0};
}

const isSeparator = (text: string): text is Separator => Object.hasOwn(SEPARATORS, text);
