// Which columns of a table fit a width, in which form and how wide. Rules only: it knows numbers, no texts.

/** Blanks between two columns. */
export const GAP = 2;
/** Columns of these ranks stay in the table for as long as there is one. */
const STAYING = 3;

/** How wide a column is, and how far it gives way. All widths are in columns of the terminal. */
export interface ColumnWidths {
  /** 1 stays longest; columns of one rank leave together. */
  readonly rank: number;
  /** The widths of its forms, from the fullest to the shortest. */
  readonly forms: readonly number[];
  /** How narrow it gets before a shorter form is taken or a column is left out. Without it, it keeps its width. */
  readonly soft?: number;
  /** How narrow it gets when only the first ranks are left. */
  readonly least?: number;
}

/** The form that a column takes, by its index, and its width. */
export interface Place {
  readonly form: number;
  readonly width: number;
}

/**
 * The sets of columns to try, by their indices, the fullest first. Each is a part of the one before it, so that no column
 * vanishes when the terminal gets wider.
 */
export function keepings(ranks: readonly number[]): number[][] {
  const sets: number[][] = [];
  let kept = ranks.map((_, index) => index);
  for (;;) {
    sets.push(kept);
    const last = Math.max(...kept.map((index) => ranks[index]!));
    const fewer = kept.filter((index) => ranks[index]! < last);
    if (last <= STAYING || fewer.length === 0) return sets;
    kept = fewer;
  }
}

/**
 * Where these columns stand in a table of this width; undefined when they do not fit. First the widest of those that give way are
 * narrowed, then shorter forms are taken, the last rank first.
 * @param limit how narrow they may get
 */
export function fit(
  columns: readonly ColumnWidths[],
  width: number,
  limit: 'least' | 'soft' = 'soft',
): Place[] | undefined {
  const forms = columns.map(() => 0);
  for (;;) {
    const natural = columns.map((column, index) => column.forms[forms[index]!]!);
    const floors = columns.map((column, index) =>
      Math.min(natural[index]!, (limit === 'least' ? (column.least ?? column.soft) : column.soft) ?? Infinity),
    );
    if (total(floors) <= width)
      return narrowed(natural, floors, total(natural) - width).map((each, index) => ({
        form: forms[index]!,
        width: each,
      }));
    const shortens = columns.map(({forms: all}, index) => forms[index]! < all.length - 1);
    const last = columns.reduce(
      (best, {rank}, index) => (shortens[index] && (best < 0 || rank >= columns[best]!.rank) ? index : best),
      -1,
    );
    if (last < 0) return undefined;
    forms[last] = forms[last]! + 1;
  }
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);

/** Takes the excess from the widest columns that can still be narrowed. */
function narrowed(natural: readonly number[], floors: readonly number[], excess: number): number[] {
  const widths = [...natural];
  for (let left = excess; left > 0; left--) {
    const widest = widths.reduce(
      (best, width, index) => (width > floors[index]! && (best < 0 || width > widths[best]!) ? index : best),
      -1,
    );
    widths[widest] = widths[widest]! - 1;
  }
  return widths;
}
