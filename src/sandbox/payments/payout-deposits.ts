// Creates payouts, which no operation of the API does. Timers deposit the payouts.

import type {StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';

/** A transaction of a payout. Amounts are in centavos, negative for refunds. */
export interface PayoutMovement {
  readonly type: 'adjustment' | 'payment' | 'refund';
  /** Id of the payment or refund; null for an adjustment. */
  readonly id: string | null;
  readonly amount: number;
}

export interface Destination {
  readonly account_name: string;
  readonly account_number: string;
  readonly bank_name: string;
}

/** Seconds from creation to transit and to deposit; assumed. */
const DISPATCH = 86_400;
const ARRIVAL = 4 * 86_400;

/** Sets net amounts to the amounts, because test mode has no fees. */
export function createPayout(
  tx: Transaction,
  movements: readonly PayoutMovement[],
  destination: Destination,
): StoredRecord {
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
