// What people see of a result: a table with what stands under it, or one object.

import {clean} from '../format.js';
import type {Io} from '../io.js';
import {wrapLines} from './measure.js';
import {recordsView, recordView} from './record-view.js';
import {idsLast} from '../render.js';
import type {Result} from '../result.js';
import {tableView, type TableOptions} from './table-view.js';

/** Writes a table and what stands under it; columns that have no room are named on stderr. */
export async function showTable(result: Result, options: TableOptions): Promise<void> {
  const {io} = options;
  const {text, shown, hidden} = await tableView(result, options);
  await io.out((text ?? (await recordsView(result.rows, shown, result, options))) + (await belowOf(result, io)));
  // A chart has no name above it.
  const names = hidden.map(({header}) => header).filter(Boolean);
  if (names.length > 0) io.note(`Not shown for lack of width: ${names.join(', ')}.`, {style: 'dim'});
}

/** Writes one object: its fields, or as its own view shows it. */
export async function showOne(result: Result, {io, chosen, now}: TableOptions): Promise<void> {
  const {all, quiet, view} = result;
  const row = result.rows[0]!;
  if (view && io.stdoutIsTerminal && !chosen && now !== undefined) return io.out(await view(row, {io, now}));
  const columns = all.filter(({path}) => !quiet?.has(path));
  const shown = chosen ?? (io.stdoutIsTerminal ? idsLast(columns) : columns);
  return io.out(await recordView(row, shown, result, {io, now, keepsAll: chosen !== undefined}));
}

/** What stands under a table at a terminal, wrapped at words. */
async function belowOf({below = []}: Result, io: Io): Promise<string> {
  if (!io.stdoutIsTerminal || below.length === 0) return '';
  return `\n${(await wrapLines(below.map(clean), io.width)).join('\n')}\n`;
}
