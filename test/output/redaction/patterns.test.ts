// Secrets of a known form are removed from any position, and other text stays.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {maskSecret, redact} from '../../../src/output/redaction/patterns.js';
import {PLACES} from './places.js';
import {growthOf, LINEAR} from '../../support/far-limits.js';
import {runs} from '../../support/test-size.js';

const SEED = 20261223;

const token = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/);
const keys = fc.tuple(fc.constantFrom('sk_test_', 'sk_live_', 'pk_test_', 'pk_live_'), token);
const secrets = fc.oneof(
  keys,
  fc.tuple(fc.constant('whsk_'), token),
  fc.tuple(
    token.map((id) => `pi_${id}_secret_`),
    token,
  ),
  fc.tuple(
    token.map((id) => `cs_${id}_secret_`),
    token,
  ),
);

/** Contexts of a text that is already base64. */
const PLAIN_PLACES = PLACES.filter(([name]) => !name.startsWith('in base64'));

/** True if the text has any part of the secret of this length. */
function leaks(text: string, secret: string, length: number): boolean {
  for (let at = 0; at + length <= secret.length; at++) if (text.includes(secret.slice(at, at + length))) return true;
  return false;
}

describe(`redact (seed ${SEED})`, () => {
  test.each(PLACES)('removes a secret %s', (_, place) => {
    fc.assert(
      fc.property(secrets, ([prefix, rest]) => {
        const printed = redact(place(prefix + rest));
        expect(leaks(printed, rest, 8)).toBe(false);
      }),
      {seed: SEED, numRuns: runs(800)},
    );
  });

  test.each(PLAIN_PLACES)('removes a key in base64 %s', (_, place) => {
    fc.assert(
      fc.property(keys, fc.constantFrom('', 'Basic ', 'basic ', 'Authorization: Basic '), ([prefix, rest], scheme) => {
        const encoded = Buffer.from(`${prefix}${rest}:`).toString('base64');
        const printed = redact(place(scheme + encoded));
        expect(leaks(printed, encoded, 12)).toBe(false);
      }),
      {seed: SEED, numRuns: runs(800)},
    );
  });

  test('removes credentials of other schemes', () => {
    expect(redact('Authorization: Basic dXNlcjpwYXNzd29yZA==')).toBe('Authorization: Basic [redacted]');
    expect(redact('authorization: bearer abc.def-ghi')).toBe('authorization: bearer [redacted]');
  });

  test('keeps the kind of the secret', () => {
    expect(redact('sk_live_abcdefgh12 whsk_abcdefgh12 pi_1_secret_abcdefgh12')).toBe(
      'sk_live_[redacted] whsk_[redacted] pi_1_secret_[redacted]',
    );
  });

  test.each([
    ['Authorization: Token abcdefgh', 'Authorization: Token [redacted]'],
    ['authorization=abcdefgh', 'authorization=[redacted]'],
    ['{"Proxy-Authorization":"abcdefgh"}', '{"Proxy-Authorization":"[redacted]"}'],
    [String.raw`{\"authorization\": \"Custom abcdefgh\"}`, String.raw`{\"authorization\": \"Custom [redacted]\"}`],
    ['"client_secret": "of no \\" form"', '"client_secret": "[redacted]"'],
    [String.raw`\"secret_key\":\"of \\\" none\",`, String.raw`\"secret_key\":\"[redacted]\",`],
    ['?client_secret=of-no-form&a=b', '?client_secret=[redacted]&a=b'],
    ['--client_secret%3Dof-no-form', '--client_secret%3D[redacted]'],
    ['cut off: "sk_live_abcde…', 'cut off: "sk_live_[redacted]…'],
    ['cut off: pi_1_secret_aB3d…', 'cut off: pi_1_secret_[redacted]…'],
  ])('prints %s as %s', (text, printed) => {
    expect(redact(text)).toBe(printed);
  });

  test.each([
    ['pi_1_secret_abc', 'pi_1_secret_[redacted]'],
    ['cus_s_1_secret_abc', 'cus_s_1_secret_[redacted]'],
    ['test_bstm_1_secret_abc', 'test_bstm_1_secret_[redacted]'],
    ['sk_live_abc', 'sk_live_[redacted]'],
    ['whsk_abc', 'whsk_[redacted]'],
    ['something else', '[redacted]'],
    ['pi_1_secret_[redacted]', 'pi_1_secret_[redacted]'],
    ['', ''],
  ])('masks %j as %j', (secret, shown) => {
    expect(maskSecret(secret)).toBe(shown);
  });

  test.each([
    'An API key is required, as the user name of Basic authentication.',
    'cus_2mQ8xK1 bstm_7Hq2 pi_3Fa9 wh_1Bv7',
    'The parameter secret_key is unknown.',
    'client_secret: This is required.',
    '{"client_secret":null,"secret_key":""}',
    'client_secret_used, no_secret_left, _secret_',
    'Authorization: none',
    'The secret is called whsk_…',
    'sk_test_, sk_live_ and pk_test_',
    Buffer.from('nothing of this is a secret: sk_test, whsk').toString('base64'),
    Buffer.from('{"a":"whsk_[redacted]","b":"sk_live_[redacted]"} and much more').toString('base64'),
    'CENTAVO_SECRET_KEY',
    'sk_test_…',
    'task_live_x',
    '₱1,250.50 — Ñandú 😀',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('is idempotent for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({unit: 'binary'}),
          secrets.map(([prefix, rest]) => `${prefix}${rest} Basic ${rest}`),
        ),
        (text) => {
          expect(redact(redact(text))).toBe(redact(text));
        },
      ),
      {seed: SEED, numRuns: runs(1500)},
    );
  });

  test.each([
    (size: number) => 'Basic '.repeat(size),
    (size: number) => 'a'.repeat(10 * size),
    (size: number) => 'sk_test_'.repeat(size),
    (size: number) => `Basic ${'a'.repeat(10 * size)}`,
    (size: number) => `Basic${' '.repeat(4 * size)}`,
    (size: number) => `https://x/${'a/'.repeat(4 * size)}`,
    (size: number) => 'https://x/_secret_'.repeat(size / 2),
    (size: number) => `https://x/${'_secret_'.repeat(size)}`,
    (size: number) => 'c2tfdGVzdF8'.repeat(size),
    (size: number) => 'd2hza1.'.repeat(size),
    (size: number) => `"client_secret":"${'\\'.repeat(10 * size)}`,
    (size: number) => '\\"client_secret\\":\\"'.repeat(size / 2),
    (size: number) => 'Authorization: '.repeat(size),
  ])('takes time that grows with the length of the text: %#', (text) => {
    expect(growthOf(redact, text, 50_000)).toBeLessThan(LINEAR);
  });
});
