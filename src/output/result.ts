// Results of commands, and the format to print them in.

import type {ValueKind} from './format.js';
import type {OutputStreams, Style} from './streams.js';
import type {JqProgram} from './jq.js';

export interface ResultColumn {
  /** Dotted path into the object. */
  readonly path: string;
  readonly header: string;
  readonly kind: ValueKind;
  /** True if never wrapped: a link is copied as a whole. */
  readonly whole?: boolean;
  /** True if tables show the time of day too, not only the date. */
  readonly timed?: boolean;
  /** A narrow terminal drops the highest ranks first. Default: the column's position, from 1. */
  readonly rank?: number;
  /** A column that a terminal may cut: a name on a narrow terminal, an address only as a last resort. */
  readonly cut?: 'address' | 'name';
  /** True if wrapped only as a last resort: other columns are dropped first. */
  readonly wrapsLast?: boolean;
  /** True for ids, which come last in the view of one object. */
  readonly isId?: boolean;
  /** True if a narrow terminal may show only the start of the id. */
  readonly shortens?: boolean;
  readonly align?: 'right';
  /** Path of the value to show, marked as computed, if the column's own value is missing. */
  readonly computed?: string;
}

export type Format = 'csv' | 'json' | 'jsonl' | 'table';

/** Without a `format` the output depends on the terminal. */
export interface Rendering {
  readonly format?: Format;
  readonly fields?: readonly string[];
  readonly jq?: JqProgram;
  /** Mode of the account that answers, once known: `sandbox`, `test` or `live`. `withMode` adds it to the output. */
  readonly mode?: string;
  /** True for a command that changes an account: then each row has its mode, too. */
  readonly changes?: boolean;
  /** Unix seconds, for words at a terminal such as `overdue 3 days`. */
  readonly now?: number;
}

export type ResultRow = Readonly<Record<string, unknown>>;

export interface CommandResult {
  readonly rows: readonly ResultRow[];
  /** The rows for every format except JSON without `--fields`, if different. */
  readonly shown?: readonly ResultRow[];
  /** The document that JSON prints: the API's response. */
  readonly document: unknown;
  /** True for a response of `api`, which is printed without a mode. */
  readonly unchanged?: boolean;
  /** Name of the document's last field, which holds the rows; `data` by default. */
  readonly rowsIn?: string;
  readonly columns: readonly ResultColumn[];
  /** Columns of a table, if different. */
  readonly atTerminal?: readonly ResultColumn[];
  /** Every known column, for a single object and for `--fields`. */
  readonly all: readonly ResultColumn[];
  /** Words shown at a terminal in place of values. */
  readonly formatters?: () => Promise<ValueFormatters>;
  /** Paths that the view of a single object omits. */
  readonly omitted?: ReadonlySet<string>;
  /** One object is shown as a list of its fields, several as a table. */
  readonly shape: 'many' | 'one';
  /** Formats one object for a terminal, instead of its fields. The row has no secrets; `now` is in unix seconds. */
  readonly view?: (row: ResultRow, options: {readonly io: OutputStreams; readonly now: number}) => Promise<string>;
  /** True to print JSON without white space, for programs. */
  readonly compact?: boolean;
  /** Message at a terminal if no rows were found. */
  readonly empty?: string;
  /** Lines below a table at a terminal: totals, a chart. */
  readonly below?: readonly string[];
}

export interface RedactedResult extends CommandResult {
  /** The rows as the API returned them, without secrets; `rows` are as displayed. */
  readonly raw: readonly ResultRow[];
}

/** Inputs for the text of a value, in addition to its row. */
export interface FormatContext {
  /** Unix seconds. */
  readonly now: number;
  readonly shownPaths: ReadonlySet<string>;
}

export interface FormattedValue {
  readonly text: string;
  readonly style?: Style;
}

/** Formatters by the path of a column. A result of undefined shows the value itself. */
export type ValueFormatters = ReadonlyMap<string, (row: ResultRow, ctx: FormatContext) => FormattedValue | undefined>;

/** Moves ids to the end, and the id of the object itself to the very end. */
export function moveIdsLast(columns: readonly ResultColumn[]): ResultColumn[] {
  const place = ({isId, path}: ResultColumn): number => (!isId ? 0 : path === 'id' ? 2 : 1);
  return [...columns].sort((a, b) => place(a) - place(b));
}

export interface ResultCell {
  readonly text: string;
  /** Colours the finished text; widths are measured without it. */
  readonly paint?: (text: string) => string;
}
