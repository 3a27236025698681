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

/** A refund returns no fee, as recorded, so that only payments have another net amount. */
export function createPayout(
  tx: Transaction,
  movements: readonly PayoutMovement[],
  destination: Destination,
): StoredRecord {
  const transactions = movements.map(({type, id, amount}) => ({
    amount,
    net_amount: type === 'payment' ? ((tx.peek(id)?.net_amount as number | undefined) ?? amount) : amount,
    transaction_type: type,
    transaction_id: id,
  }));
  const sum = (name: 'amount' | 'net_amount'): number => transactions.reduce((total, each) => total + each[name], 0);
  const payout = tx.create('po_', {
    amount: sum('amount'),
    net_amount: sum('net_amount'),
    status: 'pending',
    destination,
  });
  for (const transaction of transactions) {
    const fields = {...transaction, _payout_id: payout.id};
    tx.create('po_txn_', fields, payout.id);
  }
  tx.store.schedule({at: tx.now + DISPATCH, kind: 'payout-dispatch', id: payout.id});
  tx.store.schedule({at: tx.now + ARRIVAL, kind: 'payout-deposit', id: payout.id});
  tx.emit('payout.created', payout);
  return payout;
}
