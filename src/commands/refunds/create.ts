// `centavo refunds create`: gives money back from a payment, which a statement can name. It replaces the derived command, whose
// flags it keeps.

import {Flags} from '../../cli/oclif.js';
import {getterOf, operations} from '../../api/registry.js';
import {customerOf} from '../../api/statement.js';
import type {Payment} from '../../billing/books/payments.js';
import type {Statement} from '../../billing/compose/plan.js';
import {CentavoError, usageError} from '../../errors.js';
import {formatPesos} from '../../pesos.js';
import {changeOf, type Change} from '../../guard/change.js';
import {shown} from '../../guard/describe.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {printRequests} from '../../cli/dry-run.js';
import {dataFlag, flagSpecs, oclifFlags} from '../../cli/operations/flags.js';
import {dryRun, either, objectNamed} from '../../cli/help/json-schema.js';
import {proposing, sameAccount} from '../../cli/next-command.js';
import {gatherParams, resolveParams} from '../../cli/operations/params.js';
import {performOne} from '../../cli/operations/perform.js';
import {nameOf, readStatement} from '../../cli/billing-statements/read.js';

const REGISTERED = operations.find(({id}) => id === 'refunds:create')!;
const SPECS = flagSpecs(REGISTERED.operation.params);

type RefundFlags = FlagsOf<typeof RefundsCreateCommand>;

/** A statement with its payment, and what of it can still be refunded. */
interface Paid {
  readonly statement: Statement;
  readonly payment: Payment;
  /** Centavos. */
  readonly most: number;
  readonly waiting: number;
}

export class RefundsCreateCommand extends BaseCommand {
  static override summary = `${REGISTERED.operation.summary}.`;
  static override description = `${REGISTERED.operation.description}\n\nWith --statement, the payment of that billing statement is refunded: all that is left, unless --amount says less. The API does not list refunds, so refunds that are pending can be counted only if they were made from this machine.\n\nAssumed: ${REGISTERED.operation.assumed}`;
  static override examples = [
    ...REGISTERED.operation.examples.map((line) => `<%= config.bin %> ${line}`),
    '<%= config.bin %> refunds create --statement JEEPNEY-0002 --amount 450 --reason product_was_damaged',
  ];
  static override usage = 'refunds create [flags]';
  static override flags = {
    ...oclifFlags(SPECS),
    statement: Flags.string({
      summary: 'Billing statement whose payment is refunded, by number or id.',
      helpValue: '<bstm_…>',
      exclusive: ['payment'],
    }),
    ...dataFlag,
  };
  static risk = 'moves_money' as const;
  static exits = CHANGE_EXITS;
  static output = () => either(objectNamed('refund'), dryRun);

  async run(): Promise<unknown> {
    const {flags} = await this.read(RefundsCreateCommand);
    const {context} = this;
    const connection = await context.connection();
    guardConnection(connection, flags);
    // Nothing is looked for that will be refused.
    if (flags.statement !== undefined && !flags['dry-run'])
      guardIntent(connection, flags, 'refund a payment', context.io);
    const paid = flags.statement === undefined ? undefined : await this.paymentOf(flags.statement);
    const given = await gatherParams(context, REGISTERED, SPECS, paid ? this.withPayment(flags, paid) : flags);
    const params = await resolveParams(context, given, SPECS, true);
    if (paid) this.checkAmount(paid, Number(params.amount));
    if (flags['dry-run']) {
      const client = await context.requestBuilder();
      return printRequests(context, connection, this.requestForm, [client.requestOf({...REGISTERED, ids: [], params})]);
    }
    const change = changeOf(context, REGISTERED, [[]], params);
    const guarded = paid ? this.changeOfRefund(change, paid, Number(params.amount)) : change;
    await guardChange(context, flags, guarded).catch(proposing(context, {registered: REGISTERED, ids: [], params}));
    return performOne(context, REGISTERED, [], params, (result, applied) => this.printDone(result, applied));
  }

