// `centavo paid`: lists who paid, when and how.

import type {PaymentReceived} from '../billing/reports/month-report.js';
import {BaseCommand, CALL_EXITS} from '../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../cli/dry-run.js';
import {readPeriod} from '../cli/lists/list-filters.js';
import {localSettlements} from '../cli/presentation/settlements.js';
import {paymentMethodName} from '../cli/presentation/format-values.js';
import {Args, Flags} from '../cli/oclif.js';
import {resultOfRecords, type RecordTable} from '../cli/records.js';
import {unknownPaymentNote, withReceipts} from '../cli/account-reads.js';
import {resolveReference} from '../cli/references/resolve-reference.js';
import {
  centavosSchema,
  choiceSchema,
  constantSchema,
  dryRun,
  eitherSchema,
  integerSchema,
  nullableSchema,
  listPageSchema,
  recordSchema,
  shownAs,
  textSchema,
  timestampSchema,
} from '../cli/schema.js';
import {formatCount} from '../common/counts.js';
import {relativeDay} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';
import {guardConnection} from '../guard/guard.js';
import {oneLineText} from '../output/format.js';

const RECEIVED = recordSchema({
  paid_at: shownAs(timestampSchema, {timed: true}),
  amount: centavosSchema,
  method: nullableSchema(textSchema),
  source: choiceSchema('online', 'outside'),
  reason: nullableSchema(textSchema),
  number: nullableSchema(textSchema),
  customer: nullableSchema(textSchema),
  email: nullableSchema(textSchema),
  customer_id: nullableSchema(textSchema),
  statement_id: textSchema,
  payment_id: nullableSchema(textSchema),
});
/** Columns of the table. CSV has every field. */
const PAID_TABLE: RecordTable = {
  paid_at: {header: 'paid', rank: 2},
  number: {kind: 'status', rank: 3},
  customer: {rank: 1, cut: 'name'},
  amount: 1,
  how: 3,
};

export class PaidCommand extends BaseCommand {
  static override summary = 'Show who paid, when and how.';
  static override description =
    'Lists billing statements paid in a period: online, or outside the service and settled from this machine. Default: today, or all time if you name a customer. The API does not list payments, so centavo reads all billing statements, and each payment of unknown date. Payments of checkout sessions and of your own payment intents are not included.';
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
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    eitherSchema(
      listPageSchema(RECEIVED, {
        currency: constantSchema('PHP'),
        since: nullableSchema(integerSchema),
        until: nullableSchema(integerSchema),
        total: integerSchema,
        online: integerSchema,
        outside: integerSchema,
      }),
      dryRun,
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(PaidCommand);
    const {context} = this;
    guardConnection(await context.connection(), flags, LIST_STATEMENTS);
    const now = await context.accountNow();
    const {since = args.customer === undefined && flags.until === undefined ? 'today' : undefined, until} = flags;
    const period = readPeriod({since, until}, ['--since', '--until'], now);
    if (flags['dry-run']) return printLists(context, this.requestForm);
    const named = {changes: false, withDeleted: true};
    const customerId =
      args.customer === undefined ? undefined : await resolveReference(context, 'cus_', args.customer, named);
    const {readPaymentsReceived, exactSum} = await context.billing();
    const client = await context.client();
    const settlements = await localSettlements(context);
    const rows = await withReceipts(context, (options) =>
      readPaymentsReceived(client, {...options, ...period, customerId, settlements}),
    );
    const unnamed = rows.filter(({source, payment_id: id}) => source === 'online' && id === null);
    if (unnamed.length > 0)
      context.io.note(unknownPaymentNote(unnamed.map(({number, statement_id: id}) => number ?? id)));
    const sum = (source: 'online' | 'outside') =>
      exactSum(rows.filter((row) => row.source === source).map(({amount}) => amount));
    const [online, outside] = [sum('online'), sum('outside')];
    const who = formatCount(new Set(rows.map(({customer_id: id}) => id)).size, 'customer');
    await this.print(
      resultOfRecords(RECEIVED, rows, {
        shown: rows.map((row) => ({
          ...row,
          how: formatMethod(row),
          customer: row.customer ?? row.email ?? row.customer_id,
        })),
        ...(this.rendering.format !== 'csv' && {columns: PAID_TABLE, atTerminal: PAID_TABLE}),
        document: {
          ...{resource: 'list', has_more: false, currency: 'PHP'},
          ...{since: period.since ?? null, until: period.until ?? null},
          ...{total: exactSum([online, outside]), online, outside, data: rows},
        },
        empty: `No billing statement was paid${formatPeriod(period, now)}.${since === 'today' ? '\nThe last 7 days: centavo paid --since 7d' : ''}`,
        below: [
          `${who} paid ${formatPesos(exactSum([online, outside]))}`,
          ...(online > 0 && outside > 0 ? [`${formatPesos(online)} online, ${formatPesos(outside)} outside`] : []),
        ],
      }),
    );
    context.io.note('Not included: payments of checkout sessions and of payment intents.', {style: 'dim'});
  }
}

const formatPeriod = ({since, until}: {readonly since?: number; readonly until?: number}, now: number): string =>
  since === undefined || until !== undefined
    ? ' in this period'
    : relativeDay(since, now) === 'earlier today'
      ? ' today'
      : ` since ${relativeDay(since, now)}`;

/** `GCash`, `outside: cash, 12 Nov` */
const formatMethod = ({method, reason, source}: PaymentReceived): string =>
  source === 'outside'
    ? `outside: ${oneLineText(reason ?? '')}`
    : oneLineText(method === null ? 'not known' : paymentMethodName(method));
