// `centavo paid`: lists who paid, when and how.

import {paymentMethodName} from '../accounting/words.js';
import type {PaymentReceived} from '../billing/reports/month-report.js';
import {BaseCommand, CALL_EXITS} from '../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../cli/dry-run.js';
import {readPeriod} from '../cli/lists/list-filters.js';
import {Args, Flags} from '../cli/oclif.js';
import {resultOfRecords, type RecordTable} from '../cli/records.js';
import {fileFlags, printToFile, reportSchema} from '../cli/report-file.js';
import {BOOK_LISTS, noteNotSeen, readBookOf} from '../cli/read-book.js';
import {resolveReference} from '../cli/references/resolve-reference.js';
import * as schema from '../cli/schema.js';
import {formatCount} from '../common/counts.js';
import {relativeDay} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';
import {guardConnection} from '../guard/guard.js';
import {oneLineText} from '../output/format.js';

const RECEIVED = schema.record({
  paid_at: schema.nullable(schema.shownAs(schema.timestamp, {timed: true})),
  ...schema.fieldsNamed('received settled', schema.centavos),
  ...schema.fieldsNamed('refunded undated_refunds', schema.nullable(schema.centavos)),
  ...schema.fieldsNamed('method settled_reason', schema.nullable(schema.text)),
  state: schema.status,
  ...schema.fieldsNamed(
    'number customer email customer_id statement_id checkout_session_id payment_id',
    schema.nullable(schema.text),
  ),
  unknown: schema.list(schema.text),
});
/** Columns of the table. CSV has every field. */
const PAID_TABLE: RecordTable = {
  paid_at: {header: 'paid', rank: 2},
  number: {kind: 'status', rank: 3},
  customer: {rank: 1, cut: 'name'},
  amount: {kind: 'centavos', rank: 1},
  how: 3,
};

export class PaidCommand extends BaseCommand {
  static override summary = 'Show who paid, when and how.';
  static override description =
    'Lists payments of billing statements and checkout sessions in a period: received online, or settled from this machine. No payment counts before its bill. A refund counts on its own day, or on the day of its payment if it was made elsewhere and has no date. Default: today, or all time if you name a customer. The API does not list payments, so centavo reads all billing statements and checkout sessions, and each payment of unknown date.';
  static override examples = [
    '<%= config.bin %> paid',
    '<%= config.bin %> paid --since monday',
    '<%= config.bin %> paid juan@example.com',
    '<%= config.bin %> paid --since 2026-11-01 -o csv',
  ];
  static override usage = 'paid [customer] [flags]';
  static override args = {
    customer: Args.string({
      description: 'Only this customer: email address, name, part of a name, or id.',
      helpValue: '<cus_…>',
    }),
  };
  static override flags = {
    since: Flags.string({
      summary: 'Paid on this day or later: today, monday, 2026-11-01; 7d for the last 7 days.',
      helpValue: '<date>',
    }),
    until: Flags.string({summary: 'Paid on this day or earlier.', helpValue: '<date>'}),
    ...fileFlags,
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    reportSchema(
      schema.page(RECEIVED, {
        currency: schema.constant('PHP'),
        since: schema.nullable(schema.integer),
        until: schema.nullable(schema.integer),
        ...schema.fieldsNamed('received settled refunded undated_refunds after_refunds', schema.integer),
        not_seen: schema.list(schema.text),
      }),
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(PaidCommand);
    const {context} = this;
    guardConnection(await context.connection(), LIST_STATEMENTS);
    const now = await context.accountNow();
    const {since = args.customer === undefined && flags.until === undefined ? 'today' : undefined, until} = flags;
    const period = readPeriod({since, until}, ['--since', '--until'], now);
    await printToFile(context, flags);
    if (flags['dry-run']) return printLists(context, this.requestForm, BOOK_LISTS);
    const named = {changes: false, withDeleted: true};
    const customerId =
      args.customer === undefined ? undefined : await resolveReference(context, 'cus_', args.customer, named);
    const {paidNeeds, paymentsReceived, periodSumsOf} = await context.billing();
    const {notSeen, ...book} = await readBookOf(context, {...paidNeeds(period), customerId});
    const rows = paymentsReceived(book, period);
    const {received, settled, refunded, undated_refunds, after_refunds} = periodSumsOf(book, period);
    const payers = rows.filter((row) => row.received + row.settled > 0);
    const who = formatCount(new Set(payers.map((row) => row.customer_id ?? row.checkout_session_id)).size, 'customer');
    await this.print(
      resultOfRecords(RECEIVED, rows, {
        shown: rows.map((row) => ({...row, ...paidFormatters(row)})),
        ...(this.rendering.format !== 'csv' && {columns: PAID_TABLE, atTerminal: PAID_TABLE}),
        document: {
          ...{resource: 'list', has_more: false, currency: 'PHP'},
          ...{since: period.since ?? null, until: period.until ?? null},
          ...{received, settled, refunded, undated_refunds, after_refunds, not_seen: notSeen, data: rows},
        },
        empty: `No billing statement was paid${formatPeriod(period, now)}.${since === 'today' ? '\nThe last 7 days: centavo paid --since 7d' : ''}`,
        below: [
          `${who} paid ${formatPesos(received + settled)}`,
          ...(received > 0 && settled > 0 ? [`${formatPesos(received)} online, ${formatPesos(settled)} outside`] : []),
          ...(refunded + undated_refunds > 0 ? [`${formatPesos(refunded + undated_refunds)} was refunded`] : []),
        ],
      }),
    );
    noteNotSeen(context, notSeen);
  }
}

const formatPeriod = ({since, until}: {readonly since?: number; readonly until?: number}, now: number): string =>
  since === undefined || until !== undefined
    ? ' in this period'
    : relativeDay(since, now) === 'earlier today'
      ? ' today'
      : ` since ${relativeDay(since, now)}`;

function paidFormatters(row: PaymentReceived) {
  const {received, settled, refunded, undated_refunds: undated, method, settled_reason: reason} = row;
  const returned = (refunded ?? 0) + (undated ?? 0);
  const online = `${row.statement_id === null ? 'checkout, ' : ''}${paymentMethodName(method ?? 'not_known')}`;
  const how = oneLineText(reason === null ? online : `outside: ${reason}`);
  return {
    customer: row.customer ?? row.email ?? row.customer_id,
    amount: received + settled,
    how: [how, ...(returned > 0 ? [`${formatPesos(returned)} refunded`] : [])].join(', '),
  };
}
