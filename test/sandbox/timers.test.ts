// Timers: they run at their due time, in order, and only while they apply.

import {expect, test} from 'vitest';
import {openSandbox} from '../../src/sandbox/sandbox.js';
import {DAY, START, world} from '../support/sandbox/world.js';

test('a statement is announced five days before its due time, and overdue at it', async () => {
  const w = world();
  const {id, due_at: due, updated_at: updated} = await w.open();
  w.advance(5 * DAY - 1);
  expect(w.types()).not.toContain('billing_statement.will_be_due');
  w.advance(1);
  expect(w.events().at(-1)).toMatchObject({
    type: 'billing_statement.will_be_due',
    created_at: due - 432_000,
    previous_attributes: {},
    data: {id, status: 'open'},
  });
  w.advance(30 * DAY);
  expect(w.events().at(-1)).toMatchObject({
    type: 'billing_statement.overdue',
    created_at: due,
    previous_attributes: {},
    data: {id, status: 'open', updated_at: updated},
  });
  expect(w.pay(id).result).toBe('paid');
});

test('one long step gives the same events as many short ones', async () => {
  const told = async (steps: number) => {
    const w = world();
    await w.open();
    await w.session();
    await w.session({expires_at: START + 12 * DAY});
    w.pay((await w.intent({payment_method_options: {card: {capture_type: 'manual'}}})).id);
    for (let step = 0; step < steps; step += 1) w.advance((20 * DAY) / steps);
    return w.events().map(({type, created_at}) => [type, created_at - START]);
  };
  const [whole, parts] = [await told(1), await told(40)];
  expect(whole).toEqual(parts);
  expect(whole.slice(-4)).toEqual([
    ['checkout_session.expired', DAY],
    ['billing_statement.will_be_due', 5 * DAY],
    ['billing_statement.overdue', 10 * DAY],
    ['checkout_session.expired', 12 * DAY],
  ]);
});

test('times before finalization emit no events', async () => {
  const w = world();
  const {id} = await w.draft();
  await w.ok('PUT', `/billing_statements/${id}`, {due_at: START + DAY});
  await w.ok('POST', `/billing_statements/${id}/finalize`);
  w.advance(2 * DAY);
  expect(w.types()).not.toContain('billing_statement.will_be_due');
  expect(w.types()).toContain('billing_statement.overdue');
  const late = await w.draft();
  await w.ok('PUT', `/billing_statements/${late.id}`, {due_at: START});
  await w.ok('POST', `/billing_statements/${late.id}/finalize`);
  w.advance(2 * DAY);
  expect(w.types().filter((type) => type === 'billing_statement.overdue')).toHaveLength(1);
});

test('a paid, voided or uncollectible statement emits no events', async () => {
  const w = world();
  w.pay((await w.open()).id);
  await w.ok('POST', `/billing_statements/${(await w.open()).id}/void`);
  await w.ok('POST', `/billing_statements/${(await w.open()).id}/mark_uncollectible`);
  w.advance(30 * DAY);
  expect(w.types().filter((type) => type.endsWith('due'))).toEqual([]);
});

test('a session expires after a day by default, and its intent with it', async () => {
  const w = world();
  const {id, expires_at: expires} = await w.session();
  expect(expires).toBe(START + DAY);
  w.advance(DAY - 1);
  expect((await w.ok('GET', `/checkout_sessions/${id}`)).status).toBe('active');
  w.advance(1);
  expect(await w.ok('GET', `/checkout_sessions/${id}`)).toMatchObject({
    status: 'expired',
    updated_at: expires,
    payment_intent: {status: 'canceled'},
  });
  expect(() => w.pay(id)).toThrow(/cannot be paid/);
});

test('a hold that is not captured within seven days is released', async () => {
  const w = world();
  const {id} = await w.intent({payment_method_options: {card: {capture_type: 'manual'}}});
  w.pay(id);
  w.advance(7 * DAY - 1);
  expect((await w.ok('GET', `/payment_intents/${id}`)).status).toBe('awaiting_capture');
  w.advance(1);
  expect(await w.ok('GET', `/payment_intents/${id}`)).toMatchObject({status: 'canceled', amount_capturable: 0});
  expect((await w.call('POST', `/payment_intents/${id}/capture`, {amount: 125_050})).status).toBe(400);
});

test('a captured hold is not released', async () => {
  const w = world();
  const {id} = await w.intent({payment_method_options: {card: {capture_type: 'manual'}}});
  w.pay(id);
  await w.ok('POST', `/payment_intents/${id}/capture`, {amount: 125_050});
  w.advance(8 * DAY);
  expect((await w.ok('GET', `/payment_intents/${id}`)).status).toBe('succeeded');
});

test('real time has the same effect as moving the clock', async () => {
  let now = START;
  const w = world({now: () => now});
  const {id} = await w.session();
  now += DAY;
  expect((await w.ok('GET', `/checkout_sessions/${id}`)).status).toBe('expired');
});

test('the clock only moves forward, and a reset restores it', async () => {
  const w = world();
  await w.session();
  w.advance(DAY);
  const why = 'It is already at 2027-01-16T16:00:00+08:00.';
  expect(() => w.advance(-1)).toThrow(expect.objectContaining({details: expect.objectContaining({why})}));
  w.sandbox.reset();
  expect(w.sandbox.now()).toBe(START);
  expect((await w.ok('GET', '/checkout_sessions')).data).toEqual([]);
  w.advance(3 * DAY);
  expect(w.events()).toEqual([]);
});

test.each<[unknown, string]>([
  ['3d', '3d is not a whole number of seconds.'],
  [1.5, '1.5 is not a whole number of seconds.'],
  [Number.NaN, 'NaN is not a whole number of seconds.'],
  [new Date(1000), `${new Date(1000)} is not a whole number of seconds.`],
])('the clock is not moved by or to %s', (value, message) => {
  const {sandbox} = world();
  for (const move of [sandbox.advanceClock, sandbox.setClock])
    expect(() => move(value as number)).toThrow(expect.objectContaining({kind: 'usage', message}));
  expect(sandbox.now()).toBe(START);
});

test('a set clock shows the exact time, even if the real clock ticks', () => {
  let outside = START;
  const sandbox = openSandbox({now: () => outside++});
  expect(sandbox.advanceClock(3 * DAY).ahead).toBe(3 * DAY);
  expect(sandbox.clock().ahead).toBe(3 * DAY);
  expect(sandbox.setClock(START + 9 * DAY).now).toBe(START + 9 * DAY);
  const {now, ahead} = sandbox.clock();
  expect(now - ahead).toBe(outside - 1);
  sandbox.close();
});
