// Where compiled code is kept: in a folder of the user's own, and nowhere that others can write to. tools/smoke.mjs tries it on Node 22 and later.

import {chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {compileCacheFolder} from '../src/compile-cache.js';
import {temporaryDirectory} from './support/cli.js';

const user = process.getuid?.();
const folderIn = (home: string, more: Partial<Parameters<typeof compileCacheFolder>[0]> = {}) =>
  compileCacheFolder({env: {HOME: home}, platform: 'linux', user, version: '1.2.3', ...more});

test('is made for its owner alone, below the cache folder of the platform', () => {
  const home = temporaryDirectory();
  const folder = folderIn(home);
  expect(folder).toBe(join(home, '.cache', 'centavo', 'compiled', '1.2.3'));
  for (const part of ['.cache', '.cache/centavo', '.cache/centavo/compiled', '.cache/centavo/compiled/1.2.3'])
    expect(statSync(join(home, part)).mode & 0o777, part).toBe(0o700);
  expect(folderIn(home)).toBe(folder);

  const cache = join(home, 'elsewhere');
  expect(folderIn(home, {env: {HOME: home, XDG_CACHE_HOME: cache}})).toBe(join(cache, 'centavo/compiled/1.2.3'));
  expect(folderIn(home, {env: {HOME: home, XDG_CACHE_HOME: 'relative'}})).toBe(folder);
  expect(folderIn(home, {platform: 'darwin'})).toBe(join(home, 'Library/Caches/centavo/compiled/1.2.3'));
});

test('the folders of other versions are removed when one is made', () => {
  const home = temporaryDirectory();
  folderIn(home, {version: '1.0.0'});
  folderIn(home);
  expect(readdirSync(join(home, '.cache/centavo/compiled'))).toEqual(['1.2.3']);
});

test.each([
  ['the folder itself', '.cache/centavo/compiled/1.2.3', 0o770],
  ['a folder above it', '.cache/centavo', 0o777],
  ['a folder above it, of a group', '.cache', 0o720],
])('is not used if others can write to %s', (_, part, mode) => {
  const home = temporaryDirectory();
  folderIn(home);
  chmodSync(join(home, part), mode);
  expect(folderIn(home)).toBeUndefined();
});

test('is not used, and nothing is made, in the home of another user', () => {
  const home = temporaryDirectory();
  // Only root can give a folder away; anybody else can pretend to be somebody else.
  const other = user === 0 ? 0 : user! + 1;
  if (user === 0) chownSync(home, 1234, 1234);
  expect(folderIn(home, {user: other})).toBeUndefined();
  expect(readdirSync(home)).toEqual([]);
});

test('a link is followed before anything is checked', () => {
  const home = temporaryDirectory();
  const shared = join(home, 'shared');
  mkdirSync(join(shared, 'target'), {recursive: true, mode: 0o700});
  chmodSync(shared, 0o777);
  mkdirSync(join(home, '.cache'), {mode: 0o700});
  symlinkSync(join(shared, 'target'), join(home, '.cache', 'centavo'));
  expect(folderIn(home)).toBeUndefined();
  chmodSync(shared, 0o755);
  expect(folderIn(home)).toBe(join(shared, 'target', 'compiled', '1.2.3'));
});

test('there is none without a home', () => {
  expect(folderIn('', {env: {}})).toBeUndefined();
  expect(folderIn('', {env: {HOME: 'relative'}})).toBeUndefined();
  expect(existsSync('relative')).toBe(false);
});
