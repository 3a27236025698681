// Reads a file line by line, in pieces, so that a long one takes no more memory than a short one.

import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {assertFile} from '../storage/append.js';
import {codeOf} from '../thrown.js';

const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Bytes. */
const PIECE = 1 << 20;
const LINE_BREAK = 0x0a;

/**
 * Every line that has its line break; a file that is not there has none.
 * What stands behind the last one is being written at this moment, or was when its writer was killed.
 * @throws Error of the system
 */
export function* readLines(path: string): Generator<string> {
  let file: number;
  try {
    file = openSync(path, READING);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    assertFile(fstatSync(file));
    const piece = Buffer.alloc(PIECE);
    let rest = Buffer.alloc(0);
    for (let count = readSync(file, piece); count > 0; count = readSync(file, piece)) {
      const bytes = Buffer.concat([rest, piece.subarray(0, count)]);
      const end = bytes.lastIndexOf(LINE_BREAK);
      if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n');
      rest = bytes.subarray(end + 1);
    }
  } finally {
    closeSync(file);
  }
}
