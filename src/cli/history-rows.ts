// How a change of the history looks: as a row for people, and as the columns of a record.

import {operations, shapeOfId} from '../api/registry.js';
import type {AuditRecord} from '../audit/audit.js';
import {formatTime} from '../output/format.js';
import type {Column} from '../output/render.js';

/** Those of a record, which a spreadsheet gets. */
export const RECORD_COLUMNS: readonly Column[] = [
  {path: 'at', header: 'at', kind: 'timestamp'},
  {path: 'profile', header: 'profile', kind: 'text'},
  {path: 'mode', header: 'mode', kind: 'text'},
  {path: 'command', header: 'command', kind: 'text'},
  {path: 'ids', header: 'ids', kind: 'text'},
  {path: 'amount', header: 'amount', kind: 'centavos'},
  {path: 'result', header: 'result', kind: 'status'},
  {path: 'exit_code', header: 'exit code', kind: 'text'},
  {path: 'applied', header: 'applied', kind: 'text'},
];

/** Those of a row. What tells least stands last: a narrow terminal does without it. */
export const ROW_COLUMNS: readonly Column[] = [
  // Of a timestamp a table shows the day only, and a text may be wrapped.
  {path: 'time', header: 'time', kind: 'status'},
  {path: 'where', header: 'where', kind: 'status'},
  {path: 'command', header: 'command', kind: 'text'},
  {path: 'result', header: 'result', kind: 'status'},
  {path: 'amount', header: 'amount', kind: 'centavos'},
  {path: 'id', header: 'ids', kind: 'text'},
  {path: 'exit_code', header: 'exit', kind: 'text'},
];

/** @param whole false to name one id, the one that matters most, and count the others */
export function rowOf(record: AuditRecord, {whole}: {whole: boolean}): Record<string, unknown> {
  const {at, ids} = record;
  const others = ids.length - 1;
  const id = whole || others < 1 ? ids.join(', ') : `${subjectOf(record)} +${others}`;
  return {...record, time: formatTime(at), where: whereOf(record), id};
}

/** As a command that changes something says it when it begins. */
const whereOf = ({mode, profile}: AuditRecord): string =>
  mode === 'sandbox' ? 'sandbox' : `${mode === 'live' ? 'LIVE' : mode} · ${profile}`;

/** `billing-statements create` names a customer, and is about a statement. */
function subjectOf({command, ids}: AuditRecord): string | undefined {
  const topic = command.split(' ')[0];
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  return ids.find((id) => shape && shapeOfId(id)?.prefix === shape.prefix) ?? ids[0];
}
