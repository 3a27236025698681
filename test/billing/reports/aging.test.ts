// Who owes what: sums and buckets of any statements, with days that change at midnight in Manila.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {standingOf} from '../../../src/accounting/standing.js';
import {Aging, bucketOf, BUCKETS, totalReceivable} from '../../../src/billing/reports/aging.js';
import {DAY, endOfManilaDay, manilaDay} from '../../../src/common/manila.js';

/** Tuesday, 15 December 2026, 10:00 in Manila. */
const NOW = Date.parse('2026-12-15T10:00:00+08:00') / 1000;
/** The first second of that day. */
const MIDNIGHT = Date.parse('2026-12-15T00:00:00+08:00') / 1000;

function agingOf(statements: readonly object[], now = NOW): Aging {
  const aging = new Aging();
  for (const [index, each] of statements.entries()) {
    const statement = {id: `bstm_${index}`, ...each};
    aging.add(statement, standingOf(statement, {}, now));
  }
  return aging;
}

describe('a bucket', () => {
  test.each([
    [undefined, 'current'],
    [-5, 'current'],
    [0, 'current'],
    [1, 'days_1_30'],
    [30, 'days_1_30'],
    [31, 'days_31_60'],
    [60, 'days_31_60'],
    [61, 'days_61_90'],
    [90, 'days_61_90'],
    [91, 'days_over_90'],
    [10_000, 'days_over_90'],
  ])('of %s days is %s', (days, bucket) => {
    expect(bucketOf(days)).toBe(bucket);
  });

  test.each([
    ['the last second of today', endOfManilaDay(NOW), 'current', 0],
    ['the first second of today', MIDNIGHT, 'current', 0],
    ['the last second of yesterday', MIDNIGHT - 1, 'days_1_30', 1],
    ['30 days ago, first second', MIDNIGHT - 30 * DAY, 'days_1_30', 30],
    ['31 days ago, last second', MIDNIGHT - 30 * DAY - 1, 'days_31_60', 31],
    ['no due date, as 0', 0, 'current', 0],
    ['no due date, as null', null, 'current', 0],
  ])('of one due at %s', (_, due_at, bucket, days) => {
    const aging = agingOf([{status: 'open', amount: 100, due_at, customer_id: 'cus_1'}]);
    expect(aging.customers()).toMatchObject([{owed: 100, [bucket]: 100, days_overdue: days}]);
  });

  test('changes at midnight in Manila, not elsewhere', () => {
    const statement = {status: 'open', amount: 100, due_at: MIDNIGHT - 3600, customer_id: 'cus_1'};
    expect(agingOf([statement], MIDNIGHT - 1).customers()).toMatchObject([{overdue: 0, current: 100}]);
    expect(agingOf([statement], MIDNIGHT).customers()).toMatchObject([{overdue: 100, days_1_30: 100}]);
    // Midnight of UTC is eight in the morning there.
    expect(agingOf([statement], MIDNIGHT + 8 * 3600).customers()).toMatchObject([{days_overdue: 1}]);
  });
});

test('customers who owe the same are in the order of their names, or else addresses or ids', () => {
  const customers = [{name: 'Ana'}, {name: 'Ben'}, {email: 'carlo@example.com'}, {}];
  const statements = customers.map((more, index) => ({
    ...{status: 'open', amount: 100, due_at: null},
    customer: {id: `cus_${index}`, ...more},
  }));
  for (const order of [statements, statements.toReversed()])
    expect(agingOf(order).customers()).toMatchObject(statements.map(({customer: {id}}) => ({customer_id: id})));
});

describe('any statements', () => {
  const statement = fc.record({
    status: fc.constantFrom('open', 'open', 'open', 'draft', 'paid', 'void', 'uncollectible'),
    amount: fc.oneof({weight: 9, arbitrary: fc.integer({min: 0, max: 5_999_999_999})}, fc.constant(null)),
    due_at: fc.oneof(fc.integer({min: NOW - 200 * DAY, max: NOW + 60 * DAY}), fc.constantFrom(0, null)),
    customer: fc.constantFrom('cus_1', {id: 'cus_2', name: 'Ana', email: 'ana@example.com'}, {id: 'cus_3'}, null),
  });

  test('the buckets of each customer add up to the amount owed, and all customers to the total', () => {
    fc.assert(
      fc.property(fc.array(statement, {maxLength: 60}), (statements) => {
        const aging = agingOf(statements);
        const customers = aging.customers();
        const open = statements.filter(({status}) => status === 'open');
        // Nothing is owed for a statement of ₱0.00.
        const known = open.filter(({amount}) => amount !== null && amount > 0);
        const inAll = known.reduce((sum, {amount}) => sum + BigInt(amount!), 0n);
        const late = known.filter(({due_at: due}) => due && manilaDay(due) < manilaDay(NOW));
        const total = totalReceivable(customers);
        expect(BigInt(total.owed)).toBe(inAll);
        expect(BigInt(total.overdue)).toBe(late.reduce((sum, {amount}) => sum + BigInt(amount!), 0n));
        expect(total.statements).toBe(known.length);
        expect(aging.unknown).toHaveLength(open.filter(({amount}) => amount === null).length);
        for (const each of [...customers, total]) {
          expect(BUCKETS.reduce((sum, bucket) => sum + each[bucket], 0)).toBe(each.owed);
          expect(each.owed - each.current).toBe(each.overdue);
        }
        const counts = aging.countsOf(customers);
        expect(BUCKETS.reduce((sum, bucket) => sum + counts[bucket], 0)).toBe(known.length);
        const order = customers.map(({overdue, owed}) => [overdue, owed]);
        expect(order).toEqual(order.toSorted(([a, b], [c, d]) => c! - a! || d! - b!));
      }),
    );
  });

  test('with a total beyond exact integers are refused, not rounded', () => {
    const huge = {status: 'open', amount: Number.MAX_SAFE_INTEGER, customer_id: 'cus_1'};
    expect(() => agingOf([huge, huge])).toThrow('too large to be added exactly');
    const two = agingOf([huge, {...huge, customer_id: 'cus_2'}]);
    expect(() => totalReceivable(two.customers())).toThrow('too large to be added exactly');
  });

  test('without a usable amount are named and excluded from all sums', () => {
    const wrong = [undefined, null, 12.5, -1, '100', 2 ** 53].map((amount, index) => ({
      ...{id: `bstm_${index}`, status: 'open', customer_id: 'cus_1'},
      amount,
    }));
    const aging = agingOf(wrong);
    expect(aging.unknown.map(({id}) => id)).toEqual(wrong.map(({id}) => id));
    expect(aging.customers()).toEqual([]);
  });
});
