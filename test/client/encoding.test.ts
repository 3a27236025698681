// Encoding of parameters: the bracketed form, byte for byte like the official library's encoder, and back.

import fc from 'fast-check';
import {stringify} from 'qs';
import {describe, expect, test} from 'vitest';
import {encodeBody, encodeQuery} from '../../src/client/client.js';
import {readJson} from '../../src/common/json.js';
import {parseBrackets} from '../../src/sandbox/requests/parameters.js';
import {runs} from '../support/test-size.js';

const SEED = 20261217;
const RUNS = {seed: SEED, numRuns: runs(700)};

const form = (params: Record<string, unknown>): string =>
  Buffer.from(encodeBody(params, 'form')?.body ?? []).toString('utf8');

const keys = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);
const texts = fc.string({unit: 'grapheme', maxLength: 12});
const scalars = fc.oneof(
  texts,
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('', ' ', '&=[]', "!'()*~", 'Ñ ₱ 😀', 'a+b%20'),
);
const hashes = fc.dictionary(keys, scalars, {minKeys: 1, maxKeys: 4, noNullPrototype: true});
/** Lists of hashes with the same keys in the same order. */
const alike = fc
  .tuple(fc.uniqueArray(keys, {minLength: 1, maxLength: 4}), fc.integer({min: 1, max: 4}))
  .chain(([names, length]) =>
    fc
      .array(fc.tuple(...names.map(() => scalars)), {minLength: length, maxLength: length})
      .map((rows) => rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))),
  );
const params = fc.dictionary(
  keys,
  fc.oneof(
    scalars,
    fc.constant(null),
    hashes,
    fc.array(scalars, {minLength: 1, maxLength: 4}),
    alike,
    fc.dictionary(keys, hashes, {minKeys: 1, noNullPrototype: true}),
  ),
  {maxKeys: 6, noNullPrototype: true},
);

/** Values as a form carries them: texts only, nothing empty. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asTexts(inner)]));
  return value === null ? '' : String(value);
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe(`the form (seed ${SEED})`, () => {
  test('keeps numbers that JavaScript cannot hold, alone and in a list', () => {
    const long = '12345678901234567890';
    expect(form(readJson(`{"k": ${long}, "l": [${long}, 1]}`) as Record<string, unknown>)).toBe(
      `k=${long}&l%5B%5D=${long}&l%5B%5D=1`,
    );
    expect(form(readJson(`{"l": [${long}]}`) as Record<string, unknown>)).toBe(`l%5B%5D=${long}`);
  });

  test('is byte for byte the output of qs with brackets', () => {
    fc.assert(
      fc.property(params, (given) => {
        expect(form(given)).toBe(stringify(given, {arrayFormat: 'brackets'}));
      }),
      RUNS,
    );
  });

  test('is read back unchanged', () => {
    const readable = fc.dictionary(
      keys,
      fc.oneof(scalars, hashes, fc.array(scalars, {minLength: 1, maxLength: 4}), alike),
      {
        maxKeys: 6,
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(readable, (given) => {
        expect(plain(parseBrackets(form(given)))).toEqual(asTexts(given));
      }),
      RUNS,
    );
  });

  test('keeps items apart whatever optional keys each has', () => {
    const items = fc.array(
      fc
        .record(
          {
            description: texts,
            name: texts,
            image: texts,
            amount: fc.integer({min: 1, max: 5_999_999_999}),
            quantity: fc.integer({min: 1, max: 99}),
          },
          {requiredKeys: ['name', 'amount', 'quantity'], noNullPrototype: true},
        )
        // In any order of keys.
        .chain((item) => fc.shuffledSubarray(Object.entries(item), {minLength: Object.keys(item).length}))
        .map((entries) => Object.fromEntries(entries) as Record<string, unknown>),
      {minLength: 1, maxLength: 6},
    );
    fc.assert(
      fc.property(items, (line_items) => {
        expect(plain(parseBrackets(form({line_items})))).toEqual({line_items: asTexts(line_items)});
      }),
      RUNS,
    );
  });

  test('writes the keys that all items have first, each time in the same order', () => {
    const line_items = [
      {description: 'Blue', name: 'Shirt', amount: 45000},
      {amount: 1000, name: 'Bag'},
    ];
    expect(decodeURIComponent(form({line_items}))).toBe(
      'line_items[][name]=Shirt&line_items[][amount]=45000&line_items[][description]=Blue&line_items[][name]=Bag&line_items[][amount]=1000',
    );
  });

  test('refuses half a character, as a value and as a key', () => {
    for (const given of [{name: 'a\ud800'}, {metadata: {'\udc00': 'x'}}])
      expect(() => form(given)).toThrow(expect.objectContaining({kind: 'usage', code: 'invalid_text'}));
  });

  test('writes an empty list or hash like an empty text', () => {
    expect(form({events: [], metadata: {}, description: '', due_at: null})).toBe(
      'events=&metadata=&description=&due_at=',
    );
  });

  test('omits undefined values; without parameters there is no body', () => {
    expect(form({a: undefined, b: {c: undefined}, d: [undefined, 'x']})).toBe('d%5B%5D=x');
    for (const encoding of ['form', 'json'] as const) {
      expect(encodeBody({}, encoding)).toBeUndefined();
      expect(encodeBody({a: undefined}, encoding)).toBeUndefined();
    }
  });
});

describe('the query', () => {
  test('omits empty values', () => {
    expect(encodeQuery({limit: 5, after: undefined, email: '', name: null})).toBe('limit=5');
  });

  test('writes a metadata filter in brackets', () => {
    expect(encodeQuery({metadata: {branch: 'cebu & co'}})).toBe('metadata%5Bbranch%5D=cebu%20%26%20co');
  });
});

test(`JSON is read back unchanged (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), {minKeys: 1, noNullPrototype: true}), (given) => {
      const {body, contentType} = encodeBody(given, 'json')!;
      expect(contentType).toBe('application/json');
      expect(Buffer.from(body).toString('utf8')).toBe(JSON.stringify(given));
    }),
    RUNS,
  );
});
