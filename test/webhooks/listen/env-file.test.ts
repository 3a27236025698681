// Env files are edited only if a line is sure to be one value.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {writeEnvFile} from '../../../src/webhooks/listen/env-file.js';
import {temporaryDirectory} from '../../support/cli.js';

function written(before: Buffer | string): {after: Buffer; error: unknown} {
  const path = join(temporaryDirectory(), '.env');
  writeFileSync(path, before);
  let error: unknown;
  try {
    writeEnvFile({path: '.env', real: path}, {KEY: 'new'}, 'token', 'dev');
  } catch (thrown) {
    error = thrown;
  }
  return {after: readFileSync(path), error};
}

test.each([
  ['\uFEFFKEY=old\r\nB=2\r\n', "\uFEFFKEY='new'\r\nB=2\r\n"],
  ['B="first\nsecond"\nKEY=old\n', 'B="first\nsecond"\nKEY=\'new\'\n'],
  [String.raw`B="a \" b"` + '\nKEY="old"\n', String.raw`B="a \" b"` + "\nKEY='new'\n"],
  ["B=Juan's\nKEY=old\nC='ñ'\n", "B=Juan's\nKEY='new'\nC='ñ'\n"],
  ["# it's here\nKEY=old", "# it's here\nKEY='new'"],
])('edits %j', (before, after) => {
  expect(written(before)).toEqual({after: Buffer.from(after), error: undefined});
});

test('keeps bytes of another encoding', () => {
  const before = Buffer.from('A=Pe\xf1a\n', 'latin1');
  expect(written(before).after).toEqual(Buffer.concat([before, Buffer.from("KEY='new'\n")]));
});

test.each([
  ['UTF-16', Buffer.from('\uFEFFA=1\n', 'utf16le'), 'It is UTF-16 or not text.'],
  ['a value of several lines', 'KEY="first\nsecond"\n', 'KEY is in a value of several lines.'],
  ['a name in the value of another', "B='first\nKEY=old\nlast'\n", 'KEY is in a value of several lines.'],
  ['a quote without an end', 'A=1\nB="first\nKEY=old\n', 'The quote in line 2 does not end.'],
])('refuses %s, and leaves the file as it is', (_, before, why) => {
  const {after, error} = written(before);
  expect(error).toMatchObject({kind: 'usage', code: 'invalid_env_file', message: '.env cannot be edited.'});
  expect(error).toMatchObject({details: {why, hint: expect.stringMatching(/by hand: KEY=…$/)}});
  expect(after).toEqual(Buffer.from(before));
});
