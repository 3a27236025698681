// `centavo month`: reports the amounts billed and received in a month.

import {hasEnded, unixTimeOf} from '../api/statement.js';
import type {MonthReportEntry, MonthTotals} from '../billing/reports/month-report.js';
import {BaseCommand, CALL_EXITS} from '../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../cli/dry-run.js';
import {localSettlements} from '../cli/presentation/settlements.js';
import {paymentMethodName} from '../cli/presentation/format-values.js';
import {Args} from '../cli/oclif.js';
import {resultOfRecords, type RecordTable} from '../cli/records.js';
import {unknownPaymentNote, withReceipts} from '../cli/account-reads.js';
import {
  centavosSchema,
  constantSchema,
  dryRun,
  eitherSchema,
  integerSchema,
  listSchema,
  nullableSchema,
  listPageSchema,
  recordSchema,
  status,
  textSchema,
  timestampSchema,
} from '../cli/schema.js';
import {formatCount} from '../common/counts.js';
import {usageError} from '../common/errors.js';
import {monthOf, MONTHS, monthText, shortDay, startOfMonth} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';
import {guardConnection} from '../guard/guard.js';
import {readMonthText as monthOfText} from '../input/dates.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {oneLineText} from '../output/format.js';

const ENTRY = recordSchema({
  number: nullableSchema(textSchema),
  customer: nullableSchema(textSchema),
  email: nullableSchema(textSchema),
  status,
  created_at: timestampSchema,
  finalized_at: nullableSchema(timestampSchema),
  due_at: nullableSchema(timestampSchema),
  billed: centavosSchema,
  paid: centavosSchema,
  paid_at: nullableSchema(timestampSchema),
  method: nullableSchema(textSchema),
  refunded: centavosSchema,
  settled: centavosSchema,
  settled_reason: nullableSchema(textSchema),
  uncollectible: centavosSchema,
  balance: centavosSchema,
  replaced_by: nullableSchema(textSchema),
  customer_id: nullableSchema(textSchema),
  statement_id: textSchema,
  payment_id: nullableSchema(textSchema),
});

/** Columns of the table. CSV has every field. */
const MONTH_TABLE: RecordTable = {
  number: {kind: 'status', rank: 1},
  customer: {rank: 2, cut: 'name'},
  finalized_at: {header: 'billed on', rank: 6},
  billed: 1,
  received: {kind: 'centavos', rank: 1},
  paid_on: {header: 'paid', rank: 3, align: 'right'},
  how: {rank: 5, wrapsLast: true},
  refunded: 4,
  balance: {header: 'owed', rank: 3},
};

/** Data missing from the report, because the API and this machine's history do not have it. */
const EXCLUDED = [
  'payments of checkout sessions and of payment intents',
  'fees and payouts',
  'dates of refunds',
  'settlements made on other machines',
];

