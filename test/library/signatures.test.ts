// constructEvent and verifySignature: what they accept, and the sentence for each common mistake.

import {spawnSync} from 'node:child_process';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {CentavoError} from '../../src/common/errors.js';
import {constructEvent, SignatureError, verifySignature} from '../../src/library/signatures.js';
import {SEED} from '../support/seed.js';
import {runs} from '../support/test-size.js';
import {OPENSSL_VECTORS} from '../webhooks/fixtures/openssl-vectors.js';
import {bend, chanceOf} from '../webhooks/fixtures/mutations.js';
import {SIGNATURE_CASES} from '../webhooks/fixtures/signature-cases.js';
import {
  bytes,
  digest,
  eventText,
  liveHeader,
  NOW,
  OTHER_SECRET,
  SECRET,
  testHeader,
  theyAccept,
} from '../webhooks/fixtures/signing.js';

const BODY = eventText({note: 'Niño at https://shop.example/'});
const HEADER = testHeader(digest(BODY));
const at = {now: NOW};

/** What `constructEvent` throws; fails if it accepts. */
function refusalOf(...args: readonly unknown[]): SignatureError {
  try {
    (constructEvent as (...given: readonly unknown[]) => unknown)(...args);
  } catch (error) {
    expect(error).toBeInstanceOf(SignatureError);
    expect((error as Error).message).not.toContain(SECRET);
    return error as SignatureError;
  }
  throw new Error('it was accepted');
}

describe('accepts', () => {
  const openssl = spawnSync('openssl', ['version']).status === 0;
  const events = OPENSSL_VECTORS.filter(({name}) => !['an empty body', 'bytes that are no UTF-8'].includes(name));

  test.for(events)('what openssl signed: $name', ({secret, timestamp, body, digest: hex}) => {
    const content = Buffer.from(body, 'base64');
    const live = content.includes('"livemode":true');
    const header = live ? liveHeader(hex, timestamp) : testHeader(hex, timestamp);
    expect(constructEvent(content, header, secret, {now: timestamp})).toEqual(JSON.parse(content.toString()));
    expect(verifySignature({body: content, header, secrets: [secret], now: timestamp})).toEqual({
      genuine: true,
      mode: live ? 'live' : 'test',
      secretIndex: 0,
      timestamp,
    });
  });

  test.skipIf(!openssl)('what openssl signs now, by the real clock', () => {
    const t = Math.floor(Date.now() / 1000);
    const {stdout} = spawnSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], {
      input: `${t}.${BODY}`,
      encoding: 'utf8',
    });
    const header = testHeader(stdout.trim().split(' ').at(-1)!, t);
    expect(constructEvent(BODY, header, SECRET)).toMatchObject({id: 'evt_A1', type: 'billing_statement.paid'});
  });

  test('bytes and text, one header or a list, one secret or several, a Date or seconds', () => {
    const event = JSON.parse(BODY) as object;
    expect(constructEvent(new Uint8Array(bytes(BODY)), [HEADER], [OTHER_SECRET, SECRET], at)).toEqual(event);
    expect(constructEvent(BODY, HEADER, SECRET, {now: new Date(NOW * 1000 + 999), mode: 'test'})).toEqual(event);
    const within = bytes(`xx${BODY}yy`);
    expect(constructEvent(within.subarray(2, within.length - 2), HEADER, SECRET, at)).toEqual(event);
    expect(constructEvent(BODY, HEADER, SECRET, {now: NOW + 99_999, tolerance: 0})).toEqual(event);
  });

  test('the verdict as a condition', () => {
    const delivery = {body: bytes(BODY), header: HEADER, secrets: [SECRET], now: NOW};
    expect(verifySignature(delivery)).toMatchObject({genuine: true, mode: 'test', secretIndex: 0});
    expect(() => verifySignature({...delivery, secrets: [OTHER_SECRET]})).toThrow(SignatureError);
  });
});

test('accepts the cases that the verdict accepts, and throws its reason for the others', () => {
  for (const {id, body, header, secrets = [SECRET], mode, tolerance, ours} of SIGNATURE_CASES) {
    const construct = () => constructEvent(bytes(body), header, secrets, {...at, mode, tolerance});
    if (ours === 'accept') expect(construct(), id).toEqual(JSON.parse(bytes(body).toString()));
    else expect(refusalOf(bytes(body), header, secrets, {...at, mode, tolerance}).reason, id).toBe(ours);
  }
});

