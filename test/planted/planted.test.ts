// Whether each planted bug can still be planted where it stands. `npm run soak` plants them, and looks which tests find them.

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';

interface Planted {
  readonly suffers: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const {PLANTED} = (await import(String(new URL('planted.mjs', import.meta.url)))) as {
  readonly PLANTED: readonly Planted[];
};
const root = join(import.meta.dirname, '../..');

test('none is lost, and no two are the same', () => {
  expect(PLANTED).toHaveLength(165);
  expect(new Set(PLANTED.map(({suffers}) => suffers)).size).toBe(165);
});

test.each(PLANTED)('$suffers', ({file, find, replace, tests}) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(text.split(find).length - 1, `how often ${file} has ${find}`).toBe(1);
  expect(replace).not.toBe(find);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
