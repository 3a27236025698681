// Patterns of event types.

import {expect, test} from 'vitest';
import {readEventFilter} from '../../src/input/event-filter.js';
import {valueOrThrow} from '../../src/input/invalid-input.js';

const TYPES = ['billing_statement.paid', 'billing_statement.created', 'payment.failed', 'something.new', undefined];
test.each([
  ['*', [true, true, true, true, true]],
  ['billing_statement.*', [true, true, false, false, false]],
  ['billing_statement.*,!billing_statement.created', [true, false, false, false, false]],
  ['!billing_statement.created, billing_statement.*', [true, false, false, false, false]],
  ['!billing_statement.*', [false, false, true, true, true]],
  ['*.paid,payment.*', [true, false, true, false, false]],
  ['never.heard.of', [false, false, false, false, false]],
  ['billing_statement', [false, false, false, false, false]],
  ['billingxstatement.paid', [false, false, false, false, false]],
  ['*a*i*d*', [true, false, true, false, false]],
])('%s', (text, wanted) => {
  expect(TYPES.map(valueOrThrow(readEventFilter(text)))).toEqual(wanted);
});

test('matches a dot literally', () => {
  expect(valueOrThrow(readEventFilter('payment.failed'))('paymentxfailed')).toBe(false);
});

test.each(['', ',', 'a,,b', '!', 'a b', 'a(b)+', 'payment.*;rm', '!!a', 'x'.repeat(201)])('%j is invalid', (text) => {
  expect(() => valueOrThrow(readEventFilter(text))).toThrow(
    expect.objectContaining({kind: 'usage', code: 'invalid_event_pattern'}),
  );
});