  /** @throws CentavoError kind `rejected` for a statement that was not paid, or of which nothing is left */
  private async paymentOf(reference: string): Promise<Paid> {
    const {context} = this;
    const statement = await readStatement(context, reference, {changes: true});
    const {id, status} = statement;
    if (status !== 'paid')
      throw new CentavoError('rejected', `${nameOf(statement)} is ${status === 'draft' ? 'a draft' : status}.`, {
        code: 'not_paid',
        why: 'Only a payment can be refunded.',
        hint: `See it: centavo billing-statements get ${id}${sameAccount(context)}`,
        applied: 'no',
      });
    const paid = await this.readPaid(statement);
    const {payment, most, waiting} = paid;
    if (most > 0) return paid;
    throw new CentavoError('rejected', `nothing of the payment of ${nameOf(statement)} is left to refund.`, {
      code: 'refunded_already',
      why: refundedWords(payment, waiting),
      hint: `See the payment: centavo payments get ${payment.id}${sameAccount(context)}`,
      applied: 'no',
    });
  }

  private async readPaid(statement: Statement): Promise<Paid> {
    const {context} = this;
    const {ownRefunds, paymentOfStatement, refundable} = await context.billing();
    const {signal} = context;
    const call = {registered: getterOf('pay_')!, ids: [], params: {}};
    const payment = await paymentOfStatement(await context.client(), statement, {signal}).catch(
      proposing(context, call),
    );
    if (!payment)
      throw new CentavoError('not_found', `the API names no payment of ${nameOf(statement)}.`, {
        code: 'no_payment',
        hint: 'Find it in the dashboard, and give it with --payment',
        applied: 'no',
      });
    const audit = await context.audit();
    return {statement, payment, ...refundable(payment, ownRefunds(audit.others(), payment.id))};
  }

  /** The flags as if the payment had been typed, and all that is left. @throws CentavoError kind `usage` */
  private withPayment(flags: RefundFlags, {statement, payment, most, waiting}: Paid): RefundFlags {
    const given: Readonly<Record<string, unknown>> = flags;
    const isGiven = given.amount !== undefined || given['amount-centavos'] !== undefined;
    if (!isGiven && !flags.yes && !flags['dry-run'] && !this.context.io.canAsk)
      throw usageError('--amount is missing.', {
        code: 'missing_flag',
        why: `At most ${formatPesos(most)} of ${nameOf(statement)} can be refunded.`,
        changed: 'Nothing was refunded.',
        hint: 'Add --amount, or --yes to refund all of it.',
      });
    if (!isGiven) {
      const left = `At most ${formatPesos(most)} of ${nameOf(statement)} can be refunded.`;
      this.context.io.note(
        `${left} ${refundedWords(payment, waiting)} The API does not show refunds that are pending.`,
      );
    }
    return {...flags, payment: payment.id, ...(!isGiven && {'amount-centavos': String(most)})} as RefundFlags;
  }

  /** @throws CentavoError kind `usage` for more than is left */
  private checkAmount({statement, payment, most, waiting}: Paid, amount: number): void {
    if (amount <= most) return;
    throw usageError(
      `at most ${formatPesos(most)} of ${nameOf(statement)} can be refunded, not ${formatPesos(amount)}.`,
      {
        code: 'above_maximum',
        why: refundedWords(payment, waiting),
        changed: 'Nothing was refunded.',
        ...(waiting > 0 && {
          hint: `If a refund from this machine failed: centavo refunds create --payment ${payment.id} --amount ${amount / 100}${sameAccount(this.context)}`,
        }),
      },
    );
  }

  /** A refund asks in every mode: the money is gone afterwards. */
  private changeOfRefund(change: Change, {statement, payment}: Paid, amount: number): Change {
    const name = customerOf(statement).name;
    const to = name === undefined ? '' : ` to ${shown(name)}`;
    const whole = amount === payment.amount ? '' : ` of ${formatPesos(payment.amount)}`;
    const details = {...change.known, what: `refund ${formatPesos(amount)}${whole}${to} for ${nameOf(statement)}`};
    return {
      ...change,
      asks: true,
      ids: [...change.ids, statement.id],
      known: details,
      lookUp: async () => {
        this.checkAmount(await this.readPaid(statement), amount);
        return {...details};
      },
    };
  }
}

/** What of a payment was refunded before. */
function refundedWords({amount, amount_refunded: refunded}: Payment, waiting: number): string {
  return [
    `${formatPesos(amount)} was paid${refunded ? `, and ${formatPesos(refunded)} of it refunded` : ''}.`,
    waiting > 0 && `${formatPesos(waiting)} more was refunded from this machine, which the API does not show yet.`,
  ]
    .filter(Boolean)
    .join(' ');
}
