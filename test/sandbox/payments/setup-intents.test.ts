// Setup intents: a saved method, a failure, an end, and the ids of older sandbox files.

import {expect, test} from 'vitest';
import {createClient} from '../../../src/client/client.js';
import {isPayable, isReceived} from '../../../src/accounting/standing.js';
import {controlOf} from '../../../src/sandbox/control/control.js';
import {recordStanding} from '../../../src/sandbox/record-standing.js';
import {trigger} from '../../../src/sandbox/sample-events.js';
import {world, type World} from '../../support/sandbox/world.js';

async function begun(w: World, fields: object = {}) {
  const {id: customer} = await w.customer();
  const made = await w.ok('POST', '/setup_intents', {customer_id: customer, ...fields});
  return {customer: customer as string, id: made.id as string, made};
}

const read = (w: World, id: string) => w.ok('GET', `/setup_intents/${id}`);
const saved = async (w: World, customer: string) => (await w.ok('GET', `/customers/${customer}/payment_methods`)).data;

test('begins with a link, without a method, and with the whole customer', async () => {
  const w = world();
  const {customer, made} = await begun(w);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^si_\w{32}$/),
    status: 'awaiting_payment_method',
    payment_method_id: null,
    next_action: {type: 'redirect', redirect_url: `${w.sandbox.baseUrl()}/p/${made.client_secret}`},
  });
  expect(made.customer).toEqual(await w.ok('GET', `/customers/${customer}`));
});

test('saves the method, which pays an intent, and says so in an event', async () => {
  const w = world();
  const {customer, id} = await begun(w);
  const paid = w.pay(id, {method: 'maya'});
  const after = await read(w, id);
  expect(paid).toMatchObject({result: 'saved', payment: null, error: null, setup_intent: after});
  expect(after).toMatchObject({status: 'succeeded', next_action: null, payment_method_id: paid.payment_method!.id});
  expect(await saved(w, customer)).toEqual([paid.payment_method]);
  expect(w.events().at(-1)).toMatchObject({
    type: 'setup_intent.succeeded',
    data: after,
    previous_attributes: {status: 'processing'},
  });
  const intent = await w.intent({customer_id: customer, payment_methods: ['maya']});
  await w.ok('POST', `/payment_intents/${intent.id}/attach`, {payment_method_id: paid.payment_method!.id});
  expect(w.pay(intent.id).payment).toMatchObject({status: 'paid', payment_method: {type: 'maya'}});
});

test('a failure saves nothing, and another attempt can succeed', async () => {
  const w = world();
  const {customer, id} = await begun(w);
  expect(w.pay(id, {fail: 'funds_insufficient'})).toMatchObject({
    result: 'failed',
    error: {code: 'funds_insufficient'},
    setup_intent: {status: 'awaiting_payment_method'},
  });
  expect(await saved(w, customer)).toEqual([]);
  expect(w.types()).not.toContain('setup_intent.succeeded');
  expect(Object.keys(await read(w, id))).not.toContain('last_payment_error');
  expect(w.pay(id).result).toBe('saved');
});

test('waits for approval, and is approved by a payer who leaves', async () => {
  const w = world();
  const {customer, id} = await begun(w, {payment_methods: ['gcash']});
  const {pay} = controlOf(w.sandbox);
  expect(pay(id, {outcome: 'awaiting_approval'}).result).toBe('awaiting_next_action');
  expect((await read(w, id)).next_action).not.toBeNull();
  expect(pay(id, {outcome: 'processing'}).result).toBe('processing');
  expect(await read(w, id)).toMatchObject({status: 'processing', next_action: null});
  w.advance(10);
  expect((await read(w, id)).status).toBe('succeeded');
  expect(await saved(w, customer)).toMatchObject([{type: 'gcash'}]);
});

test('refuses a card, and every method once it ended', async () => {
  const w = world();
  const {id} = await begun(w);
  expect(() => w.pay(id, {method: 'card'})).toThrow(`${id} cannot be completed with the card 4242424242424242.`);
  await w.ok('POST', `/setup_intents/${id}/cancel`);
  expect(() => w.pay(id)).toThrow(`${id} cannot be completed.`);
  expect((await w.call('POST', `/setup_intents/${id}/cancel`)).status).toBe(400);
});

test('is never money', async () => {
  const w = world();
  const {id} = await begun(w);
  const standing = () => w.sandbox.perform((tx) => recordStanding(tx, tx.peek(id)!));
  for (const change of [() => {}, () => w.pay(id)]) {
    change();
    expect(isReceived(standing())).toBe(false);
    expect(isPayable(standing())).toBe(false);
    expect(standing()).toMatchObject({received: null, movements: []});
  }
});

test('an id of an older sandbox file works everywhere', async () => {
  const w = world();
  const {id: customer} = await w.customer();
  const id = `seti_${'a'.repeat(32)}`;
  w.sandbox.perform(({store, now}) =>
    store.insert({
      ...{id, resource: 'setup_intent', status: 'awaiting_payment_method', client_secret: `${id}_secret_b`},
      ...{payment_methods: ['gcash', 'maya'], next_action: null, _customer_id: customer},
      ...{livemode: false, created_at: now, updated_at: now},
    }),
  );
  expect(await read(w, id)).toMatchObject({id, payment_method_id: null, next_action: {type: 'redirect'}});
  const client = createClient({key: w.sandbox.keys.secret, transport: w.sandbox.handle});
  expect(await client.setupIntents.get(id as `si_${string}`)).toMatchObject({id, status: 'awaiting_payment_method'});
  expect(w.pay(id)).toMatchObject({result: 'saved', setup_intent: {id, status: 'succeeded'}});
});

test('triggers the event for a given setup intent', async () => {
  const w = world();
  const {id} = await begun(w);
  const event = w.sandbox.perform((tx) => trigger(tx, 'setup_intent.succeeded', {from: id}));
  expect(event.data).toMatchObject({id, status: 'succeeded'});
});
