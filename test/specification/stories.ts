// Objects that tests begin with, created by handwritten requests.

import {createPayout} from '../../src/sandbox/payments/payout-deposits.js';
import {DAY, START, type Service, type Wire} from './service.js';
import {controlOf} from '../../src/sandbox/control/control.js';

export const customer = (api: Service, fields: object = {}): Promise<Wire> =>
  api.ok('POST', '/customers', {name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP', ...fields});

/** A draft with one line item of this unit price, due in ten days. */
export async function draft(api: Service, fields: Wire = {}, unitPrice = 150_000): Promise<Wire> {
  const customerId = fields.customer_id ?? (await customer(api)).id;
  const {id} = await api.ok('POST', '/billing_statements', {currency: 'PHP', ...fields, customer_id: customerId});
  await api.ok('POST', '/billing_statement_line_items', {
    billing_statement_id: id,
    description: 'Web design',
    unit_price: unitPrice,
    quantity: 1,
  });
  return api.ok('PUT', `/billing_statements/${id}`, {due_at: START + 10 * DAY});
}

export async function open(api: Service, fields: Wire = {}): Promise<Wire> {
  return api.ok('POST', `/billing_statements/${(await draft(api, fields)).id}/finalize`);
}

export const intent = (api: Service, fields: object = {}): Promise<Wire> =>
  api.ok('POST', '/payment_intents', {amount: 125_050, currency: 'PHP', ...fields});

/** An intent whose amount is held on a card. */
export async function held(api: Service, amount = 125_050): Promise<Wire> {
  const {id} = await intent(api, {
    amount,
    description: 'Preorder',
    payment_methods: ['card'],
    payment_method_options: {card: {capture_type: 'manual'}},
  });
  return controlOf(api.sandbox).pay(id, {}).payment_intent;
}

export const session = (api: Service, fields: object = {}): Promise<Wire> =>
  api.ok('POST', '/checkout_sessions', {
    currency: 'PHP',
    line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
    ...fields,
  });

/** A payment of a new intent. */
export async function payment(api: Service, fields: object = {}, method = 'card'): Promise<Wire> {
  const {id} = await intent(api, fields);
  return controlOf(api.sandbox).pay(id, {method}).payment;
}

export const webhook = (api: Service, fields: object = {}): Promise<Wire> =>
  api.ok('POST', '/webhooks', {url: 'https://shop.example/hooks', events: ['payment_intent.succeeded'], ...fields});

/** The id of a payout with a payment, a refund and an adjustment; the API has no request to create one. */
export async function payout(api: Service): Promise<string> {
  const paid = await payment(api, {amount: 300_000});
  const destination = {account_name: 'Habi Studio', account_number: '4410', bank_name: 'BPI'};
  return api.sandbox.perform(
    (work) =>
      createPayout(
        work,
        [
          {type: 'payment', id: paid.id, amount: 300_000},
          {type: 'refund', id: `re_${'A'.repeat(32)}`, amount: -50_000},
          {type: 'adjustment', id: null, amount: -25_000},
        ],
        destination,
      ).id,
  );
}
