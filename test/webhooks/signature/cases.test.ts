// The conformance cases of signatures, through our verifier and through the official SDK's.

import {spawnSync} from 'node:child_process';
import {describe, expect, test} from 'vitest';
import {isUsableSecret, signPayload, inspectSignature} from '../../../src/webhooks/signature/signature.js';
import {OPENSSL_VECTORS} from '../fixtures/openssl-vectors.js';
import {SIGNATURE_CASES} from '../fixtures/signature-cases.js';
import {
  bytes,
  digest,
  eventText,
  NOW,
  ourAnswer,
  SECRET,
  SIGNED_AT,
  testHeader,
  theyAccept,
} from '../fixtures/signing.js';

const arrivedOf = ({body, header, secrets = [SECRET]}: (typeof SIGNATURE_CASES)[number]) => ({
  body: bytes(body),
  header,
  secrets,
});

test('the cases are 115, numbered from S001, of which 18 are genuine and 41 fool the official SDK', () => {
  expect(SIGNATURE_CASES.map(({id}) => id)).toEqual(
    Array.from({length: 115}, (_, index) => `S${String(index + 1).padStart(3, '0')}`),
  );
  expect(SIGNATURE_CASES.filter(({ours}) => ours === 'accept')).toHaveLength(18);
  expect(SIGNATURE_CASES.filter(({ours, node}) => node && ours !== 'accept')).toHaveLength(41);
  expect(SIGNATURE_CASES.filter(({ours, node}) => !node && ours === 'accept')).toEqual([]);
});

describe.for(SIGNATURE_CASES)('$id $title', (each) => {
  const arrived = arrivedOf(each);

  test(`is ${each.ours}`, () => {
    expect(ourAnswer(arrived, {mode: each.mode, toleranceSeconds: each.tolerance})).toBe(each.ours);
  });

  test(`is ${each.node ? 'accepted' : 'refused'} by the official SDK`, () => {
    expect(theyAccept(arrived)).toBe(each.node);
  });
});

describe('signatures that openssl made', () => {
  const openssl = spawnSync('openssl', ['version']).status === 0;

  test.for(OPENSSL_VECTORS)('$name: ours is the same', ({secret, timestamp, body, digest: hex}) => {
    const content = Buffer.from(body, 'base64');
    expect(signPayload({body: content, secret, timestamp, mode: 'test'})).toBe(`t=${timestamp},te=${hex},li=`);
    expect(signPayload({body: content, secret, timestamp, mode: 'live'})).toBe(`t=${timestamp},te=,li=${hex}`);
  });

  test.for(OPENSSL_VECTORS)('$name: the verifier matches it, and only then checks the body', (vector) => {
    const content = Buffer.from(vector.body, 'base64');
    const live = content.includes('"livemode":true');
    const header = [`t=${vector.timestamp},te=${live ? '' : vector.digest},li=${live ? vector.digest : ''}`];
    const verdict = inspectSignature({body: content, header, secrets: [vector.secret], now: vector.timestamp});
    const unreadable = {'an empty body': 'body_not_json', 'bytes that are no UTF-8': 'body_not_utf8'}[vector.name];
    expect(verdict.genuine ? 'accept' : verdict.reason).toBe(unreadable ?? 'accept');
  });

  test.skipIf(!openssl)('openssl reproduces them', () => {
    for (const {secret, timestamp, body, digest: hex} of OPENSSL_VECTORS) {
      const input = Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body, 'base64')]);
      const {stdout} = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret], {input, encoding: 'utf8'});
      expect(stdout.trim().split(' ').at(-1)).toBe(hex);
    }
  });
});

describe('invalid options are refused', () => {
  const body = bytes(eventText());
  const arrived = {body, header: [testHeader(digest(eventText()))], secrets: [SECRET]};

  test.for([
    ['a clock that is no number', {now: Number.NaN}, 'too_old'],
    ['a tolerance that is no number', {toleranceSeconds: Number.NaN}, 'too_old'],
    ['a negative tolerance', {toleranceSeconds: -1}, 'too_old'],
    ['no tolerance, which is the usual one', {toleranceSeconds: undefined}, 'accept'],
    ['secrets of other kinds', {secrets: [undefined, null, 12, {}] as never}, 'no_secret'],
  ] as const)('%s: %s', ([, options, answer]) => {
    expect(ourAnswer(arrived, options)).toBe(answer);
  });

  test.for(['', '   ', 'undefined', 'null', 'whsk_abc', `${SECRET}\n`, ` ${SECRET}`, 'two words of it'])(
    'the secret %j cannot sign',
    (secret) => {
      expect(isUsableSecret(secret)).toBe(false);
      expect(() => signPayload({body, secret, timestamp: SIGNED_AT, mode: 'test'})).toThrow(RangeError);
    },
  );

  test.for(['\t', '\u007F', '\u00A0'])(
    'the character %j anywhere in the header is refused, in parts that are not known too',
    (character) => {
      const [header] = arrived.header;
      for (const bent of [`${character}${header}`, `${header}${character}`, `${header},x=a${character}b`])
        expect(ourAnswer({...arrived, header: [bent]})).toBe('malformed_header');
    },
  );

  test('refuses blanks around the header, as the official SDK does in part', () => {
    const [header] = arrived.header;
    for (const bent of [` ${header}`, `${header} `])
      expect(ourAnswer({...arrived, header: [bent]})).toBe('malformed_header');
  });

  test('names the first of two equal secrets', () => {
    expect(inspectSignature({...arrived, secrets: [SECRET, SECRET], now: NOW})).toMatchObject({secretIndex: 0});
  });

  test("the verdict has the secret's index and the time", () => {
    const secrets = ['', `${SECRET}\n`, 'whsk_another_one_entirely', SECRET];
    expect(inspectSignature({...arrived, secrets, now: NOW})).toEqual({
      genuine: true,
      mode: 'test',
      secretIndex: 3,
      timestamp: SIGNED_AT,
    });
  });
});
