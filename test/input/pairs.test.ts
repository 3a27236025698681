// `key=value` on the command line: for metadata, with text values, and for --data, with any parameters.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {valueOrThrow} from '../../src/input/invalid-input.js';
import {readData, readPairs} from '../../src/input/pairs.js';
import {parseBrackets} from '../../src/sandbox/requests/parameters.js';
import {runs} from '../support/test-size.js';

const SEED = 20261221;

function refusal(parse: () => unknown): CentavoError {
  try {
    parse();
  } catch (error) {
    return error as CentavoError;
  }
  throw new Error('it was accepted');
}

describe('metadata', () => {
  const pairs = (...texts: string[]) => valueOrThrow(readPairs(texts), '--metadata');

  test.each([
    ['order=1234', 'order', '1234'],
    ['size k=', 'size k', ''],
    ['sum=a=b=c', 'sum', 'a=b=c'],
    ['note=line\nÑ 😀', 'note', 'line\nÑ 😀'],
    ['true=true', 'true', 'true'],
    ['zip=01000', 'zip', '01000'],
    ['constructor=x', 'constructor', 'x'],
    ['hasOwnProperty=x', 'hasOwnProperty', 'x'],
  ])('%j is %j: %j', (text, key, value) => {
    expect(Object.entries(pairs(text))).toEqual([[key, value]]);
  });

  test.each([[['order']], [['=x']], [['']], [['a=1', 'a=2']], [['a[b]=1']], [['a]=1']]])('%j is refused', (texts) => {
    expect(refusal(() => pairs(...texts))).toMatchObject({kind: 'usage', code: 'invalid_metadata'});
  });

  test('__proto__ is an ordinary key', () => {
    expect(Object.entries(pairs('__proto__=x', 'a=b'))).toEqual([
      ['__proto__', 'x'],
      ['a', 'b'],
    ]);
    expect(refusal(() => pairs('__proto__=x', '__proto__=y'))).toMatchObject({code: 'invalid_metadata'});
  });
});

