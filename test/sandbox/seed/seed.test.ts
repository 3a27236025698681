// The seeded merchant: complete, consistent, repeatable and fast.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {listRequests} from '../../../src/sandbox/requests/request-log-queries.js';
import {seed} from '../../../src/sandbox/seed/seed-account.js';
import {DAY, START, world, type Wire, type World} from '../../support/sandbox/world.js';
import {cpuTime, referenceTime} from '../../support/far-limits.js';
import {runs} from '../../support/test-size.js';

function bytesFrom(number: number): (size: number) => Uint8Array {
  const chance = seededRandom(number);
  return (size) => Uint8Array.from({length: size}, () => Math.floor(chance() * 256));
}

async function all(w: World, path: string): Promise<Wire[]> {
  const found: Wire[] = [];
  for (
    let page = await w.ok('GET', `${path}?limit=100`);
    ;
    page = await w.ok('GET', `${path}?limit=100&after=${found.at(-1)!.id}`)
  ) {
    found.push(...page.data);
    if (!page.has_more) return found;
  }
}

/** Maximum cost of the seed, as a multiple of the reference. */
const MOST = 25;

const tally = (values: string[]) =>
  Object.fromEntries(
    [...new Set(values)].sort().map((value) => [value, values.filter((other) => other === value).length]),
  );

test('creates a whole merchant at little cost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'centavo-seed-'));
  const w = world({path: join(folder, 'sandbox.db')});
  const reference = referenceTime();
  let counts: unknown;
  const needed = cpuTime(() => (counts = w.sandbox.perform(seed)));
  expect(needed / reference).toBeLessThan(MOST);
  expect(counts).toMatchObject({
    customer: 25,
    billing_statement: 60,
    checkout_session: 11,
    refund: 5,
    webhook: 3,
    payout: 3,
  });

  const statements = await all(w, '/billing_statements');
  const states = statements.map(({status, due_at: due}) => (status === 'open' && due < START ? 'overdue' : status));
  expect(tally(states)).toEqual({draft: 6, open: 11, overdue: 10, paid: 24, uncollectible: 4, void: 5});
  for (const statement of statements) {
    expect(statement.created_at).toBeGreaterThan(START - 90 * DAY);
    expect(statement.updated_at).toBeLessThanOrEqual(START);
    expect(statement.line_items.length).toBeLessThanOrEqual(4);
    expect(statement.amount).toBe(
      statement.line_items.reduce((sum: number, line: Wire) => sum + line.quantity * line.unit_price, 0),
    );
  }
  const order = statements.map(({created_at: at}) => at);
  expect(order).toEqual([...order].sort((a, b) => b - a));
  expect(tally((await all(w, '/checkout_sessions')).map(({status}) => status))).toEqual({
    active: 2,
    completed: 6,
    expired: 3,
  });
  expect(tally((await all(w, '/webhooks')).map(({status}) => status))).toEqual({disabled: 1, enabled: 2});
  expect((await all(w, '/customers')).some(({name}) => /ñ/.test(name))).toBe(true);
  const events = w.events().map(({created_at: at}) => at);
  expect(events).toEqual([...events].sort((a, b) => a - b));
  w.sandbox.close();
  rmSync(folder, {recursive: true});
});

test('payouts contain payments and refunds, and add up', async () => {
  const w = world();
  w.sandbox.perform(seed);
  const payouts = w.sandbox.perform((work) => work.store.list('payout', {limit: 10}).data);
  expect(payouts.map(({status}) => status)).toEqual(['pending', 'in_transit', 'successful']);
  const seen: Wire[] = [];
  for (const payout of payouts) {
    const transactions = await all(w, `/payouts/${payout.id}/transactions`);
    expect(transactions.reduce((sum, {net_amount: amount}) => sum + amount, 0)).toBe(payout.net_amount);
    expect(transactions[0]).not.toHaveProperty('livemode');
    seen.push(...transactions);
  }
  expect(new Set(seen.map(({transaction_type: type}) => type))).toEqual(new Set(['payment', 'refund', 'adjustment']));
  for (const {transaction_type: type, transaction_id: id, amount} of seen) {
    if (type === 'adjustment') expect(id).toBeNull();
    if (type === 'refund') expect(amount).toBeLessThan(0);
    if (type === 'payment') expect((await w.ok('GET', `/payments/${id}`)).amount).toBe(amount);
  }
  expect(w.types().filter((type) => type === 'payout.deposited')).toHaveLength(1);
});

test('the same randomness gives the same merchant, and every merchant is consistent', async () => {
  const tale = async (number: number) => {
    const w = world({random: bytesFrom(number)});
    w.sandbox.perform(seed);
    return (await all(w, '/billing_statements')).map(({amount, status, created_at: at, customer}) => [
      amount,
      status,
      at,
      customer.name,
    ]);
  };
  expect(await tale(1)).toEqual(await tale(1));
  expect(await tale(1)).not.toEqual(await tale(2));
  for (let number = 3; number < 3 + runs(9); number += 1) await tale(number);
});

test('keeps existing objects, whose events and requests stay the newest', async () => {
  const w = world();
  const {id} = await w.open();
  w.advance(60);
  const {id: second} = await w.open();
  const newest = () => w.sandbox.perform((work) => listRequests(work.store.requests, {limit: 1})).data[0]?.path;
  const before = newest();
  const counts = w.sandbox.perform(seed);
  expect(counts?.billing_statement).toBe(60);
  expect(newest()).toBe(before);
  const listed = [await all(w, '/billing_statements'), w.events().reverse()];
  for (const times of listed.map((rows) => rows.map(({created_at: at}) => at)))
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(listed[0]![0]!.id).toBe(second);
  const {id: third} = await w.open();
  expect((await all(w, '/billing_statements'))[0]!.id).toBe(third);
  expect((await w.ok('GET', `/billing_statements/${id}`)).status).toBe('open');
});
