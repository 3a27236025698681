// Adds up movements of money: what was billed, received, refunded and given up, and when.

import {CentavoError} from '../common/errors.js';

export type MovementType = 'billing' | 'payment' | 'refund' | 'settlement' | 'uncollectible' | 'void';

/** One change of what a customer owes or has paid. */
export interface Movement {
  readonly type: MovementType;
  /** Unix seconds to show; null if no source gives a date. */
  readonly at: number | null;
  /** Source of `at`. `last_change`: the last update of the object, which may be later. */
  readonly datedBy: 'history' | 'last_change' | 'service' | 'unknown';
  /** Unix seconds that decide the period: `at`, but not before the billing, since clocks differ. 0 if unknown. */
  readonly bookedAt: number;
  /** Centavos, always positive. */
  readonly amount: number;
}

export interface Period {
  /** The first second of the period, in unix seconds. */
  readonly since?: number;
  /** The last second of the period, in unix seconds. */
  readonly until?: number;
}

export const isInPeriod = (at: number | undefined, {since = -Infinity, until = Infinity}: Period): boolean =>
  at !== undefined && at >= since && at <= until;

/** Sums of movements, in centavos. */
export interface MovementSums {
  readonly billed: number;
  readonly received: number;
  readonly settled: number;
  readonly refunded: number;
  /** Refunds without a date, which count in the period of their payment. */
  readonly undated_refunds: number;
  readonly voided: number;
  readonly uncollectible: number;
}

const SUM_OF = {
  billing: 'billed',
  payment: 'received',
  refund: 'refunded',
  settlement: 'settled',
  uncollectible: 'uncollectible',
  void: 'voided',
} as const satisfies Readonly<Record<MovementType, keyof MovementSums>>;

/** Sums the movements of a period. Only `bookedAt` decides, so periods that cover all time add up to the whole. */
export function sumsOf(movements: readonly Movement[], period: Period = {}): MovementSums {
  const names = [...Object.values(SUM_OF), 'undated_refunds'] as const;
  const sums = Object.fromEntries(names.map((name) => [name, 0n])) as Record<keyof MovementSums, bigint>;
  for (const {type, at, bookedAt, amount} of movements)
    if (isInPeriod(bookedAt, period))
      sums[type === 'refund' && at === null ? 'undated_refunds' : SUM_OF[type]] += BigInt(amount);
  return Object.fromEntries(names.map((name) => [name, exactCentavos(sums[name])])) as unknown as MovementSums;
}

/** Centavos owed after the movements. A refund is no new debt. */
export const balanceOf = ({billed, received, settled, voided, uncollectible}: MovementSums): number =>
  exactCentavos(
    [received, settled, voided, uncollectible].reduce((left, amount) => left - BigInt(amount), BigInt(billed)),
  );

/** Centavos owed at an instant, inclusive. @param at unix seconds */
export const balanceAt = (movements: readonly Movement[], at: number): number =>
  balanceOf(sumsOf(movements, {until: at}));

/** @throws CentavoError if a number cannot hold the sum exactly, as with two million of the largest statements */
export function exactCentavos(centavos: bigint): number {
  const number = Number(centavos);
  if (Number.isSafeInteger(number)) return number;
  throw new CentavoError('unavailable', 'the amounts of the billing statements are too large to be added exactly.', {
    code: 'unusable_answer',
  });
}

export const exactSum = (amounts: Iterable<number>): number =>
  exactCentavos([...amounts].reduce((sum, amount) => sum + BigInt(amount), 0n));
