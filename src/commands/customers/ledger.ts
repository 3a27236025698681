// `centavo customers ledger <customer>`: every statement, payment and refund of a customer, with a running balance.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import {getterOf, operationWithId} from '../../api/registry.js';
import {customerOf} from '../../api/statement.js';
import type {Ledger, LedgerEntry, LedgerStatement} from '../../billing/books/ledger.js';
import type {Statement} from '../../billing/compose/plan.js';
import {BaseCommand, CALL_EXITS, type FlagsOf} from '../../cli/base.js';
import {printRequests} from '../../cli/dry-run.js';
import {constant, dryRun, either, integer, list, nullable, page, record, text} from '../../cli/json-schema.js';
import {proposing} from '../../cli/next-command.js';
import {recordColumns, resultOfRecords} from '../../cli/objects/results.js';
import {Args, Flags} from '../../cli/oclif.js';
import {referenceArgument} from '../../cli/references/ask.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../ground/errors.js';
import {DAY, shortDay} from '../../ground/manila.js';
import {formatPesos} from '../../ground/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {parseDate} from '../../input/dates.js';
import {clean} from '../../output/format.js';
import type {Column, Result} from '../../output/result.js';

const LIST = operationWithId('billing-statements:list');
/** Payments that are read at a time. */
const AT_A_TIME = 4;

export class CustomersLedgerCommand extends BaseCommand {
  static override summary = 'Show all billing statements, payments and refunds of a customer, with a running balance.';
  static override description =
    'All billing statements are read, since the service cannot list those of one customer. A billing statement counts when it was finalized; drafts do not. A void or uncollectible one is taken back. A refund takes back both the billing and the payment.\n\n' +
    'The API does not list refunds: one that was not made from this machine has no date, and stands below its payment. Payments outside the service are not seen. Deleted customers are found, too.';
  static override examples = [
    '<%= config.bin %> customers ledger juan@example.com',
    '<%= config.bin %> customers ledger cus_2mQ8 --since 2026-01-01 -o csv',
  ];
  static override usage = 'customers ledger <customer> [flags]';
  static override args = {
    customer: Args.string({description: 'Email address, name or id of the customer.', helpValue: '<cus_…>'}),
  };
  static override flags = {
    since: Flags.string({summary: 'From this day on; what was before is one opening line.', helpValue: '<date>'}),
    until: Flags.string({summary: 'Up to the end of this day.', helpValue: '<date>'}),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    either(
      page(
        record({
          at: nullable(integer),
          type: text,
          number: nullable(text),
          statement_id: nullable(text),
          payment_id: nullable(text),
          detail: nullable(text),
          billed: integer,
          paid: integer,
          balance: integer,
        }),
        {
          customer_id: text,
          name: nullable(text),
          currency: constant('PHP'),
          billed: integer,
          paid: integer,
          owed: integer,
          undated_refunds: integer,
          pending_refunds: integer,
          payments_not_named: list(text),
        },
        {deleted: constant(true)},
      ),
      dryRun,
    );

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(CustomersLedgerCommand);
    const {context} = this;
    const connection = await context.connection();
    guardConnection(connection, flags);
    const example = 'centavo customers ledger juan@example.com';
    const reference = await referenceArgument(context, 'cus_', args.customer, example);
    const period = this.periodOf(flags, await context.accountNow());
    const [id = ''] = await resolveReferences(context, 'cus_', [reference], {
      name: 'the customer',
      changes: false,
      withDeleted: true,
    });
    if (flags['dry-run']) {
      const request = (await context.requestBuilder()).requestOf({...LIST, ids: [], params: {limit: MAXIMUM_PAGE}});
      return printRequests(context, connection, this.requestForm, [request]);
    }
    const client = await context.client();
    const call = {registered: getterOf('cus_')!, ids: [id], params: {}};
    const found = await client.customers.get(id, {signal: context.signal}).catch((error: unknown) => {
      if (error instanceof CentavoError && error.kind === 'not_found') return error;
      return proposing(context, call)(error);
    });
    const statements = await this.statementsOf(id);
    // What a service has forgotten altogether may still be on statements.
    if (found instanceof CentavoError && statements.length === 0) proposing(context, call)(found);
    const isDeleted = found instanceof CentavoError || found.deleted === true;
    const customer = {id, ...customerOf(isDeleted ? (statements[0]?.statement ?? {}) : {customer: found}), isDeleted};
    const {ledgerOf} = await context.billing();
    const ledger = ledgerOf(statements, period);
    const result = resultOfLedger(ledger, customer, context, this.rendering.format === 'csv');
    await this.print(result);
    return result.document;
  }

  private periodOf(
    {since, until}: FlagsOf<typeof CustomersLedgerCommand>,
    now: number,
  ): {since?: number; until?: number} {
    // A day in a flag is its end; a period begins with the first second of a day.
    const from = since === undefined ? undefined : startOf(parseDate(since, '--since', now, 'past'), since);
    const to = until === undefined ? undefined : parseDate(until, '--until', now, 'past');
    if (from !== undefined && to !== undefined && from > to)
      throw usageError('--since is later than --until.', {code: 'invalid_flag'});
    return {since: from, until: to};
  }

