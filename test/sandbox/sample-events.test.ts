// Every triggered event has real objects, whose ids exist afterwards.

import {describe, expect, test} from 'vitest';
import {EVENT_TYPES} from '../../src/api/events.js';
import {openSandbox} from '../../src/sandbox/sandbox.js';
import {SENT_WITH} from '../../src/commands/webhooks/trigger.js';
import {trigger, TRIGGERABLE} from '../../src/sandbox/sample-events.js';
import {DAY, START, world} from '../support/sandbox/world.js';

const GONE = new Set(['billing_statement.deleted', 'billing_statement_line_item.deleted']);

describe('trigger', () => {
  test.each(TRIGGERABLE)('%s has an existing object', (type) => {
    const sandbox = openSandbox();
    const {event, object} = sandbox.perform((work) => {
      const caused = trigger(work, type);
      const {id, resource} = caused.data as {id: string; resource: string};
      return {event: caused, object: work.store.find(resource, id)};
    });
    expect(event.type).toBe(type);
    expect(object).toBeDefined();
    expect(object!.deleted).toBe(GONE.has(type));
    sandbox.close();
  });

  test('covers all types except those that the sandbox cannot cause', () => {
    expect(EVENT_TYPES.filter((type) => !TRIGGERABLE.includes(type))).toEqual(['payment_intent.awaiting_capture']);
  });

  test('names the event that always comes with another, as requests and payments cause them', async () => {
    const w = world();
    const groups: string[][] = [];
    const record = async <T>(act: () => Promise<T> | T): Promise<T> => {
      const before = w.types().length;
      const result = await act();
      groups.push(w.types().slice(before));
      return result;
    };
    const call = (method: 'POST' | 'PUT', path: string, body?: object) => record(() => w.ok(method, path, body));
    const {id: customer_id} = await w.customer();
    const {id} = await call('POST', '/billing_statements', {customer_id, currency: 'PHP'});
    const line = {description: 'Item', unit_price: 50_000, quantity: 1, billing_statement_id: id};
    const item = await call('POST', '/billing_statement_line_items', line);
    await call('PUT', `/billing_statement_line_items/${item.id}`, {quantity: 2});
    await call('PUT', `/billing_statements/${id}`, {due_at: START + 30 * DAY});
    for (const verb of ['finalize', 'send']) await call('POST', `/billing_statements/${id}/${verb}`);
    await record(() => w.advance(DAY));
    const {payment} = await record(() => w.pay(id));
    const refund = {payment_id: payment!.id, amount: 100, currency: 'PHP', reason: 'others'};
    const {id: refundId} = await call('POST', '/refunds', refund);
    await call('PUT', `/refunds/${refundId}`, {metadata: {a: 'b'}});
    for (const verb of ['void', 'mark_uncollectible'])
      await call('POST', `/billing_statements/${(await w.open()).id}/${verb}`);
    await call('POST', `/checkout_sessions/${(await w.session()).id}/expire`);
    const [session, intent] = [await w.session(), await w.intent()];
    await record(() => w.pay(session.id));
    await record(() => w.pay(intent.id));
    const hold = {payment_method_options: {card: {capture_type: 'manual'}}, payment_methods: ['card']};
    const held = await w.intent(hold);
    await record(() => w.pay(held.id));
    const types = [...new Set(groups.flat())];
    expect(types.length).toBeGreaterThan(13);
    const always = types.flatMap((type) => {
      const sets = groups.filter((group) => group.includes(type));
      const others = types.filter((other) => other !== type && sets.every((set) => set.includes(other)));
      return others.map((other) => [type, other]);
    });
    expect(Object.fromEntries(always)).toEqual(SENT_WITH);
  });

  test('sets the given values', () => {
    const sandbox = openSandbox();
    const event = sandbox.perform((work) =>
      trigger(work, 'billing_statement.paid', {
        set: {amount: 500_000, metadata: {order: '7'}, customer: {name: 'Ana'}},
      }),
    );
    expect(event.data).toMatchObject({
      amount: 500_000,
      metadata: {order: '7'},
      customer: {name: 'Ana'},
      status: 'paid',
    });
    sandbox.close();
  });

  test('uses the given object, and refuses another kind', () => {
    const sandbox = openSandbox();
    const open = sandbox.perform((work) => trigger(work, 'billing_statement.finalized'));
    const {id} = open.data as {id: string};
    const paid = sandbox.perform((work) => trigger(work, 'billing_statement.paid', {from: id}));
    expect(paid.data).toMatchObject({id, status: 'paid'});
    expect(() => sandbox.perform((work) => trigger(work, 'refund.created', {from: id}))).toThrow(/does not fit/);
    sandbox.close();
  });

  test('refuses an unsupported type, and lists the supported ones', () => {
    const sandbox = openSandbox();
    expect(() => sandbox.perform((work) => trigger(work, 'customer.created'))).toThrow(/cannot trigger/);
    sandbox.close();
  });
});
