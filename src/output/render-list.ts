// Prints a list page by page as it arrives, to bound memory.

import {setImmediate as turn} from 'node:timers/promises';
import {toJson} from './format.js';
import type {OutputStreams} from './streams.js';
import {redactResult, jsonDocument, render} from './render.js';
import type {RedactedResult, Rendering, CommandResult} from './result.js';
import {chosenColumns, jsonLines, isUnknownField, tabSeparated} from './row-formats.js';

/**
 * Writes a list to stdout. Tables and input for jq wait for the whole list.
 * @param resultOf makes a result of some items, whose document has them in the last field
 * @param options `shouldStop` is called after each page; true ends the list
 */
export async function renderList<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  resultOf: (items: readonly Item[]) => CommandResult | Promise<CommandResult>,
  rendering: Rendering,
  {io, shouldStop}: {readonly io: OutputStreams; readonly shouldStop: () => boolean},
): Promise<void> {
  const {format, fields = [], jq} = rendering;
  const isWhole = jq !== undefined || format === 'table' || (format === undefined && io.stdoutIsTerminal);
  await collectSooner();
  let waiting: Item[] = [];
  /** Fields that no object has had so far, and the last page. */
  let missing = fields;
  let last: CommandResult | undefined;
  let pager: ReturnType<typeof createPager> | undefined;
  for await (const page of pages) {
    for (const item of page) waiting.push(item);
    if (isWhole || waiting.length === 0) continue;
    last = await resultOf(waiting);
    missing = missing.filter((field) => isUnknownField(last!, field));
    const part = await redactResult(last, rendering, io);
    waiting = [];
    pager ??= createPager(part, rendering);
    await io.out(await pager.textOf(part, io));
    // A turn of the event loop lets signal handlers run, and SQLite free its memory.
    await turn();
    await io.checkSignal();
    if (shouldStop()) return;
  }
  if (!pager) return render(await resultOf(waiting), rendering, io);
  if (format === 'json') await io.out(`${pager.end}\n`);
  if (last && missing.length > 0) (await import('./unknown-fields.js')).warnUnknownFields(last, missing, io);
  if (pager.leftOut.size > 0)
    io.note(`Columns missing from the first page were omitted: ${[...pager.leftOut].join(', ')}.`);
}

/** Makes V8 collect garbage sooner. Otherwise the heap grows by about 50 MB within seconds, even if little is in use. */
export async function collectSooner(): Promise<void> {
  (await import('node:v8')).setFlagsFromString('--optimize-for-size');
}

/** Stops a list when the reader has closed stdout, or after a signal. */
export const untilStopped = ({io, signal}: {readonly io: OutputStreams; readonly signal: AbortSignal}) => ({
  io,
  shouldStop: () => io.closed || signal.aborted,
});

/** Formats a list page by page. @param first the page that decides the columns */
function createPager(first: RedactedResult, {format, fields}: Rendering) {
  const chosen = fields && chosenColumns(first, fields);
  const columns = chosen ?? first.columns;
  /** JSON of the document before the first item, and after the last. */
  const head = toJson({...(first.document as object), [first.rowsIn ?? 'data']: []}, 2).slice(0, -']\n}'.length);
  const end = '\n  ]\n}';
  /** Headers of columns that only later pages have. */
  const omitted = new Set<string>();
  let isFirst = true;
  const textOf = async (page: RedactedResult, io: OutputStreams): Promise<string> => {
    const isStart = isFirst;
    isFirst = false;
    if (format === 'jsonl') return jsonLines(page, chosen);
    if (format === 'json') {
      const text = jsonDocument(page, chosen).slice(0, -end.length);
      return isStart ? text : `,${text.slice(head.length)}`;
    }
    for (const {path, header} of chosen ? [] : page.columns)
      if (columns.every((column) => column.path !== path)) omitted.add(header);
    if (format !== 'csv') return tabSeparated(page, columns, io);
    const {csvText} = await import('./csv-text.js');
    return csvText(page.rows, columns, io, {header: isStart});
  };
  return {textOf, end, leftOut: omitted};
}
