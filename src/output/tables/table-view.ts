// A table of objects, with the columns that fit, by rank.

import {slices, type Io} from '../io.js';
import {rulerFor, type Ruler} from '../measure.js';
import type {Cell, Column, Result, Row} from '../result.js';
import {textOf} from '../rows.js';
import {cellOf, readingOf, shortIds, type Reading} from './cells.js';
import {fit, keepings, type ColumnWidths, type Place} from './layout.js';
import {tableOf} from './table.js';

/** The least widths of a column that may be cut. */
const CUTS = {
  name: {soft: 22, least: 14},
  // Half an address is of little use, so other columns are dropped first.
  address: {soft: Infinity, least: 22},
} as const;

/** The least width of a column of free text. */
const NARROWEST = 12;

export interface TableOptions {
  readonly io: Io;
  /** Columns of the terminal, if fewer than it has. */
  readonly width?: number;
  /** Columns that were chosen by name: none is dropped. */
  readonly chosen?: readonly Column[];
  /** Unix seconds. */
  readonly now?: number;
}

interface Drawn extends ColumnWidths {
  readonly column: Column;
  readonly header: string;
  /** The cells in each of the column's forms. */
  readonly cells: readonly (readonly Cell[])[];
  readonly ruler: Ruler;
}

export interface FittedTable {
  /** Undefined if not even the first columns fit. */
  readonly text: string | undefined;
  readonly shown: readonly Column[];
  /** Columns that had no room. */
  readonly hidden: readonly Column[];
}

export async function tableView(result: Result, options: TableOptions): Promise<FittedTable> {
  const {io, chosen, width = io.width} = options;
  const columns = (chosen ?? columnsFor(result)).map((column, index) => ({
    ...column,
    rank: column.rank ?? index + 1,
  }));
  // Read aloud, a value far from its header, or behind an empty cell, says nothing.
  if (io.spoken) return {text: undefined, shown: columns, hidden: []};
  const sets = chosen ? [columns.map((_, index) => index)] : keepings(columns.map(({rank}) => rank));
  // Cells are made and measured only once, unless they depend on other columns.
  const made = new Map<Ranked, Drawn>();
  const drawnOf = async (kept: readonly Ranked[]): Promise<Drawn[]> => {
    const look = await readingOf(result, kept, options.now);
    for (const column of kept)
      if (look?.words.has(column.path) || !made.has(column))
        made.set(column, await measured(column, result.rows, {...options, look}));
    return kept.map((column) => made.get(column)!);
  };
  const fitted = (text: string | undefined, shown: readonly Column[]): FittedTable => ({
    text,
    shown,
    hidden: columns.filter((column) => !shown.includes(column)),
  });
  let kept: readonly Ranked[] = columns;
  for (const limit of ['soft', 'least'] as const) {
    for (const set of limit === 'soft' ? sets : sets.slice(-1)) {
      kept = set.map((index) => columns[index]!);
      const drawn = await drawnOf(kept);
      const places = fit(drawn, width, limit);
      if (places) return fitted(await draw(drawn, places, result.rows.length, io), kept);
    }
  }
  return fitted(undefined, kept);
}

/** Empty columns are left out. If no other column names the objects, their ids do. */
function columnsFor({atTerminal, columns, rows}: Result): readonly Column[] {
  if (!atTerminal) return columns;
  const filled = atTerminal.filter((column) => rows.some((row) => textOf(row, column) !== ''));
  const isNamed = atTerminal.every((column) => column.rank !== 1 || filled.includes(column));
  return isNamed ? filled : filled.map((column) => (column.path === 'id' ? {...column, rank: 1} : column));
}

type Ranked = Column & {readonly rank: number};

async function measured(
  column: Ranked,
  rows: readonly Row[],
  {io, chosen, look}: TableOptions & {readonly look?: Reading},
): Promise<Drawn> {
  const full: Cell[] = [];
  for await (const some of slices(rows, io)) for (const row of some) full.push(cellOf(row, column, {io, look}));
  const header = column.header.toUpperCase();
  const ids = column.shortens && !chosen ? shortIds(full.map(({text}) => text)) : undefined;
  const cells = ids ? [full, ids.map((text) => ({text}))] : [full];
  const ruler = await rulerFor([header, ...full.map(({text}) => text)]);
  const forms = cells.map((form) =>
    form.reduce((widest, {text}) => Math.max(widest, ruler.widthOf(text)), Math.max(1, ruler.widthOf(header))),
  );
  return {column, header, cells, ruler, rank: column.rank, forms, ...leastOf(column, {header, cells: full, ruler})};
}

function leastOf(
  column: Column,
  {header, cells, ruler}: {header: string; cells: readonly Cell[]; ruler: Ruler},
): Pick<ColumnWidths, 'least' | 'soft'> {
  const cut = cutOf(column);
  if (cut) {
    const least = ruler.widthOf(header);
    return {soft: Math.max(CUTS[cut].soft, least), least: Math.max(CUTS[cut].least, least)};
  }
  if (!wraps(column)) return {};
  const word = cells.reduce((widest, {text}) => Math.max(widest, ruler.widestWord(text)), ruler.widestWord(header));
  const least = Math.max(NARROWEST, word);
  return {soft: column.wrapsLast ? Infinity : Math.max(least, CUTS.name.soft), least};
}

/** @param places of the columns drawn, with the form in which each fits @param count of the rows */
async function draw(drawn: readonly Drawn[], places: readonly Place[], count: number, io: Io): Promise<string> {
  const lineOf = await tableOf(drawn.map(({column}, index) => ({...places[index]!, align: alignOf(column)})));
  const columns = drawn.map(({header, cells}, index): readonly Cell[] => [
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
  for await (const some of slices([...Array(1 + count).keys()], io)) text += some.map(linesOf).join('');
  return text;
}

const cutOf = ({cut, kind}: Column): keyof typeof CUTS | undefined => cut ?? (kind === 'object' ? 'name' : undefined);

const wraps = ({kind, path, whole}: Column): boolean =>
  (kind === 'text' || kind === 'object') && !whole && !/(^|_)id$/.test(path);

const alignOf = ({align, kind}: Column): 'left' | 'right' => align ?? (kind === 'centavos' ? 'right' : 'left');
