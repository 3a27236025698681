// The diagnosis finds the cause of a delivery that is not genuine.

import {describe, expect, test} from 'vitest';
import {diagnoseSignature, type DiagnoseOptions} from '../../../src/webhooks/signature/diagnosis.js';
import {SIGNATURE_CASES} from '../fixtures/signature-cases.js';
import {
  bytes,
  digest,
  eventText,
  hmac,
  liveHeader,
  NOW,
  ourAnswer,
  OTHER_SECRET,
  SECRET,
  SIGNED_AT,
  testHeader,
} from '../fixtures/signing.js';

const BODY = eventText({note: 'Niño at https://shop.example/'});
const GOOD = testHeader(digest(BODY));
const named = (...values: string[]) => values.map((value, index) => ({name: `the secret in S${index + 1}`, value}));

const diagnosisOf = (changes: Partial<DiagnoseOptions> = {}) =>
  diagnoseSignature({body: bytes(BODY), header: [GOOD], secrets: named(SECRET), now: NOW, ...changes});

test('a genuine delivery: mode, secret and age', () => {
  expect(diagnosisOf()).toEqual({
    genuine: true,
    reason: null,
    mode: 'test',
    secret_index: 0,
    timestamp: SIGNED_AT,
    skew_seconds: 5,
    explanation: 'Signed in test mode with the secret in S1, 5 s ago.',
    hint: null,
  });
  expect(diagnosisOf({secrets: named(OTHER_SECRET, SECRET), now: SIGNED_AT - 7})).toMatchObject({
    genuine: true,
    secret_index: 1,
    skew_seconds: -7,
    explanation: 'Signed in test mode with secret 2 of 2 (the secret in S2), 7 s in the future.',
  });
});

test("explains the verifier's verdict of every case without the secret", () => {
  for (const {id, body, header, secrets = [SECRET], mode, tolerance} of SIGNATURE_CASES) {
    const arrived = {body: bytes(body), header};
    const diagnosis = diagnoseSignature({
      ...arrived,
      secrets: named(...secrets),
      now: NOW,
      mode,
      toleranceSeconds: tolerance,
    });
    const answer = ourAnswer({...arrived, secrets}, {mode, toleranceSeconds: tolerance});
    expect(diagnosis.reason ?? 'accept', id).toBe(answer);
    expect(diagnosis.genuine, id).toBe(answer === 'accept');
    const words = `${diagnosis.explanation} ${diagnosis.hint}`;
    expect(diagnosis.explanation, id).toMatch(/^[A-Z].*\.$/);
    expect(words, id).not.toContain(SECRET);
  }
});

describe('a body changed in transit', () => {
  const indented = JSON.stringify(JSON.parse(BODY), null, 2);
  const escaped = BODY.replaceAll('/', '\\/').replace('ñ', '\\u00f1');

  test.for([
    ['without the line break at its end', BODY, `${BODY}\n`],
    ['with a line break at its end', `${BODY}\n`, BODY],
    ['without blanks around it', BODY, `  ${BODY}`],
    ['with LF line breaks', indented, indented.replaceAll('\n', '\r\n')],
    ['with CRLF line breaks', indented.replaceAll('\n', '\r\n'), indented],
    ['without the byte order mark', BODY, `\uFEFF${BODY}`],
    ['before it was encoded a second time', BODY, bytes(BODY).toString('latin1')],
    ['in Unicode form C', BODY, BODY.normalize('NFD')],
    ['in Unicode form D', BODY.normalize('NFD'), BODY],
    ['as compact JSON', BODY, indented],
    ['as compact JSON with escaped slashes', BODY.replaceAll('/', '\\/'), BODY],
    ['as compact JSON in ASCII', BODY.replace('ñ', '\\u00f1'), BODY],
    ['as compact JSON in ASCII with escaped slashes', escaped, BODY],
    [
      'as JSON with blanks',
      JSON.stringify(JSON.parse(BODY), null, 1)
        .replace(/\n */g, ' ')
        .replace(/([{[]) | ([}\]])/g, '$1$2'),
      BODY,
    ],
    ['as JSON indented by 2', indented, BODY],
    ['as JSON indented by 4', JSON.stringify(JSON.parse(BODY), null, 4), BODY],
  ])('signed %s', ([was, signed, arrived]) => {
    const {reason, hint} = diagnosisOf({body: bytes(arrived!), header: [testHeader(digest(signed!))]});
    expect(reason).toBe('no_match');
    expect(hint).toContain(`signed the body ${was}, which`);
  });

  test('in an unknown way: suggests checks', () => {
    expect(diagnosisOf({body: bytes(BODY.replace('evt_A1', 'evt_B2'))}).hint).toMatch(/test secret of the webhook/);
    expect(diagnosisOf({body: bytes('not json')}).hint).toMatch(/signed in test mode/);
  });
});

