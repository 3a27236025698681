// Part of the client suite: intents, payments, saved payment methods, refunds and payouts.

import {describe, expect, test} from 'vitest';
import {createPayout} from '../../src/sandbox/payments/payout-deposits.js';
import {customer, open} from './stories.js';
import type {Start, Wire} from './suite.js';
import {controlOf} from '../../src/sandbox/control/control.js';

export function money(start: Start): void {
  describe('a payment intent', () => {
    test('is created, read, updated and canceled', async () => {
      const {client} = await start();
      const made = await client.paymentIntents.create({amount: 125_050, currency: 'PHP', description: 'Deposit'});
      expect(made).toMatchObject({status: 'awaiting_payment_method', amount: 125_050, description: 'Deposit'});
      expect(await client.paymentIntents.get(made.id)).toEqual(made);
      const changed = await client.paymentIntents.update(made.id, {amount: 130_000, description: 'Balance'});
      expect(changed).toEqual({...made, amount: 130_000, description: 'Balance'});
      expect(await client.paymentIntents.cancel(made.id)).toEqual({...changed, status: 'canceled'});
    });

    test('holds an amount on a card, of which part is captured', async () => {
      const {client, sandbox} = await start();
      const {id} = await client.paymentIntents.create({
        amount: 125_050,
        currency: 'PHP',
        payment_methods: ['card'],
        payment_method_options: {card: {capture_type: 'manual'}},
      });
      controlOf(sandbox).pay(id, {});
      expect(await client.paymentIntents.get(id)).toMatchObject({
        status: 'awaiting_capture',
        amount_capturable: 125_050,
      });
      expect(await client.paymentIntents.capture(id, {amount: 100_000})).toMatchObject({
        status: 'succeeded',
        amount_received: 100_000,
        latest_payment: {amount: 100_000},
      });
    });

    test('is returned to a public key with its client secret, with fewer fields', async () => {
      const {client, connect, sandbox} = await start();
      const made = await client.paymentIntents.create({amount: 2000, currency: 'PHP', metadata: {a: 'b'}});
      const browser = connect({key: sandbox.keys.public});
      const told = await browser.paymentIntents.get(made.id, {client_secret: made.client_secret});
      expect(told).toMatchObject({id: made.id, status: 'awaiting_payment_method', amount: 2000});
      expect(told).not.toHaveProperty('metadata');
    });

    test('reports a failed attempt, then the payment', async () => {
      const {client, sandbox} = await start();
      const {id} = await client.paymentIntents.create({amount: 2000, currency: 'PHP', metadata: {'Order ID': 'ñ 1'}});
      controlOf(sandbox).pay(id, {fail: 'funds_insufficient'});
      const failed = await client.paymentIntents.get(id);
      expect(failed).toMatchObject({status: 'awaiting_payment_method', latest_payment: null});
      expect(failed.last_payment_error).toMatchObject({code: 'funds_insufficient'});
      controlOf(sandbox).pay(id, {});
      const {latest_payment: latest} = (await client.paymentIntents.get(id)) as Wire;
      const payment = await client.payments.get(latest.id);
      expect(payment).toMatchObject({status: 'paid', amount: 2000, metadata: {'Order ID': 'ñ 1'}});
      const changed = await client.payments.update(latest.id, {description: 'Paid & done', metadata: {till: '3'}});
      expect(changed).toEqual({...payment, description: 'Paid & done', metadata: {till: '3'}});
    });
  });

  test('a saved payment method is listed, attached, and removed', async () => {
    const {client, sandbox} = await start();
    const {id, customer_id: customerId} = await open(client, {setup_future_usage: 'off_session'});
    controlOf(sandbox).pay(id, {});
    const {data} = await client.customers.listPaymentMethods(customerId);
    expect(data).toMatchObject([{resource: 'payment_method', type: 'card', customer_id: customerId}]);
    const made = await client.paymentIntents.create({amount: 2000, currency: 'PHP', customer_id: customerId});
    const paid = await client.paymentIntents.attach(made.id, {payment_method_id: data[0]!.id});
    expect(paid).toMatchObject({status: 'succeeded', payment_method_id: data[0]!.id});
    const remains = await client.customers.deletePaymentMethod(customerId, data[0]!.id);
    expect(remains).toEqual({id: data[0]!.id, resource: 'payment_method', deleted: true});
    expect((await client.customers.listPaymentMethods(customerId)).data).toEqual([]);
  });

  test('a payment is refunded in parts, and each refund can be updated', async () => {
    const {client, sandbox} = await start();
    const intent = await client.paymentIntents.create({amount: 10_000, currency: 'PHP'});
    const payment_id = String(controlOf(sandbox).pay(intent.id, {}).payment!.id);
    const refund = await client.refunds.create({
      payment_id,
      amount: 4000,
      currency: 'PHP',
      reason: 'others',
      remarks: 'Arrived “a week” late & wet',
      metadata: {ticket: '1'},
    });
    expect(refund).toMatchObject({
      resource: 'refund',
      status: 'succeeded',
      amount: 4000,
      remarks: 'Arrived “a week” late & wet',
    });
    expect(await client.refunds.update(refund.id, {metadata: {ticket: '2'}})).toEqual({
      ...refund,
      metadata: {ticket: '2'},
    });
    await client.refunds.create({payment_id, amount: 6000, currency: 'PHP', reason: 'fraudulent'});
    expect(await client.payments.get(payment_id)).toMatchObject({refunded: true, amount_refunded: 10_000});
  });

  test('lists the transactions of a payout, with negative amounts and missing ids', async () => {
    const {client, sandbox} = await start();
    const {id: customer_id} = await customer(client);
    const intent = await client.paymentIntents.create({amount: 10_000, currency: 'PHP', customer_id});
    const paid = String(controlOf(sandbox).pay(intent.id, {}).payment!.id);
    const bank = {account_name: 'Habi Studio', account_number: '4410', bank_name: 'BPI'};
    const movements = [
      {type: 'payment', id: paid, amount: 10_000},
      {type: 'adjustment', id: null, amount: -2500},
    ] as const;
    const {id} = sandbox.perform((work) => createPayout(work, movements, bank));
    const page = await client.payouts.listTransactions(id);
    expect(page).toMatchObject({
      has_more: false,
      data: [
        {transaction_type: 'adjustment', transaction_id: null, amount: -2500},
        {transaction_type: 'payment', transaction_id: paid, amount: 10_000},
      ],
    });
    const all: unknown[] = [];
    for await (const transaction of client.payouts.listTransactions(id, {limit: 1})) all.push(transaction);
    expect(all).toEqual(page.data);
  });
}
