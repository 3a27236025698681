// `centavo refunds create`: refunds a payment, given by its id or by a statement.
// Replaces the derived command and keeps its flags.

import {isReceived, refundableOf, type Standing} from '../../accounting/standing.js';
import {getterOf, operationWithId} from '../../api/registry.js';
import {statementCustomerOf, statementNumberOf, statementName} from '../../api/statement.js';
import type {StatementPayment} from '../../billing/reports/receipts.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {printCalls} from '../../cli/dry-run.js';
import * as schema from '../../cli/schema.js';
import {withSuggestion} from '../../cli/next-command.js';
import {readStanding, refusalIn} from '../../cli/presentation/standings.js';
import {accountArgs, nextStep} from '../../cli/next-steps.js';
import {Args, Flags} from '../../cli/oclif.js';
import {
  allowDuplicateFlag,
  dataFlag,
  flagSpecs,
  idempotencyKeyFlag,
  oclifFlags,
  readFlags,
  readValue,
  type FlagValues,
} from '../../cli/operations/flags.js';
import {gatherParams, resolveParams} from '../../cli/operations/params.js';
import {lastReadOf} from '../../cli/operations/guard-operation.js';
import {performOne} from '../../cli/operations/perform.js';
import {askUntilValid} from '../../cli/references/ask-reference.js';
import {readStatement} from '../../cli/references/read-statement.js';
import {readReference, type Reference} from '../../cli/references/references.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import type {Context} from '../../context/context.js';
import {capitalized, CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {changeOf, type PlannedChange} from '../../guard/change.js';
import {safeDisplayName} from '../../guard/describe-change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {guardRepeats, momentText, refuseRepeats, type Repeat} from '../../guard/repeats.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';

const REGISTERED = operationWithId('refunds:create');
const SPECS = flagSpecs(REGISTERED.operation.params);
const AMOUNT = SPECS.find(({flag}) => flag === 'amount')!;
const EXAMPLE = 'refunds create JEEPNEY-0002 --amount 450 --reason product_was_damaged';

/** Declared flags, and the API's parameters, which become flags at run time. */
type RefundFlags = FlagsOf<typeof RefundsCreateCommand> & FlagValues;

/** @param named the argument: a statement, or the id of a payment */
function withNamed(flags: RefundFlags, named: string | undefined): RefundFlags {
  if (named === undefined) return flags;
  const other = ['statement', 'payment'].find((name) => flags[name] !== undefined);
  if (other !== undefined) throw usageError('invalid_flag', `${quote(named)} and --${other} cannot be given together.`);
  return {...flags, [named.trim().startsWith('pay_') ? 'payment' : 'statement']: named};
}

export class RefundsCreateCommand extends BaseCommand {
  static override summary = `${REGISTERED.operation.summary}.`;
  static override description =
    `${REGISTERED.operation.description} At a terminal it asks for missing values.\n\n` +
    'With --statement, it refunds the payment of that billing statement. The API does not list refunds, so pending refunds count only if they were made from this machine. To refund the same amount again within 20 hours, confirm at a terminal, or add --allow-duplicate.';
  static override examples = [
    `<%= config.bin %> ${EXAMPLE}`,
    ...REGISTERED.operation.examples.map((line) => `<%= config.bin %> ${line}`),
  ];
  static override usage = 'refunds create [statement] [flags]';
  static override args = {
    statement: Args.string({
      description: 'Statement to refund, as with --statement; or a payment’s id.',
      helpValue: '<bstm_…>',
    }),
  };
  static override flags = {
    statement: Flags.string({
      summary: 'Billing statement to refund, by number or id.',
      helpValue: '<bstm_…>',
      exclusive: ['payment'],
    }),
    ...oclifFlags(SPECS),
    payment: Flags.string({summary: 'Payment to refund, by its id.', helpValue: '<pay_…>'}),
    amount: Flags.string({
      summary: 'Amount in pesos: 1,250.50. Default with --statement, and --yes or --dry-run: the remaining amount.',
      helpValue: '<pesos>',
    }),
    'allow-duplicate': allowDuplicateFlag,
    ...idempotencyKeyFlag,
    ...dataFlag,
  };
  static risk = 'moves_money' as const;
  static agents = 'hands_over' as const;
  static exits = CHANGE_EXITS;
  static output = () => schema.either(schema.objectNamed('refund'), schema.dryRun);

  async run(): Promise<void> {
    const {flags: typed, args} = await this.read(RefundsCreateCommand);
    const {context} = this;
    const flags = withNamed(typed, args.statement);
    const connection = guardConnection(await context.connection());
    const asks = context.io.canAsk && !flags.yes && !flags['dry-run'];
    const confirms = context.io.canConfirm && !flags.yes && !flags['dry-run'];
    const named = await this.namedBy(flags, asks);
    if (named !== undefined && !flags['dry-run']) guardIntent(connection, flags, 'refund a payment', context.io);
    const paid = named && (await this.paidFor(named, flags));
    const completed = paid ? await this.withPayment(flags, paid, asks) : flags;
    const given = await gatherParams(context, REGISTERED, SPECS, completed);
    const params = await resolveParams(context, given, SPECS, REGISTERED);
    if (asks && completed.reason === undefined && params.reason === 'others' && params.remarks === undefined) {
      const remarks = (await context.prompt.text('Reason in your own words (optional):')).trim();
      if (remarks !== '') params.remarks = remarks;
    }
    const amount = Number(params.amount);
    if (paid) valueOrThrow(amountError(paid, amount));
    const change = changeOf(context, REGISTERED, [[]], params);
    const guarded = paid?.statement
      ? this.changeOfRefund(flags, change, paid, amount)
      : // A refund cannot be undone, so every mode asks, with customer and amount.
        {...change, needsConfirmation: confirms, destroys: confirms};
    if (flags['dry-run']) return printCalls(context, this.requestForm, [{...REGISTERED, ids: [], params}], guarded);
    const equal = await equalRefunds(context, String(params.payment_id), amount, paid);
    const read = lastReadOf(context, REGISTERED, [], params);
    await guardChange(context, flags, {...(await guardRepeats(context, flags, guarded, equal)), ...read}).catch(
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
      return asks && flags.data === undefined ? valueOrThrow(readReference(payment, 'pay_')) : undefined;
    if (flags.data !== undefined) return undefined;
    if (!io.canAsk)
      throw usageError('missing_flag', '--statement is missing.', {
        why: 'It names the billing statement to refund; --payment names a payment.',
        hint: `For example: centavo ${EXAMPLE.replace('refunds create', 'refund')}`,
      });
    const question = 'Billing statement to refund (number, or name of the customer):';
    return askUntilValid(this.context, question, (text) =>
      readReference(text, text.trim().startsWith('pay_') ? 'pay_' : 'bstm_'),
    );
  }

  private async paidFor(named: Reference, flags: RefundFlags): Promise<Paid> {
    const {context} = this;
    const [id = ''] = named.text.startsWith('pay_')
      ? await resolveReferences(context, 'pay_', [named], {changes: true})
      : [];
    const paid = id
      ? await paidPayment(context, id)
      : await paidStatement(context, await readStatement(context, named, {changes: true, status: 'paid'}));
    checkRefundable(context, withoutPending(paid));
    return flags['allow-duplicate'] ? withoutPending(paid) : paid;
  }

  private async withPayment(flags: RefundFlags, paid: Paid, asks: boolean): Promise<RefundFlags> {
    const given = {...flags, payment: paid.payment.id};
    const {io, now} = this.context;
    const max = refundableOf(paid.standing);
    const before = max < paid.payment.amount ? ` ${formatRefunded(paid)}` : '';
    const remaining = `${capitalized(formatMaximum(paid))}.${before}`;
    const {received, refunded} = paid.standing;
    const wanted = hasAmount(given)
      ? Number(readFlags([AMOUNT], given, now()).amount)
      : max > 0
        ? undefined
        : received! - (refunded ?? 0);
    if (wanted !== undefined) {
      const equal = await equalRefunds(this.context, paid.payment.id, wanted, paid);
      if ((!io.canConfirm || flags.yes) && !flags['dry-run']) await refuseRepeats(this.context, flags, equal);
      checkRefundable(this.context, paid);
      valueOrThrow(amountError(paid, wanted));
      if (io.canConfirm && !flags.yes && !flags['dry-run']) io.note(remaining);
      return given;
    }
    if (!asks && !flags.yes && !flags['dry-run'])
      throw usageError('missing_flag', '--amount is missing.', {
        why: `${capitalized(formatMaximum(paid))}.`,
        changed: 'Nothing was refunded.',
        hint: 'Add --amount.',
      });
    io.note(remaining);
    io.note('The API does not show pending refunds.');
    // A person approves this amount, not the one that remains then.
    this.context.resolved.set('--amount-centavos', String(max));
    if (!asks) return {...given, 'amount-centavos': String(max)};
    const read = (text: string): InvalidInput | string => {
      const amount = readValue(AMOUNT, text, now());
      return (amount instanceof InvalidInput ? amount : amountError(paid, Number(amount))) ?? text;
    };
    const amount = await askUntilValid(this.context, 'Amount to refund, in pesos:', read, formatPesos(max).slice(1));
    return {...given, amount};
  }

  /** Describes the refund for the guard. A refund cannot be undone, so every mode asks. */
  private changeOfRefund(flags: RefundFlags, change: PlannedChange, paid: Paid, amount: number): PlannedChange {
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
        const now = await paidStatement(context, statement);
        valueOrThrow(amountError(flags['allow-duplicate'] ? withoutPending(now) : now, amount));
        return {...details};
      },
    };
  }
}