describe('--data', () => {
  const data = (...texts: string[]) => valueOrThrow(readData(texts), '--data');

  test.each([
    [['name=Juan Dela Cruz'], {name: 'Juan Dela Cruz'}],
    [['a=', 'b==', 'c=x=y'], {a: '', b: '=', c: 'x=y'}],
    [['limit=5', 'due_at=1800000000', 'n=-3', 'z=0'], {limit: 5, due_at: 1_800_000_000, n: -3, z: 0}],
    [['t=true', 'f=false', 'n=null'], {t: true, f: false, n: null}],
    [
      ['phone=09171234567', 'zip=01000', 'amount=120.50', 'e=1e3', 'long=1234567890123456'],
      {phone: '09171234567', zip: '01000', amount: '120.50', e: '1e3', long: '1234567890123456'},
    ],
    [['metadata[branch]=cebu', 'metadata[unit]=4B'], {metadata: {branch: 'cebu', unit: '4B'}}],
    [['a[b][c]=1', 'a[b][d]=2'], {a: {b: {c: 1, d: 2}}}],
    [['events[]=a', 'events[]=b'], {events: ['a', 'b']}],
    [['a=1', 'a=2'], {a: 2}],
    [
      ['line_items[][name]=Shirt', 'line_items[][amount]=45000', 'line_items[][name]=Bag', 'line_items[][amount]=1000'],
      {
        line_items: [
          {name: 'Shirt', amount: 45_000},
          {name: 'Bag', amount: 1000},
        ],
      },
    ],
    [['constructor[a]=1', 'toString=x'], {constructor: {a: 1}, toString: 'x'}],
    [['{"name":"Juan","metadata":{"a":"b"}}', 'name=Maria'], {name: 'Maria', metadata: {a: 'b'}}],
    [['{"a":1}', '{"b":2}', '  {"a":3}'], {a: 3, b: 2}],
    [['a=line\nbreak'], {a: 'line\nbreak'}],
  ])('%j makes %j', (texts, expected) => {
    expect(data(...texts)).toEqual(expected);
  });

  test('refuses numbered list elements and shows the fix', () => {
    const {code, details} = refusal(() => data('line_items[0][name]=Blue shirt'));
    expect({code, hint: details.hint}).toEqual({
      code: 'invalid_data',
      hint: "Leave the number out: --data 'line_items[][name]=Blue shirt'",
    });
    expect(data('metadata[2026]=x')).toEqual({metadata: {2026: 'x'}});
  });

  test.each([['name'], ['=x'], [''], ['a[b=1'], ['a]=1'], ['[a]=1'], ['a[b]c=1'], ['a[[b]]=1']])(
    '%j is no pair',
    (text) => {
      expect(refusal(() => data(text)).kind).toBe('usage');
    },
  );

  test.each(['{', '[1]', '[]', '{"a":1}}', '{a:1}'])('refuses %j, which is not a JSON object', (text) => {
    const error = refusal(() => data(text));
    expect(error).toMatchObject({kind: 'usage', code: 'invalid_json'});
    expect(errorLines(error).length).toBeLessThanOrEqual(3);
  });

  test.each([
    ['__proto__=x', '{"__proto__":"x"}'],
    ['__proto__[polluted]=x', '{"__proto__":{"polluted":"x"}}'],
    ['a[__proto__][polluted]=x', '{"a":{"__proto__":{"polluted":"x"}}}'],
    ['a[][__proto__]=x', '{"a":[{"__proto__":"x"}]}'],
    ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1}}'],
    ['{"a":[{"__proto__":{"polluted":1}}]}', '{"a":[{"__proto__":{"polluted":1}}]}'],
  ])('%j is kept, and pollutes nothing', (text, json) => {
    expect(JSON.stringify(data(text))).toBe(json);
    expect(JSON.stringify(data('b=1', text))).toBe(`{"b":1,${json.slice(1)}`);
    expect(({} as {polluted?: unknown}).polluted).toBeUndefined();
    expect((data(text) as {polluted?: unknown}).polluted).toBeUndefined();
  });

  test.each([
    [['a[b]=1', 'a[]=2']],
    [['a=1', 'a[b]=2']],
    [['a[b]=1', 'a=2']],
    [['a[]=1', 'a[b]=2']],
    [['a[]=1', 'a=2']],
    [['{"a":[1]}', 'a[b]=2']],
  ])('%j is refused, because one would be lost', (texts) => {
    expect(refusal(() => data(...texts))).toMatchObject({kind: 'usage', code: 'invalid_data'});
  });

  test(`pairs and a form agree on what brackets mean (seed ${SEED})`, () => {
    const names = fc.array(fc.constantFrom('l', 'a[b]', 'a[c]', 'd[]', 'e[][f]', 'e[][g]', 'e[][h][]', 'i[j][]', 'k'), {
      minLength: 1,
      maxLength: 10,
    });
    fc.assert(
      fc.property(names, (all) => {
        const texts = all.map((name, index) => `${name}=v${index}`);
        const form = texts.map((text) => text.replaceAll('[', '%5B').replaceAll(']', '%5D')).join('&');
        expect(data(...texts)).toEqual(JSON.parse(JSON.stringify(parseBrackets(form))));
      }),
      {seed: SEED, numRuns: runs(1000)},
    );
  });

  test(`any text is a pair, an object or a usage error (seed ${SEED})`, () => {
    const texts = fc.oneof(fc.string({unit: 'binary'}), fc.stringMatching(/^[ab[\]={}"]{1,12}$/), fc.json());
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(typeof data(text)).toBe('object');
        } catch (error) {
          expect(error).toBeInstanceOf(CentavoError);
          expect((error as CentavoError).kind).toBe('usage');
        }
      }),
      {seed: SEED, numRuns: runs(1000)},
    );
  });
});
