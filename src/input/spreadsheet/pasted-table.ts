// Reads a pasted table of items by its header, as a file is read.

import type {StatementItem} from '../items.js';
import {quote} from '../money.js';
import {decideColumns} from './decide.js';
import {ItemRows} from './items.js';
import {ITEM_COLUMNS, NOT_READ, candidateOf} from './meanings.js';
import {RowErrors} from './row-errors.js';
import {ColumnSurvey} from './survey.js';

/** @returns undefined without a header; the reason if the table cannot be read; `rest`: lines that are not in cells */
export function readPastedTable(
  text: string,
): string | {readonly items: readonly StatementItem[]; readonly rest: string} | undefined {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((written, index) => ({...{written, line: index + 1}, cells: written.split('\t').map((cell) => cell.trim())}));
  const [header, ...rows] = lines.filter(({cells}) => cells.length > 1);
  const columns = (header?.cells ?? []).map(
    (name, index) => new ColumnSurvey(index, name || `column ${index + 1}`, candidateOf(name, ITEM_COLUMNS)),
  );
  if (columns.filter(({candidate}) => candidate).length < 2) return undefined;
  for (const {line, cells} of rows) for (const column of columns) column.add(cells[column.index] ?? '', line);
  const answers = {given: new Map(), remembered: new Map()};
  const decision = decideColumns(columns, {layout: ITEM_COLUMNS, answers});
  for (const {column, question} of decision.unknown)
    return `The column ${quote(column.name)}: ${question!.replace(/ If it is: .*/, '')} If it changes no amount, paste the table without it.`;
  const [missing] = decision.missing;
  if (missing) return `The table has no ${missing.replace('_', ' ')}.`;
  if (!decision.canReadRows) return decision.faults[0]!.problem;
  const fields = new Map<string, ColumnSurvey>();
  for (const {means, column} of decision.columns)
    if (means !== undefined && means !== NOT_READ)
      fields.set(fields.has(means) ? `${means} ${column.index}` : means, column);
  const wide = rows.find(({cells}) => cells.slice(columns.length).some(Boolean));
  if (wide) return `Line ${wide.line}: It has more cells than the header.`;
  const faults = new RowErrors();
  faults.add(...decision.faults);
  const table = new ItemRows(faults, true);
  for (const {line, cells} of rows)
    table.add({
      ...{line, all: cells, rawOf: () => undefined},
      cells: new Map([...fields].map(([field, {index}]) => [field, cells[index] ?? ''])),
      place: (field) => ({line, column: fields.get(field)?.name ?? null}),
      faults: [],
    });
  table.end();
  const [fault] = faults.shown;
  if (fault) return `Line ${fault.line}${fault.column === null ? '' : `, ${fault.column}`}: ${fault.problem}`;
  const rest = lines.flatMap(({cells, written}) => (cells.length === 1 ? written : []));
  return {items: table.items, rest: rest.join('\n')};
}