const hasAmount = ({amount, 'amount-centavos': centavos}: RefundFlags): boolean =>
  amount !== undefined || centavos !== undefined;

interface Paid {
  readonly statement?: BillingStatementData;
  readonly payment: StatementPayment;
  readonly standing: Standing;
}

async function paidStatement(context: Context, statement: BillingStatementData): Promise<Paid> {
  const before = await readStanding(context, statement);
  const isSettled = before.state === 'settled';
  if (isSettled || !isReceived(before))
    throw await refusalIn(context, 'refund', before, {
      named: before.name,
      code: 'not_paid',
      why: isSettled ? 'The service has no payment. Return the money another way.' : undefined,
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
  const standing = await readStanding(context, statement, {payment, receipt: {id: payment.id}});
  return {statement, payment, standing};
}

async function paidPayment(context: Context, id: string): Promise<Paid> {
  const {payments} = await context.client();
  const call = {registered: getterOf('pay_')!, ids: [id], params: {}};
  const payment = await payments.get(id, {signal: context.signal}).catch(withSuggestion(context, call));
  const intent = {id: `pi_${id}`, status: 'succeeded', latest_payment: payment};
  return {payment, standing: await readStanding(context, intent)};
}

/** A refund that failed may still look pending. */
const withoutPending = (paid: Paid): Paid => ({...paid, standing: {...paid.standing, pendingRefunds: 0}});

/** Throws if nothing can be refunded: by QR Ph, wholly refunded, or pending. */
function checkRefundable(context: Context, paid: Paid): void {
  const {statement, payment, standing} = paid;
  const isQr = standing.method === 'qrph';
  if (!isQr && refundableOf(standing) > 0) return;
  const account = accountArgs(context);
  throw new CentavoError('rejected', `${isQr ? 'nothing' : 'nothing more'} of ${paidName(paid)} can be refunded.`, {
    code: isQr ? 'not_refundable' : 'refunded_already',
    why: isQr ? 'The service does not refund QR Ph. Return the money another way.' : formatRefunded(paid),
    next: [
      statement
        ? nextStep('see', statementName(statement), account)
        : nextCommand('To see the payment', 'payments get', payment.id, account),
    ],
    applied: 'no',
  });
}

function amountError(paid: Paid, amount: number): InvalidInput | undefined {
  const {standing} = paid;
  if (amount <= refundableOf(standing)) return undefined;
  return new InvalidInput(`${formatMaximum(paid)}, not ${formatPesos(amount)}.`, {
    code: 'above_maximum',
    why: formatRefunded(paid),
    changed: 'Nothing was refunded.',
    // A refund from this machine may have failed, which the API does not show.
    ...(standing.pendingRefunds > 0 && {override: '--allow-duplicate'}),
  });
}

/** Returns the refunds of the same payment and amount from this machine. @param amount centavos */
async function equalRefunds(context: Context, paymentId: string, amount: number, paid?: Paid): Promise<Repeat> {
  const history = await context.history();
  const now = await context.accountNow();
  const name = paid?.statement ? statementName(paid.statement) : paymentId;
  return {
    code: 'repeated_refund',
    look: () =>
      history
        .refunds(paymentId)
        .filter((each) => each.amount === amount)
        .map(({isCertain, id, ...entry}) => ({...entry, is_certain: isCertain, ids: id === undefined ? [] : [id]}))
        .reverse(),
    words: ({at, is_certain: isCertain, ids: [id]}) =>
      `${formatPesos(amount)} of ${name} ${isCertain ? 'was' : 'may have been'} refunded from this machine ${momentText(at, now)}${id === undefined ? '' : ` (${id})`}`,
    check: () => ({next: [nextCommand('Check', 'payments get', paymentId, accountArgs(context))]}),
  };
}

/** `the payment of JEEPNEY-0002` */
const paidName = ({statement, payment}: Paid): string =>
  statement ? `the payment of ${statementName(statement)}` : payment.id;

/** `at most ₱450.00 of JEEPNEY-0002 can be refunded` */
const formatMaximum = ({statement, payment, standing}: Paid): string =>
  `at most ${formatPesos(refundableOf(standing))} of ${statement ? statementName(statement) : payment.id} can be refunded`;

function formatRefunded({payment, standing: {refunded, pendingRefunds}}: Paid): string {
  return [
    `${formatPesos(payment.amount)} was paid${refunded ? `, and ${formatPesos(refunded)} of it refunded` : ''}.`,
    pendingRefunds > 0 &&
      `${formatPesos(pendingRefunds)} more was refunded from this machine, or may have been. The API does not show it yet.`,
  ]
    .filter(Boolean)
    .join(' ');
}
