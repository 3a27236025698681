// Responses have the shape of recorded ones, plus every field of the specification.

import {expect, test} from 'vitest';
import {createPayout} from '../../src/sandbox/payments/payout-deposits.js';
import * as parts from './recorded/parts.js';
import {differences} from './recorded/shapes.js';
import {world, type Wire, type World} from '../support/sandbox/world.js';

const address = {line1: '1 A St', city: 'Pasay', state: 'NCR', postal_code: '1300', country: 'PH'};
const withContact = {billing_details: {phone: '+639170000000', address}};

const paid = {
  ...parts.intent,
  latest_payment: {...parts.deliveredPayment, ...parts.paymentInResponses},
  payment_method_id: 'pm_A1',
};

const refund = async (w: World, more: object = {}): Promise<Wire> => {
  const payment = w.pay((await w.intent()).id).payment!;
  return w.ok('POST', '/refunds', {payment_id: payment.id, amount: 10_000, currency: 'PHP', reason: 'others', ...more});
};

const ANSWERS: Record<string, [make: (w: World) => Promise<Wire>, form: object]> = {
  'a customer': [(w) => w.customer(), parts.customer],
  'a customer with billing details': [(w) => w.customer(withContact), {...parts.customer, billing: parts.contact}],
  'an empty draft': [
    async (w) => w.ok('POST', '/billing_statements', {customer_id: (await w.customer()).id, currency: 'PHP'}),
    parts.statement,
  ],
  'an open statement': [
    (w) => w.open(),
    {
      ...parts.statement,
      ...{due_at: 1, finalized_at: 1, url: 'http://a', line_items: [parts.lineItem]},
      payment_intent: {...parts.intent, description: 'Website', customer: parts.customer},
    },
  ],
  'a void statement': [
    async (w) => w.ok('POST', `/billing_statements/${(await w.open()).id}/void`),
    {
      ...parts.statement,
      ...{due_at: 1, finalized_at: 1, line_items: [parts.lineItem]},
      payment_intent: {...parts.intent, description: 'Website', customer: parts.customer},
    },
  ],
  'a line item': [
    async (w) => w.ok('PUT', `/billing_statement_line_items/${(await w.draft()).line_items[0].id}`, {quantity: 2}),
    parts.lineItem,
  ],
  'a checkout session': [(w) => w.session(), parts.session],
  'a checkout session of a customer': [
    async (w) => w.session({customer_id: (await w.customer(withContact)).id}),
    {
      ...parts.session,
      customer_id: 'cus_A1',
      customer: {...parts.sessionCustomer, billing: parts.contact},
      payment_intent: {...parts.intent, customer: {...parts.customer, billing: parts.contact}},
    },
  ],
  'an expired checkout session': [
    async (w) => w.ok('POST', `/checkout_sessions/${(await w.session()).id}/expire`),
    parts.session,
  ],
  'a payment intent': [(w) => w.intent(), parts.intent],
  'a payment intent with an empty description': [
    (w) => w.intent({description: ''}),
    {...parts.intent, description: ''},
  ],
  'a payment intent of a customer': [
    async (w) => w.intent({customer_id: (await w.customer()).id}),
    {...parts.intent, customer: parts.customer},
  ],
  'a payment intent that was paid': [async (w) => w.pay((await w.intent()).id).payment_intent, paid],
  'a payment without a customer': [async (w) => w.pay((await w.intent()).id).payment!, parts.payment],
  'a payment of a customer': [
    async (w) => w.pay((await w.intent({customer_id: (await w.customer(withContact)).id})).id).payment!,
    {...parts.payment, customer: {...parts.customer, billing: parts.contact}},
  ],
  'a payment by GCash': [
    async (w) => w.pay((await w.intent()).id, {method: 'gcash'}).payment!,
    {...parts.payment, payment_method: {type: 'gcash', payment_method_type: 'gcash'}},
  ],
  'a payment by Maya': [
    async (w) => w.pay((await w.intent()).id, {method: 'maya'}).payment!,
    {...parts.payment, payment_method: {type: 'maya'}},
  ],
  'a customer session': [
    async (w) => w.ok('POST', '/customer_sessions', {customer_id: (await w.customer()).id}),
    parts.customerSession,
  ],
  'a refund without a text': [(w) => refund(w), parts.refund],
  'a refund with an empty text': [(w) => refund(w, {description: ''}), {...parts.refund, description: ''}],
  'a webhook': [
    (w) => w.ok('POST', '/webhooks', {url: 'https://a.example', events: ['refund.created'], description: 'Orders'}),
    parts.webhook,
  ],
  'a page of webhooks': [
    async (w) => {
      await w.ok('POST', '/webhooks', {url: 'https://a.example', events: ['refund.created']});
      return w.ok('GET', '/webhooks');
    },
    {resource: 'list', has_more: false, data: [{...parts.webhook, description: null}]},
  ],
  'the transactions of a payout': [
    async (w) => {
      const movements = [
        {type: 'payment', id: 'pay_A1', amount: 10_000},
        {type: 'adjustment', id: null, amount: -500},
      ] as const;
      const destination = {account_name: 'A', account_number: '1', bank_name: 'B'};
      const {id} = w.sandbox.perform((work) => createPayout(work, movements, destination));
      return w.ok('GET', `/payouts/${id}/transactions`);
    },
    {
      resource: 'list',
      has_more: false,
      data: [{...parts.payoutTransaction, transaction_id: null}, parts.payoutTransaction],
    },
  ],
  'a refusal that names a parameter': [
    async (w) => (await w.call('POST', '/payment_intents', {currency: 'PHP'})).body,
    {errors: [{code: 'parameter_required', detail: 'A.', parameter: 'amount'}]},
  ],
  'a refusal of an unknown id': [
    async (w) => (await w.call('GET', '/payment_intents/pi_A1')).body,
    {errors: [{code: 'resource_not_found', detail: 'A.'}]},
  ],
};

test.each(Object.entries(ANSWERS))('%s', async (_name, [make, form]) => {
  expect(differences(form, await make(world()))).toEqual([]);
});
