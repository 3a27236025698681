// The payment of a billing statement, and what of it can still be refunded.

import type {StatementLike} from '../../api/statement.js';
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

/** A refund that was made from this machine. */
export interface OwnRefund {
  /** Unix seconds. */
  readonly at: number;
  /** Centavos. */
  readonly amount: number;
  /** Whether the API answered that it was made; otherwise it may have been. */
  readonly isSure: boolean;
}

interface RecordedWrite {
  readonly command: string;
  readonly ids: readonly string[];
  readonly amount: number | null;
  readonly applied: string | null;
  readonly at: number;
}

/** The refunds of a payment that were made from this machine, oldest first. @param writes newest first */
export function ownRefunds(writes: Iterable<RecordedWrite>, paymentId: string): OwnRefund[] {
  const found: OwnRefund[] = [];
  for (const {command, ids, amount, applied, at} of writes)
    if (/^(api )?refunds create$/.test(command) && ids.includes(paymentId) && amount !== null && applied !== 'no')
      found.unshift({at, amount, isSure: applied === 'yes'});
  return found;
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

/** When a statement was voided or given up from this machine, in unix seconds. @param writes newest first */
export function endedBy(
  writes: Iterable<RecordedWrite & {readonly reason?: string | null}>,
  statementId: string,
): {readonly at: number; readonly reason?: string} | undefined {
  for (const {command, ids, applied, at, reason} of writes) {
    // A reissue ends only the first one that it names.
    const ended = command.endsWith(' reissue') ? ids.slice(0, 1) : ids;
    if (ENDING.test(command) && applied === 'yes' && ended.includes(statementId))
      return {at, ...(reason ? {reason} : {})};
  }
  return undefined;
}

const ENDING = /billing-statements (mark-uncollectible|reissue|settle|void)$/;
