// What a command reads whole into memory: files that people name, and stdin. Of a device that never ends it is not all.

import {createReadStream, fstatSync, statSync, writeSync} from 'node:fs';
import {CentavoError, usageError} from '../errors.js';
import {localError, reasonOf} from '../system-errors.js';

/** Bytes: the ids of a million objects, or forty thousand whole statements. */
const LARGEST_INPUT = 64 * 1024 * 1024;

/** @param name for the error @throws CentavoError kind `usage` for too much, and what the stream throws */
async function readWhole(stream: AsyncIterable<unknown>, name: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > LARGEST_INPUT) throw usageError(`${name} is larger than 64 MiB.`, {code: 'input_too_large'});
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** A file, device or pipe that the flag `name` names. @throws CentavoError kind `usage` */
export const readNamedFile = (path: string, name: string): Promise<Buffer> =>
  readWhole(createReadStream(path), `${name}: ${path}`).catch((error: unknown) => {
    if (error instanceof CentavoError) throw error;
    throw usageError(`${name}: ${path} cannot be read.`, {code: 'unreadable_file', why: reasonOf(error)});
  });

/** @throws CentavoError kind `usage` for too much, or `local_io` for a stdin that cannot be read */
export async function readStdin(stdin: () => AsyncIterable<unknown>): Promise<Buffer> {
  try {
    const code = faultOfStdin();
    if (code !== undefined) throw Object.assign(new Error(code), {code});
    return await readWhole(stdin(), 'stdin');
  } catch (error) {
    throw localError('stdin cannot be read.', error, {hint: 'To give it nothing: < /dev/null'});
  }
}

/** The system's code for what Node takes for an empty stdin: a folder, and what it opens in the place of a closed one. */
function faultOfStdin(): string | undefined {
  const found = fstatSync(0);
  if (found.isDirectory()) return 'EISDIR';
  if (!found.isCharacterDevice() || found.rdev !== statSync('/dev/null', {throwIfNoEntry: false})?.rdev)
    return undefined;
  try {
    // Whoever redirects the null device opens it for reading only; Node opens it for writing as well.
    writeSync(0, '');
    return 'EBADF';
  } catch {
    return undefined;
  }
}
