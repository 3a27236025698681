// `centavo billing-statements aging`, and `centavo owed`: who owes what since when.

import {customerOf, numberOf, type StatementLike} from '../../api/statement.js';
import type {Send} from '../../audit/queries.js';
import type {Bucket, Owed} from '../../billing/books/aging.js';
import type {SettledStatement} from '../../billing/books/owed.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {LISTED, printLists} from '../../cli/dry-run.js';
import {noteNext} from '../../cli/next-command.js';
import {resultOfRecords, type Table} from '../../cli/records.js';
import {
  centavos,
  constant,
  dryRun,
  either,
  integer,
  list,
  nullable,
  page,
  record,
  type Schema,
  text,
  timestamp,
  type ValueOf,
} from '../../cli/schema.js';
import {Args, Flags, OPTIONAL_TIME} from '../../cli/oclif.js';
import {reading} from '../../cli/references/reading.js';
import {resolveReference} from '../../cli/references/resolve-reference.js';
import {counted} from '../../ground/counts.js';
import {shortDay} from '../../ground/manila.js';
import {formatPesos} from '../../ground/pesos.js';
import {usageError} from '../../ground/errors.js';
import {guardConnection} from '../../guard/guard.js';
import {valid} from '../../input/fault.js';
import {readWholeDays} from '../../input/quantities.js';
import {shellQuote} from '../../input/shell-words.js';
import type {Io} from '../../output/io.js';
import {collectSooner} from '../../output/render-list.js';
import type {Format, Result} from '../../output/result.js';
import {bar} from '../../output/tables/bars.js';

const BUCKET_WORDS: Readonly<Record<Bucket, string>> = {
  current: 'Not yet due',
  days_1_30: '1–30 days',
  days_31_60: '31–60 days',
  days_61_90: '61–90 days',
  days_over_90: 'Over 90 days',
};
const BUCKETS = Object.keys(BUCKET_WORDS) as Bucket[];

/** Centavos, or numbers of statements, of each bucket. */
const inBuckets = (field: Schema<number>) =>
  Object.fromEntries(BUCKETS.map((bucket) => [bucket, field])) as Record<Bucket, Schema<number>>;
const CUSTOMER = record({
  customer_id: nullable(text),
  name: nullable(text),
  email: nullable(text),
  owed: centavos,
  overdue: centavos,
  oldest_due_at: nullable(timestamp),
  days_overdue: integer,
  statements: integer,
  ...inBuckets(centavos),
  numbers: list(text),
  last_sent_at: nullable(timestamp),
});
const SETTLED = record({
  id: text,
  number: nullable(text),
  customer_id: nullable(text),
  name: nullable(text),
  status: text,
  at: integer,
  reason: text,
  amount: nullable(integer),
});
const UNKNOWN = record({id: text, number: nullable(text), customer_id: nullable(text)});

export class AgingCommand extends BaseCommand {
  static override summary = 'Show who owes you, how much, and since when.';
  static override description =
    'Adds up the open billing statements of each customer by how long they are overdue: current (not yet due, due today, or without a due date), 1–30, 31–60, 61–90 and over 90 days, in Manila days. Customers with the largest overdue amount come first, each with the statement that was due first, and the day on which one was last sent from this machine. The API has no such report, so centavo reads all billing statements.\n\n' +
    '--settled also lists what you settled from this machine with centavo billing-statements settle.';
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
    customer: Flags.string({summary: 'Only this customer: email address, name or id.', helpValue: '<cus_…>'}),
    overdue: Flags.string({
      summary:
        'Only customers with a billing statement past its due day; with a time, overdue for at least so long: 30d.',
      helpValue: OPTIONAL_TIME,
    }),
    settled: Flags.boolean({
      summary: 'Also list billing statements that were paid outside and settled from this machine.',
    }),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    either(
      page(
        CUSTOMER,
        {
          as_of: integer,
          currency: constant('PHP'),
          total: integer,
          overdue: integer,
          statements: integer,
          buckets: record(inBuckets(centavos)),
          counts: record(inBuckets(integer)),
          unknown_amounts: list(UNKNOWN),
        },
        {settled: list(SETTLED)},
      ),
      dryRun,
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(AgingCommand);
    const {context} = this;
    const {io} = context;
    const connection = guardConnection(await context.connection(), flags, LISTED);
    const days = flags.overdue === undefined ? undefined : valid(readWholeDays(flags.overdue), '--overdue');
    if (args.customer !== undefined && flags.customer !== undefined)
      throw usageError('invalid_flag', 'the customer is given twice.', {
        hint: `Leave out --customer ${shellQuote(flags.customer)}`,
      });
    const named = args.customer ?? flags.customer;
    if (flags['dry-run']) return printLists(context, this.requestForm);
    await collectSooner();
    const client = await context.client();
    const options = {changes: false, withDeleted: true};
    const customerId = named === undefined ? undefined : await resolveReference(context, 'cus_', named, options);
    const {nameCustomers, readOwed, totalOwed} = await context.billing();
    const {mode, profile} = connection;
    const audit = await context.audit();
    const settlements = flags.settled ? audit.settlements({profile: profile.value, mode}) : undefined;
    const now = await context.accountNow();
    const {aging, settled} = await reading(context, 'Reading billing statements', (walk) =>
      readOwed(client, {now, customerId, settlements, ...walk}),
    );
    await reading(context, 'Reading customers', (walk) => nameCustomers(client, aging, walk));
    const owing = aging.customers(days);
    const open = owing.map((row) => aging.openOf(row));
    const sends = open.map((all) => all.flatMap(({id}) => audit.lastSend(id) ?? []).sort((a, b) => b.at - a.at)[0]);
    const customers = owing.map((row, index) => ({
      ...row,
      numbers: open[index]!.flatMap(({number}) => number ?? []),
      last_sent_at: sends[index]?.at ?? null,
    }));
    const unknown = aging.unknown.map(unknownOf);
    for (const {id, number} of unknown)
      io.note(`Warning: the API gives no amount of ${number ?? id}; it is not in these sums.`);
    const report = {
      asOf: now,
      customers,
      sends,
      total: totalOwed(owing),
      counts: aging.countsOf(owing),
      unknown,
      settled: flags.settled ? settled : undefined,
      isNarrowed: days !== undefined || customerId !== undefined,
    };
    await this.print(resultOfOwed(report, io, this.rendering.format));
    const overdue = open.flat().filter(({isOverdue}) => isOverdue);
    if (customerId === undefined && overdue.length > 0) noteNext(context, 'remind_overdue', []);
    else if (overdue.length > 0)
      noteNext(
        context,
        'remind',
        overdue.map(({id, number}) => number ?? id),
      );
  }
}

