// `centavo billing-statements aging`, and `centavo owed`: who owes what since when.

import {Flags} from '../../cli/oclif.js';
import {operations} from '../../api/registry.js';
import {MAXIMUM_PAGE} from '../../api/fields.js';
import {customerOf, numberOf, type StatementLike} from '../../api/statement.js';
import {accountNow} from '../../cli/account-time.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {resultOfOwed} from '../../cli/billing-statements/owed-result.js';
import {parseOverdue} from '../../cli/billing-statements/overdue-days.js';
import {printRequests} from '../../cli/dry-run.js';
import {dryRun, either, integer, list, nullable, page, record, text, constant} from '../../cli/help/json-schema.js';
import {resolveReference} from '../../cli/references/resolve-reference.js';
import {guardConnection} from '../../guard/guard.js';
import {collectSooner} from '../../output/render-list.js';

const LIST = operations.find(({id}) => id === 'billing-statements:list')!;

/** Centavos, or numbers of statements, of each bucket. */
const buckets = {
  ...{current: integer, days_1_30: integer, days_31_60: integer, days_61_90: integer, days_over_90: integer},
};
const settledSchema = record({
  ...{id: text, number: nullable(text), customer_id: nullable(text), name: nullable(text), status: text},
  ...{at: integer, reason: text, amount: nullable(integer)},
});

export class BillingStatementsAgingCommand extends BaseCommand {
  static override summary = 'Show who owes you, how much, and since when.';
  static override description =
    'Adds up the open billing statements of each customer by how long they are overdue: current (not yet due, due today, or without a due date), 1–30, 31–60, 61–90 and over 90 days, in Manila days. Customers with the largest overdue amount come first. The API has no such report, so centavo reads all billing statements.\n\n' +
    '--settled also lists what you settled from this machine with centavo billing-statements settle.';
  static override examples = [
    '<%= config.bin %> billing-statements aging',
    '<%= config.bin %> billing-statements aging --overdue 30d',
    '<%= config.bin %> billing-statements aging --customer orders@reyes.example',
    '<%= config.bin %> billing-statements aging -o csv',
  ];
  static override flags = {
    customer: Flags.string({summary: 'Only this customer: email address, name or id.', helpValue: '<cus_…>'}),
    overdue: Flags.string({
      summary: 'Only customers with a billing statement overdue for at least this long: 30d.',
      helpValue: '<time>',
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
        record({
          ...{
            customer_id: nullable(text),
            name: nullable(text),
            email: nullable(text),
            owed: integer,
            overdue: integer,
          },
          ...{oldest_due_at: nullable(integer), days_overdue: integer, statements: integer, ...buckets},
        }),
        {
          ...{as_of: integer, currency: constant('PHP'), total: integer, overdue: integer, statements: integer},
          ...{buckets: record(buckets), counts: record(buckets)},
          unknown_amounts: list(record({id: text, number: nullable(text), customer_id: nullable(text)})),
        },
        {settled: list(settledSchema)},
      ),
      dryRun,
    );

  async run(): Promise<void> {
    const {flags} = await this.read(BillingStatementsAgingCommand);
    const {context} = this;
    const {io, signal} = context;
    const connection = await context.connection();
    guardConnection(connection, flags, LIST.id);
    const days = flags.overdue === undefined ? undefined : parseOverdue(flags.overdue);
    if (flags['dry-run']) {
      const request = (await context.requestBuilder()).requestOf({...LIST, ids: [], params: {limit: MAXIMUM_PAGE}});
      return printRequests(context, connection, this.requestForm, [request]);
    }
    await collectSooner();
    const client = await context.client();
    const customerId =
      flags.customer === undefined
        ? undefined
        : await resolveReference(context, 'cus_', flags.customer, {
            name: '--customer',
            changes: false,
            withDeleted: true,
          });
    const {readOwed, settlementsIn, totalOwed} = await context.billing();
    const {mode, profile} = connection;
    const settlements = flags.settled
      ? settlementsIn((await context.audit()).records(), {profile: profile.value, mode})
      : undefined;
    const now = await accountNow(context);
    const onPage = (what: string, count: number): void =>
      io.progress(`Reading ${what === 'statements' ? 'billing statements' : what}: ${count.toLocaleString('en')}`);
    const {aging, settled} = await readOwed(client, {now, customerId, settlements, signal, onPage}).finally(() =>
      io.progress(undefined),
    );
    const customers = aging.customers(days);
    const report = {
      ...{asOf: now, customers, total: totalOwed(customers), counts: aging.countsOf(customers)},
      unknown: aging.unknown.map(unknownOf),
      settled: flags.settled ? settled : undefined,
      isNarrowed: days !== undefined || customerId !== undefined,
    };
    for (const {id, number} of report.unknown)
      io.note(`Warning: the API gives no amount of ${number ?? id}; it is not in these sums.`);
    await this.print(resultOfOwed(report, io, this.rendering.format));
  }
}

const unknownOf = (statement: StatementLike) => ({
  id: String(statement.id),
  number: numberOf(statement) ?? null,
  customer_id: customerOf(statement).id ?? null,
});
