// Payouts as the service makes them by itself: nothing in the API does. Once made, the clock takes them to the bank.

import {transition} from '../lifecycle.js';
import type {Stored} from '../store.js';
import type {Transaction} from '../transaction.js';

/** Money that goes into a payout, in centavos; negative for what was given back. */
export interface Movement {
  readonly type: 'adjustment' | 'payment' | 'refund';
  /** The payment or refund; an adjustment has none. */
  readonly id: string | null;
  readonly amount: number;
}

export interface Destination {
  readonly account_name: string;
  readonly account_number: string;
  readonly bank_name: string;
}

/** When the bank has a payout on its way, and when it has arrived, in seconds after it was made: no source says. */
const DISPATCH = 86_400;
const ARRIVAL = 4 * 86_400;

/** Makes a payout of these movements. Test mode takes no fee, so that net amounts are the amounts. */
export function createPayout(tx: Transaction, movements: readonly Movement[], destination: Destination): Stored {
  const amount = movements.reduce((sum, movement) => sum + movement.amount, 0);
  const payout = tx.create('po_', {amount, net_amount: amount, status: 'pending', destination});
  for (const movement of movements) {
    const fields = {
      amount: movement.amount,
      net_amount: movement.amount,
      transaction_type: movement.type,
      transaction_id: movement.id,
      _payout_id: payout.id,
    };
    tx.create('po_txn_', fields, payout.id);
  }
  tx.store.schedule({at: tx.now + DISPATCH, kind: 'payout-dispatch', id: payout.id});
  tx.store.schedule({at: tx.now + ARRIVAL, kind: 'payout-deposit', id: payout.id});
  tx.emit('payout.created', payout);
  return payout;
}

/** The bank has the money on its way. */
export const dispatchPayout = (tx: Transaction, id: string): Stored => transition(tx, tx.get('po_', id), 'dispatch');

/** The money has arrived. */
export const depositPayout = (tx: Transaction, id: string): Stored => transition(tx, tx.get('po_', id), 'deposit');
