// How an error is printed: for people, for scripts, and with --verbose for bugs.

import {describe, expect, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {toCentavoError} from '../../../src/common/system-errors.js';
import {printError} from '../../../src/cli/dispatch/print-error.js';
import {PLAIN, terminal} from '../../support/output/recorded-terminal.js';

function told(thrown: unknown, options = {json: false, verbose: false}): string {
  const {io, err} = terminal({env: PLAIN});
  printError(toCentavoError(thrown), io, options);
  return err();
}

const refusal = new CentavoError('rejected', 'the API refused the request (HTTP 400).', {
  hint: 'Look at it again.',
  applied: 'no',
  apiErrors: [{code: 'bad', detail: 'The key sk_test_abcdefgh12\u001b[2J is not good.', parameter: 'amount'}],
});

describe('an error', () => {
  test('prints at most three lines for a person, without control characters', () => {
    expect(told(refusal)).toBe(
      'Error: the API refused the request (HTTP 400).\n' +
        '  amount: The key sk_test_[redacted]\\x1b[2J is not good. Nothing was changed.\n' +
        '  Look at it again.\n',
    );
  });

  test.each([
    ['refused', 'refused. Nothing was changed.'],
    ['Try again!', 'Try again! Nothing was changed.'],
  ])('ends the API message with one full stop: %s', (detail, sentences) => {
    const error = new CentavoError('rejected', 'refused.', {applied: 'no', apiErrors: [{code: 'bad', detail}]});
    expect(told(error)).toBe(`Error: refused.\n  ${sentences}\n`);
  });

  test('prints one line of JSON for a script', () => {
    const text = told(refusal, {json: true, verbose: false});
    expect(text.split('\n')).toHaveLength(2);
    expect(JSON.parse(text)).toMatchObject({error: {code: 'rejected', exit_code: 5, applied: 'no'}});
    expect(text).not.toContain('abcdefgh12');
  });

  test('prints the stack of a bug with --verbose, and no stack for other errors', () => {
    const bug = new TypeError('broke on\nwhsk_abcdefgh12');
    expect(told(bug)).toMatch(
      /^Error: a bug in centavo: TypeError at print-error\.test\.ts:\d+\.\n {2}.*\n {2}.*--verbose.*\n$/,
    );
    const whole = told(bug, {json: false, verbose: true});
    expect(whole).toMatch(/--verbose.*\n {4}at .*print-error\.test\.ts/);
    expect(whole).not.toMatch(/broke|whsk/);
    expect(told(refusal, {json: false, verbose: true}).split('\n')).toHaveLength(4);
  });

  test('prints no message of a library, which may quote the input', () => {
    const quoting = [
      () => JSON.parse('half of hunter2 is'),
      () => JSON.parse('{"a": "hunter2'),
      () => BigInt('hunter2'),
      () => decodeURIComponent('%hunter2'),
      () => new URL('http://[hunter2'),
      () => new RegExp(['(', 'hunter2'].join('')),
      () => new Intl.NumberFormat('hunter2hunter2'),
      () => 'hunter2'.repeat(-1),
    ];
    for (const work of quoting) {
      try {
        work();
        expect.unreachable();
      } catch (error) {
        for (const json of [true, false]) {
          const text = told(error, {json, verbose: true});
          expect(text).toContain('a bug in centavo');
          expect(text).not.toContain('hunter2');
        }
      }
    }
  });

  test('prints nothing of a message that looks like a stack', () => {
    const text = told(new Error('x\n    at hunter2 (hunter2.js:1:1)\n    at hunter3.js:2:2'), {
      json: false,
      verbose: true,
    });
    expect(text).not.toContain('hunter');
  });

  test.each([undefined, null, '', 0, {}, Symbol('x')])('reports a thrown %s', (thrown) => {
    expect(told(thrown, {json: false, verbose: true})).toContain('Error: a bug in centavo');
  });
});