describe('the secret', () => {
  test.for([
    [
      'ends in a line break',
      `${SECRET}\n`,
      'no_secret',
      /ends in a line break, which was probably pasted with it/,
      /Without the white space/,
    ],
    ['has a blank before it', ` ${SECRET}`, 'no_secret', /contains white space/, /Without the white space/],
    ['is another, with a line break', `${OTHER_SECRET}\n`, 'no_secret', /line break/, /Remove the white space/],
    ['is empty', '', 'no_secret', /is empty/, undefined],
    ['is blank', '   ', 'no_secret', /is blank/, undefined],
    ['is short', 'whsk_abc', 'no_secret', /too short/, undefined],
    ['is in quotes', `"${SECRET}"`, 'no_match', /does not match any known secret/i, /Without the quotes/],
    ['is an API key', 'sk_test_0123456789abcdef', 'no_match', /does not match any known secret/i, /is an API key/],
  ] as const)('%s', ([, secret, reason, explanation, hint]) => {
    const diagnosis = diagnosisOf({secrets: named(secret)});
    expect(diagnosis).toMatchObject({
      genuine: false,
      reason,
      secret_index: null,
      explanation: expect.stringMatching(explanation),
    });
    if (hint) expect(diagnosis.hint).toMatch(hint);
  });

  test('without its prefix matches nothing', () => {
    const header = [testHeader(hmac(`${SIGNED_AT}.${BODY}`, SECRET.slice(5)))];
    expect(diagnosisOf({header})).toMatchObject({reason: 'no_match', secret_index: null});
  });
});

describe('a correct signature with another fault names its secret', () => {
  const secrets = named(OTHER_SECRET, SECRET);
  const live = eventText({livemode: true});

  test.for([
    ['too_old', {now: NOW + 3600}, 3605, /3605 s ago by this machine’s clock/, /--tolerance 0/],
    ['too_new', {now: NOW - 3600}, -3595, /3595 s ahead by this machine’s clock/, /clock may be behind/],
    ['wrong_mode', {mode: 'live'}, 5, /other mode/, /genuine in test mode: --mode test/],
    ['mode_mismatch_body', {header: [liveHeader(digest(BODY))]}, 5, /different mode/, /moved/],
    ['mode_mismatch_body', {body: bytes(live), header: [testHeader(digest(live))]}, 5, /different mode/, /moved/],
    ['body_not_json', {body: bytes('a=b'), header: [testHeader(digest('a=b'))]}, 5, /not JSON/, /with the secret/],
  ] as const)('%s', ([reason, changes, skew_seconds, explanation, hint]) => {
    const diagnosis = diagnosisOf({secrets, ...changes});
    expect(diagnosis).toMatchObject({genuine: false, reason, secret_index: 1, skew_seconds, timestamp: SIGNED_AT});
    expect(diagnosis.explanation).toMatch(explanation);
    expect(diagnosis.explanation).toContain('made with secret 2 of 2 (the secret in S2)');
    expect(diagnosis.hint).toMatch(hint);
  });
});

describe('the header', () => {
  const hex = digest(BODY);

  test.for([
    ['missing_header', [], null, /proxy/],
    ['duplicate_header', [GOOD, GOOD], 'test', /added to it/],
    ['malformed_header', [`t=${SIGNED_AT},v1=${hex}`], null, /another service/],
    ['malformed_header', [`t=${SIGNED_AT},li=${hex}`], 'live', /as it arrived/],
    ['bad_timestamp', [testHeader(digest(BODY, `${SIGNED_AT}000`), `${SIGNED_AT}000`)], 'test', /milliseconds/],
    ['bad_signature_format', [testHeader(hex.toUpperCase())], 'test', /matches in lower case/],
    ['both_modes', [`t=${SIGNED_AT},te=${hex},li=${hex}`], null, null],
  ] as const)('%s', ([reason, header, mode, hint]) => {
    const diagnosis = diagnosisOf({header});
    expect(diagnosis).toMatchObject({reason, mode});
    if (hint === null) expect(diagnosis.hint).toBeNull();
    else expect(diagnosis.hint).toMatch(hint);
  });
});
