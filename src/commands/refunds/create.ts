// `centavo refunds create`: refunds a payment, given by its id or by a statement.
// Replaces the derived command and keeps its flags.

import {getterOf, operationWithId} from '../../api/registry.js';
import {statementCustomerOf, statementNumberOf, statementName} from '../../api/statement.js';
import type {StatementPayment, Refundable} from '../../billing/reports/receipts.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {printCalls} from '../../cli/dry-run.js';
import {dryRun, eitherSchema, objectNamed} from '../../cli/schema.js';
import {withSuggestion, accountFlagsOf} from '../../cli/next-command.js';
import {refusalOf} from '../../cli/presentation/standings.js';
import {Flags} from '../../cli/oclif.js';
import {dataFlag, flagSpecs, oclifFlags, readFlags, readValue, type FlagValues} from '../../cli/operations/flags.js';
import {gatherParams, resolveParams} from '../../cli/operations/params.js';
import {performOne} from '../../cli/operations/perform.js';
import {askUntilValid} from '../../cli/references/ask-reference.js';
import {readStatement} from '../../cli/references/read-statement.js';
import {readId, readReference, type Reference} from '../../cli/references/references.js';
import type {Context} from '../../context/context.js';
import {capitalized, CentavoError, usageError} from '../../common/errors.js';
import {decimalPesos, formatPesos} from '../../common/pesos.js';
import {changeOf, type PlannedChange} from '../../guard/change.js';
import {safeDisplayName} from '../../guard/describe-change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';

const REGISTERED = operationWithId('refunds:create');
const SPECS = flagSpecs(REGISTERED.operation.params);
const AMOUNT = SPECS.find(({flag}) => flag === 'amount')!;
const EXAMPLE = 'refunds create --statement JEEPNEY-0002 --amount 450 --reason product_was_damaged';

/** Declared flags, and the API's parameters, which become flags at run time. */
type RefundFlags = FlagsOf<typeof RefundsCreateCommand> & FlagValues;

export class RefundsCreateCommand extends BaseCommand {
  static override summary = `${REGISTERED.operation.summary}.`;
  static override description =
    `${REGISTERED.operation.description} At a terminal it asks for missing values.\n\n` +
    'With --statement, it refunds the payment of that billing statement. The API does not list refunds, so pending refunds count only if they were made from this machine.\n\n' +
    `Assumed: ${REGISTERED.operation.assumed}`;
  static override examples = [
    `<%= config.bin %> ${EXAMPLE}`,
    ...REGISTERED.operation.examples.map((line) => `<%= config.bin %> ${line}`),
  ];
  static override flags = {
    statement: Flags.string({
      summary: 'Billing statement to refund, by number or id. Required unless --payment is given.',
      helpValue: '<bstm_…>',
      exclusive: ['payment'],
    }),
    ...oclifFlags(SPECS),
    payment: Flags.string({summary: 'Payment to refund, by its id.', helpValue: '<pay_…>'}),
    amount: Flags.string({
      summary: 'Amount to refund, in pesos: 1,250.50. Default with --statement and --yes: the full remaining amount.',
      helpValue: '<pesos>',
    }),
    ...dataFlag,
  };
  static risk = 'moves_money' as const;
  static exits = CHANGE_EXITS;
  static output = () => eitherSchema(objectNamed('refund'), dryRun);

