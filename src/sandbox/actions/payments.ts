// Actions of payments, refunds and payouts.

import {aboveMaximum, invalidParameter, invalidState} from '../api-problems.js';
import type {PaymentRecord} from '../record-types.js';
import {type Actions, givenMetadata, metadataOf, listPage} from './action.js';

export const paymentActions: Actions = {
  get: (tx, {ids: [id]}) => tx.get('pay_', id!),

  update: (tx, {ids: [id], params}) => {
    const payment = tx.get('pay_', id!);
    tx.change(payment, {
      ...(params.description !== undefined && {description: params.description || null}),
      ...givenMetadata(params),
    });
    return payment;
  },
};

export const refundActions: Actions = {
  create: (tx, {params}) => {
    const payment = tx.get('pay_', params.payment_id as string) as PaymentRecord;
    const amount = params.amount as number;
    const refundable = payment.amount - payment.amount_refunded;
    if (payment.status !== 'paid')
      throw invalidState(`The payment ${payment.id} is ${payment.status}; it must be paid.`);
    if (payment.payment_method.type === 'qrph')
      throw invalidParameter('payment_id', 'Payments by QR Ph cannot be refunded.');
    if (refundable === 0) throw invalidState(`The payment ${payment.id} is already refunded in full.`);
    if (amount > refundable) throw aboveMaximum('amount', refundable);
    const refund = tx.create('re_', {
      amount,
      currency: 'PHP',
      status: 'succeeded',
      reason: params.reason,
      description: params.description ?? null,
      remarks: params.remarks ?? null,
      payment_id: payment.id,
      metadata: metadataOf(params),
    });
    tx.change(payment, {amount_refunded: payment.amount_refunded + amount, refunded: true});
    tx.emit('refund.created', refund);
    return refund;
  },

  update: (tx, {ids: [id], params}) => {
    const refund = tx.get('re_', id!);
    tx.change(refund, givenMetadata(params));
    // Without previous attributes, as recorded.
    tx.emit('refund.updated', refund);
    return refund;
  },
};

export const payoutActions: Actions = {
  'list-transactions': (tx, {ids: [id], params}) => {
    const payout = tx.get('po_', id!);
    return listPage(tx, 'payout_transaction', params, (record) => record._payout_id === payout.id);
  },
};
