// Every triggered event has real objects, whose ids exist afterwards.

import {describe, expect, test} from 'vitest';
import {EVENT_TYPES} from '../../src/api/events.js';
import {openSandbox} from '../../src/sandbox/sandbox.js';
import {trigger, TRIGGERABLE} from '../../src/sandbox/sample-events.js';

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
