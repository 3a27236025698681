// Secrets of any form, wherever they stand, are gone from what is printed; and what is no secret stays.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {redact} from '../../src/output/redact.js';

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

/** The places in which a text may come to stand. */
const PLACES: readonly [string, (text: string) => string][] = [
  ['by itself', (text) => text],
  ['in a sentence', (text) => `The key ${text} is not valid.`],
  ['in quotes', (text) => `'${text}'`],
  ['in JSON', (text) => JSON.stringify({error: {detail: text}})],
  ['in JSON after a line break', (text) => JSON.stringify({detail: `a\n${text}\nb`})],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify({key: `\t${text}`}))],
  ['in a URL', (text) => `https://api.example/x?client_secret=${encodeURIComponent(text)}&a=b`],
  ['in a URL, encoded before it', (text) => `https://api.example/x?q=${encodeURIComponent(`="${text}"`)}`],
  ['after a letter', (text) => `key${text}`],
  ['after an underscore', (text) => `my_${text}`],
  ['as the user of a URL', (text) => `https://${text}:@api.example/`],
  ['in a shell assignment', (text) => `export CENTAVO_SECRET_KEY=${text}`],
  ['in a stack', (text) => `Error: ${text}\n    at f (file.js:1:1)`],
];

/** True when any part of the secret, of so many characters, is in the text. */
function leaks(text: string, secret: string, length: number): boolean {
  for (let at = 0; at + length <= secret.length; at++) if (text.includes(secret.slice(at, at + length))) return true;
  return false;
}

describe(`redact (seed ${SEED})`, () => {
  test.each(PLACES)('P06: leaves nothing of a secret %s', (_, place) => {
    fc.assert(
      fc.property(secrets, ([prefix, rest]) => {
        const printed = redact(place(prefix + rest));
        expect(leaks(printed, rest, 8)).toBe(false);
      }),
      {seed: SEED, numRuns: 800},
    );
  });

  test.each(PLACES)('P06: leaves nothing of a key in base64, as it travels, %s', (_, place) => {
    fc.assert(
      fc.property(keys, fc.constantFrom('', 'Basic ', 'basic ', 'Authorization: Basic '), ([prefix, rest], scheme) => {
        const encoded = Buffer.from(`${prefix}${rest}:`).toString('base64');
        const printed = redact(place(scheme + encoded));
        expect(leaks(printed, encoded, 12)).toBe(false);
      }),
      {seed: SEED, numRuns: 800},
    );
  });

  test('takes out the credentials of other schemes', () => {
    expect(redact('Authorization: Basic dXNlcjpwYXNzd29yZA==')).toBe('Authorization: Basic [redacted]');
    expect(redact('authorization: bearer abc.def-ghi')).toBe('authorization: bearer [redacted]');
  });

  test('says what kind of secret stood there', () => {
    expect(redact('sk_live_abcdefgh12 whsk_abcdefgh12 pi_1_secret_abcdefgh12')).toBe(
      'sk_live_[redacted] whsk_[redacted] pi_1_secret_[redacted]',
    );
  });

  test.each([
    'An API key is needed, as the user name of Basic authentication.',
    'cus_2mQ8xK1 bstm_7Hq2 pi_3Fa9 wh_1Bv7',
    'The parameter secret_key is unknown.',
    'CENTAVO_SECRET_KEY',
    'sk_test_…',
    'task_live_x',
    '₱1,250.50 — Ñandú 😀',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('changes nothing twice, whatever the text', () => {
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
      {seed: SEED, numRuns: 1500},
    );
  });

  test('takes no time over a long text', () => {
    for (const text of [
      'Basic '.repeat(50_000),
      'a'.repeat(500_000),
      'sk_test_'.repeat(50_000),
      `Basic ${'a'.repeat(500_000)}`,
      `Basic${' '.repeat(200_000)}`,
    ]) {
      const started = performance.now();
      redact(text);
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });
});
