// Prints a result as a table, tab-separated rows, JSON, JSON lines, YAML or CSV, or through a jq program. Only this file decides how it looks.

import type {WordsByPath} from './tables/cells.js';
import {toJson, type ValueKind} from './format.js';
import {slices, type Io} from './io.js';
import {runJq, type JqProgram} from './jq.js';
import {chosenColumns, csv, jsonLines, pick, tabbed} from './rows.js';

export interface Column {
  /** Dotted path into the object. */
  readonly path: string;
  readonly header: string;
  readonly kind: ValueKind;
  /** Never broken over lines of a table: a link is copied as a whole. */
  readonly whole?: boolean;
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

export const isMachine = ({format, jq}: Rendering): boolean =>
  jq !== undefined || format === 'json' || format === 'jsonl' || format === 'yaml';

/** A result of which the secrets are hidden. */
export interface Hidden extends Result {
  /** The rows as the API gave them; `rows` are as they are displayed. */
  readonly raw: readonly Row[];
}

/**
 * Hides secrets before anything is formatted, so that a jq program sees none and no cell cuts one. Takes what the form needs, and no more.
 * @throws CentavoError kind `interrupted`
 */
export async function hidden(result: Result, rendering: Rendering, io: Io): Promise<Hidden> {
  const {rows: raw, shown = raw, document, columns, all, ...rest} = result;
  const whole = isMachine(rendering);
  const forPeople = io.stdoutIsTerminal || rendering.format === 'markdown';
  const rows = whole || forPeople || rendering.fields || rest.shape === 'one' ? shown : inColumns(shown, columns);
  const known = new Map<object, unknown>();
  for (const list of whole ? [raw, rows] : [rows]) for await (const some of slices(list, io)) io.hide(some, {known});
  const safe = io.hide({rows, columns, all, ...(whole ? {raw, document} : {raw: [], document: undefined})}, {known});
  await io.checkSignal();
  return {...rest, ...safe};
}

/** The rows with the fields that are in these columns, or hold what is. */
function inColumns(rows: readonly Row[], columns: readonly Column[]): Row[] {
  const paths = columns.flatMap(({path, computed = path}) => [path, computed]);
  const names = [...new Set(paths.map((path) => path.split('.', 1)[0]!))];
  return rows.map((row) =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]])),
  );
}

/**
 * Writes a result to stdout, without secrets.
 * @throws CentavoError kind `usage` for an unknown field or a jq program that fails, and those of a jq program that is ended
 */
export async function render(whole: Result, rendering: Rendering, io: Io): Promise<void> {
  const {format, fields, jq} = rendering;
  const result = await hidden(whole, rendering, io);
  const columns = fields ? chosenColumns(result, fields) : undefined;
  if (jq !== undefined)
    return io.out(await runJq(jq, columns ? pickDocument(result, columns) : result.document, format === 'jsonl', io));
  if (format === 'json') return io.out(`${jsonDocument(result, columns)}\n`);
  if (format === 'yaml') {
    const {toYaml} = await import('./yaml.js');
    return io.out(await toYaml(columns ? pickDocument(result, columns) : result.document));
  }
  if (format === 'jsonl') return io.out(jsonLines(result, columns));
  if (format === 'csv')
    return io.out(await csv(result.rows, columns ?? (result.shape === 'one' ? result.all : result.columns), io));
  if (format === 'markdown' && (result.rows.length > 0 || result.shape === 'many')) {
    const {markdown} = await import('./tables/markdown.js');
    return io.out(await markdown(result, columns ?? documentColumns(result), io));
  }
  if (result.rows.length === 0) {
    if (io.stdoutIsTerminal) io.note(result.empty ?? 'Nothing found.');
    return undefined;
  }
  if (!io.stdoutIsTerminal && format !== 'table') return io.out(await tabbed(result, columns, io));
  const {showTable, showOne} = await import('./tables/views.js');
  return result.shape === 'one'
    ? showOne(result, {io, chosen: columns, now: rendering.now})
    : showTable(result, {io, chosen: columns, now: rendering.now});
}

/** The columns of a document: those of a terminal, none of which is left out. */
const documentColumns = ({shape, all, quiet, atTerminal, table, columns}: Result): readonly Column[] =>
  shape === 'one' ? idsLast(all.filter(({path}) => !quiet?.has(path))) : (atTerminal ?? table ?? columns);

/** In the order in which people read the fields of an object. */
export function idsLast(columns: readonly Column[]): Column[] {
  const place = ({isId, path}: Column): number => (!isId ? 0 : path === 'id' ? 2 : 1);
  return [...columns].sort((a, b) => place(a) - place(b));
}

/** What JSON prints, without a line break at its end. */
export const jsonDocument = (result: Result, columns?: readonly Column[]): string =>
  toJson(columns ? pickDocument(result, columns) : result.document, result.compact ? undefined : 2);

function pickDocument({document, rows, shape}: Result, columns: readonly Column[]): unknown {
  const picked = rows.map((row) => pick(row, columns));
  if (shape === 'one') return picked[0] ?? null;
  return Array.isArray(document) ? picked : {...(document as object), data: picked};
}
