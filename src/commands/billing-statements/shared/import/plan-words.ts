// The plan of an import, and what scripts get of it.

import {numberOf} from '../../../../api/statement.js';
import type {Statement} from '../../../../billing/compose/plan.js';
import type {Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {Left} from '../../../../billing/import/job/rows.js';
import {constant, either, integer, list, nullable, record, text} from '../../../../cli/json-schema.js';
import {resultOfRecords} from '../../../../cli/objects/results.js';
import type {Context} from '../../../../context.js';
import {placeOf} from '../../../../ground/errors.js';
import {shortDay} from '../../../../ground/manila.js';
import {formatPesos} from '../../../../ground/pesos.js';
import type {Change} from '../../../../guard/change.js';
import type {Faults} from '../../../../input/spreadsheet/faults.js';
import type {Io, Part, Style} from '../../../../output/io.js';
import {renderList, untilStopped} from '../../../../output/render-list.js';
import type {Column, Rendering, Result} from '../../../../output/result.js';
import {UNDONE} from './jobs.js';
import {durationWords} from './progress.js';

/** A statement of an import as scripts get it. */
export const rowFields = {
  external_id: text,
  customer_name: nullable(text),
  id: nullable(text),
  number: nullable(text),
  status: nullable(text),
  sent: {enum: ['no', 'unknown', 'yes']},
  amount: integer,
  link: nullable(text),
  error_code: nullable(text),
  error: nullable(text),
};
const plannedRow = record({
  external_id: text,
  customer: text,
  items: integer,
  amount: integer,
  due_at: nullable(integer),
  exists: nullable(text),
});

/** A line of JSON for each statement as it ends, and one for all; of a dry run the statements that would be made. */
export const importSchema = either(
  record({type: constant('row'), ...rowFields}),
  record({
    ...{type: constant('summary'), job: text, statements: integer, done: integer, failed: integer},
    ...{in_doubt: integer, left: integer, amount: integer, result_file: nullable(text)},
  }),
  list(plannedRow),
);

const ROWS_A_PAGE = 500;
/** Milliseconds that this machine is busy with each request. */
const OWN_TIME = 1;

/** How fast an import can be. */
export interface Pace {
  /** Milliseconds that a request takes. */
  readonly callTime: number;
  /** Statements at a time. */
  readonly concurrency: number;
}

/** How much there is to do, before it is confirmed. */
export function planLines(job: JobFile, {callTime, concurrency}: Pace): Part[] {
  const {finalize, send, mode} = job.record;
  const {statements, amount, customers, newCustomers} = job.tally;
  const {largest} = job.left(true, []);
  const items = job.itemCount;
  const dues = duesOf(job);
  const requests = statements * (2 + Number(finalize) * 2 + Number(send) * 2) + items + newCustomers;
  const seconds = (requests * (callTime / Math.min(concurrency, statements) + OWN_TIME)) / 1000;
  const who = `${customers.toLocaleString('en')} ${customers === 1 ? 'customer' : 'customers'}`;
  const fresh = newCustomers > 0 ? `, ${newCustomers.toLocaleString('en')} of them new` : '';
  return [
    `${statements.toLocaleString('en')} billing ${statements === 1 ? 'statement' : 'statements'} for ${who}${fresh}`,
    `Total ${formatPesos(amount)}, ${items.toLocaleString('en')} ${items === 1 ? 'item' : 'items'}`,
    // Everything may be done already.
    ...(statements > 1 && largest
      ? [
          `Largest ${formatPesos(largest.amount)}, ${largest.external_id} for ${job.nameOf(largest) ?? largest.customer}`,
        ]
      : []),
    ...(dues === undefined ? [] : [`Due ${dues}`]),
    `About ${requests.toLocaleString('en')} requests${mode === 'sandbox' ? '' : `, ${durationWords(seconds)}`}`,
  ].map((line, index, {length}) => ({text: `  ${line}`, ...(index === length - 1 && {style: 'dim' as const})}));
}

/** Statements that are listed before an import; the rest is counted. */
const MOST_LISTED = 20;

/** Who pays what: the first of the statements that are left to make, as a dry run has all of them. */
export async function payersTable(job: JobFile, io: Io): Promise<string[]> {
  const {tableView} = await import('../../../../output/tables/table-view.js');
  const [rows = []] = pagesOf(job.rows(UNDONE));
  // A note has no colours but its own.
  const plain = Object.create(io, {paint: {value: (_: Style, part: string) => part}}) as Io;
  const {text = ''} = await tableView(resultOfPlan(job, rows.slice(0, MOST_LISTED)), {io: plain});
  const more = job.left(true, []).statements - MOST_LISTED;
  const rest = more > 0 ? [`and ${more.toLocaleString('en')} more. To see all of them, add --dry-run.`] : [];
  return [...text.trimEnd().split('\n'), ...rest];
}

/** Names in the file that are not those of the customers. */
export const nameLines = ({count, shown}: Faults): string[] =>
  count === 0
    ? []
    : [
        'These names are not those of the customers:',
        ...shown.map((fault) => `  ${placeOf(fault)}: ${fault.problem}`),
        ...(count > shown.length ? [`  and ${(count - shown.length).toLocaleString('en')} more`] : []),
      ];

/** `15 Dec`, `27 Nov to 23 Dec`. */
function duesOf({tally: {firstDue: first, lastDue: last}, record: {createdAt}}: JobFile): string | undefined {
  if (first === null || last === null) return undefined;
  const [from, to] = [first, last].map((at) => shortDay(at, createdAt));
  return from === to ? from : `${from} to ${to}`;
}

/** `JEEPNEY-0002 (open, ₱31,000.00)`. */
export const statementWords = (statement: Statement): string =>
  `${numberOf(statement) ?? statement.id} (${statement.status}, ${formatPesos(statement.amount ?? 0)})`;

const PLAN_COLUMNS: readonly Column[] = [
  {path: 'external_id', header: 'external id', kind: 'text', rank: 1},
  {path: 'customer', header: 'customer', kind: 'text', rank: 2},
  {path: 'items', header: 'items', kind: 'text', rank: 4},
  {path: 'amount', header: 'amount', kind: 'centavos', rank: 3},
  {path: 'due_at', header: 'due', kind: 'timestamp', rank: 5},
];

/** Prints the statements that an import would make, as they are read. */
export function printPlan(
  job: JobFile,
  planned: Iterable<Row>,
  rendering: Rendering,
  context: Pick<Context, 'io' | 'signal'>,
): Promise<void> {
  return renderList(pagesOf(planned), (rows) => resultOfPlan(job, rows), rendering, untilStopped(context));
}

/** So many at a time that a long list takes no more memory than a short one. */
export function* pagesOf(rows: Iterable<Row>): Generator<Row[]> {
  let page: Row[] = [];
  for (const row of rows) {
    if (page.push(row) < ROWS_A_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function resultOfPlan(job: JobFile, planned: readonly Row[]): Result {
  const rows = planned.map((row) => ({
    external_id: row.external_id,
    customer: job.customer(row.customer)?.name ?? row.customer,
    items: job.itemsOf(row.n).length,
    amount: row.amount,
    due_at: row.due_at,
    exists: row.id,
  }));
  return resultOfRecords(rows, PLAN_COLUMNS, {
    all: [...PLAN_COLUMNS, {path: 'exists', header: 'exists', kind: 'text'}],
  });
}

/**
 * `create, finalize and send 400 billing statements of ₱1,284,500.00 in all for 388 customers (12 new)`.
 * @param left what is asked about; the rest was confirmed and done before
 * @param options `otherNames` is how many names are not those of the customers
 */
export function changeOfImport(
  job: JobFile,
  left: Left,
  {command = 'billing-statements import', otherNames = 0}: {command?: string; otherNames?: number} = {},
): Change {
  const {finalize, send} = job.record;
  const {statements, amount, customers, unmade, begun, drafts, largest} = left;
  const {newCustomers, statements: all} = job.tally;
  const verbs = [
    ...(unmade > 0 ? ['create'] : begun > 0 ? ['complete'] : []),
    ...(finalize && drafts > 0 ? ['finalize'] : []),
    ...(send ? ['send'] : []),
  ];
  const steps = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}` : (verbs[0] ?? 'complete');
  const of = statements < all ? `${statements.toLocaleString('en')} of ` : '';
  const what = all === 1 ? '1 billing statement' : `${of}${all.toLocaleString('en')} billing statements`;
  const who = customers === 1 ? '1 customer' : `${customers.toLocaleString('en')} customers`;
  const fresh = unmade > 0 && newCustomers > 0 ? ` (${newCustomers.toLocaleString('en')} new)` : '';
  return {
    command,
    asks: true,
    ids: [],
    known: {
      what: `${statements < all ? `go on with ${job.id}: ` : ''}${steps} ${what} of ${formatPesos(amount)} in all for ${who}${fresh}${finalize ? '' : ', as drafts'}${otherNames > 0 ? `, ${otherNames.toLocaleString('en')} under another name` : ''}`,
      amount: BigInt(amount),
      statements,
      // Those that are smaller are allowed whenever the largest is.
      amounts: largest ? [{of: `billing statement ${largest.external_id}`, amount: BigInt(largest.amount)}] : [],
    },
  };
}
