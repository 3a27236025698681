// The history of the seeded merchant: steps that are added in any order and run in order of time, with the timers that are due in between.

import {pay, type PayOptions} from '../paying/payer.js';
import type {Movement} from '../paying/payout-deposits.js';
import {act} from '../requests/router.js';
import {runDueTimers} from '../timers.js';
import type {Transaction} from '../transaction.js';

export const HOUR = 3600;
export const DAY = 86_400;

type Step = (tx: Transaction) => void;

export class Timeline {
  /** Unix seconds: the end of the timeline. */
  readonly now: number;
  readonly #chance: () => number;
  readonly #steps: {at: number; step: Step}[] = [];
  #movements: Movement[] = [];

  constructor(now: number, chance: () => number) {
    this.now = now;
    this.#chance = chance;
  }

  /** @param at unix seconds, not after the end */
  on(at: number, step: Step): void {
    this.#steps.push({at: Math.min(at, this.now), step});
  }

  /** Unix seconds, this many days ago. */
  ago(days: number): number {
    return this.now - Math.round(days * DAY);
  }

  between(low: number, high: number): number {
    return low + this.#chance() * (high - low);
  }

  /** A whole number between the bounds, both included. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#chance() * choices.length)]!;
  }

  /** The customer pays; the money waits for the next payout. */
  paid(tx: Transaction, id: string, options: PayOptions): {id: string; amount: number} {
    const payment = pay(tx, id, options).payment as {id: string; amount: number};
    this.#movements.push({type: 'payment', id: payment.id, amount: payment.amount});
    return payment;
  }

  /** @param centavos how much is refunded */
  refund(tx: Transaction, paymentId: string, centavos: number, reason: string, remarks?: string): void {
    const refund = act(tx, 'refunds:create', {
      payment_id: paymentId,
      amount: centavos,
      currency: 'PHP',
      reason,
      ...(remarks && {remarks}),
    });
    this.#movements.push({type: 'refund', id: refund.id, amount: -centavos});
  }

  /** The money that moved since this was last called. */
  takeMovements(): readonly Movement[] {
    const taken = this.#movements;
    this.#movements = [];
    return taken;
  }

  /** Runs all steps. */
  run(tx: Transaction): void {
    for (const {at, step} of this.#steps.sort((a, b) => a.at - b.at)) {
      const then = tx.at(at);
      runDueTimers(then);
      step(then);
    }
    runDueTimers(tx);
  }
}
