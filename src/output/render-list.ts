// Prints a list page by page as it arrives, so that a long one takes no more memory than a short one.

import {setImmediate as turn} from 'node:timers/promises';
import {toJson} from './format.js';
import type {Io} from './io.js';
import {hidden, jsonDocument, render} from './render.js';
import type {Column, Hidden, Rendering, Result} from './result.js';
import {chosenColumns, csv, jsonLines, lacks, tabbed} from './rows.js';

/**
 * Writes a list to stdout. Tables, Markdown, YAML and input for jq wait for the whole list.
 * @param resultOf the result for some items; its document is these items, or has them in its last field
 * @param options `stops` says after each page whether to stop
 */
export async function renderList<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  resultOf: (items: readonly Item[]) => Result,
  rendering: Rendering,
  {io, stops}: {readonly io: Io; readonly stops: () => boolean},
): Promise<void> {
  const {format, fields = [], jq} = rendering;
  const isWhole =
    jq !== undefined ||
    format === 'table' ||
    format === 'markdown' ||
    format === 'yaml' ||
    (format === undefined && io.stdoutIsTerminal);
  await collectSooner();
  let waiting: Item[] = [];
  let missing = fields;
  let pager: Pager | undefined;
  for await (const page of pages) {
    for (const item of page) waiting.push(item);
    if (isWhole || waiting.length === 0) continue;
    // A later page may have the field.
    if (missing.length > 0) missing = missing.filter((field) => lacks(resultOf(page), field));
    if (missing.length > 0) continue;
    const part = await hidden(resultOf(waiting), rendering, io);
    waiting = [];
    pager ??= new Pager(part, rendering);
    await io.out(await pager.textOf(part, io));
    // A turn of the event loop lets signals in, and lets a database release what it has read.
    await turn();
    await io.checkSignal();
    if (stops()) return;
  }
  if (!pager) return render(resultOf(waiting), rendering, io);
  if (format === 'json') await io.out(`${pager.end}\n`);
  if (pager.leftOut.size > 0) io.note(`Left out, since the first page has none: ${[...pager.leftOut].join(', ')}.`);
}

/** Makes V8 collect garbage sooner. Otherwise its heap grows by some 50 MB within seconds, however little is in use. */
export async function collectSooner(): Promise<void> {
  (await import('node:v8')).setFlagsFromString('--optimize-for-size');
}

/** Stops when nobody reads stdout any more, or after a signal. */
export const untilStopped = ({io, signal}: {readonly io: Io; readonly signal: AbortSignal}) => ({
  io,
  stops: () => io.closed || signal.aborted,
});

class Pager {
  /** Headers of columns that only later pages have. */
  readonly leftOut = new Set<string>();
  readonly #format: Rendering['format'];
  readonly #chosen: readonly Column[] | undefined;
  readonly #columns: readonly Column[];
  /** The JSON of the document before its first item, and after its last one. */
  readonly #head: string;
  readonly end: string;
  #isFirst = true;

  constructor(first: Hidden, {format, fields}: Rendering) {
    this.#format = format;
    this.#chosen = fields && chosenColumns(first, fields);
    this.#columns = this.#chosen ?? first.columns;
    const isArray = Array.isArray(first.document);
    this.end = isArray ? '\n]' : '\n  ]\n}';
    const empty = {...(first.document as object), [first.rowsIn ?? 'data']: []};
    this.#head = isArray ? '[' : toJson(empty, 2).slice(0, -']\n}'.length);
  }

  async textOf(page: Hidden, io: Io): Promise<string> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#format === 'jsonl') return jsonLines(page, this.#chosen);
    if (this.#format === 'json') {
      const text = jsonDocument(page, this.#chosen).slice(0, -this.end.length);
      return isFirst ? text : `,${text.slice(this.#head.length)}`;
    }
    for (const {path, header} of this.#chosen ? [] : page.columns)
      if (this.#columns.every((column) => column.path !== path)) this.leftOut.add(header);
    return this.#format === 'csv'
      ? csv(page.rows, this.#columns, io, {header: isFirst})
      : tabbed(page, this.#columns, io);
  }
}
