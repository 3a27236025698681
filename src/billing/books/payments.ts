// The payment of a billing statement, and what of it can still be refunded.

import type {StatementLike} from '../../api/statement.js';
import type {OwnRefund} from '../../audit/queries.js';
import type {Client} from '../../client/client.js';
import {isHash} from '../../ground/json.js';

export type Payment = Awaited<ReturnType<Client['payments']['get']>>;

/** The id of the payment that a payment intent names: as an id, or as an object. */
const latestOf = (intent: unknown): string | undefined => {
  const latest = isHash(intent) ? intent.latest_payment : undefined;
  const id = isHash(latest) ? latest.id : latest;
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** The id of the payment that settled a statement, as far as the statement itself says it. */
export const paymentIdOf = (statement: StatementLike): string | undefined => latestOf(statement.payment_intent);

/** Reads the payment that settled a statement, if it has one. */
export async function paymentOfStatement(
  client: Client,
  statement: StatementLike,
  options: {readonly signal?: AbortSignal},
): Promise<Payment | undefined> {
  const {payment_intent: intent} = statement;
  const intentId = isHash(intent) ? intent.id : intent;
  const id =
    paymentIdOf(statement) ??
    (typeof intentId === 'string' ? latestOf(await client.paymentIntents.get(intentId, {}, options)) : undefined);
  return id === undefined ? undefined : client.payments.get(id, options);
}

export interface Refundable {
  /** Centavos that can be refunded at most: refunds that wait elsewhere cannot be seen. */
  readonly most: number;
  /** Centavos of refunds from this machine that the payment does not show yet. */
  readonly waiting: number;
}

export function refundable({amount, amount_refunded: refunded}: Payment, own: readonly OwnRefund[]): Refundable {
  const seen = refunded ?? 0;
  const waiting = Math.max(0, own.reduce((sum, each) => sum + each.amount, 0) - seen);
  return {most: Math.max(0, amount - seen - waiting), waiting};
}
