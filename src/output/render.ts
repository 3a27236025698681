// Prints a result as a table, tab-separated rows, JSON, JSON lines, CSV, or through jq.
// The modules of src/output are streams, tables, formats and prompts, with secrets removed.

import {isJsonObject} from '../common/json.js';
import {toJson} from './format.js';
import {rowBatches, type OutputStreams} from './streams.js';
import type {ResultColumn, RedactedResult, Rendering, CommandResult, ResultRow} from './result.js';
import {chosenColumns, isUnknownField, jsonLines, pickColumns, tabSeparated} from './row-formats.js';

export const isMachineFormat = ({format, jq}: Rendering): boolean =>
  jq !== undefined || format === 'json' || format === 'jsonl';

export const isForPeople = ({format}: Rendering, {stdoutIsTerminal}: OutputStreams): boolean =>
  stdoutIsTerminal || format === 'table';

/** Hides secrets before formatting, so that jq sees no secret and no cell cuts a secret. */
export async function redactResult(
  result: CommandResult,
  rendering: Rendering,
  io: OutputStreams,
): Promise<RedactedResult> {
  const {rows: raw, shown = raw, document, columns, all, ...rest} = result;
  const whole = isMachineFormat(rendering);
  const forPeople = isForPeople(rendering, io);
  const rows = whole || forPeople || rendering.fields || rest.shape === 'one' ? shown : inColumns(shown, columns);
  const known = new Map<object, unknown>();
  for (const list of whole ? [raw, rows] : [rows])
    for await (const batch of rowBatches(list, io)) io.hide(batch, {known});
  const parts = {rows, columns, all, ...(whole ? {raw, document} : {raw: [], document: undefined})};
  const safe = io.hide(parts, {known});
  await io.checkSignal();
  return withMode({...rest, ...safe}, rendering);
}

/** Adds the mode to a document, and to the rows of a change. A single object that was only read stays as it is. */
function withMode(result: RedactedResult, {mode, changes}: Rendering): RedactedResult {
  const {document, rowsIn = 'data', shape, rows, raw, unchanged} = result;
  if (!mode || unchanged || !(changes || shape === 'many' || !(document as ResultRow)?.resource)) return result;
  const {[rowsIn]: data, ...head} = (document ?? {}) as ResultRow;
  const marked = isJsonObject(document) && {
    document: {...head, mode: head.mode ?? mode, ...(data !== undefined && {[rowsIn]: data})},
  };
  const add = (row: ResultRow): ResultRow => ({...row, mode});
  return {...result, ...marked, ...(changes && {rows: rows.map(add), raw: raw.map(add)})};
}

/** Returns the rows with only the top-level fields of these columns. */
function inColumns(rows: readonly ResultRow[], columns: readonly ResultColumn[]): ResultRow[] {
  const paths = columns.flatMap(({path, computed = path}) => [path, computed]);
  const names = [...new Set(paths.map((path) => path.split('.', 1)[0]!))];
  return rows.map((row) =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]])),
  );
}

/** Writes a result to stdout. @throws CentavoError kind `usage` for a jq program that fails */
export async function render(whole: CommandResult, rendering: Rendering, io: OutputStreams): Promise<void> {
  const {format, fields, jq} = rendering;
  const result = await redactResult(whole, rendering, io);
  const columns = fields ? chosenColumns(result, fields) : undefined;
  // A change has `already` and `done_at` only when it is repeated.
  const isUnknown = (field: string): boolean =>
    isUnknownField(result, field) && !(rendering.changes && ['already', 'done_at'].includes(field));
  const unknown = result.rows.length > 0 ? (fields ?? []).filter(isUnknown) : [];
  if (unknown.length > 0) (await import('./unknown-fields.js')).warnUnknownFields(result, unknown, io);
  if (jq !== undefined) {
    const {runJq} = await import('./jq.js');
    return io.out(await runJq(jq, columns ? pickDocument(result, columns) : result.document, format === 'jsonl', io));
  }
  if (format === 'json') return io.out(`${jsonDocument(result, columns)}\n`);
  if (format === 'jsonl') return io.out(jsonLines(result, columns));
  if (format === 'csv') {
    const {csvText} = await import('./csv-text.js');
    return io.out(await csvText(result.rows, columns ?? (result.shape === 'one' ? result.all : result.columns), io));
  }
  if (result.rows.length === 0) {
    if (isForPeople(rendering, io)) for (const line of (result.empty ?? 'Nothing found.').split('\n')) io.note(line);
    return undefined;
  }
  if (!isForPeople(rendering, io)) return io.out(await tabSeparated(result, columns, io));
  const {showTable, showRecord} = await import('./tables/views.js');
  return result.shape === 'one'
    ? showRecord(result, {io, chosen: columns, now: rendering.now})
    : showTable(result, {io, chosen: columns, now: rendering.now});
}

/** Returns JSON without a line break at the end. */
export const jsonDocument = (result: CommandResult, columns?: readonly ResultColumn[]): string =>
  toJson(columns ? pickDocument(result, columns) : result.document, result.compact ? undefined : 2);

function pickDocument({document, rows, rowsIn = 'data', shape}: CommandResult, columns: readonly ResultColumn[]) {
  const picked = rows.map((row) => pickColumns(row, columns));
  if (shape === 'one') return picked[0] ?? null;
  return {...(document as object), [rowsIn]: picked};
}
