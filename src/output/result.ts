// Results: what a command has to show, and the form that was asked for.

import type {ValueKind} from './format.js';
import type {Io, Style} from './io.js';
import type {JqProgram} from './jq.js';

export interface Column {
  /** Dotted path into the object. */
  readonly path: string;
  readonly header: string;
  readonly kind: ValueKind;
  /** Never broken over lines of a table: a link is copied as a whole. */
  readonly whole?: boolean;
  /** A time is shown with its hour in a table, too: what is listed comes minutes apart. */
  readonly timed?: boolean;
  /** How long it stays when the terminal is narrow: 1 stays longest. By its place if not given. */
  readonly rank?: number;
  /** May be cut at a terminal: a name when it is narrow, an address only when nothing else helps. */
  readonly cut?: 'address' | 'name';
  /** A text that is wrapped only when nothing else helps: other columns are left out first. */
  readonly wrapsLast?: boolean;
  /** An id: the last thing that people look for. */
  readonly isId?: boolean;
  /** A narrow terminal may show the beginning of the id. */
  readonly shortens?: boolean;
  readonly align?: 'right';
  /** The path of a value that is shown, marked as computed, if this one is missing. */
  readonly computed?: string;
}

export type Format = 'csv' | 'json' | 'jsonl' | 'markdown' | 'table' | 'yaml';

/** The output that the command line asked for. Without a `format` it depends on the terminal. */
export interface Rendering {
  readonly format?: Format;
  readonly fields?: readonly string[];
  readonly jq?: JqProgram;
  /** Unix seconds, for what is said at a terminal: `overdue 3 days`. */
  readonly now?: number;
}

export type Row = Readonly<Record<string, unknown>>;

/** Objects to show. `document` is what JSON prints: the API's own answer, less its secrets. */
export interface Result {
  readonly rows: readonly Row[];
  /** The rows as they are displayed, if different: in every format except JSON without `--fields`. */
  readonly shown?: readonly Row[];
  readonly document: unknown;
  /** The field of the document that has the rows, which is its last one; `data` if not given. */
  readonly rowsIn?: string;
  /** Columns of a table of these, and of its rows in a pipe. */
  readonly columns: readonly Column[];
  /** The columns of a table, if different. */
  readonly table?: readonly Column[];
  /** The columns of a table at a terminal, if different from those. */
  readonly atTerminal?: readonly Column[];
  /** Every known column, for a single object and for `--fields`. */
  readonly all: readonly Column[];
  /** What a person at a terminal reads in place of values, by the paths of their columns. */
  readonly words?: () => Promise<WordsByPath>;
  /** Paths that are left out of a single object at a terminal. */
  readonly quiet?: ReadonlySet<string>;
  /** One object is shown as a list of its fields, several as a table. */
  readonly shape: 'many' | 'one';
  /** How one object is shown at a terminal, if not as a list of its fields. Gets it without secrets; `now` is in unix seconds. */
  readonly view?: (row: Row, options: {readonly io: Io; readonly now: number}) => Promise<string>;
  /** JSON of this is printed without white space: it is long, and read by programs only. */
  readonly compact?: boolean;
  /** What to say on a terminal when there is nothing. */
  readonly empty?: string;
  /** Lines under a table at a terminal: totals, a chart. */
  readonly below?: readonly string[];
}

/** A result of which the secrets are hidden. */
export interface Hidden extends Result {
  /** The rows as the API gave them; `rows` are as they are displayed. */
  readonly raw: readonly Row[];
}

/** What a cell can take into account besides its own row. */
export interface Look {
  /** Unix seconds. */
  readonly now: number;
  /** The paths of the columns that are shown. */
  readonly beside: ReadonlySet<string>;
}

/** What a person reads in place of a value. */
export interface Words {
  readonly text: string;
  readonly style?: Style;
}

/** By the path of a column; undefined where the value itself is shown. */
export type WordsByPath = ReadonlyMap<string, (row: Row, look: Look) => Words | undefined>;