  private async statementsOf(customerId: string): Promise<LedgerStatement[]> {
    const {io, signal} = this.context;
    const client = await this.context.client();
    const own: Statement[] = [];
    let count = 0;
    try {
      for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
        own.push(...(data as Statement[]).filter((statement) => customerOf(statement).id === customerId));
        count += data.length;
        io.progress(`Reading billing statements: ${count.toLocaleString('en')}`);
      }
      return await this.withPayments(own);
    } finally {
      io.progress(undefined);
    }
  }

  private async withPayments(statements: readonly Statement[]): Promise<LedgerStatement[]> {
    const {context} = this;
    const {endedBy, ownRefunds, paymentOfStatement, settlementsIn} = await context.billing();
    const {mode, profile} = await context.connection();
    const client = await context.client();
    const writes = [...(await context.audit()).others()];
    const settlements = settlementsIn(writes, {profile: profile.value, mode});
    const whole = async (statement: Statement): Promise<LedgerStatement> => {
      const ended = settlements.get(statement.id) ?? endedBy(writes, statement.id);
      if (statement.status !== 'paid') return {statement, ended};
      const payment = await paymentOfStatement(client, statement, {signal: context.signal});
      return {statement, payment, refunds: payment && ownRefunds(writes, payment.id)};
    };
    const found: LedgerStatement[] = [];
    for (let at = 0; at < statements.length; at += AT_A_TIME) {
      found.push(...(await Promise.all(statements.slice(at, at + AT_A_TIME).map(whole))));
      context.io.progress(`Reading payments: ${found.length} of ${statements.length} billing statements`);
    }
    return found;
  }
}

/** The first second of a day that was typed as a day; other times as they are. */
const startOf = (at: number, text: string): number => (/[T:]|^\d+$/.test(text.trim()) ? at : at - DAY + 1);

const WORDS: Readonly<Record<LedgerEntry['type'], string>> = {
  opening: 'Opening balance',
  statement: 'Statement',
  payment: 'Payment',
  refund: 'Refund',
  void: 'Void',
  uncollectible: 'Uncollectible',
};
const METHODS: Readonly<Record<string, string>> = {
  card: 'card',
  gcash: 'GCash',
  maya: 'Maya',
  qrph: 'QR Ph',
  billease: 'BillEase',
};

const COLUMNS: readonly Column[] = [
  {path: 'date', header: 'date', kind: 'status', rank: 1},
  {path: 'what', header: 'what', kind: 'text', rank: 3},
  {path: 'number', header: 'number', kind: 'status', rank: 4},
  {path: 'billed', header: 'billed', kind: 'centavos', rank: 3},
  {path: 'paid', header: 'paid', kind: 'centavos', rank: 3},
  {path: 'balance', header: 'balance', kind: 'centavos', rank: 1},
];
/** The fields, for programs and spreadsheets. */
const FIELDS = recordColumns(
  ['at', 'type', 'number', 'statement_id', 'payment_id', 'detail', 'billed', 'paid', 'balance'],
  {at: 'timestamp', billed: 'centavos', paid: 'centavos', balance: 'centavos'},
);

/** @param forCsv a spreadsheet gets the fields as they are */
function resultOfLedger(
  ledger: Ledger,
  customer: {readonly id: string; readonly name?: string; readonly isDeleted: boolean},
  {io, shownAt}: Context,
  forCsv: boolean,
): Result {
  const {entries, billed, paid, owed, undated, waiting, unnamed} = ledger;
  const name = `${clean(customer.name ?? customer.id)}${customer.isDeleted ? ' (deleted)' : ''}`;
  const notes = [
    undated > 0 && `${formatPesos(undated)} was refunded on a date that the API does not give.`,
    waiting > 0 && `${formatPesos(waiting)} was refunded from this machine and is not shown by the API yet.`,
    unnamed.length > 0 && `The API names no payment of ${unnamed.join(', ')}: its date is that of the last change.`,
  ].filter((note) => note !== false);
  for (const note of notes) io.note(note);
  const document = {
    resource: 'list',
    has_more: false,
    customer_id: customer.id,
    name: customer.name ?? null,
    ...(customer.isDeleted && {deleted: true}),
    currency: 'PHP',
    ...{billed, paid, owed, undated_refunds: undated, pending_refunds: waiting, payments_not_named: unnamed},
    data: entries,
  };
  return resultOfRecords(entries, forCsv ? FIELDS : COLUMNS, {
    shown: entries.map((entry) => ({...entry, ...wordsOf(entry, shownAt()), ...(forCsv && entry)})),
    document,
    all: [...COLUMNS, ...FIELDS.filter(({path}) => COLUMNS.every((column) => column.path !== path))],
    empty: `Nothing was billed to ${name}.`,
    below: [`${name}: billed ${formatPesos(billed)}, paid ${formatPesos(paid)}, owes ${formatPesos(owed)}`],
  });
}

function wordsOf({at, type, detail, billed, paid}: LedgerEntry, now: number) {
  const more = detail === null ? '' : `, ${clean(METHODS[detail] ?? detail)}`;
  return {
    date: at === null ? '' : shortDay(at, now),
    // What ends a statement with a reason is a settlement.
    what: `${type === 'void' && detail !== null ? 'Settled' : WORDS[type]}${more}`,
    // An amount of nothing is left empty.
    billed: billed === 0 ? null : billed,
    paid: paid === 0 ? null : paid,
  };
}
