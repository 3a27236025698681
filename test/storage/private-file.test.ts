// Files that are replaced whole or not at all. Who may read them is tested with the configuration and the keys.

import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {linkTarget, checkReplaceable, replaceFile, replaceFileInPieces} from '../../src/storage/replace-file.js';
import {temporaryDirectory} from '../support/cli.js';

test('replaces a file by a private one, and leaves no other file', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'file');
  writeFileSync(path, 'old', {mode: 0o644});
  replaceFile(path, Buffer.from([0, 255]), 'token');
  expect([...readFileSync(path)]).toEqual([0, 255]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['file']);
});

test('leaves a file that cannot be replaced unchanged, without a temporary file', () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'folder', 'full'), {recursive: true});
  expect(() => replaceFile(join(directory, 'folder'), 'new', 'token')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(() => replaceFile(join(directory, 'nowhere', 'file'), 'new', 'token')).toThrow(/ENOENT/);
  expect(readdirSync(directory)).toEqual(['folder']);
});

test('replaces a file by all pieces, or leaves it unchanged', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'file');
  await replaceFileInPieces(path, ['one, ', 'two'], 'token');
  expect(readFileSync(path, 'utf8')).toBe('one, two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const pieces = async function* () {
    yield 'three';
    throw new Error('no more');
  };
  await expect(replaceFileInPieces(path, pieces(), 'token')).rejects.toThrow('no more');
  expect(readFileSync(path, 'utf8')).toBe('one, two');
  expect(readdirSync(directory)).toEqual(['file']);
});

test('checks a file without changing it', () => {
  const directory = temporaryDirectory();
  checkReplaceable(join(directory, 'file'), 'new', 'token');
  expect(readdirSync(directory)).toEqual([]);
});

test('replaces a link; resolves its target even if missing', () => {
  const directory = temporaryDirectory();
  const [link, target] = [join(directory, 'link'), join(directory, 'target')];
  symlinkSync('target', link);
  expect([linkTarget(link), linkTarget(target)]).toEqual([target, target]);
  replaceFile(linkTarget(link), 'through', 'token');
  expect(linkTarget(link)).toBe(target);
  expect(readFileSync(target, 'utf8')).toBe('through');
  replaceFile(link, 'instead', 'token');
  expect([readFileSync(link, 'utf8'), readFileSync(target, 'utf8')]).toEqual(['instead', 'through']);
  expect(existsSync(target)).toBe(true);
});
