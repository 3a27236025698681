// Prints a result for users: a table with the lines below, or one object.

import {oneLineText} from '../format.js';
import type {OutputStreams} from '../streams.js';
import {textMeasureFor} from '../text-width.js';
import {moveIdsLast, type ResultColumn, type CommandResult} from '../result.js';
import {recordsView, recordView} from './record-view.js';
import {tableView, type TableOptions} from './table-view.js';

/** Returns a table, or records below each other for a narrow terminal or a screen reader. */
export async function tableText(
  result: CommandResult,
  options: TableOptions,
): Promise<{readonly text: string; readonly hidden: readonly ResultColumn[]}> {
  const {text, shown, hidden} = await tableView(result, options);
  return {text: text ?? (await recordsView(result.rows, shown, result, options)), hidden};
}

/** Prints a table, and names hidden columns on stderr. */
export async function showTable(result: CommandResult, options: TableOptions): Promise<void> {
  const {io} = options;
  const {text, hidden} = await tableText(result, options);
  await io.out(text + (await linesBelow(result, io)));
  // The column of a chart has no header.
  const names = hidden.map(({header}) => header).filter(Boolean);
  if (names.length > 0) io.note(`Not shown, terminal too narrow: ${names.join(', ')}.`, {style: 'dim'});
}

export async function showRecord(result: CommandResult, {io, chosen, now}: TableOptions): Promise<void> {
  const {all, omitted: quiet, view} = result;
  const row = result.rows[0]!;
  if (view && !chosen && now !== undefined) return io.out(await view(row, {io, now}));
  const columns = all.filter(({path}) => !quiet?.has(path));
  return io.out(
    await recordView(row, chosen ?? moveIdsLast(columns), result, {io, now, keepAllColumns: chosen !== undefined}),
  );
}

async function linesBelow({below = []}: CommandResult, io: OutputStreams): Promise<string> {
  if (below.length === 0) return '';
  const lines = below.map(oneLineText);
  const {wrap} = await textMeasureFor(lines);
  return `\n${lines.flatMap((line) => wrap(line, io.width)).join('\n')}\n`;
}
