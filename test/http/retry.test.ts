// The retry policy: which requests may be sent again, when, and how Retry-After is read.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {DEFAULT_RETRY, delayBeforeRetry, parseRetryAfter, type CallAttempt} from '../../src/http/retry.js';
import {runs} from '../support/test-size.js';

const SEED = 20261215;
const RUNS = {seed: SEED, numRuns: runs(1000), verbose: 1} as const;
/** 2026-12-15T00:00:00Z */
const NOW = 1_797_292_800;

const attempts = fc.oneof(
  fc.record({
    kind: fc.constant('answered' as const),
    status: fc.integer({min: 200, max: 599}),
    retryAfterSeconds: fc.option(fc.nat(2_000_000_000), {nil: undefined}),
  }),
  fc.record({kind: fc.constant('failed' as const), sent: fc.boolean(), permanent: fc.boolean()}),
) satisfies fc.Arbitrary<CallAttempt>;
const fractions = fc.double({min: 0, max: 1, noNaN: true});

describe(`delayBeforeRetry (seed ${SEED})`, () => {
  const delay = (write: boolean, count: number, attempt: CallAttempt, random = 1) =>
    delayBeforeRetry(DEFAULT_RETRY, write, count, attempt, random);

  test('never resends a write that got any response but 429', () => {
    fc.assert(
      fc.property(attempts, fc.integer({min: 1, max: 3}), fractions, (attempt, count, random) => {
        const unsent = attempt.kind === 'failed' && !attempt.sent;
        const limited = attempt.kind === 'answered' && attempt.status === 429;
        if (!unsent && !limited) expect(delay(true, count, attempt, random)).toBeUndefined();
      }),
      RUNS,
    );
  });

  test('makes at most three attempts, except after a 429, and waits no longer than the policy or the service says', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.integer({min: 1, max: 9}), attempts, fractions, (write, count, attempt, random) => {
        const wait = delay(write, count, attempt, random);
        const limited = attempt.kind === 'answered' && attempt.status === 429;
        if (limited) expect(wait).toBeGreaterThanOrEqual(250);
        else if (count >= 3) expect(wait).toBeUndefined();
        if (wait === undefined) return;
        expect(wait).toBeGreaterThanOrEqual(0);
        const told = attempt.kind === 'answered' ? attempt.retryAfterSeconds : undefined;
        if (told) expect(wait).toBe(told * 1000);
        else expect(wait).toBeLessThanOrEqual(Math.min(8000, 500 * 2 ** (count - 1)));
      }),
      RUNS,
    );
  });

  test('full jitter: the wait is a random part of its bound', () => {
    const failed: CallAttempt = {kind: 'answered', status: 503};
    expect([0, 0.25, 0.5, 1].map((random) => delay(false, 1, failed, random))).toEqual([0, 125, 250, 500]);
    expect(delay(false, 2, failed)).toBe(1000);
    expect(delayBeforeRetry({...DEFAULT_RETRY, attempts: 20}, false, 15, failed, 1)).toBe(8000);
  });

  test.each([200, 301, 400, 401, 403, 404, 409, 422])('does not resend a read after %i', (status) => {
    expect(delay(false, 1, {kind: 'answered', status})).toBeUndefined();
  });

  test.each([408, 425, 429, 500, 501, 502, 503, 504, 599])('resends a read after %i', (status) => {
    expect(delay(false, 1, {kind: 'answered', status})).toBe(500);
  });

  test('does not retry a permanent failure', () => {
    for (const sent of [true, false]) expect(delay(false, 1, {kind: 'failed', sent, permanent: true})).toBeUndefined();
  });
});

describe(`parseRetryAfter (seed ${SEED})`, () => {
  test.each([
    ['0', 0],
    ['2', 2],
    [' 120 ', 120],
    ['999999999', 999_999_999],
    ['Tue, 15 Dec 2026 00:00:30 GMT', 30],
    ['Mon, 14 Dec 2026 23:59:30 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ])('%j is %i seconds', (header, seconds) => {
    expect(parseRetryAfter(header, NOW)).toBe(seconds);
  });

  test.each([
    undefined,
    '',
    '-1',
    '+1',
    '1.5',
    '1e9',
    '0x10',
    'abc',
    '1, 2',
    '9999999999',
    '2026-12-15T00:00:30Z',
    'Abc, 5',
    'Tue, 15 Dec 2026 00:00:30',
    'Tue, 99 Zzz 2026 00:00:30 GMT',
    '١٢',
  ])('%j says nothing', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined();
  });

  test('reads any text as seconds of 0 or more, or as undefined', () => {
    const texts = fc.oneof(
      fc.string({unit: 'binary', maxLength: 60}),
      fc.stringMatching(/^[A-Z][a-z]{2}, [\w: ]{0,25} ?(GMT)?$/),
      fc.stringMatching(/^[-+]?\d{0,12}(\.\d+)?$/),
    );
    fc.assert(
      fc.property(texts, fc.integer({min: 0, max: 4_000_000_000}), (text, now) => {
        const seconds = parseRetryAfter(text, now);
        if (seconds === undefined) return;
        expect(Number.isSafeInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(0);
      }),
      RUNS,
    );
  });

  test('reads a date as the seconds until it', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 3_000_000_000}), fc.integer({min: 0, max: 3_000_000_000}), (at, now) => {
        expect(parseRetryAfter(new Date(at * 1000).toUTCString(), now)).toBe(Math.max(0, at - now));
      }),
      RUNS,
    );
  });
});
