// Who owes what, as a result to print: a row for each customer, and below it the sum, a chart and what was settled outside.

import type {Bucket, CustomerOwed, Owed} from '../../billing/books/aging.js';
import type {SettledStatement} from '../../billing/books/owed.js';
import {bar} from '../../output/tables/bars.js';
import type {Io} from '../../output/io.js';
import type {Column, Format, Result} from '../../output/result.js';
import {shortDay} from '../../manila.js';
import {formatPesos} from '../../pesos.js';
import {recordColumns, resultOfRecords} from '../columns.js';
import {daysWords} from './overdue-days.js';

/** What is printed. Amounts are centavos. */
export interface OwedReport {
  /** Unix seconds. */
  readonly asOf: number;
  readonly customers: readonly CustomerOwed[];
  /** Whether others were asked to be left out. */
  readonly isNarrowed: boolean;
  readonly total: Owed;
  /** How many statements are in each bucket. */
  readonly counts: Readonly<Record<Bucket, number>>;
  readonly unknown: readonly {
    readonly id: string;
    readonly number: string | null;
    readonly customer_id: string | null;
  }[];
  readonly settled?: readonly SettledStatement[];
}

const BUCKET_WORDS: Readonly<Record<Bucket, string>> = {
  current: 'Not yet due',
  days_1_30: '1–30 days',
  days_31_60: '31–60 days',
  days_61_90: '61–90 days',
  days_over_90: 'Over 90 days',
};
const BUCKETS = Object.keys(BUCKET_WORDS) as Bucket[];

const AMOUNTS = ['owed', 'overdue', ...BUCKETS];
const KINDS = Object.fromEntries([...AMOUNTS.map((path) => [path, 'centavos']), ['oldest_due_at', 'timestamp']]);
/** Columns of a record, for programs and spreadsheets. */
const RECORD_COLUMNS = recordColumns(
  ['customer_id', 'name', 'email', 'owed', 'overdue', 'oldest_due_at', 'days_overdue', 'statements', ...BUCKETS],
  KINDS,
);
const ROW_COLUMNS: readonly Column[] = [
  {path: 'customer', header: 'customer', kind: 'text', rank: 1, cut: 'name'},
  {path: 'owed', header: 'owes', kind: 'centavos', rank: 2},
  {path: 'overdue', header: 'overdue', kind: 'centavos', rank: 3},
  {path: 'oldest', header: 'oldest', kind: 'text', rank: 3, whole: true, align: 'right'},
];
const STATEMENTS: Column = {path: 'statements', header: 'statements', kind: 'text', rank: 6, align: 'right'};
const BAR: Column = {path: 'bar', header: '', kind: 'text', rank: 5, whole: true};

/** Columns of the bars of a row, and the most of the chart. */
const ROW_BAR = 16;
const CHART_BAR = 40;
/** Columns that a chart fills at most. */
const WIDEST = 96;

/** @param format a spreadsheet gets every field as a column, and a Markdown table no bars */
export function resultOfOwed(report: OwedReport, io: Io, format: Format | undefined): Result {
  const {customers, total, counts, unknown, settled, asOf, isNarrowed} = report;
  const largest = Math.max(...customers.map(({owed}) => owed), 0);
  const shown = customers.map((row) => ({
    ...row,
    customer: row.name ?? row.email ?? row.customer_id,
    oldest: row.days_overdue > 0 ? daysWords(row.days_overdue) : '',
    bar: bar(row.owed, largest, ROW_BAR, io),
  }));
  const {owed, overdue, statements} = total;
  const settledBelow = settled ? settledLines(settled, asOf) : [];
  const columns = [...ROW_COLUMNS, STATEMENTS];
  return resultOfRecords(customers, format === 'csv' ? RECORD_COLUMNS : columns, {
    shown,
    all: [...RECORD_COLUMNS, ...columns.filter(({path}) => !RECORD_COLUMNS.some((column) => column.path === path))],
    atTerminal: io.plain || format === 'markdown' ? columns : [...ROW_COLUMNS, STATEMENTS, BAR],
    document: {
      ...{resource: 'list', has_more: false, as_of: asOf, currency: 'PHP', total: owed, overdue, statements},
      buckets: Object.fromEntries(BUCKETS.map((bucket) => [bucket, total[bucket]])),
      counts,
      unknown_amounts: unknown,
      ...(settled && {settled: settled.map(settledRecord)}),
      data: customers,
    },
    empty: [isNarrowed ? 'No such customer owes you anything.' : 'Nobody owes you anything.', ...settledBelow].join(
      '\n',
    ),
    below: [totalWords(report), '', ...chart(report, io), ...(settled ? ['', ...settledBelow] : [])],
  });
}

const settledRecord = ({customer, ...rest}: SettledStatement) => ({
  ...rest,
  customer_id: customer.id ?? null,
  name: customer.name ?? null,
});

/** `5 customers owe ₱288,828.00; ₱221,750.00 of it is overdue.` */
function totalWords({customers: {length}, total: {owed, overdue}}: OwedReport): string {
  const who = length === 1 ? '1 customer owes' : `${length.toLocaleString('en')} customers owe`;
  const late = overdue === 0 ? 'nothing' : overdue === owed ? 'all' : formatPesos(overdue);
  return `${who} ${formatPesos(owed)}; ${late} of it is overdue.`;
}

/** A line for each bucket: its words, amount, bar, and number of statements. */
function chart({total, counts}: OwedReport, io: Io): string[] {
  const filled = BUCKETS.filter((bucket) => counts[bucket] > 0);
  const amounts = filled.map((bucket) => formatPesos(total[bucket]));
  const words = Math.max(...filled.map((bucket) => BUCKET_WORDS[bucket].length), 0);
  const amount = Math.max(...amounts.map(({length}) => length), 0);
  const count = Math.max(...filled.map((bucket) => String(counts[bucket]).length), 0);
  const room = Math.min(CHART_BAR, Math.min(io.width, WIDEST) - words - amount - count - 3 * 2);
  const largest = Math.max(...filled.map((bucket) => total[bucket]), 0);
  return filled.map((bucket, index) =>
    [
      BUCKET_WORDS[bucket].padEnd(words),
      amounts[index]!.padStart(amount),
      ...(io.plain || room < 1 ? [] : [bar(total[bucket], largest, room, io).padEnd(room)]),
      String(counts[bucket]).padStart(count),
    ].join('  '),
  );
}

function settledLines(settled: readonly SettledStatement[], now: number): string[] {
  if (settled.length === 0) return ['Nothing was settled outside from this machine.'];
  return [
    'Settled outside, as the history of this machine has it:',
    ...settled.flatMap(({number, id, customer, amount, at, reason, status}) => {
      const day = shortDay(at, now);
      const about = [number ?? id, amount === null ? '' : formatPesos(amount), customer.name ?? customer.id ?? ''];
      return [`  ${day}  ${about.filter(Boolean).join('  ')}`, `${' '.repeat(day.length + 4)}${status}: ${reason}`];
    }),
  ];
}
