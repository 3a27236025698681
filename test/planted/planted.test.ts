// Checks that each planted bug can still be planted. `npm run soak` plants them and runs their tests.

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';

interface Planted {
  readonly harm: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const {PLANTED} = (await import(String(new URL('planted.mjs', import.meta.url)))) as {
  readonly PLANTED: readonly Planted[];
};
const root = join(import.meta.dirname, '../..');

test('has all bugs, each once', () => {
  expect(new Set(PLANTED.map(({harm}) => harm)).size).toBe(PLANTED.length);
});

test.each(PLANTED)('$harm', ({file, find, replace, tests}) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text.split(find).length - 1, `matches of ${find} in ${file}`).toBe(1);
  expect(replace).not.toBe(find);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
