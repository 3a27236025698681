// Which key a command uses: the environment's, or the profile's key that fits --live, never one of the other mode.

import {describe, expect, test} from 'vitest';
import type {KeySlot} from '../../src/config/keys/keys.js';
import {destination, type ResolveInput} from '../../src/config/resolve.js';
import {active, withKeys} from '../support/config/profiles.js';
import {BODY, refusal, resolved, subsets, TEST_KEY} from '../support/config/resolving.js';

describe('which of a profile’s keys', () => {
  const ALL: KeySlot[] = ['test_secret', 'live_secret', 'test_public', 'live_public'];
  const TEST: KeySlot[] = ['test_secret', 'test_public'];
  const LIVE: KeySlot[] = ['live_secret', 'live_public'];
  const chosen = (slots: readonly KeySlot[], flags: ResolveInput['flags']) =>
    resolved({flags, configuration: active('shop', {shop: withKeys(slots)})}).key!.slot;

  test.for([
    [ALL, {}, 'test_secret'],
    [ALL, {live: true}, 'live_secret'],
    [ALL, {acceptsPublicKey: true}, 'test_public'],
    [ALL, {live: true, acceptsPublicKey: true}, 'live_public'],
    [['test_secret', 'live_secret'], {acceptsPublicKey: true}, 'test_secret'],
    [['test_secret', 'live_public'], {acceptsPublicKey: true}, 'test_secret'],
    [['live_secret', 'live_public'], {live: true, acceptsPublicKey: true}, 'live_public'],
    [['test_public', 'live_secret'], {}, 'test_public'],
    [['test_secret', 'live_public'], {live: true}, 'live_public'],
  ] as const)('of %j with %j: %s', ([slots, flags, slot]) => {
    expect(chosen(slots, flags)).toBe(slot);
  });

  test('is never one of the other mode, whatever keys exist', () => {
    for (const slots of subsets(ALL))
      for (const live of [false, true])
        for (const acceptsPublicKey of [false, true]) {
          const fitting = slots.filter((slot) => slot.startsWith(live ? 'live' : 'test'));
          const choose = () => chosen(slots, {live, acceptsPublicKey});
          if (fitting.length > 0) expect(fitting).toContain(choose());
          else expect(choose).toThrow(/has no/);
        }
  });

  test('that is missing is exit 4, and names the existing ones', () => {
    const error = (slots: readonly KeySlot[], live?: true) =>
      refusal({flags: {live}, configuration: active('shop', {shop: withKeys(slots)})});
    expect(error(LIVE)).toMatchObject({
      exitCode: 4,
      code: 'no_key',
      message: 'the profile shop has no test secret key.',
      details: {
        why: 'The profile has only a live key.',
        hint: 'To store a test key: centavo login --profile shop',
        override: '--live',
      },
    });
    expect(error(TEST, true)).toMatchObject({
      exitCode: 4,
      code: 'no_key',
      message: 'the profile shop has no live secret key.',
      details: {
        why: 'The profile has only a test key, and --live needs a live key.',
        hint: 'To store a live key: centavo login --profile shop',
      },
    });
    expect(error([])).toMatchObject({
      exitCode: 4,
      message: 'the profile shop has no key.',
      details: {hint: 'Log in: centavo login --profile shop'},
    });
  });

  test('is stored under the profile’s id, or its name if it has none', () => {
    const {id: _, ...bare} = withKeys(['test_secret']);
    expect(resolved({configuration: active('shop', {shop: withKeys(['test_secret'])})}).key).toMatchObject({
      id: 'shop-id',
    });
    expect(resolved({configuration: active('shop', {shop: bare})}).key).toMatchObject({id: 'shop'});
  });
});

describe('CENTAVO_SECRET_KEY', () => {
  const shop = withKeys(['test_secret', 'live_secret'], {max_amount: 500, max_statements_per_run: 2, read_only: true});
  test.for([
    ['sk_test_', 'test', false, 'test · shop (key from CENTAVO_SECRET_KEY)'],
    ['sk_live_', 'live', false, 'LIVE · shop (key from CENTAVO_SECRET_KEY)'],
    ['pk_test_', 'test', true, 'test · shop (key from CENTAVO_SECRET_KEY)'],
    ['pk_live_', 'live', true, 'LIVE · shop (key from CENTAVO_SECRET_KEY)'],
  ] as const)(
    'that begins with %s beats the profile’s keys, and the profile’s limits hold',
    ([first, mode, isPublic, words]) => {
      for (const live of [undefined, true]) {
        const connection = resolved({
          flags: {live},
          env: {CENTAVO_SECRET_KEY: ` ${first}${BODY}\n`},
          configuration: active('shop', {shop}),
        });
        expect(connection).toMatchObject({
          mode,
          isPublic,
          key: {value: `${first}${BODY}`, source: 'CENTAVO_SECRET_KEY', masked: `${first}…cdef`},
          limits: {
            readOnly: {value: true, source: 'profile shop'},
            maxAmount: {value: 500, source: 'profile shop'},
            maxStatementsPerRun: {value: 2, source: 'profile shop'},
          },
        });
        expect(connection.key!.stored).toBeUndefined();
        expect(destination(connection)).toBe(words);
      }
    },
  );

  test('has its limits in the profile env, and is not named twice', () => {
    const connection = resolved({
      env: {CENTAVO_SECRET_KEY: TEST_KEY},
      configuration: active(undefined, {env: {keys: {}, settings: {max_amount: 700}}}),
    });
    expect(connection.limits.maxAmount).toEqual({value: 700, source: 'profile env'});
    expect(destination(connection)).toBe('test · env');
  });

  test('is sent to any address in the environment, which has the same author', () => {
    const connection = resolved({
      env: {CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_BASE_URL: 'https://other.example'},
      configuration: active('shop', {shop}),
    });
    expect(connection.baseUrl?.value).toBe('https://other.example');
  });

  test.for(['hunter2', 'sk_test_short', `"${TEST_KEY}"`, `whsk_${BODY}`])(
    'that is no key is exit 4, not the profile’s: %j',
    (text) => {
      const error = refusal({env: {CENTAVO_SECRET_KEY: text}, configuration: active('shop', {shop})});
      expect(error).toMatchObject({
        exitCode: 4,
        code: 'invalid_key',
        message: 'CENTAVO_SECRET_KEY is not an API key.',
      });
      expect(`${error.message} ${error.details.why}`).not.toMatch(/hunter2|MadeUp/);
    },
  );

  test('is the key of the profile env', () => {
    expect(refusal({flags: {profile: 'env'}})).toMatchObject({exitCode: 4, code: 'no_key'});
    // A job without its secret must fail instead of using the sandbox.
    for (const empty of ['', ' '])
      expect(refusal({env: {CENTAVO_SECRET_KEY: empty}})).toMatchObject({exitCode: 4, code: 'no_key'});
  });
});