describe('a body that is not raw', () => {
  test.for<[string, unknown, RegExp]>([
    ['parsed', JSON.parse(BODY), /the body is an object, so something parsed it\. Pass the bytes .*express\.raw\(/],
    ['a list', [1], /is an object/],
    ['missing', undefined, /the body is undefined\. Read it before any parser, with express\.raw/],
    ['null', null, /the body is null/],
    ['a promise', Promise.resolve(BODY), /is a promise\. Write await before it: await request\.text\(\)/],
    ['a stream', new Response(BODY).body, /is a stream that was not read\. Read it with .* or await request\.text\(\)/],
    ['a number', 7, /is a number/],
  ])('%s', ([, body, message]) => {
    const error = refusalOf(body, HEADER, SECRET, at);
    expect(error).toMatchObject({reason: 'body_not_raw', name: 'SignatureError', code: 'not_genuine', kind: 'refused'});
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^the webhook delivery cannot be checked: /);
    expect(() => verifySignature({body: body as Uint8Array, header: HEADER, secrets: [SECRET], now: NOW})).toThrow(
      message,
    );
  });

  test('empty', () => {
    expect(refusalOf('', HEADER, SECRET, at).message).toMatch(/The body is empty: something may have read it before/);
  });
});

describe('JSON that was written again', () => {
  // As the service may write it, with the letter and the slashes either way.
  const spaced = BODY.replaceAll('":', '": ').replaceAll(',"', ', "');
  const php = BODY.replaceAll('/', '\\/').replace('ñ', '\\u00f1');
  const python = spaced.replace('ñ', '\\u00f1');

  test.for([
    ['JSON.stringify', BODY, php],
    ['JSON.stringify', BODY, python],
    ['PHP’s json_encode', php, BODY],
    ['Python’s json.dumps', python, BODY],
    ['JSON.stringify or PHP’s json_encode', '{"id":"evt_A1"}', '{"id": "evt_A1"}'],
  ])('by %s', ([writer, given, signed]) => {
    expect(JSON.parse(given!)).toEqual(JSON.parse(signed!));
    const {message, reason} = refusalOf(given, testHeader(digest(signed!)), SECRET, at);
    expect(reason).toBe('no_match');
    expect(message).toContain(`It was parsed and written again, in the form of ${writer}. Verify the raw body`);
  });

  test('in a form of no known program: says only what the service signed', () => {
    const {message} = refusalOf(`${BODY}\n`, HEADER, SECRET, at);
    expect(message).toContain('The service signed the body without the line break at its end');
    expect(message).not.toContain('written again');
  });

  const available = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
  test.skipIf(!available('python3'))('as python3 writes it', () => {
    const program = 'import json,sys; sys.stdout.write(json.dumps(json.load(sys.stdin)))';
    const {stdout} = spawnSync('python3', ['-c', program], {input: BODY, encoding: 'utf8'});
    expect(refusalOf(stdout, HEADER, SECRET, at).message).toContain('in the form of Python’s json.dumps');
  });
  test.skipIf(!available('php'))('as php writes it', () => {
    const program = 'echo json_encode(json_decode(stream_get_contents(STDIN)));';
    const {stdout} = spawnSync('php', ['-r', program], {input: BODY, encoding: 'utf8'});
    expect(refusalOf(stdout, HEADER, SECRET, at).message).toContain('in the form of PHP’s json_encode');
  });

  test('a large body is not tried in other forms', () => {
    const large = JSON.stringify({id: 'evt_A1', note: 'x'.repeat(70_000)});
    const {message} = refusalOf(`${large}\n`, testHeader(digest(large)), SECRET, at);
    expect(message).toBe('the webhook delivery is not genuine: the signature does not match any known secret.');
  });
});

describe('the header', () => {
  test.for<[string, unknown, RegExp]>([
    ['undefined', undefined, /Payrex-Signature is undefined\. Pass request\.headers\['payrex-signature'\], or/],
    ['null', null, /Payrex-Signature is null\./],
    ['empty', '', /Payrex-Signature is empty\./],
    ['an empty list', [], /Payrex-Signature is an empty list\./],
    [
      'other headers',
      {host: 'a', 'stripe-signature': 'x'},
      /do not have Payrex-Signature\. They have stripe-signature,/,
    ],
    ['no headers', {}, /the given headers do not have Payrex-Signature\. Pass request/],
    ['Headers of others', new Headers({'X-Signature': 'x'}), /They have x-signature,/],
  ])('missing: %s', ([, header, message]) => {
    const error = refusalOf(BODY, header, SECRET, at);
    expect(error.reason).toBe('missing_header');
    expect(error.message).toMatch(message);
  });

  test.for<[string, unknown]>([
    ['an object', {'payrex-signature': HEADER}],
    ['Headers', new Headers({'Payrex-Signature': HEADER})],
  ])('all headers as %s', ([, headers]) => {
    const error = refusalOf(BODY, headers, SECRET, at);
    expect(error.reason).toBe('malformed_header');
    expect(error.message).toMatch(
      /all headers were given, not one value\. Pass request\.headers\['payrex-signature'\]/,
    );
  });
});

