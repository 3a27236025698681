// Text in terminal columns: a wide character takes two, an accent none, and no character is halved.

import {expect, test} from 'vitest';
import {textMeasureFor} from '../../../src/output/text-width.js';

const {widthOf, cut, tail, padEnd, padStart, wrap} = await textMeasureFor();

test.each([
  ['Nino', 4],
  ['Nin\u0303o', 4],
  ['請求書', 6],
  ['A請', 3],
  ['👍🏽', 2],
])('%s takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test('cuts wide text at a whole character', () => {
  expect(cut('請求書', 6)).toBe('請求書');
  expect(cut('請求書', 5)).toBe('請求…');
  expect(cut('請求書', 4)).toBe('請…');
  expect(tail('請求書', 5)).toBe('求書');
});

test('pads narrow text', () => {
  expect(padEnd('請求', 6)).toBe('請求  ');
  expect(padStart('請求', 6)).toBe('  請求');
  expect(padEnd('請求', 3)).toBe('請求');
});

test('breaks lines between words, and within too wide words', () => {
  expect(wrap('請求 求書 a', 6)).toEqual(['請求', '求書 a']);
  expect(wrap('請求書請求', 5)).toEqual(['請求', '書請', '求']);
});
