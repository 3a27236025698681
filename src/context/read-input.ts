// Reads what the user gives: named files, pipes and stdin. Every read stops when the signal aborts.

import {constants, createReadStream, existsSync, fstatSync, openSync, statSync, writeSync} from 'node:fs';
import {CentavoError, usageError} from '../common/errors.js';
import {localError, systemReason, systemError} from '../common/system-errors.js';

/** Bytes: enough for the ids of a million objects, or forty thousand whole statements. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

type ByteStream = AsyncIterable<Buffer> & {readonly destroy: (error: Error) => unknown};

/** @throws CentavoError kind `interrupted` when the signal aborts */
async function* piecesOf(stream: ByteStream, name: string, signal: AbortSignal): AsyncIterable<Buffer> {
  const stop = (): void => void stream.destroy(new CentavoError('interrupted', `stopped while reading ${name}.`));
  signal.addEventListener('abort', stop, {once: true});
  if (signal.aborted) stop();
  try {
    yield* stream;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readWhole(pieces: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > MAX_INPUT_BYTES) throw usageError('input_too_large', `${name} is larger than 64 MiB.`);
    parts.push(piece);
  }
  return Buffer.concat(parts);
}

/**
 * Opens without blocking: a thread that waits for the writer of a FIFO receives no signal, and the process could not end.
 * @returns `once`: true if the bytes can be read only once
 */
async function openStream(path: string): Promise<{readonly once: boolean; readonly stream: ByteStream}> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const stats = fstatSync(fd);
  if (stats.isFIFO()) return {once: true, stream: new (await import('node:net')).Socket({fd, writable: false})};
  const tty = stats.isCharacterDevice() ? await import('node:tty') : undefined;
  if (tty?.isatty(fd)) return {once: true, stream: new tty.ReadStream(fd)};
  // From position 0, because some systems share the position of /dev/fd/3 with the descriptor.
  return {once: !stats.isFile(), stream: createReadStream('', {fd, ...(stats.isFile() && {start: 0})})};
}

/** Reads named files. Keeps the bytes of pipes and devices, so that these can be opened again. */
export function createFileReader(signal: AbortSignal) {
  const kept = new Map<string, Buffer>();
  async function* openFile(path: string, name = path): AsyncIterable<Uint8Array> {
    const known = kept.get(path);
    if (known) return yield known;
    const {once, stream} = await openStream(path);
    const pieces = piecesOf(stream, path, signal);
    if (!once) return yield* pieces;
    const bytes = await readWhole(pieces, name);
    kept.set(path, bytes);
    yield bytes;
  }
  const readFile = (path: string, name: string): Promise<Buffer> =>
    readWhole(openFile(path, `${name}: ${path}`), `${name}: ${path}`).catch((error: unknown) => {
      if (error instanceof CentavoError) throw error;
      throw usageError('unreadable_file', `${name}: ${path} cannot be read.`, {why: systemReason(error), cause: error});
    });
  return {openFile, readFile, isReadOnce};
}

/** True for stdin, a pipe or a device, which a later command cannot read again. */
const isReadOnce = (path: string): boolean =>
  path === '-' || /^\/(?:dev\/(?:fd\/|std)|proc\/)/.test(path) || (existsSync(path) && !statSync(path).isFile());

export async function readStdin(stdin: () => ByteStream, signal: AbortSignal): Promise<Buffer> {
  try {
    const code = stdinFault();
    if (code !== undefined) throw systemError(code);
    return await readWhole(piecesOf(stdin(), 'stdin', signal), 'stdin');
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
