// What people and scripts get to see: streams, tables, formats, prompts, and secrets taken out.
// This file decides how a result looks: as a table, tab-separated rows, JSON, JSON lines, CSV, or through jq.

import {toJson} from './format.js';
import {slices, type Io} from './io.js';
import type {Column, Hidden, Rendering, Result, Row} from './result.js';
import {chosenColumns, csv, jsonLines, pick, tabbed} from './rows.js';

export const isMachine = ({format, jq}: Rendering): boolean =>
  jq !== undefined || format === 'json' || format === 'jsonl';

/** stdout shows what a terminal does. */
export const isForPeople = ({format}: Rendering, {stdoutIsTerminal}: Io): boolean =>
  stdoutIsTerminal || format === 'table';

/** Hides secrets before anything is formatted, so that jq sees none and no cell cuts one. Visits what is printed. */
export async function hidden(result: Result, rendering: Rendering, io: Io): Promise<Hidden> {
  const {rows: raw, shown = raw, document, columns, all, ...rest} = result;
  const whole = isMachine(rendering);
  const forPeople = isForPeople(rendering, io);
  const rows = whole || forPeople || rendering.fields || rest.shape === 'one' ? shown : inColumns(shown, columns);
  const known = new Map<object, unknown>();
  for (const list of whole ? [raw, rows] : [rows]) for await (const some of slices(list, io)) io.hide(some, {known});
  const safe = io.hide({rows, columns, all, ...(whole ? {raw, document} : {raw: [], document: undefined})}, {known});
  await io.checkSignal();
  return {...rest, ...safe};
}

/** The rows with only the top-level fields of these columns. */
function inColumns(rows: readonly Row[], columns: readonly Column[]): Row[] {
  const paths = columns.flatMap(({path, computed = path}) => [path, computed]);
  const names = [...new Set(paths.map((path) => path.split('.', 1)[0]!))];
  return rows.map((row) =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]])),
  );
}

/** Writes a result to stdout. @throws CentavoError kind `usage` for an unknown field or a jq program that fails */
export async function render(whole: Result, rendering: Rendering, io: Io): Promise<void> {
  const {format, fields, jq} = rendering;
  const result = await hidden(whole, rendering, io);
  const columns = fields ? chosenColumns(result, fields) : undefined;
  if (jq !== undefined) {
    const {runJq} = await import('./jq.js');
    return io.out(await runJq(jq, columns ? pickDocument(result, columns) : result.document, format === 'jsonl', io));
  }
  if (format === 'json') return io.out(`${jsonDocument(result, columns)}\n`);
  if (format === 'jsonl') return io.out(jsonLines(result, columns));
  if (format === 'csv')
    return io.out(await csv(result.rows, columns ?? (result.shape === 'one' ? result.all : result.columns), io));
  if (result.rows.length === 0) {
    if (isForPeople(rendering, io)) for (const line of (result.empty ?? 'Nothing found.').split('\n')) io.note(line);
    return undefined;
  }
  if (!isForPeople(rendering, io)) return io.out(await tabbed(result, columns, io));
  const {showTable, showOne} = await import('./tables/views.js');
  return result.shape === 'one'
    ? showOne(result, {io, chosen: columns, now: rendering.now})
    : showTable(result, {io, chosen: columns, now: rendering.now});
}

/** JSON without a line break at its end. */
export const jsonDocument = (result: Result, columns?: readonly Column[]): string =>
  toJson(columns ? pickDocument(result, columns) : result.document, result.compact ? undefined : 2);

function pickDocument({document, rows, rowsIn = 'data', shape}: Result, columns: readonly Column[]): unknown {
  const picked = rows.map((row) => pick(row, columns));
  if (shape === 'one') return picked[0] ?? null;
  return Array.isArray(document) ? picked : {...(document as object), [rowsIn]: picked};
}
