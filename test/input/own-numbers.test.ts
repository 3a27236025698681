// Numbers that look alike have one look, and other numbers have another.

import {expect, test} from 'vitest';
import {lookOf, ownNumber} from '../../src/input/own-numbers.js';

test.each([
  [
    'INV-1',
    'inv-1',
    'ＩＮＶ－１',
    'INV-\u200B1',
    'I\u00ADNV-1\uFEFF',
    'INV\u20111',
    'INV–1',
    'INV − 1',
    'inv\u2043\u00A01',
  ],
  ['1001', '1001.0', '1001.00', '１００１', '1001\u2060'],
  ['No 7', 'NO  7', '№ 7'],
])('%s looks like each of the others', (number, ...others) => {
  expect(others.map(lookOf)).toEqual(others.map(() => lookOf(number)));
  for (const other of others) expect(ownNumber(other)).not.toBe(ownNumber(number));
});

test.each([
  ['INV-1', 'INV-10', 'INV-2', 'INV 1', 'INV1', 'INV-1.0', 'INV-01'],
  ['42', '00042', '42.5', '420', '4.2'],
])('%s looks like none of the others', (number, ...others) => {
  for (const other of others) expect(lookOf(other)).not.toBe(lookOf(number));
});
