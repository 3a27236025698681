// Draws a table of objects, with the columns that fit, by rank.

import {rowBatches, type OutputStreams} from '../streams.js';
import {textMeasureFor, type TextMeasure} from '../text-width.js';
import type {ResultCell, ResultColumn, CommandResult, ResultRow} from '../result.js';
import {cellText} from '../row-formats.js';
import {cellOf, terminalCellOptionsOf, shortIds, type TerminalCellOptions} from './cells.js';
import {fitColumns, columnSubsets, type ColumnWidths, type ColumnPlace} from './layout.js';
import {tableOf} from './table.js';

/** Minimum widths of columns that may be cut. */
const CUTS = {
  name: {soft: 22, least: 14},
  // Half an address is of little use, so other columns are dropped first.
  address: {soft: Infinity, least: 22},
} as const;

/** Minimum width of a column of free text. */
const MIN_TEXT_WIDTH = 12;

export interface TableOptions {
  readonly io: OutputStreams;
  /** Width in columns of the terminal; by default all columns. */
  readonly width?: number;
  /** Columns that the user chose: none is dropped. */
  readonly chosen?: readonly ResultColumn[];
  /** Unix seconds. */
  readonly now?: number;
}

interface MeasuredColumn extends ColumnWidths {
  readonly column: ResultColumn;
  readonly header: string;
  readonly cells: readonly (readonly ResultCell[])[];
  readonly ruler: TextMeasure;
}

export interface FittedTable {
  /** Undefined if not even the first columns fit. */
  readonly text: string | undefined;
  readonly shown: readonly ResultColumn[];
  readonly hidden: readonly ResultColumn[];
}

export async function tableView(result: CommandResult, options: TableOptions): Promise<FittedTable> {
  const {io, chosen, width = io.width} = options;
  const columns = (chosen ?? columnsFor(result)).map((column, index) => ({
    ...column,
    rank: column.rank ?? index + 1,
  }));
  // For a screen reader, a value far from its header is meaningless.
  if (io.spoken) return {text: undefined, shown: columns, hidden: []};
  const sets = chosen ? [columns.map((_, index) => index)] : columnSubsets(columns.map(({rank}) => rank));
  // Cells are made and measured only once, unless they depend on other columns.
  const cache = new Map<Ranked, MeasuredColumn>();
  const measureColumns = async (kept: readonly Ranked[]): Promise<MeasuredColumn[]> => {
    const look = await terminalCellOptionsOf(result, kept, options.now);
    for (const column of kept)
      if (look?.words.has(column.path) || !cache.has(column))
        cache.set(column, await measureColumn(column, result.rows, {...options, look}));
    return kept.map((column) => cache.get(column)!);
  };
  const fitted = (text: string | undefined, shown: readonly ResultColumn[]): FittedTable => ({
    text,
    shown,
    hidden: columns.filter((column) => !shown.includes(column)),
  });
  let kept: readonly Ranked[] = columns;
  for (const limit of ['soft', 'least'] as const)
    for (const set of limit === 'soft' ? sets : sets.slice(-1)) {
      kept = set.map((index) => columns[index]!);
      const drawn = await measureColumns(kept);
      const places = fitColumns(drawn, width, limit);
      if (places) return fitted(await draw(drawn, places, result.rows.length, io), kept);
    }
  return fitted(undefined, kept);
}

/** Omits empty columns. Keeps the id at any width if no other column names each object. */
function columnsFor({atTerminal, columns, rows}: CommandResult): readonly ResultColumn[] {
  if (!atTerminal) return columns;
  const filled = atTerminal.filter((column) => rows.some((row) => cellText(row, column) !== ''));
  const isNamed = atTerminal.every((column) => column.rank !== 1 || filled.includes(column));
  return isNamed ? filled : filled.map((column) => (column.path === 'id' ? {...column, rank: 1} : column));
}

type Ranked = ResultColumn & {readonly rank: number};

async function measureColumn(
  column: Ranked,
  rows: readonly ResultRow[],
  {io, chosen, look}: TableOptions & {readonly look?: TerminalCellOptions},
): Promise<MeasuredColumn> {
  const full: ResultCell[] = [];
  for await (const batch of rowBatches(rows, io)) for (const row of batch) full.push(cellOf(row, column, {io, look}));
  const header = column.header.toUpperCase();
  const ids = column.shortens && !chosen ? shortIds(full.map(({text}) => text)) : undefined;
  const cells = ids ? [full, ids.map((text) => ({text}))] : [full];
  const ruler = await textMeasureFor([header, ...full.map(({text}) => text)]);
  const forms = cells.map((form) =>
    form.reduce((widest, {text}) => Math.max(widest, ruler.widthOf(text)), Math.max(1, ruler.widthOf(header))),
  );
  return {column, header, cells, ruler, rank: column.rank, forms, ...minWidthsOf(column, {header, cells: full, ruler})};
}

function minWidthsOf(
  column: ResultColumn,
  {header, cells, ruler}: {header: string; cells: readonly ResultCell[]; ruler: TextMeasure},
): Pick<ColumnWidths, 'least' | 'soft'> {
  const cut = cutOf(column);
  if (cut) {
    const least = ruler.widthOf(header);
    return {soft: Math.max(CUTS[cut].soft, least), least: Math.max(CUTS[cut].least, least)};
  }
  if (!wraps(column)) return {};
  const word = cells.reduce((widest, {text}) => Math.max(widest, ruler.widestWord(text)), ruler.widestWord(header));
  const least = Math.max(MIN_TEXT_WIDTH, word);
  return {soft: column.wrapsLast ? Infinity : Math.max(least, CUTS.name.soft), least};
}

/** @param places of the drawn columns, with the form that fits @param count number of rows */
async function draw(
  drawn: readonly MeasuredColumn[],
  places: readonly ColumnPlace[],
  count: number,
  io: OutputStreams,
): Promise<string> {
  const lineOf = await tableOf(drawn.map(({column}, index) => ({...places[index]!, align: alignOf(column)})));
  const columns = drawn.map(({header, cells}, index): readonly ResultCell[] => [
    {text: header, paint: (text) => io.paint('bold', text)},
    ...cells[places[index]!.form]!,
  ]);
  const linesOf = (row: number): string => {
    const cells = drawn.map(({column, ruler}, index) => {
      const {text, paint} = columns[index]![row]!;
      const {width} = places[index]!;
      const lines = cutOf(column) ? [ruler.cut(text, width)] : ruler.wrap(text, width);
      return lines.map((line) => ({text: line, paint, width: ruler.widthOf(line)}));
    });
    const height = Math.max(...cells.map(({length}) => length));
    return Array.from({length: height}, (_, at) => lineOf(cells.map((lines) => lines[at]))).join('');
  };
  let text = '';
  for await (const batch of rowBatches([...Array(1 + count).keys()], io)) text += batch.map(linesOf).join('');
  return text;
}

const cutOf = ({cut, kind}: ResultColumn) => cut ?? (kind === 'object' ? 'name' : undefined);

const wraps = ({kind, path, whole}: ResultColumn): boolean =>
  (kind === 'text' || kind === 'object') && !whole && !/(^|_)id$/.test(path);

const alignOf = ({align, kind}: ResultColumn): 'left' | 'right' => align ?? (kind === 'centavos' ? 'right' : 'left');
