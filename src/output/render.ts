// Prints a result as a table, tab-separated rows, JSON, JSON lines, YAML or CSV, or through a jq program. Only this file decides how it looks.

import {toJson} from './format.js';
import {slices, type Io} from './io.js';
import type {Column, Hidden, Rendering, Result, Row} from './result.js';
import {chosenColumns, csv, jsonLines, pick, tabbed} from './rows.js';

export const isMachine = ({format, jq}: Rendering): boolean =>
  jq !== undefined || format === 'json' || format === 'jsonl' || format === 'yaml';

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
  if (jq !== undefined) {
    const {runJq} = await import('./jq.js');
    return io.out(await runJq(jq, columns ? pickDocument(result, columns) : result.document, format === 'jsonl', io));
  }
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
    if (io.stdoutIsTerminal) for (const line of (result.empty ?? 'Nothing found.').split('\n')) io.note(line);
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

function pickDocument({document, rows, rowsIn = 'data', shape}: Result, columns: readonly Column[]): unknown {
  const picked = rows.map((row) => pick(row, columns));
  if (shape === 'one') return picked[0] ?? null;
  return Array.isArray(document) ? picked : {...(document as object), [rowsIn]: picked};
}