export class MonthCommand extends BaseCommand {
  static override summary = 'Show the amounts billed and received in a month, for the accountant.';
  static override description =
    'One row for each billing statement that was finalized or paid in the month, by days in Manila. A billing statement paid in a later month counts as billed in this month and as received in the later month. A void billing statement counts as zero; one that was settled outside the service counts as received if this machine recorded it. Refunds and amounts owed are as of now.\n\n' +
    'The API does not list payments, so centavo reads all billing statements and each payment. -o csv writes every column, with amounts in centavos and in pesos.';
  static override examples = [
    '<%= config.bin %> month',
    '<%= config.bin %> month 2026-10 -o csv',
    '<%= config.bin %> month october',
  ];
  static override usage = 'month [month] [flags]';
  static override args = {
    month: Args.string({description: 'Month: 2026-10, october. Default: this month.', helpValue: '<2026-10>'}),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    eitherSchema(
      listPageSchema(ENTRY, {
        month: textSchema,
        as_of: integerSchema,
        currency: constantSchema('PHP'),
        statements: integerSchema,
        billed: integerSchema,
        received: integerSchema,
        paid: integerSchema,
        settled: integerSchema,
        refunded: integerSchema,
        uncollectible: integerSchema,
        balance: integerSchema,
        payments_not_named: listSchema(textSchema),
        not_seen: listSchema(textSchema),
      }),
      dryRun,
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(MonthCommand);
    const {context} = this;
    guardConnection(await context.connection(), flags, LIST_STATEMENTS);
    const now = await context.accountNow();
    const month = args.month === undefined ? monthOf(now) : valueOrThrow(monthOfText(args.month, now));
    if (startOfMonth(month) > now) throw usageError('invalid_month', `${monthText(month)} is in the future.`);
    if (flags['dry-run']) return printLists(context, this.requestForm);
    const {readMonthReport, monthTotalsOf} = await context.billing();
    const client = await context.client();
    const settlements = await localSettlements(context);
    const rows = await withReceipts(context, (options) => readMonthReport(client, {...options, month, settlements}));
    const totals = monthTotalsOf(rows);
    const received = totals.paid + totals.settled;
    const unnamed = rows.filter(({status: state, payment_id: id}) => state === 'paid' && id === null).map(entryNameOf);
    const name = `${MONTHS[month.month - 1]!} ${month.year}`;
    await this.print(
      resultOfRecords(ENTRY, rows, {
        ...(this.rendering.format !== 'csv' && {
          shown: rows.map((row) => ({...row, ...monthFormatters(row, now)})),
          columns: MONTH_TABLE,
          atTerminal: MONTH_TABLE,
        }),
        document: {
          ...{resource: 'list', has_more: false, month: monthText(month), as_of: now, currency: 'PHP'},
          ...{statements: rows.length, received, ...totals},
          payments_not_named: unnamed,
          not_seen: EXCLUDED,
          data: rows,
        },
        empty: `No billing statement was finalized or paid in ${name}.`,
      }),
    );
    if (rows.length === 0) return;
    const {io} = context;
    const isOver = monthOf(now).month !== month.month || monthOf(now).year !== month.year;
    for (const line of totalLines(`${name}${isOver ? '' : ' so far'}`, rows, totals)) io.note(line);
    if (unnamed.length > 0) io.note(unknownPaymentNote(unnamed));
    io.note('Not included:', {style: 'dim'});
    for (const what of EXCLUDED) io.note(`  ${what}`, {style: 'dim'});
  }
}

const entryNameOf = ({number, statement_id: id}: MonthReportEntry): string => number ?? id;

const nullIfZero = (amount: number): number | null => (amount === 0 ? null : amount);

function monthFormatters(entry: MonthReportEntry, now: number) {
  const {paid_at: at, method, settled_reason: reason} = entry;
  return {
    received: nullIfZero(entry.paid + entry.settled),
    billed: nullIfZero(entry.billed),
    refunded: nullIfZero(entry.refunded),
    balance: nullIfZero(entry.balance),
    customer: entry.customer ?? entry.email ?? entry.customer_id,
    // Statements that ended unpaid show their status here.
    paid_on: unixTimeOf(at) === undefined ? (hasEnded({status: entry.status}) ? entry.status : '') : shortDay(at!, now),
    how:
      reason !== null
        ? `outside: ${oneLineText(reason)}`
        : entry.replaced_by !== null
          ? `replaced by ${oneLineText(entry.replaced_by)}`
          : method === null
            ? ''
            : oneLineText(paymentMethodName(method)),
  };
}

function totalLines(name: string, rows: readonly MonthReportEntry[], totals: MonthTotals): string[] {
  const {billed, paid, settled, refunded, uncollectible, balance} = totals;
  const counts = (of: (row: MonthReportEntry) => number): string =>
    formatCount(rows.filter((row) => of(row) > 0).length, 'billing statement');
  const lines: readonly (readonly [label: string, amount: number, isShown: boolean, more?: string])[] = [
    ['Billed', billed, true, counts((row) => row.billed)],
    ['Received', paid + settled, true, counts((row) => row.paid + row.settled)],
    ['  online', paid, settled > 0],
    ['  outside', settled, settled > 0],
    ['Refunded', refunded, refunded > 0, 'as of now'],
    ['Uncollectible', uncollectible, uncollectible > 0, 'of the amount billed'],
    ['Owed', balance, true, 'as of now'],
  ];
  const shown = lines.filter(([, , isShown]) => isShown);
  const width = Math.max(...shown.map(([, amount]) => formatPesos(amount).length));
  return [
    `${name}, by days in Manila:`,
    ...shown.map(([label, amount, , more]) =>
      `  ${label.padEnd('Uncollectible'.length)}  ${formatPesos(amount).padStart(width)}${more ? `  ${more}` : ''}`.trimEnd(),
    ),
  ];
}
