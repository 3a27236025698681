// A cache of texts in private files. A file that cannot be used counts as missing.

import {mkdirSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {OWN_FOLDER, readSecretFile, replaceFile, type User} from './private-file.js';

/** Texts by name, the newest first. */
export type Texts = ReadonlyMap<string, string>;

/** Nothing if the file is missing, damaged, or open to others. */
export function recall(path: string, user: User): Texts {
  try {
    const entries: unknown = JSON.parse(readSecretFile(path, user));
    const isPair = (pair: unknown): pair is [string, string] =>
      Array.isArray(pair) && pair.length === 2 && pair.every((each) => typeof each === 'string');
    return new Map(Array.isArray(entries) ? entries.filter(isPair) : []);
  } catch {
    return new Map();
  }
}

/** Writes nothing where that is not possible. @param token part of the name of the temporary file */
export function remember(path: string, texts: Texts, {most, token}: {most: number; token: string}): void {
  try {
    mkdirSync(dirname(path), {recursive: true, mode: OWN_FOLDER});
    replaceFile(path, `${JSON.stringify([...texts].slice(0, most))}\n`, token);
  } catch {}
}

/** Removes a file or folder, if it is there. */
export function forget(path: string): void {
  try {
    rmSync(path, {recursive: true, force: true});
  } catch {}
}
