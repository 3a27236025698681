// Builds a customer's ledger: every movement of money in order of time, with a running balance.

import {
  balanceAt,
  balanceOf,
  exactCentavos,
  isInPeriod,
  sumsOf,
  type Movement,
  type MovementSums,
  type MovementType,
  type Period,
} from '../../accounting/movements.js';
import type {Replacement, Standing} from '../../accounting/standing.js';
import {namesOf, type BookEntry, type BookNeeds} from './standings.js';

/** All time: the opening balance needs the movements before the period. */
export const LEDGER_NEEDS: BookNeeds = {dates: true, payments: true};

/** A movement. Its centavos are in the sum of its type; the other sums are 0. */
export interface LedgerEntry extends MovementSums {
  /** Unix seconds; null if the API gives no time. */
  readonly at: number | null;
  /** `opening`: the balance before the period. */
  readonly type: MovementType | 'opening';
  readonly number: string | null;
  readonly statement_id: string | null;
  readonly checkout_session_id: string | null;
  readonly payment_id: string | null;
  /** The payment method, or the reason of a settlement. */
  readonly detail: string | null;
  /** Centavos that the customer owes after this entry. */
  readonly balance: number;
  readonly replaced_by: Replacement | null;
}

export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  readonly sums: MovementSums;
  /** Centavos owed at the end of the period. */
  readonly owed: number;
}

/** @param period in unix seconds; earlier entries become one opening line */
export function ledgerOf(book: readonly BookEntry[], period: Period = {}): Ledger {
  const {since} = period;
  // A stable sort: in the same second, a void comes before the next statement, and a refund after its payment.
  const all = book
    .flatMap((entry) => entry.standing.movements.map((movement) => ({...entry, movement})))
    .sort((a, b) => a.movement.bookedAt - b.movement.bookedAt);
  const movements = all.map(({movement}) => movement);
  const opening = since === undefined ? 0 : balanceAt(movements, since - 1);
  let balance = BigInt(opening);
  const entries = all
    .filter(({movement: {bookedAt}}) => isInPeriod(bookedAt, period))
    .map(({object, standing, movement}): LedgerEntry => {
      const sums = sumsOf([movement]);
      balance += BigInt(balanceOf(sums));
      const {number, statement_id, checkout_session_id} = namesOf(object);
      return {
        ...{at: movement.at, type: movement.type, number, statement_id, checkout_session_id},
        ...detailsOf(standing, movement),
        ...sums,
        balance: exactCentavos(balance),
      };
    });
  const first: LedgerEntry[] =
    since === undefined ? [] : [{at: since, type: 'opening', ...NOTHING, ...sumsOf([]), balance: opening}];
  return {entries: [...first, ...entries], sums: sumsOf(movements, period), owed: exactCentavos(balance)};
}

const NOTHING = {
  ...{number: null, statement_id: null, checkout_session_id: null},
  ...{payment_id: null, detail: null, replaced_by: null},
};

function detailsOf({paymentId, method, settlement, replacement}: Standing, {type}: Movement) {
  const isPayment = type === 'payment' || type === 'refund';
  const isEnd = type === 'settlement' || type === 'uncollectible';
  return {
    payment_id: (isPayment && paymentId) || null,
    detail: (type === 'payment' ? method : isEnd ? settlement?.reason : undefined) ?? null,
    replaced_by: type === 'void' ? (replacement ?? null) : null,
  };
}
