// Prints a long list page by page, as it arrives, so that it takes no more memory than a short one.

import {setImmediate as turn} from 'node:timers/promises';
import {toJson} from './format.js';
import type {Io} from './io.js';
import {hidden, jsonDocument, render} from './render.js';
import type {Column, Hidden, Rendering, Result} from './result.js';
import {chosenColumns, csv, jsonLines, lacks, tabbed} from './rows.js';

/**
 * Writes a list to stdout, without secrets. A table, Markdown, YAML, and what a jq program gets, wait until all of it is there.
 * @param resultOf some of the items as a result to print; the document is these items, or its last field has them
 * @param options `stops` is asked after each page whether the rest is still wanted
 * @throws CentavoError kind `usage` for an unknown field or a jq program that is none, or `interrupted`
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
    // Whether there is such a field may be known only later.
    if (missing.length > 0) missing = missing.filter((field) => lacks(resultOf(page), field));
    if (missing.length > 0) continue;
    const part = await hidden(resultOf(waiting), rendering, io);
    waiting = [];
    pager ??= new Pager(part, rendering);
    await io.out(await pager.textOf(part, io));
    // Signals are heard, and a database releases what it has read, when the event loop turns.
    await turn();
    await io.checkSignal();
    if (stops()) return;
  }
  if (!pager) return render(resultOf(waiting), rendering, io);
  if (format === 'json') await io.out(`${pager.end}\n`);
  if (pager.leftOut.size > 0) io.note(`Left out, since the first page has none: ${[...pager.leftOut].join(', ')}.`);
}

/** V8 collects garbage sooner. Otherwise its heap grows by some 50 MB in whatever runs for seconds, however little is alive. */
export async function collectSooner(): Promise<void> {
  (await import('node:v8')).setFlagsFromString('--optimize-for-size');
}

/** For a list that is read: it stops when nobody reads stdout any more, or a signal has come. */
export const untilStopped = ({io, signal}: {readonly io: Io; readonly signal: AbortSignal}) => ({
  io,
  stops: () => io.closed || signal.aborted,
});

/** The text of one page after another. */
class Pager {
  /** Columns that only later pages have. */
  readonly leftOut = new Set<string>();
  readonly #format: Rendering['format'];
  readonly #chosen: readonly Column[] | undefined;
  readonly #columns: readonly Column[];
  /** A document as JSON up to its first item, and from its last one on. */
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
