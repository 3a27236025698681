// `centavo customers ledger <customer>`: lists a customer's statements, payments and refunds, with the balance.

import {getterOf} from '../../api/registry.js';
import {statementCustomerOf, settlementOf} from '../../api/statement.js';
import type {Ledger, LedgerEntry, LedgerStatement} from '../../billing/reports/ledger.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {printLists} from '../../cli/dry-run.js';
import {resultOfRecords, type RecordTable} from '../../cli/records.js';
import {
  centavosSchema,
  constantSchema,
  dryRun,
  eitherSchema,
  listSchema,
  nullableSchema,
  listPageSchema,
  recordSchema,
  textSchema,
  timestampSchema,
} from '../../cli/schema.js';
import {withSuggestion} from '../../cli/next-command.js';
import {readPeriod} from '../../cli/lists/list-filters.js';
import {paymentMethodName} from '../../cli/presentation/format-values.js';
import {Args, Flags} from '../../cli/oclif.js';
import {withReceipts} from '../../cli/account-reads.js';
import {localSettlements} from '../../cli/presentation/settlements.js';
import {referenceArgument} from '../../cli/references/ask-reference.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import type {Context} from '../../context/context.js';
import {capitalized, CentavoError} from '../../common/errors.js';
import {shortDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {oneLineText} from '../../output/format.js';
import type {CommandResult} from '../../output/result.js';

const ENTRY = recordSchema({
  at: nullableSchema(timestampSchema),
  type: textSchema,
  number: nullableSchema(textSchema),
  statement_id: nullableSchema(textSchema),
  payment_id: nullableSchema(textSchema),
  detail: nullableSchema(textSchema),
  billed: centavosSchema,
  paid: centavosSchema,
  balance: centavosSchema,
  refunded: centavosSchema,
  replaced_by: nullableSchema(textSchema),
});

export class CustomersLedgerCommand extends BaseCommand {
  static override summary = 'Show all billing statements, payments and refunds of a customer, with a running balance.';
  static override description =
    'centavo reads all billing statements, since the API cannot list them by customer. A billing statement counts from the day it was finalized; drafts do not count. A void or uncollectible statement is deducted. A statement settled outside the service counts as paid if this machine recorded it. A refund is no new debt: billed and paid stay the same.\n\n' +
    'The API does not list refunds: a refund made elsewhere has no date and appears below its payment. Payments outside the service that were not settled from this machine are not shown. Works for deleted customers, too.';
  static override examples = [
    '<%= config.bin %> customers ledger juan@example.com',
    '<%= config.bin %> customers ledger cus_2mQ8 --since 2026-01-01 -o csv',
  ];
  static override args = {
    customer: Args.string({description: 'Email address, name or id of the customer.', helpValue: '<cus_…>'}),
  };
  static override flags = {
    since: Flags.string({
      summary: 'Start date, such as 2026-12-15 or 7d. Earlier entries become the opening balance.',
      helpValue: '<date>',
    }),
    until: Flags.string({summary: 'End date, inclusive.', helpValue: '<date>'}),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    eitherSchema(
      listPageSchema(
        ENTRY,
        {
          customer_id: textSchema,
          name: nullableSchema(textSchema),
          currency: constantSchema('PHP'),
          billed: centavosSchema,
          paid: centavosSchema,
          owed: centavosSchema,
          refunded: centavosSchema,
          undated_refunds: centavosSchema,
          pending_refunds: centavosSchema,
          payments_not_named: listSchema(textSchema),
        },
        {deleted: constantSchema(true)},
      ),
      dryRun,
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(CustomersLedgerCommand);
    const {context} = this;
    guardConnection(await context.connection(), flags);
    const example = 'centavo customers ledger juan@example.com';
    const reference = await referenceArgument(context, 'cus_', args.customer, example);
    const period = readPeriod(flags, ['--since', '--until'], await context.accountNow());
    const [id = ''] = await resolveReferences(context, 'cus_', [reference], {
      changes: false,
      withDeleted: true,
    });
    if (flags['dry-run']) return printLists(context, this.requestForm);
    const client = await context.client();
    const call = {registered: getterOf('cus_')!, ids: [id], params: {}};
    const found = await client.customers.get(id, {signal: context.signal}).catch((error: unknown) => {
      if (error instanceof CentavoError && error.kind === 'not_found') return error;
      return withSuggestion(context, call)(error);
    });
    const statements = await this.statementsOf(id);
    // Statements may still name a customer that the API no longer has.
    if (found instanceof CentavoError && statements.length === 0) withSuggestion(context, call)(found);
    const isDeleted = found instanceof CentavoError || found.deleted === true;
    const customer = {
      id,
      ...statementCustomerOf(isDeleted ? (statements[0]?.statement ?? {}) : {customer: found}),
      isDeleted,
    };
    const {ledgerOf} = await context.billing();
    const ledger = ledgerOf(statements, period);
    await this.print(resultOfLedger(ledger, customer, context, this.rendering.format === 'csv'));
  }

  private async statementsOf(customerId: string): Promise<LedgerStatement[]> {
    const {context} = this;
    const {mapWithLimit, replacementsOf, statementsOfCustomers} = await context.billing();
    const client = await context.client();
    const history = await context.history();
    const settlements = await localSettlements(context);
    return withReceipts(context, async ({receipts, onReceipt, ...paging}) => {
      const statements = await statementsOfCustomers(client, [customerId], paging);
      const replacements = replacementsOf(statements);
      return mapWithLimit(
        statements,
        async (statement): Promise<LedgerStatement> => {
          const ended = settlementOf(settlements, statement) ?? history.endOf(statement.id);
          if (statement.status !== 'paid') return {statement, ended, replacedBy: replacements.get(statement.id)};
          const {payment} = await receipts.receiptOf(statement, true);
          return {statement, payment, refunds: payment && history.refunds(payment.id)};
        },
        (readCount) => onReceipt(readCount, statements.length),
      );
    });
  }
}

/** Columns of the table. CSV has every field. */
const LEDGER_TABLE: RecordTable = {
  date: {kind: 'status', rank: 1},
  what: 3,
  number: {kind: 'status', rank: 4},
  billed: 3,
  paid: 3,
  balance: 1,
};

function resultOfLedger(
  ledger: Ledger,
  customer: {readonly id: string; readonly name?: string; readonly isDeleted: boolean},
  {io, displayNow}: Context,
  forCsv: boolean,
): CommandResult {
  const {entries, billed, paid, refunded, owed, undated, waiting, unnamed} = ledger;
  const name = `${oneLineText(customer.name ?? customer.id)}${customer.isDeleted ? ' (deleted)' : ''}`;
  const notes = [
    undated > 0 && `${formatPesos(undated)} was refunded on a date that the API does not give.`,
    waiting > 0 && `${formatPesos(waiting)} was refunded from this machine and is not shown by the API yet.`,
    unnamed.length > 0 &&
      `The API names no payment of ${unnamed.join(', ')}: its date is the last change of the statement.`,
  ].filter((note) => note !== false);
  for (const note of notes) io.note(note);
  const document = {
    resource: 'list',
    has_more: false,
    customer_id: customer.id,
    name: customer.name ?? null,
    ...(customer.isDeleted && {deleted: true}),
    currency: 'PHP',
    billed,
    paid,
    owed,
    refunded,
    undated_refunds: undated,
    pending_refunds: waiting,
    payments_not_named: unnamed,
    data: entries,
  };
  return resultOfRecords(ENTRY, entries, {
    shown: entries.map((entry) => ({...entry, ...ledgerFormatters(entry, displayNow()), ...(forCsv && entry)})),
    document,
    ...(!forCsv && {columns: LEDGER_TABLE}),
    empty: `Nothing was billed to ${name}.`,
    below: [
      `${name}: billed ${formatPesos(billed)}, paid ${formatPesos(paid)}, ${refunded > 0 ? `refunded ${formatPesos(refunded)}, ` : ''}owes ${formatPesos(owed)}`,
    ],
  });
}

const LEDGER_LABELS: Partial<Record<LedgerEntry['type'], string>> = {opening: 'Opening balance', settlement: 'Settled'};

function ledgerFormatters({at, type, detail, billed, paid, refunded, replaced_by: next}: LedgerEntry, now: number) {
  const more = [
    refunded > 0 ? formatPesos(refunded) : '',
    detail === null ? '' : paymentMethodName(detail),
    next === null ? '' : `replaced by ${next}`,
  ].filter(Boolean);
  return {
    date: at === null ? '' : shortDay(at, now),
    what: [LEDGER_LABELS[type] ?? capitalized(type), ...more.map(oneLineText)].join(', '),
    billed: billed === 0 ? null : billed,
    paid: paid === 0 ? null : paid,
  };
}
