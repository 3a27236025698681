// Actions of payment intents, from creation to capture, and payment with a saved payment method.

import {requireStatus, transition} from '../lifecycle.js';
import {instrumentOf, whyNotAccepted} from '../payments/instruments.js';
import {attemptPayment, collectPayment, createIntent, redirect} from '../payments/intents.js';
import {aboveMaximum, invalidParameter, invalidState} from '../api-problems.js';
import type {PaymentMethodOptions} from '../../api/types.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {type Actions, metadataOf} from './action.js';

const intentOf = (tx: Transaction, id: string | undefined) => tx.get('pi_', id!) as IntentRecord;

function requireStandalone({id, _source_id: source}: IntentRecord): void {
  if (source) throw invalidState(`The payment intent ${id} belongs to ${source}, and can be changed only through it.`);
}

export const paymentIntentActions: Actions = {
  create: (tx, {params}) => {
    if (params.customer_id) tx.get('cus_', params.customer_id as string);
    return createIntent(tx, {
      amount: params.amount as number,
      customerId: params.customer_id as string | null | undefined,
      description: params.description,
      metadata: metadataOf(params),
      methods: params.payment_methods,
      options: params.payment_method_options as PaymentMethodOptions | null | undefined,
      descriptor: params.statement_descriptor,
    });
  },

  get: (tx, {ids: [id], params}) => {
    const intent = intentOf(tx, id);
    if (params.client_secret && params.client_secret !== intent.client_secret)
      throw invalidParameter('client_secret', 'The client secret does not belong to this payment intent.');
    return intent;
  },

  update: (tx, {ids: [id], params}) => {
    const intent = intentOf(tx, id);
    requireStandalone(intent);
    if (params.customer_id) tx.get('cus_', params.customer_id as string);
    return transition(tx, intent, 'update', {
      ...(typeof params.amount === 'number' && {amount: params.amount}),
      ...(params.customer_id !== undefined && {_customer_id: params.customer_id}),
      ...(params.description !== undefined && {description: params.description}),
    });
  },

  cancel: (tx, {ids: [id]}) => {
    const intent = intentOf(tx, id);
    requireStandalone(intent);
    return transition(tx, intent, 'cancel');
  },

  capture: (tx, {ids: [id], params}) => {
    const intent = intentOf(tx, id);
    requireStatus(intent, 'capture');
    const amount = params.amount as number;
    if (amount > intent.amount_capturable) throw aboveMaximum('amount', intent.amount_capturable);
    collectPayment(tx, intent, amount);
    return intent;
  },

  attach: (tx, {ids: [id], params}) => {
    const intent = intentOf(tx, id);
    requireStatus(intent, 'attach');
    const method = tx.get('pm_', params.payment_method_id as string) as MethodRecord;
    if (!method.customer_id || method.customer_id !== intent._customer_id)
      throw invalidParameter(
        'payment_method_id',
        'The payment method does not belong to the customer of this payment intent.',
      );
    const instrument = instrumentOf(method);
    const reason = whyNotAccepted(intent, instrument);
    if (reason) throw invalidParameter('payment_method_id', reason);
    if (instrument.card) attemptPayment(tx, intent, instrument, undefined);
    else redirect(tx, intent, method);
    return intent;
  },
};
