// Keys as people paste them: accepted and refused texts, and errors that never show the key.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {checkEntryName} from '../../../src/config/keys/key-store.js';
import {
  checkKey,
  problemOfKey,
  fingerprint,
  KEY_SLOTS,
  kindOfKey,
  kindOfSlot,
  maskedKey,
  slotText,
  entryName,
} from '../../../src/config/keys/keys.js';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../../src/common/errors.js';
import {runs} from '../../support/test-size.js';

const SEED = 20261221;

const BODY = 'MadeUpForTests0123456789abcdef';
const KEY = `sk_test_${BODY}`;

const errorOf = (text: string): CentavoError => {
  try {
    checkKey(text, 'stdin');
  } catch (error) {
    if (error instanceof CentavoError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(text)} was taken for a key.`);
};

describe('surrounding white space of a key is removed', () => {
  test.for([
    ['a line feed', `${KEY}\n`],
    ['a carriage return as well', `${KEY}\r\n`],
    ['several lines', `\n\n${KEY}\n\n`],
    ['spaces and tabs', ` \t${KEY}\t `],
    ['a no-break space at the end', `${KEY}\u00A0`],
    ['a byte order mark', `\uFEFF${KEY}`],
  ] as const)('%s', ([, text]) => {
    expect(checkKey(text, 'stdin')).toBe(KEY);
  });
});

test("the key of a sandbox's namespace is one, and not a live one", () => {
  for (const key of ['sk_test_ns_a', 'sk_test_ns_worker-1_x', `${KEY}_ns_a`, 'pk_test_ns_a'])
    expect([checkKey(key, 'stdin'), kindOfKey(key).mode]).toEqual([key, 'test']);
  for (const text of ['sk_test_ns_', 'sk_live_ns_a', 'sk_test_ns_a.b', `sk_test_ns_${'x'.repeat(65)}`, `${KEY}_n_a`])
    expect(errorOf(text).code).toBe('invalid_key');
});

describe('other text is refused with the position of the first wrong character', () => {
  test.for([
    ['a zero-width space before it', `\u200B${KEY}`, 'character 1 is'],
    ['a zero-width space behind it', `${KEY}\u200B`, 'character 39 is'],
    ['a zero-width joiner within', `sk_test_MadeUp\u200DForTests0123`, 'character 15 is'],
    ['a soft hyphen within', `sk_test_MadeUp\u00ADForTests0123`, 'character 15 is'],
    ['a no-break space within', `sk_test_MadeUp\u00A0ForTests0123`, 'character 15 is'],
    ['a space within', `sk_test_MadeUp ForTests0123`, 'character 15 is'],
    ['a line break within', `sk_test_MadeUp\nForTests0123`, 'character 15 is'],
    ['a right-to-left mark', `\u200F${KEY}`, 'character 1 is'],
    ['straight quotes', `"${KEY}"`, 'character 1 is'],
    ['single quotes', `'${KEY}'`, 'character 1 is'],
    ['typographic quotes', `“${KEY}”`, 'character 1 is'],
    ['backticks', `\`${KEY}\``, 'character 1 is'],
    ['a comma behind it', `${KEY},`, 'character 39 is'],
    ['a colon behind it, as for curl', `${KEY}:`, 'character 39 is'],
    ['a variable around it', `CENTAVO_SECRET_KEY=${KEY}`, 'character 19 is'],
    ['a header around it', `Authorization: Basic ${KEY}`, 'character 14 is'],
    ['a dotted name before it', `stripe.${KEY}`, 'character 7 is'],
    ['two keys on one line', `${KEY} ${KEY}`, 'character 39 is'],
    ['two keys on two lines', `${KEY}\n${KEY}`, 'character 39 is'],
    ['two keys without a gap', `${KEY}${KEY}`, 'character 41 is'],
    ['letters that only look alike', `sk_test_M\u0430deUpForTests0123`, 'character 10 is'],
    ['a letter with an accent', `sk_test_MadeUpForTésts0123`, 'character 19 is'],
    ['an emoji, which counts once', `😀${KEY}`, 'character 1 is'],
    ['an underscore in its body', `sk_test_MadeUp_ForTests0123`, 'character 15 is'],
    ['a hyphen for the first underscore', `sk-test_${BODY}`, 'character 3 is'],
    ['UTF-16, as PowerShell writes it', Buffer.from(KEY, 'utf16le').toString('utf8'), 'character 2 is'],
    ['the mask that is shown of one', 'sk_test_…cdef', 'character 9 is'],
    ['an end of text', `${KEY}\u0004`, 'character 39 is'],
  ] as const)('%s', ([, text, words]) => {
    const error = errorOf(text);
    expect(error).toMatchObject({kind: 'auth', code: 'invalid_key', message: 'stdin is not an API key.'});
    expect(error.details.why).toContain(words);
    expect(errorLines(error).join('\n')).not.toMatch(/MadeUp|Tests|cdef/);
  });
});

