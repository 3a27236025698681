// Reads whole inputs into memory, up to a limit: named files, and stdin.

import {createReadStream, fstatSync, statSync, writeSync} from 'node:fs';
import {CentavoError, usageError} from '../common/errors.js';
import {localError, systemReason, systemError} from '../common/system-errors.js';

/** Bytes: enough for the ids of a million objects, or forty thousand whole statements. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

async function readWhole(stream: AsyncIterable<unknown>, name: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_INPUT_BYTES) throw usageError('input_too_large', `${name} is larger than 64 MiB.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads a file, device or pipe. @param name the flag with the path, for errors */
export const readNamedFile = (path: string, name: string): Promise<Buffer> =>
  readWhole(createReadStream(path), `${name}: ${path}`).catch((error: unknown) => {
    if (error instanceof CentavoError) throw error;
    throw usageError('unreadable_file', `${name}: ${path} cannot be read.`, {why: systemReason(error)});
  });

export async function readStdin(stdin: () => AsyncIterable<unknown>): Promise<Buffer> {
  try {
    const code = stdinFault();
    if (code !== undefined) throw systemError(code);
    return await readWhole(stdin(), 'stdin');
  } catch (error) {
    throw localError('stdin cannot be read.', error, {hint: 'To give it nothing: < /dev/null'});
  }
}

/** The error code for a folder or a closed stdin, both of which Node reads as empty. */
function stdinFault(): string | undefined {
  const found = fstatSync(0);
  if (found.isDirectory()) return 'EISDIR';
  if (!found.isCharacterDevice() || found.rdev !== statSync('/dev/null', {throwIfNoEntry: false})?.rdev)
    return undefined;
  try {
    // A redirected null device is read-only. Node replaces a closed stdin with a writable null device.
    writeSync(0, '');
    return 'EBADF';
  } catch {
    return undefined;
  }
}
