// A table of objects: at a terminal the columns that fit, by rank; in a pipe all columns, uncut.

import {slices, type Io} from '../io.js';
import type {Cell, Column, Result} from '../result.js';
import {textOf} from '../rows.js';
import {cellOf, readingOf, shortIds, type Reading} from './cells.js';
import {fit, keepings, type ColumnWidths, type Place} from './layout.js';
import {rulerFor, textsOf, type Ruler} from './measure.js';
import {drawTable, widestOf, wrappingWidths} from './table.js';

/** The least widths of a column that may be cut. */
const CUTS = {
  name: {soft: 22, least: 14},
  // Half an address is of little use, so other columns are dropped first.
  address: {soft: Infinity, least: 22},
} as const;

export interface TableOptions {
  readonly io: Io;
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
}

export interface FittedTable {
  /** Undefined if not even the first columns fit. */
  readonly text: string | undefined;
  readonly shown: readonly Column[];
  /** Columns that had no room. */
  readonly hidden: readonly Column[];
}

export async function tableView(result: Result, options: TableOptions): Promise<FittedTable> {
  const {io, chosen} = options;
  const columns = (chosen ?? columnsFor(result, io)).map((column, index) => ({...column, rank: rankOf(column, index)}));
  const sets = chosen ? [columns.map((_, index) => index)] : keepings(columns.map(({rank}) => rank));
  const maker = new ColumnMaker(result, options);
  const fitted = (text: string | undefined, shown: readonly Column[]): FittedTable => ({
    text,
    shown,
    hidden: columns.filter((column) => !shown.includes(column)),
  });
  let kept: readonly Ranked[] = columns;
  for (const limit of ['soft', 'least'] as const) {
    for (const set of limit === 'soft' ? sets : sets.slice(-1)) {
      kept = set.map((index) => columns[index]!);
      const drawn = await maker.columns(kept);
      const places = fit(drawn, io.tableWidth, limit);
      if (!places) continue;
      return fitted(await maker.draw(drawn, places), kept);
    }
  }
  return fitted(undefined, io.stdoutIsTerminal ? kept : columns);
}

/** A terminal leaves out empty columns. If no other column names the objects, their ids do. */
function columnsFor({atTerminal, table, columns, rows}: Result, {stdoutIsTerminal}: Io): readonly Column[] {
  if (!stdoutIsTerminal || !atTerminal) return table ?? columns;
  const filled = atTerminal.filter((column) => rows.some((row) => textOf(row, column) !== ''));
  const isNamed = atTerminal.every((column) => column.rank !== 1 || filled.includes(column));
  return isNamed ? filled : filled.map((column) => (column.path === 'id' ? {...column, rank: 1} : column));
}

type Ranked = Column & {readonly rank: number};

const rankOf = ({rank}: Column, index: number): number => rank ?? index + 1;

/** Makes and measures the cells of columns, only once unless they depend on other columns. */
class ColumnMaker {
  readonly #result: Result;
  readonly #options: TableOptions;
  readonly #made = new Map<Ranked, Drawn>();

  constructor(result: Result, options: TableOptions) {
    this.#result = result;
    this.#options = options;
  }

  async columns(kept: readonly Ranked[]): Promise<Drawn[]> {
    const look = await readingOf(this.#result, kept, this.#options);
    const drawn = [];
    for (const column of kept) {
      const known = look?.words.has(column.path) ? undefined : this.#made.get(column);
      const made = known ?? (await this.#make(column, look));
      this.#made.set(column, made);
      drawn.push(made);
    }
    return drawn;
  }

  async #make(column: Ranked, look: Reading | undefined): Promise<Drawn> {
    const {io, chosen} = this.#options;
    const full: Cell[] = [];
    for await (const rows of slices(this.#result.rows, io))
      for (const row of rows) full.push(cellOf(row, column, {io, look}));
    const header = column.header.toUpperCase();
    const ids = column.shortens && io.stdoutIsTerminal && !chosen ? shortIds(full.map(({text}) => text)) : undefined;
    const cells = ids ? [full, ids.map((text) => ({text}))] : [full];
    const ruler = await rulerFor([header, ...full.map(({text}) => text)]);
    const forms = cells.map((form) => widestOf(header, form, ruler));
    return {column, header, cells, rank: column.rank, forms, ...this.#givingWay(column, {header, cells: full, ruler})};
  }

  #givingWay(column: Column, {header, cells, ruler}: {header: string; cells: readonly Cell[]; ruler: Ruler}) {
    const {io} = this.#options;
    const cut = cutOf(column, io);
    if (cut) {
      const least = ruler.widthOf(header);
      return {soft: Math.max(CUTS[cut].soft, least), least: Math.max(CUTS[cut].least, least)};
    }
    if (!wraps(column)) return {};
    const least = wrappingWidths(header, cells, ruler).soft!;
    if (column.wrapsLast) return {soft: Infinity, least};
    return {soft: io.stdoutIsTerminal ? Math.max(least, CUTS.name.soft) : least, least};
  }

  async draw(drawn: readonly Drawn[], places: readonly Place[]): Promise<string> {
    const {io} = this.#options;
    const columns = drawn.map(({column, header}) => ({header, align: alignOf(column)}));
    const chosen = drawn.map(({cells}, index) => cells[places[index]!.form]!);
    const rows = this.#result.rows.map((_, row) => chosen.map((cells) => cells[row]!));
    const ruler = await rulerFor(textsOf(columns, rows));
    for (const [index, {column}] of drawn.entries()) {
      if (cutOf(column, io) === undefined) continue;
      for (const row of rows) row[index] = {...row[index]!, text: ruler.cut(row[index]!.text, places[index]!.width)};
    }
    return drawTable(
      columns,
      rows,
      places.map(({width}) => width),
      {ruler, io},
    );
  }
}

/** A pipe wraps text and cuts nothing. */
const cutOf = ({cut, kind}: Column, io: Io): keyof typeof CUTS | undefined =>
  io.stdoutIsTerminal ? (cut ?? (kind === 'object' ? 'name' : undefined)) : undefined;

const wraps = ({kind, path, whole}: Column): boolean =>
  (kind === 'text' || kind === 'object') && !whole && !/(^|_)id$/.test(path);

const alignOf = ({align, kind}: Column): 'left' | 'right' => align ?? (kind === 'centavos' ? 'right' : 'left');