describe('text of valid characters is refused with the form of a key', () => {
  test.for([
    ['a webhook’s secret', `whsk_${BODY}`],
    ['a webhook’s secret by another habit', `whsec_${BODY}`],
    ['a client secret', `pi_1234_secret_${BODY}`],
    ['a body alone', BODY],
    ['large letters first', `SK_TEST_${BODY}`],
    ['another mode', `sk_prod_${BODY}`],
    ['another kind', `rk_test_${BODY}`],
    ['too short a body', 'sk_test_MadeUp1'],
    ['no body', 'sk_test_'],
    ['the base64 of one', Buffer.from(KEY).toString('base64url').replaceAll('-', '')],
    ['a customer', `cus_${BODY}`],
  ] as const)('%s', ([, text]) => {
    const error = errorOf(text);
    expect(error.details.why).toBe(
      `A key starts with sk_test_, sk_live_, pk_test_ or pk_live_, followed by letters and digits. This text has ${text.length} characters.`,
    );
    expect(errorLines(error)).toHaveLength(2);
  });

  test.for(['', ' ', '\n', '\r\n\t '])('%j is empty', (text) => {
    expect(errorOf(text).details).toMatchObject({why: 'It is empty.', applied: 'no'});
  });
});

test(`no error repeats the pasted text (seed ${SEED})`, () => {
  const odd = fc.constantFrom(' ', '\u200B', '\u00A0', '"', "'", '-', '\n', '\u0000', '😀', '\u202E');
  const body = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/);
  fc.assert(
    fc.property(
      fc.constantFrom('sk_test_', 'sk_live_', 'pk_test_', ''),
      body,
      odd,
      body,
      (first, one, between, two) => {
        const why = problemOfKey(`${first}${one}${between}${two}`)!;
        for (let at = 0; at + 8 <= one.length; at++) expect(why).not.toContain(one.slice(at, at + 8));
        const place = [...first, ...one].length + 1;
        if (first || !/[ \n]/.test(between)) expect(why).toContain(`character ${place} is`);
      },
    ),
    {seed: SEED, numRuns: runs(1000)},
  );
});

describe('a key', () => {
  test.for([
    ['sk_test_', 'test_secret', 'test', false, 'test secret key'],
    ['sk_live_', 'live_secret', 'live', false, 'live secret key'],
    ['pk_test_', 'test_public', 'test', true, 'test public key'],
    ['pk_live_', 'live_public', 'live', true, 'live public key'],
  ] as const)('that begins with %s has its slot, mode and words', ([first, slot, mode, isPublic, words]) => {
    expect(checkKey(`${first}${BODY}`, 'stdin')).toBe(`${first}${BODY}`);
    expect(kindOfKey(`${first}${BODY}`)).toEqual({slot, mode, isPublic});
    expect(kindOfSlot(slot)).toEqual({slot, mode, isPublic});
    expect(slotText(slot)).toBe(words);
    expect(maskedKey(slot, 'cdef')).toBe(`${first}…cdef`);
  });

  test('has a fingerprint that reveals nothing, and a name that a store accepts', () => {
    expect(fingerprint(KEY)).toMatch(/^[0-9a-f]{8}$/);
    expect(fingerprint(KEY)).not.toBe(fingerprint(`sk_live_${BODY}`));
    for (const slot of KEY_SLOTS) {
      const name = entryName('shop-1a', slot, fingerprint(KEY));
      expect(checkEntryName(name)).toBe(`shop-1a/${slot}-${fingerprint(KEY)}`);
    }
  });
});
