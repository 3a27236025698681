// Part of the client suite: customers, statements, webhooks and sessions from creation to their end.

import {describe, expect, test} from 'vitest';
import {customer, draft, open, session, webhook} from './stories.js';
import {DAY, START, type Start} from './suite.js';
import {controlOf} from '../../src/sandbox/control/control.js';

export function resources(start: Start): void {
  test('a customer is created, read, updated and deleted', async () => {
    const {client} = await start();
    const made = await client.customers.create({
      name: 'Juan Dela Cruz',
      email: 'juan@example.com',
      currency: 'PHP',
      billing_statement_prefix: 'JUAN',
      next_billing_statement_sequence_number: 12,
    });
    expect(made).toMatchObject({resource: 'customer', name: 'Juan Dela Cruz', billing_statement_prefix: 'JUAN'});
    expect(await client.customers.get(made.id)).toEqual(made);
    const changed = await client.customers.update(made.id, {email: 'juan.dc@example.com'});
    expect(changed).toEqual({...made, email: 'juan.dc@example.com'});
    const tombstone = {id: made.id, resource: 'customer', deleted: true};
    expect(await client.customers.delete(made.id)).toEqual(tombstone);
    expect(await client.customers.get(made.id)).toEqual(tombstone);
  });

  describe('a billing statement', () => {
    test('goes from a draft to paid', async () => {
      const {client, sandbox} = await start();
      const {id: customer_id} = await customer(client, {billing_statement_prefix: 'SARI'});
      const {id, ...made} = await client.billingStatements.create({customer_id, currency: 'PHP'});
      expect(made).toMatchObject({status: 'draft', amount: 0, billing_statement_number: 'SARI-0001'});
      const item = await client.billingStatementLineItems.create({
        billing_statement_id: id,
        description: 'Hosting',
        unit_price: 50_000,
        quantity: 2,
      });
      const other = await client.billingStatementLineItems.create({
        billing_statement_id: id,
        description: 'Domain',
        unit_price: 99_900,
        quantity: 1,
      });
      expect(await client.billingStatementLineItems.update(item.id, {quantity: 3})).toEqual({...item, quantity: 3});
      expect(await client.billingStatementLineItems.delete(other.id)).toEqual({
        id: other.id,
        resource: 'billing_statement_line_item',
        deleted: true,
      });
      const due_at = START + 10 * DAY;
      expect(await client.billingStatements.update(id, {due_at})).toMatchObject({amount: 150_000, due_at});
      const opened = await client.billingStatements.finalize(id);
      expect(opened).toMatchObject({status: 'open', payment_intent: {id: expect.stringMatching(/^pi_/)}});
      expect(await client.billingStatements.send(id)).toBeUndefined();
      expect(await client.billingStatements.get(id)).toEqual(opened);
      controlOf(sandbox).pay(id, {method: 'gcash'});
      expect(await client.billingStatements.get(id)).toMatchObject({status: 'paid', url: null});
    });

    test('is deleted as a draft, and voided or marked uncollectible when open', async () => {
      const {client} = await start();
      const {id} = await draft(client);
      const deleted = await client.billingStatements.delete(id);
      expect(deleted).toEqual({id, resource: 'billing_statement', deleted: true});
      expect(await client.billingStatements.void((await open(client)).id)).toMatchObject({status: 'void'});
      const given = await client.billingStatements.markUncollectible((await open(client)).id);
      expect(given).toMatchObject({resource: 'billing_statement', status: 'uncollectible'});
    });

    test('ignores a due time sent on creation', async () => {
      const {client} = await start();
      const {id: customer_id} = await customer(client);
      const made = await client.billingStatements.create({customer_id, currency: 'PHP', due_at: START + DAY});
      expect(made.due_at).toBeNull();
    });
  });

  test('a webhook is created, read, updated, disabled, enabled and deleted', async () => {
    const {client} = await start();
    const made = await webhook(client, {description: 'Orders'});
    expect(made).toMatchObject({status: 'enabled', secret_key: expect.stringMatching(/^whsk_/)});
    expect(await client.webhooks.get(made.id)).toEqual(made);
    const events = ['refund.created', 'some.new_kind'];
    expect(await client.webhooks.update(made.id, {events})).toEqual({...made, events});
    expect(await client.webhooks.disable(made.id)).toEqual({...made, events, status: 'disabled'});
    expect(await client.webhooks.enable(made.id)).toEqual({...made, events});
    expect(await client.webhooks.delete(made.id)).toEqual({id: made.id, resource: 'webhook', deleted: true});
  });

  test('a checkout session is created, read and expired', async () => {
    const {client} = await start();
    const made = await session(client);
    expect(made).toMatchObject({status: 'active', amount: 90_000, expires_at: START + DAY});
    expect(made.success_url).toBe('https://shop.example/thanks?order=1&x=2');
    expect(await client.checkoutSessions.get(made.id)).toEqual(made);
    expect(await client.checkoutSessions.expire(made.id)).toMatchObject({
      id: made.id,
      status: 'expired',
      payment_intent: {status: 'canceled'},
    });
  });

  test('a customer session is created and read, and expires', async () => {
    const {client, sandbox} = await start();
    const {id: customer_id} = await customer(client);
    const made = await client.customerSessions.create({customer_id});
    expect(made).toMatchObject({resource: 'customer_session', customer: {id: customer_id}, expired: false});
    expect(await client.customerSessions.get(made.id)).toEqual(made);
    sandbox.setClock(START + DAY);
    expect(await client.customerSessions.get(made.id)).toEqual({...made, expired: true});
  });

  test('a setup intent is created, read and canceled', async () => {
    const {client} = await start();
    const {id: customer_id} = await customer(client);
    const made = await client.setupIntents.create({customer_id, payment_methods: ['gcash'], metadata: {a: 'b'}});
    expect(made).toMatchObject({status: 'awaiting_payment_method', payment_methods: ['gcash'], metadata: {a: 'b'}});
    expect(await client.setupIntents.get(made.id)).toEqual(made);
    expect(await client.setupIntents.cancel(made.id)).toEqual({...made, status: 'canceled', next_action: null});
  });
}
