// This machine's clock is set, between two processes and during one: the sandbox's clock goes on, and every wait keeps its length.

import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {LEASE_SECONDS} from '../../src/sandbox/delivery/outbox.js';
import {temporaryDirectory} from '../support/cli.js';
import {receiver, webhook} from '../support/sandbox/receiver.js';
import {DAY, START, world, type World} from '../support/sandbox/world.js';
import {some} from '../support/test-size.js';

/** A machine whose clock can be set. */
function machine() {
  const path = join(temporaryDirectory(), 'sandbox.db');
  let [now, up] = [START, 1000];
  const open = (): World => {
    const w = world({path, now: () => now, uptime: () => up});
    onTestFinished(() => w.sandbox.close());
    return w;
  };
  const pass = (seconds: number): void => {
    now += seconds;
    up += seconds;
  };
  return {
    open,
    pass,
    now: () => now,
    up: () => up,
    set: (seconds: number) => void (now += seconds),
    restart: () => void (up = 0),
  };
}

const JUMPS = [-40 * DAY, -DAY, -3600, -60, 3600, DAY, 40 * DAY].map((jump) => ({
  jump,
  by: `${jump < 0 ? '−' : '+'}${Math.abs(jump) / 3600} h`,
}));
const WHEN = ['between', 'during'].flatMap((when) => JUMPS.map((jump) => ({...jump, when})));

/** A machine with an event that another process, which was killed, was about to deliver. */
async function leased() {
  const own = machine();
  const w = own.open();
  const hook = await receiver();
  await webhook(w, hook.url, 'billing_statement.created');
  await w.draft();
  w.sandbox.perform(({store, now}) => store.outbox.lease(store.outbox.next(now, own.up())!, own.up()));
  return {own, w, hook};
}

describe.each(some(WHEN, 2))('$by $when processes', ({jump, when}) => {
  /** Sets the clock. @returns the world of the process after it */
  const set = (own: ReturnType<typeof machine>, w: World): World => {
    own.set(jump);
    return when === 'between' ? own.open() : w;
  };

  test('the clock goes on, and lists are in order of time', async () => {
    const own = machine();
    const w = own.open();
    await w.customer({email: 'a@example.com'});
    own.pass(60);
    await w.customer({email: 'b@example.com'});
    const before = w.sandbox.now();
    const after = set(own, w);
    expect(after.sandbox.now()).toBe(before + Math.max(0, jump));
    own.pass(60);
    expect(after.sandbox.now()).toBe(before + Math.max(0, jump) + 60);
    await after.customer({email: 'c@example.com'});
    const {data} = await after.ok('GET', '/customers');
    expect(data.map(({email}: {email: string}) => email[0])).toEqual(['c', 'b', 'a']);
    const times = data.map(({created_at: at}: {created_at: number}) => at);
    expect(times).toEqual([...times].sort((one, other) => other - one));
    after.sandbox.reset();
    expect(after.sandbox.clock()).toEqual({now: own.now(), ahead: 0});
  });

  test('a session, a retry and a new webhook wait for their own time at most', async () => {
    const own = machine();
    const w = own.open();
    const [hook, other] = [await receiver(500), await receiver()];
    await webhook(w, hook.url, 'customer.created', 'billing_statement.created');
    await w.draft();
    const {id} = await w.session({expires_at: START + 3600});
    await w.sandbox.deliverDue();
    const tried = hook.arrivals.length;
    expect(tried).toBeGreaterThan(0);
    const after = set(own, w);
    await webhook(after, other.url, 'billing_statement.created');
    own.pass(10);
    hook.answer = 200;
    await after.sandbox.deliverDue({totalTimeout: 2000});
    expect(hook.arrivals.length).toBeGreaterThan(tried);
    await after.draft();
    await after.sandbox.deliverDue({totalTimeout: 2000});
    expect(other.types()).toEqual(['billing_statement.created']);
    own.pass(3590);
    expect(await after.ok('GET', `/checkout_sessions/${id}`)).toMatchObject({status: 'expired'});
  });

  test('the lease of a killed process ends after its own length, and not before', async () => {
    const {own, w} = await leased();
    const after = set(own, w);
    const isFree = (): boolean => after.sandbox.read(({store, now}) => store.outbox.next(now, own.up()) !== undefined);
    expect(isFree()).toBe(false);
    own.pass(LEASE_SECONDS - 1);
    expect(isFree()).toBe(false);
    own.pass(2);
    expect(isFree()).toBe(true);
  });
});

test('a lease is over when the machine was restarted', async () => {
  const {own, hook} = await leased();
  own.restart();
  await own.open().sandbox.deliverDue();
  expect(hook.arrivals).toHaveLength(1);
});

test('a step back of a few seconds stops the clock, and leaves it as far ahead as it was', async () => {
  const own = machine();
  const w = own.open();
  await w.customer();
  own.set(-3);
  expect(w.sandbox.clock()).toEqual({now: START, ahead: 0});
  own.pass(5);
  expect(w.sandbox.clock()).toEqual({now: START + 2, ahead: 0});
});

test('two processes that see the clock put back move it once', async () => {
  const own = machine();
  const worlds = [own.open(), own.open()];
  await worlds[0]!.customer();
  for (const jump of [-DAY, 3600, -3600, -40 * DAY]) {
    own.set(jump);
    for (const w of worlds) await w.customer();
  }
  expect(worlds.map(({sandbox}) => sandbox.now())).toEqual([START + 3600, START + 3600]);
});