  async run(): Promise<void> {
    const {flags}: {flags: RefundFlags} = await this.read(RefundsCreateCommand);
    const {context} = this;
    const connection = guardConnection(await context.connection(), flags);
    const asks = context.io.canAsk && !flags.yes && !flags['dry-run'];
    const named = await this.namedBy(flags, asks);
    if (named !== undefined && !flags['dry-run']) guardIntent(connection, flags, 'refund a payment', context.io);
    const paid = named && (await this.paidFor(named));
    const completed = paid ? await this.withPayment(flags, paid, asks) : flags;
    const given = await gatherParams(context, REGISTERED, SPECS, completed);
    const params = await resolveParams(context, given, SPECS, REGISTERED);
    if (asks && completed.reason === undefined && params.reason === 'others' && params.remarks === undefined) {
      const remarks = (await context.prompt.text('Reason in your own words (optional):')).trim();
      if (remarks !== '') params.remarks = remarks;
    }
    if (paid) valueOrThrow(amountError(context, paid, Number(params.amount)));
    const change = changeOf(context, REGISTERED, [[]], params);
    const guarded = paid?.statement
      ? this.changeOfRefund(change, paid, Number(params.amount))
      : // A refund cannot be undone, so every mode asks, with customer and amount.
        {...change, needsConfirmation: asks, destroys: asks};
    if (flags['dry-run']) return printCalls(context, this.requestForm, [{...REGISTERED, ids: [], params}], guarded);
    await guardChange(context, flags, guarded).catch(
      withSuggestion(context, {registered: REGISTERED, ids: [], params}),
    );
    await performOne(context, REGISTERED, [], params, (result, applied) => this.printDone(result, applied));
  }

  /** Returns the statement or payment to read first; undefined if the flags already contain all parameters. */
  private async namedBy(flags: RefundFlags, asks: boolean): Promise<Reference | undefined> {
    const {io} = this.context;
    const {payment, statement} = flags;
    if (statement !== undefined) return valueOrThrow(readReference(statement, 'bstm_'));
    if (payment !== undefined)
      return asks && flags.data === undefined ? {kind: 'id', text: valueOrThrow(readId(payment, 'pay_'))} : undefined;
    if (flags.data !== undefined) return undefined;
    if (!io.canAsk)
      throw usageError('missing_flag', '--statement is missing.', {
        why: 'It names the billing statement to refund; --payment names a payment.',
        hint: `For example: centavo ${EXAMPLE}`,
      });
    const question = 'Billing statement to refund (number, or name of the customer):';
    return askUntilValid(this.context, question, (text) =>
      readReference(text, text.trim().startsWith('pay_') ? 'pay_' : 'bstm_'),
    );
  }

  private async paidFor(named: Reference): Promise<Paid> {
    const {context} = this;
    const paid = named.text.startsWith('pay_')
      ? await paidPayment(context, named.text)
      : await paidStatement(context, await readStatement(context, named, {changes: true, status: 'paid'}));
    checkRefundable(context, paid);
    return paid;
  }

  private async withPayment(flags: RefundFlags, paid: Paid, asks: boolean): Promise<RefundFlags> {
    const given = {...flags, payment: paid.payment.id};
    const {io, now} = this.context;
    const before = paid.max < paid.payment.amount ? ` ${formatRefunded(paid)}` : '';
    const remaining = `${capitalized(formatMaximum(paid))}.${before}`;
    if (hasAmount(given)) {
      valueOrThrow(amountError(this.context, paid, Number(readFlags([AMOUNT], given, now()).amount)));
      if (asks) io.note(remaining);
      return given;
    }
    if (!asks && !flags.yes && !flags['dry-run'])
      throw usageError('missing_flag', '--amount is missing.', {
        why: `${capitalized(formatMaximum(paid))}.`,
        changed: 'Nothing was refunded.',
        hint: 'Add --amount, or --yes to refund the full amount.',
      });
    io.note(remaining);
    io.note('The API does not show pending refunds.');
    if (!asks) return {...given, 'amount-centavos': String(paid.max)};
    const read = (text: string): InvalidInput | string => {
      const amount = readValue(AMOUNT, text, now());
      return (amount instanceof InvalidInput ? amount : amountError(this.context, paid, Number(amount))) ?? text;
    };
    const amount = await askUntilValid(
      this.context,
      'Amount to refund, in pesos:',
      read,
      formatPesos(paid.max).slice(1),
    );
    return {...given, amount};
  }

