// Chooses the columns of a table that fit a width, and their widths.

/** Blanks between two columns. */
export const GAP = 2;
/** Columns up to this rank are never dropped. */
const MAX_KEPT_RANK = 3;

export interface ColumnWidths {
  /** The highest ranks are dropped first, all columns of a rank together. */
  readonly rank: number;
  /** From the full form to the shortest. */
  readonly forms: readonly number[];
  /** Minimum width before a shorter form is used or a column is dropped; the full width by default. */
  readonly soft?: number;
  /** Minimum width once no column can be dropped; `soft` by default. */
  readonly least?: number;
}

/** `form`: index in {@link ColumnWidths.forms}. */
export interface ColumnPlace {
  readonly form: number;
  readonly width: number;
}

/** Returns the sets of column indexes to try. Each contains the next, so a wider terminal never loses a column. */
export function columnSubsets(ranks: readonly number[]): number[][] {
  const sets: number[][] = [];
  let kept = ranks.map((_, index) => index);
  for (;;) {
    sets.push(kept);
    const last = Math.max(...kept.map((index) => ranks[index]!));
    const fewer = kept.filter((index) => ranks[index]! < last);
    if (last <= MAX_KEPT_RANK || fewer.length === 0) return sets;
    kept = fewer;
  }
}

/**
 * Returns the places of these columns in a table of this width; undefined if they do not fit. Narrows the widest
 * columns first, then uses shorter forms, from the highest rank down. At the `least` widths, all have their shortest form.
 */
export function fitColumns(
  columns: readonly ColumnWidths[],
  width: number,
  limit: 'least' | 'soft' = 'soft',
): ColumnPlace[] | undefined {
  const forms = columns.map(({forms: all}) => (limit === 'least' ? all.length - 1 : 0));
  for (;;) {
    const natural = columns.map((column, index) => column.forms[forms[index]!]!);
    const floors = columns.map((column, index) =>
      Math.min(natural[index]!, (limit === 'least' ? (column.least ?? column.soft) : column.soft) ?? Infinity),
    );
    if (totalWidth(floors) <= width)
      return narrowed(natural, floors, totalWidth(natural) - width).map((each, index) => ({
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

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);

function narrowed(natural: readonly number[], floors: readonly number[], excess: number): number[] {
  const widths = [...natural];
  for (let remaining = excess; remaining > 0; remaining--) {
    const widest = widths.reduce(
      (best, width, index) => (width > floors[index]! && (best < 0 || width > widths[best]!) ? index : best),
      -1,
    );
    widths[widest] = widths[widest]! - 1;
  }
  return widths;
}
