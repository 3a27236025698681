// `centavo month`: reports the amounts billed and received in a month.

import {paymentMethodName, STATE_WORDS} from '../accounting/words.js';
import type {monthReportOf, MonthReportEntry} from '../billing/reports/month-report.js';
import {BaseCommand, CALL_EXITS} from '../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../cli/dry-run.js';
import {Args} from '../cli/oclif.js';
import {resultOfRecords, type RecordTable} from '../cli/records.js';
import {fileFlags, printToFile, reportSchema} from '../cli/report-file.js';
import {BOOK_LISTS, noteNotSeen, readBookOf, REPLACEMENT} from '../cli/read-book.js';
import * as schema from '../cli/schema.js';
import {formatCount} from '../common/counts.js';
import {usageError} from '../common/errors.js';
import {monthAfter, monthOf, MONTHS, monthText, shortDay, startOfMonth} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';
import {guardConnection} from '../guard/guard.js';
import {readMonthText as monthOfText} from '../input/dates.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {oneLineText} from '../output/format.js';

const ENTRY = schema.record({
  ...schema.fieldsNamed('number customer email', schema.nullable(schema.text)),
  state: schema.status,
  created_at: schema.timestamp,
  ...schema.fieldsNamed('billed_at due_at', schema.nullable(schema.timestamp)),
  ...schema.fieldsNamed('opening_balance billed voided received settled uncollectible balance', schema.centavos),
  ...schema.fieldsNamed('refunded undated_refunds', schema.nullable(schema.centavos)),
  paid_at: schema.nullable(schema.timestamp),
  ...schema.fieldsNamed('method settled_reason', schema.nullable(schema.text)),
  replaced_by: schema.nullable(REPLACEMENT),
  ...schema.fieldsNamed('customer_id statement_id checkout_session_id payment_id', schema.nullable(schema.text)),
  unknown: schema.list(schema.text),
});

/** Columns of the table. CSV has every field. */
const MONTH_TABLE: RecordTable = {
  number: {kind: 'status', rank: 1},
  customer: {rank: 2, cut: 'name'},
  billed_at: {header: 'billed on', rank: 7},
  billed: 1,
  came_in: {header: 'received', kind: 'centavos', rank: 1},
  ended: {header: 'state', kind: 'status', rank: 4},
  how: {rank: 6, wrapsLast: true},
  refunded: 5,
  balance: {header: 'owed', rank: 3},
};

export class MonthCommand extends BaseCommand {
  static override summary = 'Show the amounts billed and received in a month, for the accountant.';
  static override description =
    'One row for each billing statement that was billed, paid, refunded, settled, voided or written off in the month, by days in Manila, and for each paid checkout session. In each row, opening_balance + billed - voided - received - settled - uncollectible = balance, at the end of the month. All balances and carried_forward add up to owed. A refund made elsewhere has no date, and counts in the month of its payment (undated_refunds). Fees are not deducted.\n\n' +
    'The API does not list payments, so centavo reads all billing statements and each payment. -o csv and --file write every column, with amounts in centavos and in pesos.';
  static override examples = [
    '<%= config.bin %> month',
    '<%= config.bin %> month 2026-10 -o csv',
    '<%= config.bin %> month 2026-10 --file october.csv',
    '<%= config.bin %> month october',
  ];
  static override usage = 'month [month] [flags]';
  static override args = {
    month: Args.string({description: 'Month: 2026-10, october. Default: this month.', helpValue: '<2026-10>'}),
  };
  static override flags = fileFlags;
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    reportSchema(
      schema.page(ENTRY, {
        month: schema.text,
        as_of: schema.integer,
        currency: schema.constant('PHP'),
        ...schema.fieldsNamed(
          'opening_balance billed voided received settled uncollectible balance carried_forward owed',
          schema.integer,
        ),
        ...schema.fieldsNamed('refunded undated_refunds after_refunds', schema.integer),
        not_seen: schema.list(schema.text),
      }),
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(MonthCommand);
    const {context} = this;
    guardConnection(await context.connection(), LIST_STATEMENTS);
    const now = await context.accountNow();
    const month = args.month === undefined ? monthOf(now) : valueOrThrow(monthOfText(args.month, now));
    if (startOfMonth(month) > now) throw usageError('invalid_month', `${monthText(month)} is in the future.`);
    await printToFile(context, flags);
    if (flags['dry-run']) return printLists(context, this.requestForm, BOOK_LISTS);
    const {monthNeeds, monthReportOf} = await context.billing();
    const {notSeen, ...book} = await readBookOf(context, monthNeeds(month));
    const {rows, totals} = monthReportOf(book, month);
    const end = startOfMonth(monthAfter(month)) - 1;
    const name = `${MONTHS[month.month - 1]!} ${month.year}`;
    await this.print(
      resultOfRecords(ENTRY, rows, {
        shown: rows.map((row) => ({
          ...row,
          replaced_by: row.replaced_by?.name ?? null,
          ...(this.rendering.format !== 'csv' && monthFormatters(row, now)),
        })),
        ...(this.rendering.format !== 'csv' && {columns: MONTH_TABLE, atTerminal: MONTH_TABLE}),
        document: {
          ...{resource: 'list', has_more: false, month: monthText(month), as_of: Math.min(now, end)},
          ...{currency: 'PHP', ...totals, not_seen: notSeen, data: rows},
        },
        empty: `No money was billed or received in ${name}.`,
      }),
    );
    if (rows.length === 0 && totals.owed === 0) return;
    for (const line of totalLines(`${name}${end < now ? '' : ' so far'}`, rows, totals)) context.io.note(line);
    noteNotSeen(context, notSeen);
  }
}

