// Sums of movements, to the centavo and to the second.

import {expect, test} from 'vitest';
import {balanceAt, balanceOf, exactSum, isInPeriod, sumsOf, type Movement} from '../../src/accounting/movements.js';
import {CentavoError} from '../../src/common/errors.js';

const movement = (
  type: Movement['type'],
  bookedAt: number,
  amount: number,
  at: number | null = bookedAt,
): Movement => ({
  type,
  at,
  datedBy: at === null ? 'unknown' : 'service',
  bookedAt,
  amount,
});

const YEAR = [
  movement('billing', 100, 1000),
  movement('payment', 200, 600),
  movement('refund', 300, 50),
  movement('refund', 200, 70, null),
  movement('settlement', 300, 100),
  movement('void', 400, 200),
  movement('uncollectible', 500, 40),
];

test('each type has its sum, and an undated refund a sum of its own', () => {
  expect(sumsOf(YEAR)).toEqual({
    billed: 1000,
    received: 600,
    refunded: 50,
    undated_refunds: 70,
    settled: 100,
    voided: 200,
    uncollectible: 40,
  });
  expect(balanceOf(sumsOf(YEAR))).toBe(60);
});

test('a period has its first and its last second', () => {
  expect(sumsOf(YEAR, {since: 200, until: 300})).toMatchObject({billed: 0, received: 600, refunded: 50, settled: 100});
  expect(sumsOf(YEAR, {since: 201, until: 299})).toMatchObject({received: 0, undated_refunds: 0, settled: 0});
  expect([99, 100, 200, 500].map((at) => balanceAt(YEAR, at))).toEqual([0, 1000, 400, 60]);
});

test('the booked instant decides, not the date that is shown', () => {
  const early = {...movement('settlement', 500, 10), at: 50};
  expect(sumsOf([early], {until: 499}).settled).toBe(0);
  expect(sumsOf([early], {since: 500}).settled).toBe(10);
});

test('what has no time is in no period, but in all time', () => {
  expect(isInPeriod(undefined, {since: 1})).toBe(false);
  expect(isInPeriod(undefined, {})).toBe(false);
});

test('a sum that a number cannot hold exactly is an error, and its parts are not rounded', () => {
  expect(exactSum([Number.MAX_SAFE_INTEGER - 1, 1])).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => exactSum([Number.MAX_SAFE_INTEGER, 1])).toThrow(CentavoError);
  const large = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER].map((amount) => movement('billing', 1, amount));
  expect(() => sumsOf(large)).toThrow('too large to be added exactly');
});
