// `centavo customers ledger <customer>`: lists a customer's statements, payments and refunds, with the balance.

import {getterOf} from '../../api/registry.js';
import {statementCustomerOf} from '../../api/statement.js';
import type {Ledger, LedgerEntry} from '../../billing/reports/ledger.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {printLists} from '../../cli/dry-run.js';
import {resultOfRecords, type RecordTable} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {withSuggestion} from '../../cli/next-command.js';
import {readPeriod} from '../../cli/lists/list-filters.js';
import {paymentMethodName} from '../../accounting/words.js';
import {Args, Flags} from '../../cli/oclif.js';
import {BOOK_LISTS, noteNotSeen, readBookOf, REPLACEMENT} from '../../cli/read-book.js';
import {referenceArgument} from '../../cli/references/ask-reference.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import type {Context} from '../../context/context.js';
import {capitalized, CentavoError} from '../../common/errors.js';
import {exactSum} from '../../accounting/movements.js';
import {shortDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {oneLineText} from '../../output/format.js';
import type {CommandResult} from '../../output/result.js';

const ENTRY = schema.record({
  at: schema.nullable(schema.timestamp),
  type: schema.text,
  ...schema.fieldsNamed('number statement_id checkout_session_id payment_id detail', schema.nullable(schema.text)),
  ...schema.fieldsNamed(
    'billed voided received settled uncollectible balance refunded undated_refunds',
    schema.centavos,
  ),
  replaced_by: schema.nullable(REPLACEMENT),
});

export class CustomersLedgerCommand extends BaseCommand {
  static override summary = 'Show all billing statements, payments and refunds of a customer, with a running balance.';
  static override description =
    'centavo reads all billing statements and checkout sessions, since the API cannot list them by customer. A billing statement counts from the day it was finalized; drafts do not count. A void or uncollectible statement is deducted. A statement settled outside the service counts as paid if this machine recorded it. A refund is no new debt, and does not change the balance.\n\n' +
    'The API does not list refunds: a refund made elsewhere has no date and appears below its payment. Works for deleted customers, too.';
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
    schema.either(
      schema.page(
        ENTRY,
        {
          customer_id: schema.text,
          name: schema.nullable(schema.text),
          currency: schema.constant('PHP'),
          ...schema.fieldsNamed(
            'billed voided received settled uncollectible owed refunded undated_refunds pending_refunds',
            schema.integer,
          ),
          not_seen: schema.list(schema.text),
        },
        {deleted: schema.constant(true)},
      ),
      schema.dryRun,
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(CustomersLedgerCommand);
    const {context} = this;
    guardConnection(await context.connection());
    const example = 'centavo customers ledger juan@example.com';
    const reference = await referenceArgument(context, 'cus_', args.customer, example);
    const period = readPeriod(flags, ['--since', '--until'], await context.accountNow());
    const [id = ''] = await resolveReferences(context, 'cus_', [reference], {
      changes: false,
      withDeleted: true,
    });
    if (flags['dry-run']) return printLists(context, this.requestForm, BOOK_LISTS);
    const client = await context.client();
    const call = {registered: getterOf('cus_')!, ids: [id], params: {}};
    const found = await client.customers.get(id, {signal: context.signal}).catch((error: unknown) => {
      if (error instanceof CentavoError && error.kind === 'not_found') return error;
      return withSuggestion(context, call)(error);
    });
    const {LEDGER_NEEDS, ledgerOf} = await context.billing();
    const {entries, drafts, notSeen} = await readBookOf(context, {...LEDGER_NEEDS, customerId: id});
    // Statements may still name a customer that the API no longer has.
    if (found instanceof CentavoError && entries.length + drafts === 0) withSuggestion(context, call)(found);
    const isDeleted = found instanceof CentavoError || found.deleted === true;
    const customer = {
      id,
      ...statementCustomerOf(isDeleted ? (entries.at(-1)?.object ?? {}) : {customer: found}),
      isDeleted,
    };
    const pending = exactSum(entries.map(({standing}) => standing.pendingRefunds));
    const ledger = {...ledgerOf(entries, period), pending, notSeen};
    await this.print(resultOfLedger(ledger, customer, context, this.rendering.format === 'csv'));
    noteNotSeen(context, notSeen);
  }
}

/** Columns of the table. CSV has every field. */
const LEDGER_TABLE: RecordTable = {
  date: {kind: 'status', rank: 1},
  what: 3,
  number: {kind: 'status', rank: 4},
  billed: 3,
  paid: {kind: 'centavos', rank: 3},
  balance: 1,
};

function resultOfLedger(
  {entries, sums, owed, pending, notSeen}: Ledger & {readonly pending: number; readonly notSeen: readonly string[]},
  customer: {readonly id: string; readonly name?: string; readonly isDeleted: boolean},
  {io, displayNow}: Context,
  forCsv: boolean,
): CommandResult {
  const name = `${oneLineText(customer.name ?? customer.id)}${customer.isDeleted ? ' (deleted)' : ''}`;
  if (sums.undated_refunds > 0)
    io.note(`${formatPesos(sums.undated_refunds)} was refunded on a date that the API does not give.`);
  if (pending > 0) io.note(`${formatPesos(pending)} was refunded from this machine and is not shown by the API yet.`);
  const refunded = sums.refunded + sums.undated_refunds;
  const totals = [
    `billed ${formatPesos(sums.billed - sums.voided - sums.uncollectible)}`,
    `paid ${formatPesos(sums.received + sums.settled)}`,
    ...(refunded > 0 ? [`refunded ${formatPesos(refunded)}`] : []),
    `owes ${formatPesos(owed)}`,
  ];
  return resultOfRecords(ENTRY, entries, {
    shown: entries.map((entry) => ({
      ...entry,
      replaced_by: entry.replaced_by?.name ?? null,
      ...ledgerFormatters(entry, displayNow(), forCsv),
    })),
    document: {
      ...{resource: 'list', has_more: false, customer_id: customer.id, name: customer.name ?? null},
      ...(customer.isDeleted && {deleted: true}),
      ...{currency: 'PHP', ...sums, owed, pending_refunds: pending, not_seen: notSeen, data: entries},
    },
    ...(!forCsv && {columns: LEDGER_TABLE}),
    empty: `Nothing was billed to ${name}.`,
    below: [`${name}: ${totals.join(', ')}`],
  });
}

const LEDGER_LABELS: Partial<Record<LedgerEntry['type'], string>> = {
  opening: 'Opening balance',
  billing: 'Billed',
  settlement: 'Settled',
};

/** @param forCsv true to keep the amounts apart, which a table shows in two columns */
function ledgerFormatters(entry: LedgerEntry, now: number, forCsv: boolean) {
  const {at, type, detail, replaced_by: next} = entry;
  const refunded = entry.refunded + entry.undated_refunds;
  const more = [
    refunded > 0 ? formatPesos(refunded) : '',
    detail === null ? '' : paymentMethodName(detail),
    next === null ? '' : `replaced by ${next.name}`,
  ].filter(Boolean);
  return {
    date: at === null ? '' : shortDay(at, now),
    what: [LEDGER_LABELS[type] ?? capitalized(type), ...more.map(oneLineText)].join(', '),
    paid: entry.received + entry.settled || null,
    ...(!forCsv && {billed: entry.billed - entry.voided - entry.uncollectible || null}),
  };
}