describe('the secret', () => {
  test.for<[string, unknown, RegExp]>([
    ['another one', OTHER_SECRET, /Check that this is the test secret of the webhook that sent it/],
    ['a secret key', 'sk_test_0123456789abcdef', /The secret is an API key\. Use the secret of the webhook/],
    ['a public key', 'pk_live_0123456789abcdef', /is an API key/],
    ['a key in a list', [OTHER_SECRET, 'sk_test_0123456789abcdef'], /\[1\] is an API key/],
    ['empty', '', /no usable secret .* The secret is empty\. Pass the secret .* check that the variable is set/],
    ['undefined', undefined, /The secret is empty/],
    ['a list with nothing', [], /no usable secret/],
    ['a line break', `${SECRET}\n`, /ends in a line break/],
    ['in quotes', `"${SECRET}"`, /Without the quotes around it, the secret matches/],
  ])('%s', ([, secret, message]) => {
    expect(refusalOf(BODY, HEADER, secret, at).message).toMatch(message);
  });
});

describe('age and mode', () => {
  test.for<[string, object, RegExp]>([
    [
      'too_old',
      {now: NOW + 3600},
      /signed too long ago: 3605 s ago .* It is a replay, or .* set the tolerance to 0\.$/,
    ],
    ['too_old', {now: NOW + 10, tolerance: 10}, /15 s ago/],
    ['too_new', {now: NOW - 3600}, /signed in the future: 3595 s ahead .* clock may be behind/],
    ['wrong_mode', {now: NOW, mode: 'live'}, /signed for the other mode\. .* Only live mode is accepted here\.$/],
  ])('%s', ([reason, options, message]) => {
    const error = refusalOf(BODY, HEADER, SECRET, options);
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('--');
  });

  test.for<[object, RegExp]>([
    [{now: NOW * 1000}, /^now is 1790000123000, .* It looks like milliseconds\. Pass a Date, or divide by 1000\.$/],
    [{now: new Date('never')}, /^now is NaN, which is not a time in unix seconds\.$/],
    [{now: NOW, tolerance: -1}, /^the tolerance -1 is not a number of seconds/],
    [{now: NOW, tolerance: Number.NaN}, /^the tolerance NaN/],
    [{now: NOW, mode: 'production'}, /^the mode "production" is neither 'live' nor 'test'\.$/],
  ])('the option %j is a mistake of the program', ([options, message]) => {
    expect(() => constructEvent(BODY, HEADER, SECRET, options)).toThrow(
      expect.objectContaining({kind: 'usage', message: expect.stringMatching(message) as string}),
    );
  });
});

test(`the official SDK accepts what is accepted here (CENTAVO_SEED=${SEED})`, () => {
  const body = bytes(BODY);
  const genuine = {header: HEADER, hex: digest(BODY), body};
  let accepted = 0;
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const bent = bend(genuine, genuine, chanceOf(seed));
      try {
        constructEvent(bent.body, bent.header, SECRET, at);
      } catch (error) {
        expect(error).toBeInstanceOf(SignatureError);
        return;
      }
      accepted++;
      expect(theyAccept({...bent, header: [bent.header], secrets: [SECRET]})).toBe(true);
    }),
    {seed: SEED, numRuns: runs(20_000)},
  );
  expect(accepted).toBeGreaterThan(0);
});

test(`whatever is given, it throws one of our errors (CENTAVO_SEED=${SEED})`, () => {
  const anything = fc.anything({withBigInt: true, withNullPrototype: true, withTypedArray: true});
  fc.assert(
    fc.property(fc.tuple(anything, anything, anything), fc.nat({max: 7}), (odd, kept) => {
      const args = [BODY, HEADER, SECRET].map((value, index) => (kept & (1 << index) ? value : odd[index]));
      if (kept === 7) return;
      try {
        (constructEvent as (...given: unknown[]) => unknown)(...args, at);
        expect.unreachable('accepted');
      } catch (error) {
        expect(error).toBeInstanceOf(CentavoError);
      }
      for (const options of [odd[0], {body: odd[0], header: odd[1], secrets: odd[2], now: NOW}])
        expect(() => verifySignature(options as never)).toThrow(CentavoError);
    }),
    {seed: SEED, numRuns: runs(5000)},
  );
});
