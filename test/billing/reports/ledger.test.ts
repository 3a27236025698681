// The ledger of any statements: its running balance ends at the amount owed.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ledgerOf, type LedgerStatement} from '../../../src/billing/reports/ledger.js';

const time = fc.integer({min: 1_700_000_000, max: 1_800_000_000});
/** Seconds after the previous entry. */
const later = fc.integer({min: 0, max: 1_000_000});
const centavos = fc.integer({min: 0, max: 5_999_999_999});

const anyStatement: fc.Arbitrary<LedgerStatement> = fc
  .record({
    id: fc.integer({min: 1, max: 9999}).map((number) => `bstm_${number}`),
    amount: centavos,
    status: fc.constantFrom('draft', 'open', 'paid', 'void', 'uncollectible'),
    created: time,
    finalized: later,
    updated: later,
    part: fc.double({min: 0, max: 1, noNaN: true}),
    own: fc.array(fc.record({at: later, amount: centavos, isCertain: fc.boolean()}), {maxLength: 3}),
    named: fc.boolean(),
    ended: fc.option(later),
  })
  .map(({id, amount, status, created, finalized, updated, part, own, named, ended}) => ({
    statement: {
      id,
      amount,
      status,
      created_at: created,
      finalized_at: created + finalized,
      updated_at: created + finalized + updated,
    } as never,
    ...(ended !== null && {ended: {at: created + finalized + ended}}),
    ...(status === 'paid' &&
      named && {
        payment: {
          id: 'pay_1',
          amount,
          amount_refunded: Math.floor(amount * part),
          created_at: created + finalized + updated,
        } as never,
        refunds: own.map((each) => ({...each, at: created + finalized + updated + each.at})),
      }),
  }));

const owedOn = (statements: readonly LedgerStatement[]): number =>
  statements.reduce((sum, {statement}) => sum + (statement.status === 'open' ? statement.amount! : 0), 0);

test('the balance is billed minus paid, and ends at the amount owed', () => {
  fc.assert(
    fc.property(fc.array(anyStatement, {maxLength: 30}), (statements) => {
      const ledger = ledgerOf(statements);
      let balance = 0n;
      for (const entry of ledger.entries) {
        balance += BigInt(entry.billed) - BigInt(entry.paid);
        expect(BigInt(entry.balance)).toBe(balance);
      }
      expect(ledger.owed).toBe(owedOn(statements));
      expect(ledger.billed - ledger.paid).toBe(ledger.owed);
      const dates = ledger.entries.map(({at}) => at).filter((at) => at !== null);
      expect(dates).toEqual(dates.toSorted((a, b) => a - b));
      const refunded = statements.reduce((sum, {payment}) => sum + (payment?.amount_refunded ?? 0), 0);
      const given = ledger.entries.reduce((sum, entry) => sum + entry.refunded, 0);
      expect(given).toBe(refunded);
    }),
  );
});

test('two parts split at any time add up to the whole', () => {
  fc.assert(
    fc.property(fc.array(anyStatement, {maxLength: 20}), time, (statements, cut) => {
      const whole = ledgerOf(statements);
      const before = ledgerOf(statements, {until: cut - 1});
      const after = ledgerOf(statements, {since: cut});
      expect(after.entries[0]).toMatchObject({type: 'opening', balance: before.owed});
      expect(after.owed).toBe(whole.owed);
      expect([...before.entries, ...after.entries.slice(1)]).toEqual(whole.entries);
    }),
  );
});

test('includes the first and the last second of a period', () => {
  const statements = [1_700_000_300, 1_700_000_200, 1_700_000_100].map((at): LedgerStatement => ({
    statement: {id: `bstm_${at}`, amount: 100, status: 'open', created_at: at} as never,
  }));
  const {entries} = ledgerOf(statements, {since: 1_700_000_200, until: 1_700_000_300});
  expect(entries.map(({type, at}) => [type, at])).toEqual([
    ['opening', 1_700_000_200],
    ['statement', 1_700_000_200],
    ['statement', 1_700_000_300],
  ]);
  expect(ledgerOf(statements, {since: 1_700_000_201, until: 1_700_000_299}).entries).toMatchObject([
    {type: 'opening', balance: 200},
  ]);
});

test('amounts are exact to the last centavo', () => {
  const statements = Array.from({length: 1001}, (_, index): LedgerStatement => ({
    statement: {id: `bstm_${index}`, amount: 5_999_999_999, status: 'open', created_at: 1_700_000_000 + index} as never,
  }));
  expect(ledgerOf(statements).owed).toBe(5_999_999_999 * 1001);
});

test.each([['pay_1'], [undefined]])('a payment and its refund have the id of the payment: %s', (id) => {
  const statement = {id: 'bstm_1', amount: 100, status: 'paid', created_at: 1, finalized_at: 1, updated_at: 2};
  const payment = id && {id, amount: 100, amount_refunded: 40, created_at: 2};
  const {entries} = ledgerOf([{statement, payment} as never]);
  const ids = entries.map(({type, payment_id: shown}) => [type, shown]);
  expect(ids).toEqual([['statement', null], ['payment', id ?? null], ...(id ? [['refund', id]] : [])]);
});
