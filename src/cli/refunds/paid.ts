// What can be refunded: the payment of a billing statement, or one that is named by its id, and what of it is left.

import {getterOf} from '../../api/registry.js';
import type {Payment} from '../../billing/books/payments.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../errors.js';
import {decimalPesos, formatPesos} from '../../pesos.js';
import {nameOf} from '../billing-statements/read.js';
import {proposing, sameAccount} from '../next-command.js';

export interface Paid {
  /** The statement that was paid, if it was named. */
  readonly statement?: Statement;
  readonly payment: Payment;
  /** Centavos that can be refunded at most. */
  readonly most: number;
  /** Centavos of refunds from this machine that the payment does not show yet. */
  readonly waiting: number;
}

/** @throws CentavoError kind `rejected` for a statement that was not paid, `not_found` where its payment is not named */
export async function paidStatement(context: Context, statement: Statement): Promise<Paid> {
  const {id, status} = statement;
  if (status !== 'paid')
    throw new CentavoError('rejected', `${nameOf(statement)} is ${status === 'draft' ? 'a draft' : status}.`, {
      code: 'not_paid',
      why: 'Only a payment can be refunded.',
      hint: `See it: centavo billing-statements get ${id}${sameAccount(context)}`,
      applied: 'no',
    });
  const {paymentOfStatement} = await context.billing();
  const {signal} = context;
  const call = {registered: getterOf('pay_')!, ids: [], params: {}};
  const payment = await paymentOfStatement(await context.client(), statement, {signal}).catch(proposing(context, call));
  if (!payment)
    throw new CentavoError('not_found', `the API names no payment of ${nameOf(statement)}.`, {
      code: 'no_payment',
      hint: 'Find it in the dashboard, and give it with --payment',
      applied: 'no',
    });
  return {statement, ...(await leftOf(context, payment))};
}

/** @param id of the payment @throws CentavoError of the read */
export async function paidPayment(context: Context, id: string): Promise<Paid> {
  const {payments} = await context.client();
  const call = {registered: getterOf('pay_')!, ids: [id], params: {}};
  return leftOf(context, await payments.get(id, {signal: context.signal}).catch(proposing(context, call)));
}

async function leftOf(context: Context, payment: Payment): Promise<Omit<Paid, 'statement'>> {
  const {ownRefunds, refundable} = await context.billing();
  const audit = await context.audit();
  return {payment, ...refundable(payment, ownRefunds(audit.others(), payment.id))};
}

/** @throws CentavoError kind `rejected` when nothing is left */
export function checkLeft(context: Context, paid: Paid): void {
  if (paid.most > 0) return;
  throw new CentavoError('rejected', `nothing of ${paidName(paid)} is left to refund.`, {
    code: 'refunded_already',
    why: refundedWords(paid),
    hint: `See the payment: centavo payments get ${paid.payment.id}${sameAccount(context)}`,
    applied: 'no',
  });
}

/** @param amount centavos @throws CentavoError kind `usage` for more than is left */
export function checkAmount(context: Context, paid: Paid, amount: number): void {
  const {payment, most, waiting} = paid;
  if (amount <= most) return;
  throw usageError(`${mostWords(paid)}, not ${formatPesos(amount)}.`, {
    code: 'above_maximum',
    why: refundedWords(paid),
    changed: 'Nothing was refunded.',
    ...(waiting > 0 && {
      hint: `If a refund from this machine failed: centavo refunds create --payment ${payment.id} --amount ${decimalPesos(amount)}${sameAccount(context)}`,
    }),
  });
}

/** `the payment of JEEPNEY-0002` */
const paidName = ({statement, payment}: Paid): string =>
  statement ? `the payment of ${nameOf(statement)}` : payment.id;

/** `at most ₱450.00 of JEEPNEY-0002 can be refunded` */
export const mostWords = ({statement, payment, most}: Paid): string =>
  `at most ${formatPesos(most)} of ${statement ? nameOf(statement) : payment.id} can be refunded`;

/** What of a payment was refunded before. */
export function refundedWords({payment, waiting}: Paid): string {
  const {amount, amount_refunded: refunded} = payment;
  return [
    `${formatPesos(amount)} was paid${refunded ? `, and ${formatPesos(refunded)} of it refunded` : ''}.`,
    waiting > 0 && `${formatPesos(waiting)} more was refunded from this machine, which the API does not show yet.`,
  ]
    .filter(Boolean)
    .join(' ');
}
