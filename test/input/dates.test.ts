// Dates as people type them: the end of a day in Manila, an instant, or words; independent of the computer's time zone.

import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath, pathToFileURL} from 'node:url';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {errorLines} from '../../src/cli/dispatch/print-error.js';
import {CentavoError} from '../../src/common/errors.js';
import {endOfManilaDay} from '../../src/common/manila.js';
import {dateText, readDate} from '../../src/input/dates.js';
import {valueOrThrow} from '../../src/input/invalid-input.js';
import {readDuration} from '../../src/input/quantities.js';
import {formatTime, isoTime} from '../../src/output/format.js';
import {runs} from '../support/test-size.js';

const SEED = 20261220;
const DAY = 86_400;
/** 2026-12-01 10:00 in Manila. */
const NOW = Date.UTC(2026, 11, 1, 2) / 1000;

const date = (text: string, now = NOW) => valueOrThrow(readDate(text, now), '--due');
const at = (iso: string) => Date.parse(iso) / 1000;

const ACCEPTED: readonly (readonly [text: string, iso: string])[] = [
  ['2026-12-15', '2026-12-15T23:59:59+08:00'],
  [' 2026-12-31 ', '2026-12-31T23:59:59+08:00'],
  ['2028-02-29', '2028-02-29T23:59:59+08:00'],
  ['@1766135410', '2025-12-19T09:10:10Z'],
  ['1766135410', '2025-12-19T09:10:10Z'],
  ['2026-12-31T23:59:59+08:00', '2026-12-31T23:59:59+08:00'],
  ['2026-12-31T15:59:59Z', '2026-12-31T15:59:59Z'],
  ['2026-12-31T15:59:59.999Z', '2026-12-31T15:59:59Z'],
  ['2026-12-31T17:00-03:30', '2026-12-31T20:30:00Z'],
  ['2026-12-31 17:00:00+08:00', '2026-12-31T09:00:00Z'],
  ['2026-12-31t15:59:59z', '2026-12-31T15:59:59Z'],
  ['+0d', '2026-12-01T23:59:59+08:00'],
  ['+1d', '2026-12-02T23:59:59+08:00'],
  ['+30d', '2026-12-31T23:59:59+08:00'],
  ['+2w', '2026-12-15T23:59:59+08:00'],
  ['+2h', '2026-12-01T12:00:00+08:00'],
  ['+90m', '2026-12-01T11:30:00+08:00'],
  ['+45s', '2026-12-01T10:00:45+08:00'],
];

test.each(ACCEPTED)('%j is %s', (text, iso) => {
  expect(date(text)).toBe(at(iso));
});

test.each([
  ['2026-02-30', 'has 28 days'],
  ['2026-13-01', 'month does not exist'],
  ['2026-00-10', 'month does not exist'],
  ['2026-12-00', 'has 31 days'],
  ['2027-02-29', 'has 28 days'],
  ['2100-02-29', 'has 28 days'],
  ['26-01-31', ''],
  ['0026-01-31', '2001'],
  ['1926-01-31', '2001'],
  ['2000-02-29', '2001'],
  ['11/12/2026', 'Write 2026-11-12 or 2026-12-11'],
  ['0', '2001'],
  ['20261215', '2001'],
  ['2026', '2001'],
  ['-1', ''],
  ['@1766135410000', '--due 1766135410'],
  ['@99999999999999', 'milliseconds'],
  ['2026-12-31T23:59', 'no zone'],
  ['2026-12-31T23:59:60Z', 'time of day does not exist'],
  ['2026-12-31T24:00:00Z', 'time of day does not exist'],
  ['2026-12-31T23:60:00Z', 'time of day does not exist'],
  ['2026-02-30T10:00:00Z', 'has 28 days'],
  ['2026-12-31T23:59:59+25:00', 'The zone +25:00 does not exist'],
  ['99999-01-01', ''],
  ['٢٠٢٦-١٢-٣١', ''],
  ['+1000000d', ''],
  ['+30', ''],
  ['+1.5d', ''],
  ['-3d', ''],
  ['', ''],
  ['2026-12-15\n2026-12-16', ''],
  ['1e9', ''],
])('%j is refused, with the value and what to write', (text, words) => {
  let error: CentavoError | undefined;
  try {
    date(text);
  } catch (thrown) {
    error = thrown as CentavoError;
  }
  expect(error).toMatchObject({kind: 'usage', code: 'invalid_date', details: {applied: 'no'}});
  const lines = errorLines(error!);
  expect(lines[0]).toContain(JSON.stringify(text.trim()));
  expect(lines.join(' ')).toContain(words);
  expect(lines).toHaveLength(3);
});

