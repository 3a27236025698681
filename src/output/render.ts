// Prints a result as a table, tab-separated rows, JSON, JSON lines, YAML or CSV, or through a jq program. Only this file decides how it looks.

import {clean, kindOfName, toJson, type ValueKind} from './format.js';
import {slices, type Io, type Style} from './io.js';
import {runJq, type JqProgram} from './jq.js';
import {chosenColumns, csv, jsonLines, pick, tabbed, textOf, valueAt} from './rows.js';
import {renderTable, type Cell} from './table.js';

export interface Column {
  /** Dotted path into the object. */
  readonly path: string;
  readonly header: string;
  readonly kind: ValueKind;
  /** Never broken over lines of a table: a link is copied as a whole. */
  readonly whole?: boolean;
  /** How long it stays when the terminal is narrow: 1 stays longest. */
  readonly rank?: number;
  /** The path of a value that is shown, marked as computed, if this one is missing. */
  readonly computed?: string;
}

export type Format = 'csv' | 'json' | 'jsonl' | 'table' | 'yaml';

/** The output that the command line asked for. Without a `format` it depends on the terminal. */
export interface Rendering {
  readonly format?: Format;
  readonly fields?: readonly string[];
  readonly jq?: JqProgram;
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
  /** The columns of a table at a terminal, if different. */
  readonly table?: readonly Column[];
  /** Every known column, for a single object and for `--fields`. */
  readonly all: readonly Column[];
  /** Paths that are left out of a single object at a terminal. */
  readonly quiet?: ReadonlySet<string>;
  /** One object is shown as a list of its fields, several as a table. */
  readonly shape: 'many' | 'one';
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
  const rows = whole || rendering.fields || rest.shape === 'one' ? shown : inColumns(shown, [...columns, ...(rest.table ?? [])]);
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
  if (result.rows.length === 0) {
    if (io.stdoutIsTerminal) io.note(result.empty ?? 'Nothing found.');
    return undefined;
  }
  if (!io.stdoutIsTerminal && format !== 'table') return io.out(await tabbed(result, columns, io));
  if (result.shape === 'one')
    return io.out(
      await recordView(result.rows[0]!, columns ?? result.all.filter(({path}) => !result.quiet?.has(path)), io),
    );
  const below = (result.below ?? []).map((line) => `${clean(line)}\n`).join('');
  return io.out(`${await tableOf(result, columns, io)}${below && `\n${below}`}`);
}

/** A table. On a narrow terminal it drops its last columns and names them; if that is not enough, the objects are printed one below the other. */
async function tableOf(result: Result, chosen: readonly Column[] | undefined, io: Io): Promise<string> {
  const columns = chosen ?? result.table ?? result.columns;
  const rows: Cell[][] = [];
  for await (const some of slices(result.rows, io))
    for (const row of some) rows.push(columns.map((column) => cellOf(row, column, io)));
  // Columns that were asked for by name are never left out.
  for (let count = columns.length; count >= (chosen ? columns.length : Math.min(3, columns.length)); count--) {
    const table = await renderTable(
      columns.slice(0, count).map(tableColumn),
      rows.map((cells) => cells.slice(0, count)),
      io,
    );
    if (table === undefined) continue;
    if (count < columns.length) {
      const left = columns
        .slice(count)
        .map(({header}) => header)
        .join(', ');
      io.note(io.paint('dim', `Left out for lack of width: ${left}.`, 'stderr'));
    }
    return table;
  }
  const records = [];
  for await (const rows of slices(result.rows, io))
    for (const row of rows) records.push(await recordView(row, columns, io));
  return records.join('\n');
}

/** What JSON prints, without a line break at its end. */
export const jsonDocument = (result: Result, columns?: readonly Column[]): string =>
  toJson(columns ? pickDocument(result, columns) : result.document, result.compact ? undefined : 2);

function pickDocument({document, rows, shape}: Result, columns: readonly Column[]): unknown {
  const picked = rows.map((row) => pick(row, columns));
  if (shape === 'one') return picked[0] ?? null;
  return Array.isArray(document) ? picked : {...(document as object), data: picked};
}

const STATUSES: Readonly<Record<'dim' | 'green' | 'red' | 'yellow', readonly string[]>> = {
  yellow: ['active', 'open'],
  dim: ['draft', 'disabled', 'void', 'canceled', 'expired'],
  green: ['paid', 'succeeded', 'successful', 'completed', 'enabled'],
  red: ['failed', 'uncollectible'],
};
const STYLES = new Map(Object.entries(STATUSES).flatMap(([style, all]) => all.map((each) => [each, style as Style])));

/** In a table, times are shortened to the day. */
const DAY_LENGTH = 10;

function cellOf(row: Row, column: Column, io: Io, whole = false): Cell {
  const full = textOf(row, column);
  const text = column.kind === 'timestamp' && !whole ? full.slice(0, DAY_LENGTH) : full;
  const style = column.kind === 'status' ? STYLES.get(text) : undefined;
  return {text, ...(style && {paint: (part: string) => io.paint(style, part)})};
}

const tableColumn = ({header, kind, path, whole}: Column) => ({
  header: header.toUpperCase(),
  align: kind === 'centavos' ? ('right' as const) : ('left' as const),
  wraps: (kind === 'text' || kind === 'object') && !whole && !/(^|_)id$/.test(path),
});

/** One object, a field a line; fields without a value are left out, lists of objects stand below as tables. */
async function recordView(row: Row, columns: readonly Column[], io: Io): Promise<string> {
  const filled = columns.filter((column) => textOf(row, column) !== '' && !isList(valueAt(row, column.path)));
  const width = Math.max(...filled.map(({header}) => header.length), 0);
  let output = filled
    .map((column) => {
      const {text, paint} = cellOf(row, column, io, true);
      return `${io.paint('dim', column.header.padEnd(width))}  ${paint ? paint(text) : text}\n`;
    })
    .join('');
  for (const column of columns) {
    const value = valueAt(row, column.path);
    if (isList(value)) output += `\n${io.paint('bold', clean(column.header))}\n${await nested(value, io)}`;
  }
  return output;
}

const isList = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);

/** A table of nested objects, without the fields that say nothing. */
async function nested(items: readonly Row[], io: Io): Promise<string> {
  const hidden = new Set(['resource', 'livemode', 'created_at', 'updated_at', 'billing_statement_id', 'image']);
  const paths = [...new Set(items.flatMap((item) => Object.keys(item)))].filter(
    (path) => !hidden.has(path) && items.some((item) => item[path] !== null),
  );
  const columns = paths.map((path): Column => ({
    path,
    header: clean(path.replaceAll('_', ' ')),
    kind: kindOfName(path),
  }));
  const rows = items.map((item) => columns.map((column) => cellOf(item, column, io)));
  const table = await renderTable(columns.map(tableColumn), rows, io);
  return table ?? rows.map((row) => `${row.map(({text}) => text).join('  ')}\n`).join('');
}
