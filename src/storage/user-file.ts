// Writes a file that the user names. Replaces a regular file as a whole, and writes directly to a device or FIFO.

import {createHash} from 'node:crypto';
import * as fs from 'node:fs';
import {dirname, resolve} from 'node:path';
import {CentavoError, refusedError, usageError} from '../common/errors.js';
import {codeOf, localError, systemError} from '../common/system-errors.js';
import {linkTarget, replaceFileInPieces, type TextPieces} from './replace-file.js';

export interface RequestedFile {
  /** The flag that can name another file: `--result`. */
  readonly flag: string;
  /** True to replace even a file that centavo did not write. */
  readonly force?: boolean;
  /** True if the command changes only its own lines in the file, so that any file is allowed. */
  readonly edits?: boolean;
  /** Files that the command reads, besides stdin. */
  readonly inputs?: readonly string[];
  /** Mode of a new file, before the umask. By default, only the owner may use the file. */
  readonly mode?: number;
}

export interface FileOptions {
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Ends the wait for a reader of a FIFO. */
  readonly signal: AbortSignal;
  readonly notify: (note: string) => void;
  readonly token: () => string;
  /** Reads and records the SHA-256 of the contents that centavo wrote to a path. */
  readonly history: () => Promise<{
    readonly recordedHashes: (path: string) => Iterable<string>;
    readonly recordFile: (path: string, sha256: string) => boolean;
  }>;
}

export interface UserFile {
  readonly path: string;
  /** The path with links resolved. */
  readonly real: string;
  /** True for a device or FIFO, which cannot be edited. */
  readonly isStream: boolean;
  /** Throws `interrupted` if stopped while a FIFO has no reader. */
  readonly write: (pieces: TextPieces, waiting?: Pick<FileOptions, 'signal' | 'notify'>) => Promise<void>;
}

const RETRY_PAUSE = 25;
const ANY_WRITE_BIT = 0o222;

/** Throws `local_io` if unwritable, `usage` if the command uses the file, `refused` if centavo did not write it. */
export async function checkUserFile(path: string, requested: RequestedFile, options: FileOptions): Promise<UserFile> {
  const {real, isStream} = await checkTarget(path, requested, options);
  const write: UserFile['write'] = async (pieces, waiting) => {
    // The file may have changed since the first check. Requests may have been sent, so the error is not a refusal.
    const {mode} = await checkTarget(path, requested, options).catch((error: CentavoError) => {
      throw new CentavoError('local_io', error.message, {...error.details, code: error.code, applied: undefined});
    });
    try {
      if (isStream) return await writeThrough(path, pieces, {...options, ...waiting});
      const history = await options.history();
      const record = (sha256: string): void => {
        if (!history.recordFile(linkTarget(real), sha256))
          options.notify(`${path} could not be recorded in the history. To replace it later, add --force.`);
      };
      await replaceFileInPieces(real, pieces, options.token(), {mode: requested.mode, kept: mode, record});
    } catch (error) {
      const why = codeOf(error) === 'EPIPE' ? {why: 'The program that read it has ended.'} : {};
      throw localError(`${path} could not be written.`, error, {applied: undefined, ...why});
    }
  };
  return {path, real, isStream, write};
}

async function checkTarget(path: string, {flag, force, edits, inputs = []}: RequestedFile, {history}: FileOptions) {
  if (/\.xlsx?$/i.test(path))
    throw usageError('invalid_flag', `${path} would not open as a workbook.`, {
      why: 'centavo writes text, such as CSV.',
      hint: `Name another file with ${flag}.`,
    });
  try {
    const stats = fs.statSync(path, {bigint: true, throwIfNoEntry: false});
    const mode = stats && Number(stats.mode) & 0o7777;
    const isStream = stats !== undefined && (stats.isFIFO() || stats.isCharacterDevice());
    const real = isStream ? path : resolve(linkTarget(path));
    if (stats && !isStream && !stats.isFile()) throw systemError(stats.isDirectory() ? 'EISDIR' : 'ENXIO');
    // Root could write to a read-only file, so check the mode too.
    if (mode !== undefined && (mode & ANY_WRITE_BIT) === 0) throw systemError('EACCES');
    // From Node 22 on, a path below a file counts as missing.
    if (!isStream && !fs.statSync(dirname(real)).isDirectory()) throw systemError('ENOTDIR');
    if (!isStream) fs.accessSync(dirname(real), fs.constants.W_OK);
    if (stats) fs.accessSync(real, fs.constants.W_OK);
    if (stats?.isFile()) refuseInUse(path, stats, flag, inputs);
    if (!stats?.isFile() || stats.size === 0n || force || edits) return {real, isStream, mode};
    const found = await fileHashOf(real);
    let isKnown = false;
    for (const sha256 of (await history()).recordedHashes(real)) {
      if (sha256 === found) return {real, isStream, mode};
      isKnown = true;
    }
    throw refusedError('file_exists', `${path} already exists.`, {
      why: isKnown ? 'It was changed after centavo wrote it.' : 'centavo has no record of writing it.',
      hint: `To keep it, name another file with ${flag}.`,
      override: '--force',
    });
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? {why: 'Its folder does not exist.'} : {};
    throw localError(`${path} cannot be written.`, error, {...why, hint: `Name another file with ${flag}.`});
  }
}

function refuseInUse(path: string, {dev, ino}: fs.BigIntStats, flag: string, inputs: readonly string[]): void {
  const isThis = (file: number | string): boolean => {
    try {
      const found = typeof file === 'number' ? fs.fstatSync(file, {bigint: true}) : fs.statSync(file, {bigint: true});
      return found.dev === dev && found.ino === ino;
    } catch {
      return false;
    }
  };
  const use = [...inputs, 0].some(isThis) ? 'reads' : [1, 2].some(isThis) && 'prints to';
  if (!use) return;
  const hint = `Name another file with ${flag}.`;
  throw usageError('file_in_use', `${path} is the file that this command ${use}.`, {hint});
}

async function fileHashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of fs.createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Writes without blocking: a blocked thread would receive no signal, and the process could not end. */
async function writeThrough(path: string, pieces: TextPieces, {signal, sleep, notify}: FileOptions): Promise<void> {
  const retryUntilReady = async (attempt: () => number, note?: string): Promise<number> => {
    for (let isNotified = note === undefined; ; isNotified = true) {
      try {
        return attempt();
      } catch (error) {
        if (!['EAGAIN', 'ENXIO'].includes(codeOf(error) ?? '')) throw error;
      }
      if (!isNotified) notify(note!);
      await sleep(RETRY_PAUSE, signal).catch(() => {
        throw new CentavoError('interrupted', `stopped while waiting for a program to read ${path}.`);
      });
    }
  };
  const flags = fs.constants.O_WRONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;
  const file = await retryUntilReady(() => fs.openSync(path, flags), `Waiting for a program to read ${path}.`);
  try {
    for await (const piece of pieces)
      for (let rest = Buffer.from(piece); rest.length > 0;)
        rest = rest.subarray(await retryUntilReady(() => fs.writeSync(file, rest)));
  } finally {
    fs.closeSync(file);
  }
}