const unknownOf = (statement: StatementLike) => ({
  id: String(statement.id),
  number: numberOf(statement) ?? null,
  customer_id: customerOf(statement).id ?? null,
});

interface OwedReport {
  /** Unix seconds. */
  readonly asOf: number;
  readonly customers: readonly ValueOf<typeof CUSTOMER>[];
  /** The last time at which this machine sent each customer one of these statements, or may have. */
  readonly sends: readonly (Send | undefined)[];
  /** Whether flags left customers out. */
  readonly isNarrowed: boolean;
  readonly total: Owed;
  readonly counts: Readonly<Record<Bucket, number>>;
  readonly unknown: readonly ValueOf<typeof UNKNOWN>[];
  readonly settled?: readonly SettledStatement[];
}

/** For people and pipes; a spreadsheet gets every field. */
const TABLE: Table = {
  customer: {rank: 1, cut: 'name'},
  owed: {header: 'owes', rank: 2},
  overdue: 3,
  oldest: {rank: 3, whole: true, align: 'right'},
  statements: {rank: 6, align: 'right'},
};
/** In 80 columns: names, amounts and numbers, no bars. */
const AT_TERMINAL: Table = {
  customer: {rank: 1, cut: 'name'},
  owed: {header: 'owes', rank: 2},
  overdue: 3,
  days: {rank: 3, whole: true, align: 'right'},
  oldest_number: {header: 'statements', rank: 4, whole: true},
  sent: {rank: 5, whole: true},
};
const BAR: Table = {bar: {header: '', rank: 6, whole: true}};

/** Columns of the bar in a row, and at most of one in the chart. */
const ROW_BAR = 16;
const CHART_BAR = 40;
/** The widest chart, in columns. */
const WIDEST = 96;

/** @param format a spreadsheet gets every field as a column */
function resultOfOwed(report: OwedReport, io: Io, format: Format | undefined): Result {
  const {customers, sends, total, counts, unknown, settled, asOf, isNarrowed} = report;
  const largest = Math.max(...customers.map(({owed}) => owed), 0);
  const shown = customers.map((row, index) => ({
    ...row,
    customer: row.name ?? row.email ?? row.customer_id,
    oldest: row.days_overdue > 0 ? counted(row.days_overdue, 'day') : '',
    days: row.days_overdue > 0 ? String(row.days_overdue) : '',
    oldest_number: numberWords(row),
    sent: sendWords(sends[index], asOf),
    bar: bar(row.owed, largest, ROW_BAR, io),
  }));
  const {owed, overdue, statements} = total;
  const settledBelow = settled ? settledLines(settled, asOf) : [];
  return resultOfRecords(CUSTOMER, customers, {
    shown,
    ...(format !== 'csv' && {columns: TABLE}),
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
      ...(settled && {settled: settled.map(settledRecord)}),
      data: customers,
    },
    empty: [`${isNarrowed ? 'No such customer' : 'Nobody'} owes you anything.`, ...settledBelow].join('\n'),
    below: [totalWords(report), '', ...chart(report, io), ...(settled ? ['', ...settledBelow] : [])],
  });
}

/** `JEEPNEY-0002 +2`: the statement that was due first, and how many more there are. */
const numberWords = ({numbers: [first], statements}: ValueOf<typeof CUSTOMER>): string =>
  [first, statements > 1 && `+${statements - 1}`].filter(Boolean).join(' ');

/** `15 Dec`, with a question mark if it is not known whether it was sent. */
const sendWords = (send: Send | undefined, now: number): string =>
  send ? `${shortDay(send.at, now)}${send.state === 'sent' ? '' : '?'}` : '';

const settledRecord = ({customer, ...rest}: SettledStatement) => ({
  ...rest,
  customer_id: customer.id ?? null,
  name: customer.name ?? null,
});

/** `5 customers owe ₱288,828.00; ₱221,750.00 of it is overdue.` */
function totalWords({customers: {length}, total: {owed, overdue}}: OwedReport): string {
  const who = `${counted(length, 'customer')} ${length === 1 ? 'owes' : 'owe'}`;
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
