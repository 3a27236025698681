// `centavo customers ledger <customer>`: every statement, payment and refund of a customer, with a running balance.

import {Args, Flags} from '../../cli/oclif.js';
import {MAXIMUM_PAGE} from '../../api/fields.js';
import {getterOf, operations} from '../../api/registry.js';
import {customerOf} from '../../api/statement.js';
import type {LedgerStatement} from '../../billing/books/ledger.js';
import type {Statement} from '../../billing/compose/plan.js';
import {CentavoError, usageError} from '../../errors.js';
import {parseDate} from '../../input/dates.js';
import {DAY} from '../../manila.js';
import {guardConnection} from '../../guard/guard.js';
import {accountNow} from '../../cli/account-time.js';
import {BaseCommand, CALL_EXITS, type FlagsOf} from '../../cli/base.js';
import {resultOfLedger} from '../../cli/customers/ledger-result.js';
import {printRequests} from '../../cli/dry-run.js';
import {constant, dryRun, either, integer, list, nullable, page, record, text} from '../../cli/help/json-schema.js';
import {proposing} from '../../cli/next-command.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import {referenceArgument} from '../../cli/references/ask-reference.js';

const LIST = operations.find(({id}) => id === 'billing-statements:list')!;
/** How many payments are read at a time. */
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
    const period = this.periodOf(flags, await accountNow(context));
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

  /** @throws CentavoError kind `usage` */
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

  /** The statements of the customer, with their payments and what this machine knows of them. */
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
