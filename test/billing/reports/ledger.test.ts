// The ledger of any statements: its running balance ends at the amount owed.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {balanceOf} from '../../../src/accounting/movements.js';
import {standingOf, type KnownFacts} from '../../../src/accounting/standing.js';
import {ledgerOf} from '../../../src/billing/reports/ledger.js';
import type {BookEntry} from '../../../src/billing/reports/standings.js';

const time = fc.integer({min: 1_700_000_000, max: 1_800_000_000});
/** Seconds after the previous entry. */
const later = fc.integer({min: 0, max: 1_000_000});
const centavos = fc.integer({min: 0, max: 5_999_999_999});

const NOW = 1_900_000_000;
const entryOf = (object: object, facts: KnownFacts = {}): BookEntry => ({
  object: object as BookEntry['object'],
  standing: standingOf(object as BookEntry['object'], facts, NOW),
});

const anyEntry: fc.Arbitrary<BookEntry> = fc
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
  .map(({id, amount, status, created, finalized, updated, part, own, named, ended}) => {
    const billed = created + finalized;
    const payment = {
      ...{id: 'pay_1', amount, amount_refunded: Math.floor(amount * part), created_at: billed + updated},
    };
    return entryOf(
      {...{id, amount, status, created_at: created, finalized_at: billed, updated_at: billed + updated}},
      {
        ...(ended !== null && {end: {at: billed + ended}}),
        ...(status === 'paid' &&
          named && {payment, refunds: own.map((each) => ({...each, at: billed + updated + each.at}))}),
      },
    );
  });

const open = (id: number, created_at: number, amount: number): BookEntry =>
  entryOf({...{id: `bstm_${id}`, amount, status: 'open', created_at}});

test('the balance follows the entries, and ends at the amount owed', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, {maxLength: 30}), (book) => {
      const ledger = ledgerOf(book);
      let balance = 0n;
      for (const {billed, voided, received, settled, uncollectible, ...entry} of ledger.entries) {
        balance += BigInt(billed) - BigInt(voided) - BigInt(received) - BigInt(settled) - BigInt(uncollectible);
        expect(BigInt(entry.balance)).toBe(balance);
      }
      const isOpen = ({object: {status}}: BookEntry): boolean => status === 'open';
      expect(ledger.owed).toBe(book.filter(isOpen).reduce((sum, {object}) => sum + object.amount, 0));
      expect(balanceOf(ledger.sums)).toBe(ledger.owed);
      const refunded = book.reduce((sum, {standing}) => sum + (standing.refunded ?? 0), 0);
      expect(ledger.sums.refunded + ledger.sums.undated_refunds).toBe(refunded);
    }),
  );
});

test('two parts split at any time add up to the whole', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, {maxLength: 20}), time, (statements, cut) => {
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
  const statements = [100, 200, 300].map((after) => open(after, 1_700_000_000 + after, 100));
  const {entries} = ledgerOf(statements, {since: 1_700_000_200, until: 1_700_000_300});
  expect(entries.map(({type, at}) => [type, at])).toEqual([
    ['opening', 1_700_000_200],
    ['billing', 1_700_000_200],
    ['billing', 1_700_000_300],
  ]);
  expect(ledgerOf(statements, {since: 1_700_000_201, until: 1_700_000_299}).entries).toMatchObject([
    {type: 'opening', balance: 200},
  ]);
});

test('amounts are exact to the last centavo', () => {
  const statements = Array.from({length: 1001}, (_, index) => open(index, 1_700_000_000 + index, 5_999_999_999));
  expect(ledgerOf(statements).owed).toBe(5_999_999_999 * 1001);
});

test.each([['pay_1'], [undefined]])('a payment and its refund have the id of the payment: %s', (id) => {
  const statement = {id: 'bstm_1', amount: 100, status: 'paid', created_at: 1, finalized_at: 1, updated_at: 2};
  const payment = {...(id && {id}), amount: 100, amount_refunded: 40, created_at: 2};
  const {entries} = ledgerOf([entryOf(statement, {payment})]);
  const ids = entries.map(({type, payment_id: shown}) => [type, shown]);
  expect(ids).toEqual([
    ['billing', null],
    ['payment', id ?? null],
    ['refund', id ?? null],
  ]);
});
