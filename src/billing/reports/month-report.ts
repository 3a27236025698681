// Reports what was billed and received in a period: the rows and sums of `month` and `paid`.

import {balanceAt, exactSum, sumsOf, type MovementSums, type Period} from '../../accounting/movements.js';
import {dueTimeOf} from '../../api/statement.js';
import {type Month, monthAfter, startOfMonth} from '../../common/manila.js';
import {namesOf, type Book, type BookEntry, type BookNeeds} from './standings.js';

export const monthPeriod = (month: Month): Required<Period> => ({
  since: startOfMonth(month),
  until: startOfMonth(monthAfter(month)) - 1,
});

export const monthNeeds = (month: Month): BookNeeds => ({
  ...{period: monthPeriod(month), dates: true, payments: true, names: true},
});

/** Needs only what came in or was refunded. */
export const paidNeeds = (period: Period): BookNeeds => ({
  ...{period, payments: true, names: true},
  isEntry: (movements) => movements.some(({type}) => type === 'payment' || type === 'settlement' || type === 'refund'),
});

/** Money received in a period, and refunded in it. Amounts are in centavos, times in unix seconds. */
export type PaymentReceived = ReturnType<typeof paymentReceived>;

function paymentReceived({object, standing}: BookEntry, period: Period) {
  const {state, movements, settlement, unknown, method = null, paymentId: payment_id = null} = standing;
  const {received, settled, refunded, undated_refunds} = sumsOf(movements, period);
  const isKnown = !unknown.includes('refunds');
  return {
    ...namesOf(object),
    state,
    /** Time of the payment or settlement, in any period. */
    paid_at: movements.find(({type}) => type === 'payment' || type === 'settlement')?.at ?? null,
    /** Received through the service, before refunds and fees. */
    received,
    /** Paid outside the service, according to this machine's history. */
    settled,
    refunded: isKnown ? refunded : null,
    undated_refunds: isKnown ? undated_refunds : null,
    method,
    settled_reason: settlement?.reason ?? null,
    payment_id,
    unknown,
  };
}

/** A statement or checkout session with a movement in a month. Its amounts add up to the balance at the end. */
export type MonthReportEntry = ReturnType<typeof monthReportEntry>;

function monthReportEntry(entry: BookEntry, period: Required<Period>) {
  const {object, standing} = entry;
  const {billed, voided, uncollectible} = sumsOf(standing.movements, period);
  return {
    ...paymentReceived(entry, period),
    created_at: object.created_at,
    billed_at: standing.movements[0]?.at ?? null,
    due_at: dueTimeOf(object) ?? null,
    opening_balance: balanceAt(standing.movements, period.since - 1),
    billed,
    voided,
    uncollectible,
    balance: balanceAt(standing.movements, period.until),
    replaced_by: standing.replacement ?? null,
  };
}

/** Sums of a period, in centavos. */
export interface PeriodSums extends MovementSums {
  /** Received through the service, less refunds. Fees are not deducted. */
  readonly after_refunds: number;
}

export function periodSumsOf({entries}: Pick<Book, 'entries'>, period: Period): PeriodSums {
  const sums = sumsOf(
    entries.flatMap(({standing}) => standing.movements),
    period,
  );
  return {...sums, after_refunds: sums.received - sums.refunded - sums.undated_refunds};
}

/** Returns the money received or refunded in a period, latest payment first. */
export const paymentsReceived = ({entries}: Pick<Book, 'entries'>, period: Period): PaymentReceived[] =>
  entries
    .toReversed()
    .map((entry) => paymentReceived(entry, period))
    .sort((a, b) => (b.paid_at ?? 0) - (a.paid_at ?? 0));

export function monthReportOf({entries, carriedForward}: Book, month: Month) {
  const period = monthPeriod(month);
  const rows = entries.map((entry) => monthReportEntry(entry, period));
  const balance = exactSum(rows.map((row) => row.balance));
  return {
    rows,
    totals: {
      opening_balance: exactSum(rows.map((row) => row.opening_balance)),
      ...periodSumsOf({entries}, period),
      balance,
      /** Owed for statements without a movement in the month. */
      carried_forward: carriedForward,
      owed: exactSum([balance, carriedForward]),
    },
  };
}
