// Replaces files atomically: a reader sees the old contents or the new ones, also after a power cut.

import {createHash} from 'node:crypto';
import * as fs from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import {PRIVATE_FILE_MODE, syncFolder} from './private-file.js';

/**
 * Writes a file with mode 0600 in an existing folder. A link at the path is replaced, not followed.
 * @param token part of the name of the temporary file, which a crash may leave behind
 * @throws the system's error; the file is then unchanged
 */
export function replaceFile(path: string, contents: string | Uint8Array, token: string): void {
  renameInto(path, writeTemporary(path, contents, token));
}

/** Text in pieces, so that memory use does not grow with the file. */
export type TextPieces = AsyncIterable<string> | Iterable<string>;

/**
 * Like {@link replaceFile}, for text in pieces.
 * @param mode mode of a new file, before the umask
 * @param kept mode of the replaced file, to keep it
 * @param record receives the SHA-256 of the new contents before the file is replaced
 */
export async function replaceFileInPieces(
  path: string,
  pieces: TextPieces,
  token: string,
  {
    mode,
    kept,
    record,
  }: {readonly mode?: number; readonly kept?: number; readonly record?: (sha256: string) => void} = {},
): Promise<void> {
  const hash = createHash('sha256');
  const {temporary, file} = openTemporary(path, token, kept === undefined ? mode : PRIVATE_FILE_MODE);
  try {
    for await (const piece of pieces) {
      hash.update(piece);
      fs.writeFileSync(file, piece);
    }
    if (kept !== undefined) fs.fchmodSync(file, kept);
    fs.fsyncSync(file);
  } catch (error) {
    fs.rmSync(temporary, {force: true});
    throw error;
  } finally {
    fs.closeSync(file);
  }
  record?.(hash.digest('hex'));
  renameInto(path, temporary);
}

function renameInto(path: string, temporary: string): void {
  try {
    fs.renameSync(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, {force: true});
    throw error;
  }
  try {
    syncFolder(dirname(path));
  } catch {
    // The file is replaced, but a power cut may undo the replacement.
  }
}

/** Throws the system's error if the file cannot be replaced. Does not change the file. */
export const checkReplaceable = (path: string, contents: string | Uint8Array, token: string): void =>
  fs.rmSync(writeTemporary(path, contents, token));

function writeTemporary(path: string, contents: string | Uint8Array, token: string): string {
  const {temporary, file} = openTemporary(path, token);
  try {
    fs.writeFileSync(file, contents);
    fs.fsyncSync(file);
  } catch (error) {
    fs.rmSync(temporary, {force: true});
    throw error;
  } finally {
    fs.closeSync(file);
  }
  return temporary;
}

function openTemporary(
  path: string,
  token: string,
  mode = PRIVATE_FILE_MODE,
): {readonly temporary: string; readonly file: number} {
  const temporary = join(dirname(path), `.${basename(path)}.${token}`);
  // 'wx' fails if the name exists, even as a link.
  return {temporary, file: fs.openSync(temporary, 'wx', mode)};
}

/** Returns the real path, or the missing target of a symbolic link. */
export function linkTarget(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {}
  try {
    return linkTarget(resolve(fs.realpathSync(dirname(path)), fs.readlinkSync(path)));
  } catch {
    return path;
  }
}
