// Values as people read them: pesos, Manila times, and foreign text made harmless.

import fc from 'fast-check';
import stringWidth from 'string-width';
import {describe, expect, test} from 'vitest';
import {valueOrThrow} from '../../src/input/invalid-input.js';
import {readPesos} from '../../src/input/money.js';
import {oneLineText, foldSentence, formatTime, formatValue, isoTime, wrapText} from '../../src/output/format.js';
import {timeOfDay} from '../../src/common/manila.js';
import {decimalPesos, formatPesos} from '../../src/common/pesos.js';
import {dangers} from '../support/output/recorded-terminal.js';
import {growthOf, LINEAR} from '../support/far-limits.js';
import {runs} from '../support/test-size.js';

const SEED = 20261222;

describe('pesos', () => {
  test.each([
    [0, '₱0.00'],
    [5, '₱0.05'],
    [50, '₱0.50'],
    [100, '₱1.00'],
    [99_999, '₱999.99'],
    [100_000, '₱1,000.00'],
    [125_050, '₱1,250.50'],
    [5_999_999_999, '₱59,999,999.99'],
    [-125_050, '-₱1,250.50'],
    [-5, '-₱0.05'],
  ])('%i centavos are %s', (centavos, text) => {
    expect(formatPesos(centavos)).toBe(text);
    expect(decimalPesos(centavos)).toBe(text.replace('₱', '').replaceAll(',', ''));
  });

  test(`formats every amount so that it reads back (seed ${SEED})`, () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (centavos) => {
        expect(valueOrThrow(readPesos(formatPesos(centavos)), 'amount')).toBe(centavos);
        expect(Number(decimalPesos(centavos).replace('.', ''))).toBe(centavos);
      }),
      {seed: SEED, numRuns: runs(5000)},
    );
  });

  test.each([1.5, 1e21, Infinity, NaN])('shows %d, which is not a number of centavos, unchanged', (value) => {
    expect(formatPesos(value)).toBe(String(value));
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 11, 15, 15, 59, 59) / 1000;

  test('are shown in Manila time', () => {
    expect(formatTime(at)).toBe('2026-12-15 23:59');
    expect(isoTime(at)).toBe('2026-12-15T23:59:59+08:00');
  });

  test.each(['00:00:00', '00:30:00', '01:00:00', '11:59:59', '12:00:00', '12:30:00', '13:00:00', '23:59:59'])(
    'have 24 hours: %s',
    (clock) => {
      const time = Date.parse(`2026-12-15T${clock}+08:00`);
      expect(timeOfDay(time)).toBe(clock);
      expect(formatTime(time / 1000)).toBe(`2026-12-15 ${clock.slice(0, 5)}`);
      expect(isoTime(time / 1000)).toBe(`2026-12-15T${clock}+08:00`);
    },
  );

  test.each([1e15, -1e15, 1e300, NaN, Infinity, 253_402_300_800, -62_167_300_000])(
    '%d is no time of these ages',
    (value) => {
      expect(formatTime(value)).toBe(String(value));
      expect(isoTime(value)).toBe(String(value));
    },
  );

  test('shows nothing for an unset time: 0 or null', () => {
    expect(formatValue(0, 'timestamp')).toBe('');
    expect(formatValue(null, 'timestamp')).toBe('');
  });
});

