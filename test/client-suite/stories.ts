// Objects that the client tests begin with.

import type {Client} from '../../src/client/client.js';
import {DAY, START, type Wire} from './suite.js';

export const customer = (client: Client, fields: object = {}): Promise<Wire> =>
  client.customers.create({name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP', ...fields});

/** A draft with one item and a due time. */
export async function draft(client: Client, fields: Wire = {}): Promise<Wire> {
  const customer_id = fields.customer_id ?? (await customer(client)).id;
  const {id} = await client.billingStatements.create({currency: 'PHP', ...fields, customer_id});
  await client.billingStatementLineItems.create({
    billing_statement_id: id,
    description: 'Web design',
    unit_price: 150_000,
    quantity: 1,
  });
  return client.billingStatements.update(id, {due_at: START + 10 * DAY});
}

export const open = async (client: Client, fields: object = {}): Promise<Wire> =>
  client.billingStatements.finalize((await draft(client, fields)).id);

export const session = (client: Client, fields: object = {}): Promise<Wire> =>
  client.checkoutSessions.create({
    currency: 'PHP',
    line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
    success_url: 'https://shop.example/thanks?order=1&x=2',
    cancel_url: 'https://shop.example/cart',
    ...fields,
  });

export const webhook = (client: Client, fields: object = {}): Promise<Wire> =>
  client.webhooks.create({url: 'https://shop.example/hooks', events: ['payment_intent.succeeded'], ...fields});
