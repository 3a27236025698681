// Payments, and what becomes of their money: refunds and payouts.

import {invalidParameter, invalidState} from '../problems.js';
import type {PaymentRecord} from '../record-types.js';
import {givenMetadata, metadataOf, page, type Actions} from './action.js';
import {aboveMaximum} from './amounts.js';

export const payments: Actions = {
  get: (work, {ids: [id]}) => work.get('pay_', id!),

  update: (work, {ids: [id], params}) => {
    const payment = work.get('pay_', id!);
    work.change(payment, {
      ...(params.description !== undefined && {description: params.description || null}),
      ...givenMetadata(params),
    });
    return payment;
  },
};

export const refunds: Actions = {
  create: (work, {params}) => {
    const payment = work.get('pay_', params.payment_id as string) as PaymentRecord;
    const amount = params.amount as number;
    const left = payment.amount - payment.amount_refunded;
    if (payment.status !== 'paid')
      throw invalidState(`The payment ${payment.id} is ${payment.status}; this needs it to be paid.`);
    if (payment.payment_method.type === 'qrph')
      throw invalidParameter('payment_id', 'Payments by QR Ph cannot be refunded.');
    if (left === 0) throw invalidState(`The payment ${payment.id} is refunded in full.`);
    if (amount > left) throw aboveMaximum('amount', left);
    const refund = work.create('re_', {
      amount,
      currency: 'PHP',
      status: 'succeeded',
      reason: params.reason,
      description: params.description ?? null,
      remarks: params.remarks ?? null,
      payment_id: payment.id,
      metadata: metadataOf(params),
    });
    work.change(payment, {amount_refunded: payment.amount_refunded + amount, refunded: true});
    work.emit('refund.created', refund);
    return refund;
  },

  update: (work, {ids: [id], params}) => {
    const refund = work.get('re_', id!);
    const previous = work.change(refund, givenMetadata(params));
    work.emit('refund.updated', refund, previous);
    return refund;
  },
};

export const payouts: Actions = {
  'list-transactions': (work, {ids: [id], params}) => {
    const payout = work.get('po_', id!);
    return page(work, 'payout_transaction', params, (record) => record._payout_id === payout.id);
  },
};
