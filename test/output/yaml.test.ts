// YAML says what the JSON says, to readers of YAML 1.1 too.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {readJson} from '../../src/ground/json.js';
import {toYaml} from '../../src/output/yaml.js';
import {runs} from '../support/tiers.js';

const SEED = 20261122;

const WORDS = [
  ...['yes', 'no', 'on', 'off', 'y', 'n', 'true', 'False', 'null', '~', '', ' ', '12', '010', '0x1F', '0o7', '1_000'],
  ...['1e3', '.5', '.inf', '.nan', '-', '- a', '2026-12-15', '2026-12-15 12:00:00', '12:30:45', '190:20:30', '<<', '='],
  ...[
    '# c',
    'a # c',
    'a: b',
    ':',
    '? a',
    '&a',
    '*a',
    '!a',
    '| a',
    '> a',
    '%a',
    '@a',
    '`a',
    '"a',
    "'a",
    '[a',
    '{a',
    'a,',
  ],
  ...[
    'a\nb',
    'a\n',
    '\na',
    'a\r\nb',
    'a\tb',
    '\ta',
    ' a',
    'a ',
    '---',
    '...',
    '\u202Eabc',
    '\uFEFFa',
    '\u{E0041}',
    'Niño',
  ],
];

test.each(WORDS)('%j stays a text, as a value, in a list and as a key', async (word) => {
  const value = {value: word, list: [word], [word]: 1};
  for (const version of ['1.1', '1.2'] as const) expect(parse(await toYaml(value), {version})).toEqual(value);
});

test(`any JSON comes back as it was (seed ${SEED})`, async () => {
  const text = fc.oneof(fc.string({unit: 'binary'}), fc.constantFrom(...WORDS), fc.string());
  const {value} = fc.letrec((tie) => ({
    value: fc.oneof(
      {maxDepth: 4},
      text,
      fc.integer(),
      fc.double({noNaN: true, noDefaultInfinity: true}).map((number) => (number === 0 ? 0 : number)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), {maxLength: 5}),
      fc.dictionary(text, tie('value'), {maxKeys: 5, noNullPrototype: true}),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (each) => {
      const json: unknown = JSON.parse(JSON.stringify(each));
      for (const version of ['1.1', '1.2'] as const) expect(parse(await toYaml(json), {version})).toEqual(json);
    }),
    {seed: SEED, numRuns: runs(2000)},
  );
});

test('numbers keep all their digits', async () => {
  expect(await toYaml(readJson('{"a":12345678901234567890,"b":[0.12345678901234567890123,1.5]}'))).toBe(
    'a: 12345678901234567890\nb:\n  - 0.12345678901234567890123\n  - 1.5\n',
  );
});

test('what acts on a terminal is an escape', async () => {
  expect(await toYaml({name: 'a\u202Eb\u0007\u009B', 'k\u200Bey': '\u{E0041}'})).toBe(
    'name: "a\\u202eb\\a\\u009b"\n"k\\u200bey": "\\U000e0041"\n',
  );
});
