// Due dates in words: each phrase reads as the intended day, or is refused with valid forms.

import {describe, expect, test} from 'vitest';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {monthText} from '../../src/common/manila.js';
import {dateText, readDate, readMonthText, readTypedDate} from '../../src/input/dates.js';
import {InvalidInput, valueOrThrow} from '../../src/input/invalid-input.js';
import {PHRASES} from './date-phrases.js';

const at = (iso: string) => Date.parse(iso) / 1000;
/** Tuesday, in Manila; still Monday in London. */
const NOW = at('2026-12-01T07:30:00+08:00');

test.for(PHRASES)('%j is %s', ([text, day, typed]) => {
  const read = readTypedDate(text, NOW);
  expect(read instanceof InvalidInput ? undefined : dateText(read.at)).toBe(day);
  if (day === undefined || typed) expect(() => valueOrThrow(readDate(text, NOW), '--due')).toThrow(CentavoError);
  else expect(dateText(valueOrThrow(readDate(text, NOW), '--due'))).toBe(day);
});

test('refuses an ambiguous date in a flag, and notes the reading at a prompt', () => {
  const error = (() => {
    try {
      return valueOrThrow(readDate('11/12/2026', NOW), '--due');
    } catch (thrown) {
      return thrown as CentavoError;
    }
  })() as CentavoError;
  expect(errorLines(error)).toEqual([
    'Error: --due "11/12/2026" is not a date.',
    '  Day and month are ambiguous. Nothing was sent.',
    '  Write 2026-11-12 or 2026-12-11.',
  ]);
  expect(readTypedDate('12/10/2026', NOW)).toMatchObject({note: 'read month first'});
  expect(readTypedDate('12/15/2026', NOW)).toEqual({at: at('2026-12-15T23:59:59+08:00')});
});

test('refuses an invalid date and shows valid forms', () => {
  const read = readTypedDate('-1d', NOW) as InvalidInput;
  const forms = /Try: (.*)\.$/.exec(read.problem)![1]!.split(', ');
  expect(forms.length).toBeGreaterThan(5);
  for (const form of forms) expect(readTypedDate(form, NOW), form).not.toBeInstanceOf(InvalidInput);
});

describe('in the Manila calendar', () => {
  test.each([
    ['on a Friday, friday is the next one', 'friday', '2026-12-04T09:00:00+08:00', '2026-12-11'],
    ['on a Friday, next friday is that of the next week', 'next friday', '2026-12-04T09:00:00+08:00', '2026-12-11'],
    ['on a Sunday, next monday is tomorrow', 'next monday', '2026-12-06T09:00:00+08:00', '2026-12-07'],
    ['on the 15th, the 15th is today', '15th', '2026-12-15T23:00:00+08:00', '2026-12-15'],
    ['after it, the 15th is that of the next month', '15th', '2026-12-16T00:00:01+08:00', '2027-01-15'],
    ['in a month without it, the 31st is that of the next one', '31st', '2026-11-02T09:00:00+08:00', '2026-12-31'],
    ['a month from the 31st is the last of a short month', '1 month', '2027-01-31T09:00:00+08:00', '2027-02-28'],
    ['the end of the month on its last day is today', 'katapusan', '2026-11-30T23:59:00+08:00', '2026-11-30'],
    ['29 February is in the next leap year, if that is next year', 'Feb 29', '2027-12-01T09:00:00+08:00', '2028-02-29'],
    ['late in London it is tomorrow in Manila', 'bukas', '2026-12-01T23:30:00Z', '2026-12-03'],
  ])('%s', (_, text, now, day) => {
    expect(dateText(valueOrThrow(readDate(text, at(now)), '--due'))).toBe(day);
  });
});

describe('for past events', () => {
  test.each([
    ['a day without a year is the last one', 'Nov 20', '2026-11-20'],
    ['one that is still to come this year is that of last year', 'Dec 15', '2025-12-15'],
    ['friday is the last one', 'friday', '2026-11-27'],
    ['the 15th is that of the last month', '15th', '2026-11-15'],
    ['today is today', 'Dec 1', '2026-12-01'],
  ])('%s', (_, text, day) => {
    expect(dateText(valueOrThrow(readDate(text, NOW, 'past'), '--since'))).toBe(day);
  });

  test('the examples of a date that is not understood are past', () => {
    const {hint} = (readDate('november', NOW, 'past') as InvalidInput).details;
    expect(hint).toContain('today or yesterday');
    expect(hint).not.toContain('+30d');
  });

  test.each([
    ['Nov 1', '2026-11-01'],
    ['Dec 15', '2026-12-15'],
    ['Jan 5', '2027-01-05'],
  ])('%s is the nearest one', (text, day) => {
    expect(dateText(valueOrThrow(readDate(text, NOW, 'nearest'), '--due-before'))).toBe(day);
  });
});

test('does not read a recent day as next year', () => {
  const refused = (() => {
    try {
      return valueOrThrow(readDate('Nov 20', NOW), '--due');
    } catch (thrown) {
      return thrown as CentavoError;
    }
  })() as CentavoError;
  expect(errorLines(refused).at(-1)).toBe('  Write 2026-11-20 or 2027-11-20.');
});

test.each([
  ['october', '2026-10'],
  ['Oct', '2026-10'],
  ['2026-02', '2026-02'],
])('%s is the month %s', (text, month) => {
  expect(monthText(valueOrThrow(readMonthText(text, NOW), '--month'))).toBe(month);
});

test.each(['this week', 'last year', 'yesterday', '2026-13', 'month', ''])('%j is not a month', (text) => {
  expect((readMonthText(text, NOW) as InvalidInput).toError('--month').message).toContain('is not a month.');
});

test('a date that does not exist names its month', () => {
  expect((readDate('30 feb', NOW) as InvalidInput).details.why).toBe(
    'February 30 does not exist. That month has 28 days.',
  );
  expect((readDate('2028-02-30', NOW) as InvalidInput).details.why).toBe(
    'February 30 does not exist. That month has 29 days.',
  );
});
