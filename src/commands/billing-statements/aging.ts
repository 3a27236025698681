// `centavo billing-statements aging` and `centavo owed`: report who owes how much, and since when.

import {statementCustomerOf, statementNumberOf, type StatementLike} from '../../api/statement.js';
import type {RecordedSend} from '../../accounting/standing.js';
import type {AgingBucket, AmountOwed} from '../../billing/reports/aging.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../../cli/dry-run.js';
import {suggestNext} from '../../cli/next-command.js';
import {resultOfRecords, type RecordTable} from '../../cli/records.js';
import {fileFlags, printToFile, reportSchema} from '../../cli/report-file.js';
import * as schema from '../../cli/schema.js';
import {Args, Flags, OPTIONAL_TIME} from '../../cli/oclif.js';
import {moneyHistory} from '../../cli/presentation/standings.js';
import {withReadingProgress} from '../../cli/account-reads.js';
import {resolveReference} from '../../cli/references/resolve-reference.js';
import {formatCount} from '../../common/counts.js';
import {shortDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {readWholeDays} from '../../input/quantities.js';
import type {OutputStreams} from '../../output/streams.js';
import {collectSooner} from '../../output/render-list.js';
import type {Format, CommandResult} from '../../output/result.js';
import {bar} from '../../output/tables/bars.js';

const BUCKET_LABELS: Readonly<Record<AgingBucket, string>> = {
  current: 'Not yet due',
  days_1_30: '1–30 days',
  days_31_60: '31–60 days',
  days_61_90: '61–90 days',
  days_over_90: 'Over 90 days',
};
const BUCKETS = Object.keys(BUCKET_LABELS) as AgingBucket[];

/** Fields for all buckets: centavos, or numbers of statements. */
const inBuckets = (field: schema.Schema<number>) =>
  Object.fromEntries(BUCKETS.map((bucket) => [bucket, field])) as Record<AgingBucket, schema.Schema<number>>;
const CUSTOMER_COLUMN = schema.record({
  ...schema.fieldsNamed('customer_id name email', schema.nullable(schema.text)),
  ...schema.fieldsNamed('owed overdue', schema.centavos),
  oldest_due_at: schema.nullable(schema.timestamp),
  ...schema.fieldsNamed('days_overdue statements', schema.integer),
  ...inBuckets(schema.centavos),
  numbers: schema.list(schema.text),
  last_sent_at: schema.nullable(schema.timestamp),
});
const UNKNOWN = schema.record({
  id: schema.text,
  ...schema.fieldsNamed('number customer_id', schema.nullable(schema.text)),
});

export class AgingCommand extends BaseCommand {
  static override summary = 'Show who owes you how much, and since when.';
  static override description =
    'Totals the open billing statements of each customer by days overdue (Manila time): current (not yet due, due today, or without a due date), 1–30, 31–60, 61–90 and over 90 days. The largest overdue amount comes first. Each customer is listed with the statement that was due first and the last send from this machine. The API has no such report, so centavo reads all billing statements.';
  static override examples = [
    '<%= config.bin %> billing-statements aging',
    '<%= config.bin %> billing-statements aging --overdue 30d',
    '<%= config.bin %> billing-statements aging orders@reyes.example',
    '<%= config.bin %> billing-statements aging -o csv',
  ];
  static override usage = 'billing-statements aging [customer] [flags]';
  static override args = {
    customer: Args.string({description: 'Email address, name or id of a customer.', helpValue: '<cus_…>'}),
  };
  static override flags = {
    overdue: Flags.string({
      summary: 'Only customers with an overdue billing statement; with a duration, overdue at least that long: 30d.',
      helpValue: OPTIONAL_TIME,
    }),
    ...fileFlags,
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    reportSchema(
      schema.page(CUSTOMER_COLUMN, {
        as_of: schema.integer,
        currency: schema.constant('PHP'),
        ...schema.fieldsNamed('total overdue statements', schema.integer),
        buckets: schema.record(inBuckets(schema.centavos)),
        counts: schema.record(inBuckets(schema.integer)),
        unknown_amounts: schema.list(UNKNOWN),
      }),
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(AgingCommand);
    const {context} = this;
    const {io} = context;
    guardConnection(await context.connection(), LIST_STATEMENTS);
    const days = flags.overdue === undefined ? undefined : valueOrThrow(readWholeDays(flags.overdue), '--overdue');
    await printToFile(context, flags);
    if (flags['dry-run']) return printLists(context, this.requestForm);
    await collectSooner();
    const client = await context.client();
    const options = {changes: false, withDeleted: true};
    const customerId =
      args.customer === undefined ? undefined : await resolveReference(context, 'cus_', args.customer, options);
    const {nameCustomers, readReceivables, totalReceivable} = await context.billing();
    const history = await moneyHistory(context);
    const now = await context.accountNow();
    const aging = await withReadingProgress(context, 'Reading billing statements', (paging) =>
      readReceivables(client, {now, customerId, history, ...paging}),
    );
    await withReadingProgress(context, 'Reading customers', (paging) => nameCustomers(client, aging, paging));
    const owing = aging.customers(days);
    const open = owing.map((row) => aging.openStatementsOf(row));
    const sends = open.map((all) => all.flatMap(({id}) => history.send(id) ?? []).sort((a, b) => b.at - a.at)[0]);
    const customers = owing.map((row, index) => ({
      ...row,
      numbers: open[index]!.flatMap(({number}) => number ?? []),
      last_sent_at: sends[index]?.at ?? null,
    }));
    const unknown = aging.unknown.map(unknownOf);
    for (const {id, number} of unknown)
      io.note(`Warning: the API gives no amount for ${number ?? id}; the totals exclude it.`);
    const report = {
      asOf: now,
      customers,
      sends,
      total: totalReceivable(owing),
      counts: aging.countsOf(owing),
      unknown,
      isNarrowed: days !== undefined || customerId !== undefined,
    };
    await this.print(resultOfOwed(report, io, this.rendering.format));
    const overdue = open.flat().filter(({isOverdue}) => isOverdue);
    if (customerId === undefined && overdue.length > 0) suggestNext(context, 'remind_overdue', []);
    else if (overdue.length > 0)
      suggestNext(
        context,
        'remind',
        overdue.map(({id, number}) => number ?? id),
      );
  }
}

const unknownOf = (statement: StatementLike) => ({
  id: String(statement.id),
  number: statementNumberOf(statement) ?? null,
  customer_id: statementCustomerOf(statement).id ?? null,
});

interface OwedReport {
  /** Unix seconds. */
  readonly asOf: number;
  readonly customers: readonly schema.SchemaValue<typeof CUSTOMER_COLUMN>[];
  /** Last send of each customer's statements from this machine, including sends of unknown outcome. */
  readonly sends: readonly (RecordedSend | undefined)[];
  /** True if flags excluded customers. */
  readonly isNarrowed: boolean;
  readonly total: AmountOwed;
  readonly counts: Readonly<Record<AgingBucket, number>>;
  readonly unknown: readonly schema.SchemaValue<typeof UNKNOWN>[];
}

/** Columns in a pipe. CSV has every field. */
const AGING_TABLE: RecordTable = {
  customer: {rank: 1, cut: 'name'},
  owed: {header: 'owes', rank: 2},
  overdue: 3,
  oldest: {rank: 3, whole: true, align: 'right'},
  statements: {rank: 6, align: 'right'},
};
/** Columns at a terminal. Without bars, the table fits in 80 characters. */
const AT_TERMINAL: RecordTable = {
  customer: {rank: 1, cut: 'name'},
  owed: {header: 'owes', rank: 2},
  overdue: 3,
  days: {rank: 3, whole: true, align: 'right'},
  oldest_number: {header: 'statements', rank: 4, whole: true},
  sent: {rank: 5, whole: true},
};
const BAR: RecordTable = {bar: {header: '', rank: 6, whole: true}};

/** Widths in characters. */
const ROW_BAR = 16;
const MAX_CHART_BAR = 40;
const MAX_CHART_WIDTH = 96;

function resultOfOwed(report: OwedReport, io: OutputStreams, format: Format | undefined): CommandResult {
  const {customers, sends, total, counts, unknown, asOf, isNarrowed} = report;
  const largest = Math.max(...customers.map(({owed}) => owed), 0);
  const shown = customers.map((row, index) => ({
    ...row,
    customer: row.name ?? row.email ?? row.customer_id,
    oldest: row.days_overdue > 0 ? formatCount(row.days_overdue, 'day') : '',
    days: row.days_overdue > 0 ? String(row.days_overdue) : '',
    oldest_number: formatNumbers(row),
    sent: formatLastSend(sends[index], asOf),
    bar: bar(row.owed, largest, ROW_BAR, io),
  }));
  const {owed, overdue, statements} = total;
  return resultOfRecords(CUSTOMER_COLUMN, customers, {
    shown,
    ...(format !== 'csv' && {columns: AGING_TABLE}),
    atTerminal: io.plain ? AT_TERMINAL : {...AT_TERMINAL, ...BAR},
    document: {
      resource: 'list',
      has_more: false,
      as_of: asOf,
      currency: 'PHP',
      total: owed,
      overdue,
      statements,
      buckets: Object.fromEntries(BUCKETS.map((bucket) => [bucket, total[bucket]])),
      counts,
      unknown_amounts: unknown,
      data: customers,
    },
    empty: `${isNarrowed ? 'No such customer' : 'No customer'} owes you anything.`,
    below: [totalText(report), '', ...chart(report, io)],
  });
}

/** `JEEPNEY-0002 +2`: the statement that was due first, and the number of others. */
const formatNumbers = ({numbers: [first], statements}: schema.SchemaValue<typeof CUSTOMER_COLUMN>): string =>
  [first, statements > 1 && `+${statements - 1}`].filter(Boolean).join(' ');

/** `15 Dec`, or `15 Dec?` if the outcome of the send is unknown. */
const formatLastSend = (send: RecordedSend | undefined, now: number): string =>
  send ? `${shortDay(send.at, now)}${send.state === 'sent' ? '' : '?'}` : '';

/** `5 customers owe ₱288,828.00; ₱221,750.00 of it is overdue.` */
function totalText({customers: {length}, total: {owed, overdue}}: OwedReport): string {
  const who = `${formatCount(length, 'customer')} ${length === 1 ? 'owes' : 'owe'}`;
  const late = overdue === 0 ? 'nothing' : overdue === owed ? 'all of it' : `${formatPesos(overdue)} of it`;
  return `${who} ${formatPesos(owed)}; ${late} is overdue.`;
}

function chart({total, counts}: OwedReport, io: OutputStreams): string[] {
  const filled = BUCKETS.filter((bucket) => counts[bucket] > 0);
  const amounts = filled.map((bucket) => formatPesos(total[bucket]));
  const labelWidth = Math.max(...filled.map((bucket) => BUCKET_LABELS[bucket].length), 0);
  const amount = Math.max(...amounts.map(({length}) => length), 0);
  const count = Math.max(...filled.map((bucket) => String(counts[bucket]).length), 0);
  const barWidth = Math.min(MAX_CHART_BAR, Math.min(io.width, MAX_CHART_WIDTH) - labelWidth - amount - count - 3 * 2);
  const largest = Math.max(...filled.map((bucket) => total[bucket]), 0);
  return filled.map((bucket, index) =>
    [
      BUCKET_LABELS[bucket].padEnd(labelWidth),
      amounts[index]!.padStart(amount),
      ...(io.plain || barWidth < 1 ? [] : [bar(total[bucket], largest, barWidth, io).padEnd(barWidth)]),
      String(counts[bucket]).padStart(count),
    ].join('  '),
  );
}
