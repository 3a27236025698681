// The rows of a CSV file, with the line on which each begins. csv-parse reads them; its options here are those that lose nothing.

import type {Options} from 'csv-parse';
import {linesIn} from './lines.js';

/** Characters of the longest row: a bound on what a quotation mark that is not closed can take. */
const LONGEST_ROW = 262_144;

/** A row as it stands, or what made the rest of the file unreadable. */
export type RawRow =
  | {readonly line: number; readonly cells: readonly string[]}
  | {readonly line: number; readonly broken: string; readonly fix: string};

const PROBLEMS: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  CSV_INVALID_CLOSING_QUOTE: [
    'There is text after a closing quotation mark.',
    'Inside a cell in quotation marks, double each one: "5"" pipe".',
  ],
  INVALID_OPENING_QUOTE: [
    'There is a quotation mark in the middle of a cell.',
    'Put the whole cell in quotation marks, and double the one inside: "5"" pipe".',
  ],
  CSV_QUOTE_NOT_CLOSED: ['A quotation mark is not closed.', 'Close it, or remove it.'],
  CSV_MAX_RECORD_SIZE: ['The row is too long: a quotation mark is probably not closed.', 'Close it, or remove it.'],
};

export const csvOptions = (delimiter: string): Options => ({
  delimiter,
  record_delimiter: '\n',
  // A row with too many cells is explained by its reader.
  relax_column_count: true,
  max_record_size: LONGEST_ROW,
});

/** @param pieces whole lines, each of which ends with LF */
export async function* csvRows(
  pieces: AsyncIterable<{readonly text: string; readonly line: number}>,
  delimiter: string,
): AsyncIterable<RawRow> {
  const {parse} = await import('csv-parse');
  let rows: RawRow[] = [];
  let line: number | undefined;
  const parser = parse({
    ...csvOptions(delimiter),
    // Called for each row while a piece is written; nothing waits inside the parser.
    on_record: (cells: string[]) => {
      rows.push({line: line!, cells});
      line! += 1 + cells.reduce((sum, cell) => sum + linesIn(cell), 0);
      return null;
    },
  });
  parser.on('error', () => {});
  parser.resume();
  const take = (): RawRow[] => {
    const taken = rows;
    rows = [];
    return taken;
  };
  const written = (write: (done: (error?: Error | null) => void) => void) =>
    new Promise<{readonly code?: string} | undefined>((resolve) =>
      write((error) => resolve((error as {code?: string} | null | undefined) ?? undefined)),
    );
  const broken = ({code = ''}: {code?: string}): RawRow => {
    const [problem, fix] = PROBLEMS[code] ?? ['It is not readable as CSV.', 'Save the file again as CSV or as .xlsx.'];
    return {line: line!, broken: problem, fix};
  };
  for await (const {text, line: first} of pieces) {
    line ??= first;
    const error = await written((done) => parser.write(text, done));
    yield* take();
    if (error) return yield broken(error);
  }
  const error = await written((done) => {
    parser.once('error', done);
    parser.end(() => done());
  });
  yield* take();
  if (error) yield broken(error);
}