const nullIfZero = (amount: number): number | null => (amount === 0 ? null : amount);

function monthFormatters(entry: MonthReportEntry, now: number) {
  const {state, paid_at: at, method, settled_reason: reason, replaced_by: replacement} = entry;
  return {
    came_in: nullIfZero(entry.received + entry.settled),
    billed: nullIfZero(entry.billed),
    refunded: nullIfZero((entry.refunded ?? 0) + (entry.undated_refunds ?? 0)),
    balance: nullIfZero(entry.balance),
    customer: entry.customer ?? entry.email ?? entry.customer_id,
    ended:
      at !== null
        ? `paid ${shortDay(at, now)}`
        : entry.voided + entry.uncollectible > 0
          ? STATE_WORDS[state].label
          : '',
    how:
      reason !== null
        ? `outside: ${oneLineText(reason)}`
        : replacement !== null
          ? `replaced by ${oneLineText(replacement.name)}`
          : method === null
            ? ''
            : `${entry.statement_id === null ? 'checkout, ' : ''}${oneLineText(paymentMethodName(method))}`,
  };
}

function totalLines(
  name: string,
  rows: readonly MonthReportEntry[],
  totals: ReturnType<typeof monthReportOf>['totals'],
): string[] {
  const {received, settled, refunded, undated_refunds: undated} = totals;
  const before = totals.opening_balance + totals.carried_forward;
  const count = (title: string, fits: (row: MonthReportEntry) => boolean): string =>
    formatCount(rows.filter(fits).length, title);
  const bills = count('billing statement', (row) => row.billed > 0 && row.statement_id !== null);
  const sessions = count('checkout payment', (row) => row.billed > 0 && row.checkout_session_id !== null);
  const payments = count('payment', (row) => row.received + row.settled > 0);
  const lines: readonly (readonly [label: string, amount: number, isShown: boolean, more?: string])[] = [
    ['Owed before', before, before > 0],
    ['Billed', totals.billed, true, sessions.startsWith('0 ') ? bills : `${bills}, ${sessions}`],
    ['Voided', totals.voided, totals.voided > 0],
    ['Received', received + settled, true, `${payments}, before fees`],
    ['  online', received, settled > 0],
    ['  outside', settled, settled > 0],
    ['Refunded', refunded + undated, refunded + undated > 0],
    ['  no date', undated, undated > 0, 'of payments of this month'],
    ['Uncollectible', totals.uncollectible, totals.uncollectible > 0],
    ['Owed', totals.owed, true],
    ['  of other months', totals.carried_forward, totals.carried_forward > 0],
  ];
  const shown = lines.filter(([, , isShown]) => isShown);
  const width = Math.max(...shown.map(([, amount]) => formatPesos(amount).length));
  const labelWidth = Math.max(...shown.map(([label]) => label.length));
  return [
    `${name}, by days in Manila:`,
    ...shown.map(([label, amount, , more]) =>
      `  ${label.padEnd(labelWidth)}  ${formatPesos(amount).padStart(width)}${more ? `  ${more}` : ''}`.trimEnd(),
    ),
  ];
}
