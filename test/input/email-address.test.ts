// Email addresses: the fault in words, and at least the strictness of zod's own rule.

import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {requestSchema} from '../../src/api/schema.js';
import {field} from '../../src/api/fields.js';
import {emailFault} from '../../src/input/email-address.js';
import {runs} from '../support/test-size.js';

test.each([
  ['ana@example.com', undefined],
  ["o'neil@example.com", undefined],
  ['a.b+c-d_e@mail-1.example.com.ph', undefined],
  ['ben@example.com\u200b', 'It has an invisible character (U+200B) after position 15.'],
  ['\u202adino@example.com\u202c', 'It has an invisible character (U+202A) at its start.'],
  ['be\u00adn@example.com', 'It has an invisible character (U+00AD) after position 2.'],
  ['ben\u3164\ufe0f@example.com', 'It has an invisible character (U+3164) after position 3.'],
  ['ben\ufe0f@example.com', 'It has an invisible character (U+FE0F) after position 3.'],
  ['ben\u00a0@example.com', 'It has an invisible character (U+00A0) after position 3.'],
  ['ben\t@example.com', 'It has an invisible character (U+0009) after position 3.'],
  ['ben@example.com\u{e0041}', 'It has an invisible character (U+E0041) after position 15.'],
  ['mailto:carla@example.com', 'It begins with mailto:.'],
  ['Email:hana@example.com', 'It begins with Email:.'],
  ['(ella@example.com)', 'It has the character ( at its start.'],
  ['lea@example.com)', 'It has the character ) after position 15.'],
  ["'fe@example.com'", "It has the character ' at its start."],
  ["fe@example.com'", "It has the character ' after position 14."],
  ["fe'@example.com", "It has the character ' after position 2."],
  ['Ana <ana@example.com>', 'It has a space after position 3.'],
  ['niño@example.com', 'It has the character ñ after position 2.'],
  ['ana＠example.com', 'It has the character ＠ after position 3.'],
  ['jo@example.com/kim', 'It has the character / after position 14.'],
  ['jo@example.com,kim', 'It has the character , after position 14.'],
  ['jo@example.com,kim@example.com', 'It has a second @.'],
  ['gil@example.com.', 'It ends with a dot.'],
  ['ian@example..com', 'It has two dots together.'],
  ['ian.@example.com', 'It has a dot in the wrong place after position 3.'],
  ['.ian@example.com', 'It has a dot in the wrong place at its start.'],
  ['ian@.example.com', 'It has a dot in the wrong place after position 3.'],
  ['nobody', 'It has no @.'],
  ['', 'It has no @.'],
  ['@example.com', 'It has nothing before the @.'],
  ['ana@', 'It has no dot after the @.'],
  ['ana@example', 'It has no dot after the @.'],
  ['ana@example.c', 'It has no valid domain after the @.'],
  ['ana@-example.com', 'It has no valid domain after the @.'],
  ['ana@192.168.0.1', 'It has no valid domain after the @.'],
  [`${'a'.repeat(250)}@x.ph`, 'It has more than 254 characters.'],
])('%j: %s', (text, fault) => {
  expect(emailFault(text)).toBe(fault);
});

test('the sandbox accepts the same addresses, and zod accepts each of them', () => {
  const [own, zod] = [requestSchema({email: field.email('')}), z.email()];
  const part = fc.string({unit: fc.constantFrom(..."ab1.-_+'@ñ /(\u200b"), maxLength: 8});
  const addresses = fc.oneof(
    part,
    fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.com`),
  );
  fc.assert(
    fc.property(addresses, (text) => {
      const isValid = emailFault(text) === undefined;
      expect(own.safeParse({email: text}).success).toBe(isValid);
      if (isValid) expect(zod.safeParse(text).success).toBe(true);
    }),
    {numRuns: runs(2000)},
  );
});

test('each seeded customer has an address', () => {
  const names = readFileSync(new URL('../../src/sandbox/seed/names.ts', import.meta.url), 'utf8');
  const found = names.match(/[\w.]+@[\w.]+/g)!;
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter((text) => emailFault(text) !== undefined)).toEqual([]);
});
