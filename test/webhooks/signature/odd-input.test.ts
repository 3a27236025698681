// Untyped input: any value gets a verdict, never an exception.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {inspectSignature, type VerifyOptions} from '../../../src/webhooks/signature/signature.js';
import {bytes, digest, eventText, NOW, SECRET, testHeader} from '../fixtures/signing.js';
import {runs} from '../../support/test-size.js';
import {SEED} from '../../support/seed.js';

const body = bytes(eventText());
const header = testHeader(digest(body));
const GENUINE = {body, header: [header], secrets: [SECRET], now: NOW};
const verdictOf = (options: object) => inspectSignature(options as VerifyOptions);

test('accepts a header as a plain string', () => {
  expect(verdictOf({...GENUINE, header})).toMatchObject({genuine: true, secretIndex: 0});
});

describe('values of a wrong type are refused', () => {
  test.for<[string, object, string]>([
    ['a header of null', {header: null}, 'missing_header'],
    ['a header of undefined', {header: undefined}, 'missing_header'],
    ['a list with null in it', {header: [null]}, 'missing_header'],
    ['a header that is a number', {header: 7}, 'malformed_header'],
    ['a list with an object in it', {header: [{}]}, 'malformed_header'],
    ['two headers, of which one is null', {header: [header, null]}, 'duplicate_header'],
    ['secrets of null', {secrets: null}, 'no_secret'],
    ['a secret that is a number', {secrets: [12_345_678_901_234]}, 'no_secret'],
    ['a body of null', {body: null}, 'no_match'],
    ['a body that was parsed already', {body: {}}, 'no_match'],
    ['a body that is text', {body: eventText()}, 'no_match'],
    ['a big integer for now', {now: BigInt(NOW)}, 'too_old'],
    ['a text for the tolerance', {toleranceSeconds: '300'}, 'too_old'],
    ['a mode of null', {mode: null}, 'wrong_mode'],
  ])('%s: %s', ([, odd, reason]) => {
    expect(verdictOf({...GENUINE, ...odd})).toMatchObject({genuine: false, reason});
  });

  const boom = (): never => {
    throw new Error('boom');
  };
  /** Throws on any access. */
  const hostile = (target: object): object =>
    new Proxy(target, Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, boom])) as ProxyHandler<object>);
  const throwing = Object.fromEntries(
    ['0', 'some', 'entries'].map((name) => [name, {get: boom, enumerable: true, configurable: true}]),
  );
  const detached = new Uint8Array(body);
  structuredClone(detached.buffer, {transfer: [detached.buffer]});

  test.for<[string, () => object]>([
    ['a body that is a Proxy', () => ({body: hostile({})})],
    ['a body that is a Proxy of bytes', () => ({body: new Proxy(body, {})})],
    ['bytes that are gone', () => ({body: detached})],
    ['bytes with a prototype that throws', () => ({body: Object.setPrototypeOf(new Uint8Array(body), hostile({}))})],
    ['a header that is a Proxy', () => ({header: hostile([])})],
    ['a list with a Proxy in it', () => ({header: [hostile({})]})],
    ['secrets that are a Proxy', () => ({secrets: hostile([])})],
    ['secrets whose methods throw', () => ({secrets: Object.defineProperties([SECRET], throwing)})],
    ['a list of secrets with a Proxy', () => ({secrets: [hostile({})]})],
    ['a time that is a Proxy', () => ({now: hostile({})})],
    ['a tolerance that is a Proxy', () => ({toleranceSeconds: hostile({})})],
    ['a mode that is a Proxy', () => ({mode: hostile({})})],
    [
      'a getter that throws',
      () => ({
        get body() {
          return boom();
        },
      }),
    ],
  ])('%s', ([, odd]) => {
    const options = Object.defineProperties({...GENUINE}, Object.getOwnPropertyDescriptors(odd()));
    expect(verdictOf(options)).toMatchObject({genuine: false, reason: expect.stringMatching(/^[a-z_]+$/)});
  });

  test('options that throw', () => {
    expect(verdictOf(hostile({}))).toEqual({genuine: false, reason: 'no_match'});
  });

  test('nothing at all', () => {
    expect((inspectSignature as (options?: unknown) => unknown)()).toMatchObject({reason: 'missing_header'});
    expect((inspectSignature as (options: unknown) => unknown)(null)).toMatchObject({reason: 'missing_header'});
  });

  test(`anything in any place (CENTAVO_SEED=${SEED})`, () => {
    const anything = fc.anything({
      withBigInt: true,
      withNullPrototype: true,
      withTypedArray: true,
      withSparseArray: true,
    });
    const place = fc.constantFrom('body', 'header', 'secrets', 'now', 'toleranceSeconds', 'mode');
    fc.assert(
      fc.property(fc.dictionary(place, fc.oneof(anything, fc.array(anything, {maxLength: 1})), {minKeys: 1}), (odd) => {
        const verdict = verdictOf({...GENUINE, ...odd});
        // Only the unchanged genuine delivery may be genuine.
        if (verdict.genuine)
          expect(
            Object.keys(odd).filter((name) => name !== 'toleranceSeconds' && name !== 'mode' && name !== 'now'),
          ).toEqual([]);
        else expect(verdict.reason).toMatch(/^[a-z0-9_]+$/);
      }),
      {seed: SEED, numRuns: runs(20_000)},
    );
  });
});
