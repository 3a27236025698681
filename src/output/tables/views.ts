// Prints a result for people: a table with the lines below it, or one object.

import {clean} from '../format.js';
import type {Io} from '../io.js';
import {rulerFor} from '../measure.js';
import {idsLast, type Column, type Result} from '../result.js';
import {recordsView, recordView} from './record-view.js';
import {tableView, type TableOptions} from './table-view.js';

/** A table; its rows below each other where they do not fit, and in words for a screen reader. */
export async function tableText(
  result: Result,
  options: TableOptions,
): Promise<{readonly text: string; readonly hidden: readonly Column[]}> {
  const {text, shown, hidden} = await tableView(result, options);
  return {text: text ?? (await recordsView(result.rows, shown, result, options)), hidden};
}

/** Columns without room are named on stderr. */
export async function showTable(result: Result, options: TableOptions): Promise<void> {
  const {io} = options;
  const {text, hidden} = await tableText(result, options);
  await io.out(text + (await belowOf(result, io)));
  // A chart has no header.
  const names = hidden.map(({header}) => header).filter(Boolean);
  if (names.length > 0) io.note(`Not shown for lack of width: ${names.join(', ')}.`, {style: 'dim'});
}

export async function showOne(result: Result, {io, chosen, now}: TableOptions): Promise<void> {
  const {all, quiet, view} = result;
  const row = result.rows[0]!;
  if (view && !chosen && now !== undefined) return io.out(await view(row, {io, now}));
  const columns = all.filter(({path}) => !quiet?.has(path));
  return io.out(await recordView(row, chosen ?? idsLast(columns), result, {io, now, keepsAll: chosen !== undefined}));
}

async function belowOf({below = []}: Result, io: Io): Promise<string> {
  if (below.length === 0) return '';
  const lines = below.map(clean);
  const {wrap} = await rulerFor(lines);
  return `\n${lines.flatMap((line) => wrap(line, io.width)).join('\n')}\n`;
}
