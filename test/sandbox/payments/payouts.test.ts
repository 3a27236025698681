// Payouts: timers dispatch and deposit them.

import {expect, test} from 'vitest';
import {trigger} from '../../../src/sandbox/sample-events.js';
import {receiver, webhook} from '../../support/sandbox/receiver.js';
import {DAY, START, world} from '../../support/sandbox/world.js';

test('a payout is dispatched after a day and deposited after four, each at its due time', async () => {
  const w = world();
  const hook = await receiver();
  await webhook(w, hook.url, 'payout.created', 'payout.deposited');
  const {data} = w.sandbox.perform((work) => trigger(work, 'payout.created')) as unknown as {data: {id: string}};
  const status = () => w.sandbox.perform((work) => work.get('po_', data.id).status);
  expect(status()).toBe('pending');
  w.advance(DAY);
  expect(status()).toBe('in_transit');
  w.advance(30 * DAY);
  expect(status()).toBe('successful');
  await w.sandbox.deliverDue();
  expect(hook.arrivals.map(({event}) => [event.type, event.created_at - START, event.previous_attributes])).toEqual([
    ['payout.created', 0, {}],
    ['payout.deposited', 4 * DAY, {status: 'in_transit'}],
  ]);
});

test('a deposited payout does not change', () => {
  const w = world();
  w.sandbox.perform((work) => trigger(work, 'payout.deposited'));
  w.advance(30 * DAY);
  expect(w.types().filter((type) => type === 'payout.deposited')).toHaveLength(1);
});
