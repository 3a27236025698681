// Injected faults of deliveries: twice, late, out of order; the same for the same seed.

import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {webhookFaultSequence} from '../../../src/sandbox/serve/fault-injection.js';
import {temporaryDirectory} from '../../support/cli.js';
import {receiver, verdictOf, webhook} from '../../support/sandbox/receiver.js';
import {START, world} from '../../support/sandbox/world.js';

const CREATED = 'billing_statement.created';

describe('the sequence', () => {
  test('is the same for the same seed, and has only webhook faults', () => {
    const rates = {'duplicate-webhook': 0.3, 'late-webhook': 0.2, 'rate-limit': 0.5};
    const first = (seed: number) => Array.from({length: 40}, webhookFaultSequence({rates}, seed)!);
    expect(first(3)).toEqual(first(3));
    expect(first(3)).not.toEqual(first(4));
    expect(new Set(first(3))).toEqual(new Set(['duplicate-webhook', 'late-webhook', undefined]));
    expect(webhookFaultSequence({rates: {'rate-limit': 1}}, 1)()).toBeUndefined();
  });
});

async function delivering(rates: object, seed = 1) {
  const w = world();
  const hook = await receiver();
  const {secret_key: secret} = await webhook(w, hook.url, CREATED);
  w.sandbox.setWebhookFaults(webhookFaultSequence({rates}, seed));
  const delivery = w.sandbox.startDelivery();
  return {w, hook, secret, delivery};
}

/** Resolves after the listeners of a change ran. */
const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('twice: sends and signs the same event twice, and counts it once', async () => {
  const {w, hook, secret, delivery} = await delivering({'duplicate-webhook': 1});
  await w.draft();
  await w.draft();
  await hook.until(4);
  await delivery.stop();
  const ids = hook.arrivals.map(({event}) => event.id as string);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).toBe(ids[3]);
  expect(new Set(ids).size).toBe(2);
  for (const arrival of hook.arrivals) expect(verdictOf(arrival, secret, START)).toMatchObject({genuine: true});
  expect(hook.arrivals.map(({event}) => event.pending_webhooks)).toEqual([1, 0, 1, 0]);
  const attempts = w.sandbox.perform((work) => work.store.attempts.ofEvent(ids[0]!));
  expect(attempts.map(({attempt, outcome}) => [attempt, outcome])).toEqual([
    [1, 'delivered'],
    [2, 'delivered'],
  ]);
});

test('late: sends half a minute later', async () => {
  const {w, hook, delivery} = await delivering({'late-webhook': 1});
  await w.draft();
  await turn();
  w.advance(29);
  await turn();
  expect(hook.arrivals).toEqual([]);
  w.advance(1);
  await hook.until(1);
  await delivery.stop();
});

describe('out of order', () => {
  /** A seed that delays the first event, and not the second. */
  const rates = {'out-of-order-webhook': 0.5};
  const seed = Array.from({length: 50}, (_, index) => index).find((candidate) => {
    const next = webhookFaultSequence({rates}, candidate)!;
    return next() !== undefined && next() === undefined;
  })!;

  test('sends after the next event', async () => {
    const {w, hook, delivery} = await delivering(rates, seed);
    await w.draft({description: 'first'});
    await w.draft({description: 'second'});
    await hook.until(2);
    await delivery.stop();
    expect(hook.arrivals.map(({event}) => event.data.description)).toEqual(['second', 'first']);
  });

  test('sends after five seconds without a next event', async () => {
    const {w, hook, delivery} = await delivering(rates, seed);
    await w.draft();
    await turn();
    w.advance(4);
    await turn();
    expect(hook.arrivals).toEqual([]);
    w.advance(1);
    await hook.until(1);
    await delivery.stop();
  });
});

test('the process that causes the event decides, whichever delivers it', async () => {
  const path = join(temporaryDirectory(), 'sandbox.db');
  const [faulty, other] = [world({path}), world({path})];
  const hook = await receiver();
  await webhook(other, hook.url, CREATED);
  faulty.sandbox.setWebhookFaults(webhookFaultSequence({rates: {'duplicate-webhook': 1}}, 1));
  await faulty.draft({description: 'faulty'});
  await other.draft({description: 'other'});
  await other.sandbox.deliverDue();
  faulty.sandbox.close();
  other.sandbox.close();
  expect(hook.arrivals.map(({event}) => event.data.description)).toEqual(['faulty', 'faulty', 'other']);
});