test('counts relative days from the Manila date', () => {
  // 23:30 in London is half past seven of the next morning in Manila.
  const lateInLondon = at('2026-12-01T23:30:00Z');
  expect(isoTime(date('+0d', lateInLondon))).toBe('2026-12-02T23:59:59+08:00');
  expect(isoTime(date('+30d', lateInLondon))).toBe('2027-01-01T23:59:59+08:00');
});

test('reports a bad zone even with a bad day', () => {
  expect(() => date('2026-12-31T10:00:00')).toThrow(expect.objectContaining({kind: 'usage'}));
});

describe(`properties (seed ${SEED})`, () => {
  test('every day from 2002 to 2100 is its own last second in Manila, and is shown as that day', () => {
    let wrong = 0;
    for (let day = Date.UTC(2002, 0, 1); day < Date.UTC(2101, 0, 1); day += DAY * 1000) {
      const text = new Date(day).toISOString().slice(0, 10);
      const seconds = date(text);
      if (seconds !== day / 1000 - 8 * 3600 + DAY - 1) wrong++;
      if (formatTime(seconds) !== `${text} 23:59` || endOfManilaDay(seconds) !== seconds) wrong++;
      if (date(isoTime(seconds)) !== seconds || date(String(seconds)) !== seconds) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test('reads any text as whole seconds between 2001 and 9999, or a usage error', () => {
    const texts = fc.oneof(
      fc.string({unit: 'binary', maxLength: 40}),
      fc.stringMatching(/^[@+-]?\d{1,17}[smhdw]?$/),
      fc.stringMatching(/^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let seconds: number;
        try {
          seconds = date(text);
        } catch (error) {
          expect((error as CentavoError).kind).toBe('usage');
          return;
        }
        expect(Number.isSafeInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(1_000_000_000);
        expect(seconds).toBeLessThanOrEqual(253_402_300_799);
      }),
      {seed: SEED, numRuns: runs(1500)},
    );
  });
});

test.each(['UTC', 'Asia/Manila', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Mars/Olympus'])(
  'with TZ=%s every date is the same',
  (zone) => {
    const module = pathToFileURL(fileURLToPath(new URL('../../dist/input/dates.js', import.meta.url))).href;
    const source = `import {readDate} from ${JSON.stringify(module)};
      const texts = ${JSON.stringify(ACCEPTED.map(([text]) => text))};
      process.stdout.write(JSON.stringify(texts.map((text) => readDate(text, ${NOW}))));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
      env: {PATH: process.env.PATH, TZ: zone},
      encoding: 'utf8',
    });
    expect(JSON.parse(output)).toEqual(ACCEPTED.map(([, iso]) => at(iso)));
  },
);

test("never uses the computer's time zone", () => {
  for (const file of ['../../src/input/dates.ts', '../../src/output/format.ts']) {
    const source = readFileSync(new URL(file, import.meta.url), 'utf8');
    expect(source).not.toMatch(
      /\.get(FullYear|Month|Date|Hours|Day|TimezoneOffset)\(|toLocale|Intl\.|Date\.parse|new Date\(\)/,
    );
  }
});

test.each([
  ['30', 30],
  ['30s', 30],
  ['5m', 300],
  ['2h', 7200],
  ['3d', 259_200],
  [' 1w ', 604_800],
  ['0', 0],
])('%j is a duration of %i seconds', (text, seconds) => {
  expect(valueOrThrow(readDuration(text), '--timeout')).toBe(seconds);
});

test.each(['', '-1', '1.5h', '5 m', '1e3', 'm', '5min', '12345678', '٥'])('%j is not a duration', (text) => {
  expect(() => valueOrThrow(readDuration(text), '--timeout')).toThrow(
    expect.objectContaining({kind: 'usage', code: 'invalid_duration'}),
  );
});

test('writes dates that read back as the same instant', () => {
  const instants = fc.integer({min: 1_000_000_000, max: 253_402_300_799 - 8 * 3600});
  fc.assert(
    fc.property(instants, (instant) => {
      expect(date(dateText(instant))).toBe(instant);
      expect(dateText(endOfManilaDay(instant))).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }),
    {seed: SEED},
  );
});
