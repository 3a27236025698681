// Lines read from the end of a file: the same as those from its beginning, wherever the pieces in which it is read are cut.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {linesFromEnd} from '../../src/storage/line-file.js';
import {temporaryDirectory} from '../support/cli.js';

const PIECE = 1 << 16;

const written = (text: string): string => {
  const path = join(temporaryDirectory(), 'lines');
  writeFileSync(path, text);
  return path;
};

test.each(['', 'torn', '\n', '\n\n', 'a\n', 'a\ntorn', '\na\n\nb\n', '₱\nñ\n'])('%j', (text) => {
  expect([...linesFromEnd(written(text))]).toEqual(text.split('\n').slice(0, -1).reverse());
});

test('no file has no lines', () => {
  expect([...linesFromEnd(join(temporaryDirectory(), 'none'))]).toEqual([]);
});

test('a line break or a character on the edge of a piece, and lines longer than pieces', () => {
  for (const length of [PIECE - 2, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE - 1, 2 * PIECE, 5 * PIECE])
    for (const [before, after] of [
      ['', ''],
      ['first\n', 'torn'],
      ['\n', '₱'.repeat(7)],
      ['first\n', `${'₱'.repeat(PIECE)}\nlast\n`],
    ] as const) {
      const text = `${before}${'x'.repeat(length)}\n${after}`;
      expect([...linesFromEnd(written(text))], `${length}`).toEqual(text.split('\n').slice(0, -1).reverse());
    }
});

test('who stops early needs no more of it', () => {
  const lines = linesFromEnd(written('a\nb\nc\n'));
  expect(lines.next().value).toBe('c');
  lines.return(undefined);
  expect(lines.next().done).toBe(true);
});
