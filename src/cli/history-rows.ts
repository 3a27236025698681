// How a change in the history looks: a row for people, and a record's columns for programs.

import {operations, shapeOfId} from '../api/registry.js';
import type {AuditRecord} from '../audit/audit.js';
import {formatTime} from '../output/format.js';
import type {Column} from '../output/render.js';
import {recordColumns} from './columns.js';

/** Columns of a record, for programs and spreadsheets. */
export const RECORD_COLUMNS: readonly Column[] = [
  {path: 'at', header: 'at', kind: 'timestamp'},
  ...recordColumns(['profile', 'mode', 'command', 'ids']),
  {path: 'amount', header: 'amount', kind: 'centavos'},
  {path: 'result', header: 'result', kind: 'status'},
  ...recordColumns(['exit_code', 'applied']),
];

/** Columns of a row. The least important stand last, since a narrow terminal leaves them out. */
export const ROW_COLUMNS: readonly Column[] = [
  // Of kind status, because a table shows only the day of a timestamp and may wrap a text.
  {path: 'time', header: 'time', kind: 'status'},
  {path: 'where', header: 'where', kind: 'status'},
  {path: 'command', header: 'command', kind: 'text'},
  {path: 'result', header: 'result', kind: 'status'},
  {path: 'amount', header: 'amount', kind: 'centavos'},
  {path: 'id', header: 'ids', kind: 'text'},
  {path: 'exit_code', header: 'exit', kind: 'text'},
];

/** @param whole false to show only the most important id and the number of others */
export function rowOf(record: AuditRecord, {whole}: {whole: boolean}): Record<string, unknown> {
  const {at, ids} = record;
  const others = ids.length - 1;
  const id = whole || others < 1 ? ids.join(', ') : `${subjectOf(record)} +${others}`;
  return {...record, time: formatTime(at), where: whereOf(record), id};
}

/** In the words in which a command says where its change goes. */
const whereOf = ({mode, profile}: AuditRecord): string =>
  mode === 'sandbox' ? 'sandbox' : `${mode === 'live' ? 'LIVE' : mode} · ${profile}`;

/** `billing-statements create` names a customer, and is about a statement. */
function subjectOf({command, ids}: AuditRecord): string | undefined {
  const topic = command.split(' ')[0];
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  return ids.find((id) => shape && shapeOfId(id)?.prefix === shape.prefix) ?? ids[0];
}
