// Targets and cases of a conformance run, and its JUnit report.

import {describe, expect, test} from 'vitest';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {chosenCases, readHandler, runConformance} from '../../../src/webhooks/conformance/conformance.js';
import {escapeXml, junitReport} from '../../../src/webhooks/conformance/report.js';
import {HANDLER_SECRET, isGenuine, startHandler} from '../fixtures/handler.js';
import {elementsOf} from '../fixtures/xml.js';

describe('allowed targets', () => {
  test.for([
    ['3000/hook', 'http://localhost:3000/hook'],
    ['http://127.0.0.1:3000/a?b=c', 'http://127.0.0.1:3000/a?b=c'],
    ['http://[::1]:3000/hook', 'http://[::1]:3000/hook'],
  ])('%s is on this machine', ([text, url]) => {
    expect(valueOrThrow(readHandler(text!, {allowRemote: false})).href).toBe(url);
  });

  test.for(['https://shop.example/hook', 'http://192.168.1.10/hook', 'http://localhost.evil.example/'])(
    '%s needs leave',
    (text) => {
      expect(() => valueOrThrow(readHandler(text, {allowRemote: false}))).toThrow(
        expect.objectContaining({kind: 'refused'}),
      );
      expect(valueOrThrow(readHandler(text, {allowRemote: true})).href).toBe(text);
    },
  );

  test.for(['http://169.254.169.254/', 'http://user:pass@shop.example/', 'ftp://shop.example/'])(
    '%s is refused even with leave',
    (text) => {
      expect(() => valueOrThrow(readHandler(text, {allowRemote: true}))).toThrow(/./);
    },
  );
});

test('names an unknown case and lists the known ones', () => {
  expect(() => chosenCases(['valid', 'nonsense'])).toThrow(
    expect.objectContaining({
      code: 'unknown_case',
      details: expect.objectContaining({hint: expect.stringContaining('raw-body')}),
    }),
  );
  expect(chosenCases(['slow', 'valid']).map(({name}) => name)).toEqual(['valid', 'slow']);
});

describe('the JUnit report', () => {
  test('is well-formed, with counts and faults', async () => {
    const handler = await startHandler({isGenuine: (request) => isGenuine(request) || request.header.length === 0});
    const report = await runConformance({
      url: new URL(`${handler.url}?a=1&b='<"`),
      secret: HANDLER_SECRET,
      secretName: 'the secret',
      otherSecrets: () => Promise.resolve([]),
      timeout: 5000,
      now: () => Math.floor(Date.now() / 1000),
      token: () => 'Report',
      mode: 'test',
      type: 'billing_statement.paid',
      data: {},
      cases: chosenCases(['valid', 'missing-signature', 'duplicate']),
    });
    const elements = elementsOf(junitReport(report, 1_790_000_000));
    expect(elements.map(({name}) => name)).toEqual([
      ...['testsuites', 'testsuite', 'testcase', 'testcase', 'failure', 'testcase', 'skipped'],
    ]);
    const [suites, suite, valid, , failure, , skipped] = elements;
    expect(suites!.attributes).toMatchObject({tests: '3', failures: '1', errors: '0'});
    expect(skipped!.attributes).toEqual({message: 'effects not counted'});
    expect(suite!.attributes).toMatchObject({name: report.url, skipped: '1', timestamp: '2026-09-21T14:13:20'});
    expect(valid!.attributes).toMatchObject({name: 'valid', classname: 'centavo webhooks test'});
    expect(failure!.attributes.message).toBe('the delivery without the header: 200');
    expect(failure!.text).toContain('\nexpected: 400, 401, 403 or 422 each time\n');
  });

  test.for([
    [`<a b="c">'&'</a>`, '&lt;a b=&quot;c&quot;&gt;&apos;&amp;&apos;&lt;/a&gt;'],
    ['\0\u001B[2J\uFFFE', '\uFFFD\uFFFD[2J\uFFFD'],
    ['a\tb\r\nc', 'a&#9;b&#13;&#10;c'],
    ['💸 \uD83D', '💸 \uFFFD'],
    [']]>', ']]&gt;'],
  ])('writes %j so that XML holds it', ([text, escaped]) => {
    expect(escapeXml(text!)).toBe(escaped);
  });
});
