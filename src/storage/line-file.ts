// A private file of lines. Each line is added in one piece, even by several processes, and never changes afterwards.

import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
  type Stats,
} from 'node:fs';
import {dirname} from 'node:path';
import {codeOf, systemError} from '../ground/system-errors.js';
import {FOR_OTHERS, OWN_FILE, OWN_FOLDER, syncFolder} from './private-file.js';

/** For reading too, to see the last byte. Pipes are not waited for, and links are not followed. */
const ADDING = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Bytes read at once, so that a long file takes no more memory than a short one. */
const PIECE = 1 << 16;
const LINE_BREAK = 0x0a;
/** After this many incomplete writes, the disk is taken to be full. */
const TRIES = 3;

/**
 * Adds whole lines, which are on the disk when this returns. The file is made, with its folder, when missing.
 * @param lines each with its line break
 * @param durable false when a power cut may lose them; a killed process loses nothing either way
 * @returns the size of the file before and after, in bytes
 * @throws the system's error: then the lines are not there, or only a part of one
 */
export function append(
  path: string,
  lines: string,
  {durable = true} = {},
): {readonly before: number; readonly after: number} {
  const file = open(path);
  try {
    const stats = fstatSync(file);
    assertFile(stats);
    if (stats.mode & FOR_OTHERS) fchmodSync(file, OWN_FILE);
    write(file, stats.size === 0 || lastByte(file, stats.size) === LINE_BREAK ? lines : `\n${lines}`, lines);
    if (durable) fdatasyncSync(file);
    // The name must be on the disk too. Whoever made the file may have been killed before syncing the folder.
    if (stats.size === 0) syncFolder(dirname(path));
    return {before: stats.size, after: fstatSync(file).size};
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  try {
    return openSync(path, ADDING);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const folder = dirname(path);
  const made = mkdirSync(folder, {recursive: true, mode: OWN_FOLDER});
  if (made !== undefined) for (let at = folder; at.length >= made.length; at = dirname(at)) syncFolder(dirname(at));
  return openSync(path, ADDING | constants.O_CREAT, OWN_FILE);
}

function lastByte(file: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

/** Another process may have added something behind an incomplete write, so all lines are written again. */
function write(file: number, text: string, lines: string): void {
  let bytes = Buffer.from(text);
  for (let tries = 1; writeSync(file, bytes) < bytes.length; tries++) {
    if (tries === TRIES) throw systemError('ENOSPC');
    bytes = Buffer.from(`\n${lines}`);
  }
}

/**
 * Every line that ends with a line break, the last one first; none when there is no file.
 * Text behind the last line break is still being written, or its writer was killed.
 */
export function* linesFromEnd(path: string): Generator<string> {
  let file: number;
  try {
    file = openSync(path, READING);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    assertFile(stats);
    const piece = Buffer.alloc(PIECE);
    // The end of a line that begins in an earlier piece.
    let rest: Buffer[] = [];
    let ended = false;
    for (let end = stats.size; end > 0; end -= PIECE) {
      const start = Math.max(0, end - PIECE);
      const bytes = piece.subarray(0, readSync(file, piece, 0, end - start, start));
      const first = bytes.indexOf(LINE_BREAK);
      if (first >= 0) {
        const lines = Buffer.concat([bytes.subarray(first + 1), ...rest])
          .toString('utf8')
          .split('\n');
        yield* (ended ? lines : lines.slice(0, -1)).reverse();
        ended = true;
        rest = [];
      }
      rest.unshift(Buffer.from(first < 0 ? bytes : bytes.subarray(0, first)));
    }
    if (ended) yield Buffer.concat(rest).toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** Refuses pipes, devices and folders. */
function assertFile(stats: Stats): void {
  if (!stats.isFile()) throw systemError('ENXIO');
}
