// The fees of payments, as recorded in test mode: a rate by method, VAT on the fee, and optional withholding tax.

import type {StoreReader} from '../store.js';

/**
 * Basis points. Recorded: cards in an event, GCash and Maya in responses. The recorded amounts are: card 10000, fee 0;
 * Maya 52500, fee 1050, net 51324; GCash 155000, fee 3565, net 150252 with withholding tax.
 */
const RATES: Readonly<Record<string, number>> = {card: 0, gcash: 230, maya: 200};
/** Basis points for other methods; assumed. */
const OTHER_RATE = 200;

/** Net amount: VAT is 12 % of the fee; `withholding` also takes 0.5 % of the rest. Rounded once, at the end. */
export function chargesOf({store}: StoreReader, method: string, amount: number): {fee: number; net_amount: number} {
  const fees = store.setting('fees');
  const rate = fees === 'none' ? 0 : (RATES[method] ?? OTHER_RATE);
  const kept = (1_000_000 - rate * 112) * (fees === 'withholding' ? 995 : 1000);
  return {fee: partOf(amount, rate, 10_000), net_amount: partOf(amount, kept, 1_000_000_000)};
}

/** Rounds half a centavo up. */
const partOf = (amount: number, part: number, whole: number): number =>
  Number((BigInt(amount) * BigInt(part) + BigInt(whole / 2)) / BigInt(whole));