describe('clean', () => {
  test.each([
    ['ESC', '\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['CSI in one character', 'a\u009b2Jb', 'a\\x9b2Jb'],
    ['OSC 0, a window title', '\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['OSC 8, a link', '\u001b]8;;http://evil\u001b\\x', '\\x1b]8;;http://evil\\x1b\\x'],
    ['OSC 52, the clipboard', '\u001b]52;c;ZXZpbA==\u0007', '\\x1b]52;c;ZXZpbA==\\x07'],
    ['DCS', '\u001bP+q\u001b\\', '\\x1bP+q\\x1b\\'],
    ['bell and backspace', 'a\u0007\b', 'a\\x07\\x08'],
    ['carriage return', 'paid\rdue ', 'paid\\x0ddue '],
    ['line feed', 'a\nb', 'a⏎b'],
    ['tab', 'a\tb', 'a b'],
    ['vertical tab and form feed', 'a\u000b\u000c', 'a\\x0b\\x0c'],
    ['NUL and DEL', '\u0000\u007f', '\\x00\\x7f'],
    ['NEL', '\u0085', '\\x85'],
    ['line and paragraph separators', '\u2028\u2029', '<U+2028><U+2029>'],
    ['override to the left', 'abc\u202Efdp.exe', 'abc<U+202E>fdp.exe'],
    ['isolates', '\u2066\u2069', '<U+2066><U+2069>'],
    ['marks of direction', '\u200E\u200F\u061C', '<U+200E><U+200F><U+061C>'],
    ['characters of no width', 'a\u200Bb\u2060c\uFEFFd\u200Ce', 'a<U+200B>b<U+2060>c<U+FEFF>d<U+200C>e'],
    ['soft hyphen', 'pay\u00ADpal', 'pay\\xadpal'],
    ['format characters of any script', '\u0600\u180E\u{13430}', '<U+0600><U+180E><U+13430>'],
    ['tag characters', 'a\u{E0041}\u{E007F}', 'a<U+E0041><U+E007F>'],
    ['half characters', 'a\ud800b\udc00', 'a<U+D800>b<U+DC00>'],
    ['a joiner between letters', 'a\u200Db', 'a<U+200D>b'],
    ['a joiner after a picture alone', '👩\u200D', '👩<U+200D>'],
    ['two joiners', '👩\u200D\u200D👩', '👩<U+200D><U+200D>👩'],
  ])('shows %s instead of letting it act', (_, text, shown) => {
    expect(oneLineText(text)).toBe(shown);
    expect(dangers(oneLineText(text))).toEqual([]);
  });

  test.each([
    'Ñandú',
    'José Rizal',
    '₱1,250.50',
    '山田太郎',
    '🇵🇭',
    '👩\u200D💻',
    '👩🏽\u200D💻',
    '👨\u200D👩\u200D👧',
    '❤\uFE0F\u200D🔥',
    '🏳\uFE0F\u200D🌈',
    'e\u0301',
    '"<>&\'',
  ])('leaves %s as it is', (text) => {
    expect(oneLineText(text)).toBe(text);
  });

  const texts = fc.oneof(
    fc.string({unit: 'binary', maxLength: 40}),
    fc
      .array(fc.constantFrom('👩', '\u200D', '\uFE0F', '🏽', '💻', 'a', '\u001b', '\u009b', '\u202E', '\ud800', '\n'), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
    fc.array(fc.integer({min: 0, max: 0x2fff}), {maxLength: 30}).map((codes) => String.fromCharCode(...codes)),
  );

  test(`escapes everything active, is idempotent, and bounds the growth (seed ${SEED})`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = oneLineText(text);
        const sound = dangers(once).length === 0 && oneLineText(once) === once && once.isWellFormed();
        expect(sound && once.length <= 10 * text.length).toBe(true);
      }),
      {seed: SEED, numRuns: runs(20_000)},
    );
  });

  test('makes every character harmless and measurable', () => {
    // Character kinds that measuring ignores; it throws for a kind that it does not know.
    const odd = /\p{Default_Ignorable_Code_Point}|\p{Cc}|\p{Cf}|\p{Cs}|\p{M}|\p{Z}/u;
    const bad: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const shown = oneLineText(character);
      try {
        if (odd.test(character)) stringWidth(shown);
        if (dangers(shown).length > 0) bad.push(code.toString(16));
      } catch {
        bad.push(code.toString(16));
      }
    }
    expect(bad).toEqual([]);
  });

  test.each(['\u200D', '👩\u200D', '\u001b'])('takes time that grows with the length of the text: %j', (part) => {
    expect(growthOf(oneLineText, (size) => part.repeat(size), 100_000)).toBeLessThan(LINEAR);
  });
});

describe('values', () => {
  test.each([
    [null, 'text', ''],
    [undefined, 'text', ''],
    ['', 'text', ''],
    [true, 'boolean', 'yes'],
    [false, 'boolean', 'no'],
    [125_050, 'centavos', '₱1,250.50'],
    ['125050', 'centavos', '125050'],
    [['card', 'gcash'], 'object', 'card, gcash'],
    [{id: 'cus_1', name: 'Juan'}, 'object', 'Juan'],
    [{id: 'cus_1', name: ''}, 'object', 'cus_1'],
    [{branch: 'cebu', unit: '4B', none: null}, 'object', 'branch=cebu unit=4B'],
    [{name: '\u001b[2J'}, 'object', '\\x1b[2J'],
    [{'\u001b': 'x'}, 'object', '\\x1b=x'],
    // Times and amounts are recognized by name at any depth; unset times are omitted.
    [{email: 'a@b.co', created_at: 1_774_357_865, due_at: 0}, 'object', 'email=a@b.co created_at=2026-03-24 21:11'],
    [{amount: 125_050, unit_price: 200, order: 7}, 'object', 'amount=₱1,250.50 unit_price=₱2.00 order=7'],
    [{id: 'cus_1', resource: 'customer', deleted: true}, 'object', 'cus_1 (deleted)'],
    [{type: 'card', card: {brand: 'visa', last4: '4242'}}, 'object', 'card brand=visa last4=4242'],
    [{type: 'card', card: null, wallet: 'x'}, 'object', 'card wallet=x'],
    [{type: 'gcash', payment_method_type: 'gcash'}, 'object', 'gcash'],
    [{type: 'redirect', redirect_url: 'https://a.b'}, 'object', 'redirect redirect_url=https://a.b'],
    [{type: 'type'}, 'object', 'type'],
  ] as const)('%j as %s is %j', (value: unknown, kind, text) => {
    expect(formatValue(value, kind)).toBe(text);
  });
});

test.each([
  [7, 0, 0, ['one two', 'three']],
  [6, 0, 0, ['one', 'two', 'three']],
  [9, 2, 0, ['  one two', '  three']],
  [9, 2, 3, ['  one two', '     three']],
  [1, 0, 2, ['one', '  two', '  three']],
])('wraps to %i columns with an indent of %i, and %i more after the first line', (width, indent, more, lines) => {
  expect(wrapText('one two three', width, indent, more)).toEqual(lines);
});

test.each([
  [31, ['  To see it: centavo get bstm_1']],
  [30, ['  To see it:', '  centavo get bstm_1']],
  [20, ['  To see it:', '  centavo get bstm_1']],
  [11, ['  To see', '  it:', '  centavo get bstm_1']],
  [7, ['  To', '  see', '  it:', '  centavo get bstm_1']],
])('folds a sentence to %i columns, with its command in one line', (width, lines) => {
  expect(foldSentence('  To see it: centavo get bstm_1', width)).toEqual(lines);
});
