// Bars: in proportion, within their width, visible however small, and only where they can be drawn.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bar} from '../../../src/output/tables/bars.js';
import {terminal} from '../../support/output/recorded-terminal.js';
import {runs} from '../../support/test-size.js';

const drawn = {plain: false, utf8: true};

describe('a bar', () => {
  test.each([
    [100, 100, 4, '████'],
    [50, 100, 4, '██'],
    [45, 100, 5, '██▎'],
    [1, 1_000_000, 10, '▏'],
    [0, 100, 4, ''],
    [-5, 100, 4, ''],
    [5, 0, 4, ''],
    [500, 100, 4, '████'],
    [5, 100, 0, ''],
  ])('of %d, where the largest is %d and has %d columns: %j', (value, largest, width, expected) => {
    expect(bar(value, largest, width, drawn)).toBe(expected);
  });

  test('uses # without UTF-8, and nothing for a screen reader', () => {
    expect(bar(1, 2, 4, {...drawn, utf8: false})).toBe('##');
    expect(bar(1, 1000, 4, {...drawn, utf8: false})).toBe('#');
    expect(bar(1, 2, 4, {...drawn, plain: true})).toBe('');
  });

  test.each([
    [{}, true],
    [{LANG: 'en_PH.UTF-8'}, true],
    [{LANG: 'C.utf8'}, true],
    [{LANG: 'C'}, false],
    [{LANG: 'en_US.ISO-8859-1'}, false],
    [{LANG: 'en_PH.UTF-8', LC_ALL: 'POSIX'}, false],
    [{LANG: 'C', LC_CTYPE: 'en_PH.UTF-8'}, true],
    [{LANG: 'en_PH.UTF-8', LC_ALL: ''}, true],
  ])('is drawn by the locale: %o: %s', (env, utf8) => {
    expect(terminal({env}).io.utf8).toBe(utf8);
  });

  test('never exceeds its width, and never shrinks for a larger value (seed 20261222)', () => {
    const amounts = fc.integer({min: 0, max: 10 ** 10});
    fc.assert(
      fc.property(amounts, amounts, fc.integer({min: 1, max: 120}), fc.boolean(), (a, b, width, utf8) => {
        const largest = Math.max(a, b, 1);
        const [short, long] = [Math.min(a, b), Math.max(a, b)].map((value) =>
          bar(value, largest, width, {plain: false, utf8}),
        );
        expect(long!.length).toBeLessThanOrEqual(width);
        expect(short!.length).toBeLessThanOrEqual(long!.length);
      }),
      {seed: 20261222, numRuns: runs(2000)},
    );
  });
});
