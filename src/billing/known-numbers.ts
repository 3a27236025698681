// Ids of statements whose numbers were looked up in one account: a hint that saves reading the list, never an answer.

import {mkdirSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {shapeOfId} from '../api/registry.js';
import {OWN_FOLDER, readSecretFile, replaceFile, type User} from '../storage/private-file.js';

const FOLDER = 'statement-numbers';
/** Newer ones replace older ones. At some 60 bytes each, this is about half a megabyte. */
const MOST = 10_000;

export interface KnownNumbersOptions {
  /** Where centavo keeps its data. */
  readonly directory: string;
  readonly profile: string;
  readonly mode: string;
  /** None in the sandbox. */
  readonly baseUrl?: string;
  readonly user: User;
  readonly token: () => string;
}

export interface KnownNumbers {
  /** The id of the statement that had this number, in any case, when it was last seen. */
  readonly idOf: (number: string) => string | undefined;
  /** Keeps the ids of these numbers. @param gone numbers that are no longer true */
  readonly learn: (ids: ReadonlyMap<string, string>, gone?: readonly string[]) => void;
}

export function knownNumbers({directory, profile, mode, baseUrl, user, token}: KnownNumbersOptions): KnownNumbers {
  const account = encodeURIComponent(baseUrl === undefined ? mode : `${mode} ${baseUrl}`);
  const path = `${folderOf(directory, profile)}/${account}.json`;
  let known = read(path, user);
  return {
    idOf: (number) => {
      const id = known.get(number.toUpperCase());
      return id !== undefined && shapeOfId(id)?.prefix === 'bstm_' ? id : undefined;
    },
    learn: (ids, gone = []) => {
      const learnt = new Map([...ids].map(([number, id]) => [number.toUpperCase(), id]));
      const lost = gone.map((number) => number.toUpperCase()).filter((number) => !learnt.has(number));
      const isNews = [...learnt].some(([number, id]) => known.get(number) !== id);
      if (!isNews && !lost.some((number) => known.has(number))) return;
      const kept = [...known].filter(([number]) => !learnt.has(number) && !lost.includes(number));
      known = new Map([...learnt, ...kept]);
      write(path, known, token());
    },
  };
}

const folderOf = (directory: string, profile: string): string =>
  `${directory}/${FOLDER}/${encodeURIComponent(profile)}`;

/** Forgets the numbers of a profile, whatever the account. */
export function forgetNumbers(directory: string, profile: string): void {
  try {
    rmSync(folderOf(directory, profile), {recursive: true, force: true});
  } catch {}
}

type Ids = ReadonlyMap<string, string>;

/** By number, the newest first. Nothing if the file is missing, damaged, or open to others. */
function read(path: string, user: User): Ids {
  try {
    const entries: unknown = JSON.parse(readSecretFile(path, user));
    const isPair = (pair: unknown): pair is [string, string] =>
      Array.isArray(pair) && pair.length === 2 && pair.every((each) => typeof each === 'string');
    return new Map(Array.isArray(entries) ? entries.filter(isPair) : []);
  } catch {
    return new Map();
  }
}

/** Writes nothing where that is not possible. */
function write(path: string, ids: Ids, token: string): void {
  try {
    mkdirSync(dirname(path), {recursive: true, mode: OWN_FOLDER});
    replaceFile(path, `${JSON.stringify([...ids].slice(0, MOST))}\n`, token);
  } catch {}
}
