// The table of error codes has each code of the source, and no other. Its exits are those of its kinds.

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {ERROR_CODES} from '../../src/common/error-codes.js';
import {EXIT_CODES} from '../../src/common/errors.js';

const root = new URL('../../src', import.meta.url).pathname;
/** What answers in the words of the API, and what is no error: reports of the doctor, of why and of webhooks. */
const OTHER =
  /^(?:sandbox\/(?:control\/(?:routes|namespaces)|exchange|serve|requests|studio|pages|actions|api-problems)|commands\/why|common\/error-codes)/;

const sources = readdirSync(root, {recursive: true, encoding: 'utf8'})
  .filter((file) => file.endsWith('.ts') && !OTHER.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'));

/** `usageError('code'`, `code: 'code'`, `code: isQr ? 'one' : 'other'` */
const PLACES = [
  /(?:\b\w+(?:Error|Fault)|(?:return |\? )fault|\binvalidCell|commandFailed|rejectedPayment|duplicate)\(\s*(?:[\w.]+(?:\([^()]*\))?, )?'([a-z]+(?:_[a-z]+)+)'/g,
  /\bcode(?::| =) '([a-z][a-z_]+)'/g,
  /\bcode(?::| =) [^,;'\n]*[^?]\? '([a-z_]+)'/g,
  /\bcode(?::| =) [^,;'\n]*[^?]\? '[a-z_]+' : '([a-z_]+)'/g,
];

test('every code of the source is in the table', () => {
  const known = new Set([...Object.keys(EXIT_CODES), ...ERROR_CODES.map(({code}) => code)]);
  const used = sources.flatMap((text) => PLACES.flatMap((place) => [...text.matchAll(place)].map(([, code]) => code!)));
  expect([...new Set(used)].filter((code) => !known.has(code))).toEqual([]);
});

test('every code of the table is in the source, once', () => {
  const all = sources.join('\n');
  const codes = ERROR_CODES.map(({code}) => code);
  // `hand_over_${state}`: one code for each state.
  const stems = [...all.matchAll(/[`]([a-z_]+_)\$\{\w+\}[`]/g)].map(([, stem]) => stem!);
  const isMade = (code: string): boolean =>
    stems.some((stem) => code.startsWith(stem) && all.includes(`'${code.slice(stem.length)}'`));
  expect(codes.filter((code) => !all.includes(`'${code}'`) && !isMade(code))).toEqual([]);
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  for (const {kinds} of ERROR_CODES) for (const kind of kinds) expect(Object.keys(EXIT_CODES)).toContain(kind);
});
