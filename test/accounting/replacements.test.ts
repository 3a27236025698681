// The statement that replaces another: chains of reissues, void ones among them, and circles.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {replacedBy, replacementLookup, REPLACES_KEY} from '../../src/accounting/replacements.js';
import {NO_HISTORY, type LocalSettlement} from '../../src/accounting/standing.js';
import {runs} from '../support/test-size.js';

interface Reissued extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly status: string;
  readonly deleted?: boolean;
  readonly billing_statement_number: string;
  readonly metadata: unknown;
}

/** `b>a` is an open statement B that replaces A; `b>a void` a void one. */
function statementOf(text: string): Reissued {
  const [pair, status = 'open'] = text.split(' ');
  const [id, old] = pair!.split('>');
  return {
    id: id!,
    status: status === 'deleted' ? 'draft' : status,
    ...(status === 'deleted' && {deleted: true}),
    billing_statement_number: id!.toUpperCase(),
    metadata: old === undefined ? null : {[REPLACES_KEY]: old},
  };
}

const CASH: LocalSettlement = {at: 1, reason: 'cash', amount: 1, isCertain: true};

function found(texts: readonly string[], settled: Readonly<Record<string, LocalSettlement>> = {}) {
  const statements = texts.map(statementOf);
  const lookUp = replacementLookup(statements, {...NO_HISTORY, settlement: (id) => settled[id]});
  const ids = new Set(statements.flatMap((each) => [each.id, replacedBy(each) ?? []].flat()));
  return Object.fromEntries([...ids].flatMap((old) => (lookUp(old) ? [[old, lookUp(old)!.id]] : [])));
}

test.each([
  ['an open one', ['a void', 'b>a'], {a: 'b'}],
  ['a paid one', ['a void', 'b>a paid'], {a: 'b'}],
  ['a draft replaces nothing yet', ['a void', 'b>a draft'], {}],
  ['neither does a deleted one', ['a void', 'b>a deleted'], {}],
  ['neither does a void one', ['a void', 'b>a void'], {}],
  ['the last of a chain', ['a void', 'b>a void', 'c>b'], {a: 'c', b: 'c'}],
  ['a chain that ends void', ['a void', 'b>a void', 'c>b void'], {}],
  ['the live one of two, whatever their order', ['c>a void', 'b>a', 'a void'], {a: 'b'}],
  ['one that is not listed', ['b>a'], {a: 'b'}],
  ['a circle', ['a>b void', 'b>a void'], {}],
  ['a circle with a way out', ['a>b void', 'b>a void', 'c>b'], {a: 'c', b: 'c'}],
  ['a circle of itself', ['a>a'], {}],
])('%s', (_, statements, expected) => {
  expect(found(statements)).toEqual(expected);
});

test('a void replacement that was paid outside replaces, one that was given up does not', () => {
  expect(found(['a void', 'b>a void'], {b: CASH})).toEqual({a: 'b'});
  expect(found(['a void', 'b>a void'], {b: {...CASH, isGivenUp: true}})).toEqual({});
});

test('has the number of the replacement, or else its id', () => {
  const [old, other] = [statementOf('a void'), statementOf('b>a')];
  const named = (each: object) => replacementLookup([old, {...other, ...each}], NO_HISTORY)('a');
  expect(named({})).toEqual({id: 'b', name: 'B'});
  expect(named({billing_statement_number: null})).toEqual({id: 'b', name: 'b'});
});

test.each([[null], ['a'], [[REPLACES_KEY]], [{[REPLACES_KEY]: 3}], [{other: 'a'}]])(
  'metadata %j names no replaced statement',
  (metadata) => expect(replacedBy({metadata})).toBeUndefined(),
);

test('of any statements, in circles too, a replacement is live, listed, and another statement', () => {
  const id = fc.constantFrom(...'abcdef');
  const one = fc.record({id, old: id, status: fc.constantFrom('open', 'void', 'paid', 'draft', 'uncollectible')});
  fc.assert(
    fc.property(fc.uniqueArray(one, {selector: (each) => each.id}), (listed) => {
      const statements = listed.map(({id, old, status}) => statementOf(`${id}>${old} ${status}`));
      const lookUp = replacementLookup(statements, NO_HISTORY);
      for (const old of 'abcdef') {
        const id = lookUp(old)?.id;
        if (id === undefined) continue;
        expect(id).not.toBe(old);
        expect(['open', 'paid', 'uncollectible']).toContain(statements.find((each) => each.id === id)?.status);
      }
    }),
    {numRuns: runs(1000)},
  );
});