  /** Describes the refund for the guard. A refund cannot be undone, so every mode asks. */
  private changeOfRefund(change: PlannedChange, paid: Paid, amount: number): PlannedChange {
    const {context} = this;
    const {payment, statement} = paid as Paid & {statement: object};
    const name = statementCustomerOf(statement).name;
    const to = name === undefined ? '' : ` to ${safeDisplayName(name)}`;
    const whole = amount === payment.amount ? '' : ` of ${formatPesos(payment.amount)}`;
    const what = `refund ${formatPesos(amount)}${whole}${to} for ${statementName(statement)}`;
    const details = {...change.known, action: what, subject: {number: statementNumberOf(statement), customer: name}};
    return {
      ...change,
      needsConfirmation: true,
      ids: [...change.ids, statement.id],
      known: details,
      lookUp: async () => {
        valueOrThrow(amountError(context, await paidStatement(context, statement), amount));
        return {...details};
      },
    };
  }
}

const hasAmount = ({amount, 'amount-centavos': centavos}: RefundFlags): boolean =>
  amount !== undefined || centavos !== undefined;

interface Paid extends Refundable {
  readonly statement?: BillingStatementData;
  readonly payment: StatementPayment;
}

async function paidStatement(context: Context, statement: BillingStatementData): Promise<Paid> {
  if (statement.status !== 'paid')
    throw await refusalOf(context, 'refund', statement, {
      code: 'not_paid',
      why: 'Only paid statements can be refunded.',
    });
  const {paymentOfStatement} = await context.billing();
  const {signal} = context;
  const call = {registered: getterOf('pay_')!, ids: [], params: {}};
  const payment = await paymentOfStatement(await context.client(), statement, {signal}).catch(
    withSuggestion(context, call),
  );
  if (!payment)
    throw new CentavoError('not_found', `the API returned no payment for ${statementName(statement)}.`, {
      code: 'no_payment',
      hint: 'Find it in the dashboard, then use --payment',
      applied: 'no',
    });
  return {statement, ...(await withRefundable(context, payment))};
}

async function paidPayment(context: Context, id: string): Promise<Paid> {
  const {payments} = await context.client();
  const call = {registered: getterOf('pay_')!, ids: [id], params: {}};
  return withRefundable(context, await payments.get(id, {signal: context.signal}).catch(withSuggestion(context, call)));
}

async function withRefundable(context: Context, payment: StatementPayment): Promise<Omit<Paid, 'statement'>> {
  const {refundableAmount} = await context.billing();
  return {payment, ...refundableAmount(payment, (await context.history()).refunds(payment.id))};
}

function checkRefundable(context: Context, paid: Paid): void {
  if (paid.max > 0) return;
  throw new CentavoError('rejected', `nothing more of ${paidName(paid)} can be refunded.`, {
    code: 'refunded_already',
    why: formatRefunded(paid),
    hint: `To see the payment: centavo payments get ${paid.payment.id}${accountFlagsOf(context)}`,
    applied: 'no',
  });
}

function amountError(context: Context, paid: Paid, amount: number): InvalidInput | undefined {
  const {payment, max: most, waiting} = paid;
  if (amount <= most) return undefined;
  return new InvalidInput(`${formatMaximum(paid)}, not ${formatPesos(amount)}.`, {
    code: 'above_maximum',
    why: formatRefunded(paid),
    changed: 'Nothing was refunded.',
    ...(waiting > 0 && {
      hint: `If a refund from this machine failed: centavo refunds create --payment ${payment.id} --amount ${decimalPesos(amount)}${accountFlagsOf(context)}`,
    }),
  });
}

/** `the payment of JEEPNEY-0002` */
const paidName = ({statement, payment}: Paid): string =>
  statement ? `the payment of ${statementName(statement)}` : payment.id;

/** `at most ₱450.00 of JEEPNEY-0002 can be refunded` */
const formatMaximum = ({statement, payment, max: most}: Paid): string =>
  `at most ${formatPesos(most)} of ${statement ? statementName(statement) : payment.id} can be refunded`;

function formatRefunded({payment, waiting}: Paid): string {
  const {amount, amount_refunded: refunded} = payment;
  return [
    `${formatPesos(amount)} was paid${refunded ? `, and ${formatPesos(refunded)} of it refunded` : ''}.`,
    waiting > 0 && `${formatPesos(waiting)} more was refunded from this machine. The API does not show it yet.`,
  ]
    .filter(Boolean)
    .join(' ');
}
