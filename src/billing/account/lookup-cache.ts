// Caches an account's statement ids by number, and the dates and payments of statements. A cached id is only a hint and is
// checked when used. Dates and payments do not change.

import {mkdirSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {isJsonObject} from '../../common/json.js';
import {PRIVATE_FOLDER_MODE, readSecretFile, type FileOwner} from '../../storage/private-file.js';
import {replaceFile} from '../../storage/replace-file.js';

/** A copy, so that Tab completion need not load the API contract. */
const STATEMENT_ID = /^bstm_[A-Za-z0-9]+$/;
const FOLDER = 'statement-numbers';
/** Maximum entries; newer entries replace older entries. At about 60 bytes each, half a megabyte. */
const MAX_CACHED = 10_000;

export interface LookupCacheOptions {
  readonly directory: string;
  readonly profile: string;
  readonly mode: string;
  readonly baseUrl?: string;
  /** The account's id, for entries that nothing checks. */
  readonly account?: string;
  readonly user: FileOwner;
  readonly token: () => string;
}

interface CacheFile<Value> {
  readonly get: (name: string) => Value | undefined;
  /** @param gone names whose entries are removed */
  readonly update: (values: ReadonlyMap<string, Value>, gone?: readonly string[]) => void;
}

/** Statement ids by number, as last read. Numbers match in upper and lower case. */
export type StatementNumberCache = CacheFile<string> & {readonly names: () => string[]};

export function statementNumberCache(options: LookupCacheOptions): StatementNumberCache {
  const known = cacheFileIn(options, '', (value): value is string => typeof value === 'string');
  return {
    names: known.names,
    get: (number) => {
      const id = known.get(number.toUpperCase());
      return id !== undefined && STATEMENT_ID.test(id) ? id : undefined;
    },
    update: (ids, gone = []) =>
      known.update(
        new Map([...ids].map(([number, id]) => [number.toUpperCase(), id])),
        gone.map((number) => number.toUpperCase()),
      ),
  };
}

/** The time at which a statement was finalized, and the id, time and method of its payment. */
export interface CachedStatement {
  /** Unix seconds. */
  readonly finalizedAt?: number;
  readonly at?: number;
  readonly method?: string;
  readonly id?: string;
}

export const statementCache = (options: LookupCacheOptions): CacheFile<CachedStatement> =>
  cacheFileIn(options, '.dates', (value): value is CachedStatement => isJsonObject(value));

function cacheFileIn<Value>(
  {directory, profile, mode, baseUrl, account: id, user, token}: LookupCacheOptions,
  kind: string,
  isValue: (value: unknown) => value is Value,
): CacheFile<Value> & {readonly names: () => string[]} {
  const account = encodeURIComponent(id ?? (baseUrl === undefined ? mode : `${mode} ${baseUrl}`));
  const path = `${folderOf(directory, profile)}/${account}${kind}.json`;
  let known = readCacheFile(path, user, isValue);
  return {
    names: () => [...known.keys()],
    get: (name) => known.get(name),
    update: (values, gone = []) => {
      const lost = gone.filter((name) => !values.has(name));
      const isNews = [...values].some(([name, value]) => JSON.stringify(known.get(name)) !== JSON.stringify(value));
      if (!isNews && !lost.some((name) => known.has(name))) return;
      const kept = [...known].filter(([name]) => !values.has(name) && !lost.includes(name));
      known = new Map([...values, ...kept]);
      write(path, known, token());
    },
  };
}

const folderOf = (directory: string, profile: string) => `${directory}/${FOLDER}/${encodeURIComponent(profile)}`;

export function clearLookupCache(directory: string, profile: string): void {
  try {
    rmSync(folderOf(directory, profile), {recursive: true, force: true});
  } catch {}
}

/** Reads the entries, newest first. Returns none if the file is missing, damaged, or accessible to other users. */
function readCacheFile<Value>(path: string, user: FileOwner, isValue: (value: unknown) => value is Value) {
  try {
    const entries: unknown = JSON.parse(readSecretFile(path, user));
    const isPair = (pair: unknown): pair is [string, Value] =>
      Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && isValue(pair[1]);
    return new Map(Array.isArray(entries) ? entries.filter(isPair) : []);
  } catch {
    return new Map();
  }
}

/** Ignores errors: the cache only saves requests. */
function write(path: string, known: ReadonlyMap<string, unknown>, token: string): void {
  try {
    mkdirSync(dirname(path), {recursive: true, mode: PRIVATE_FOLDER_MODE});
    replaceFile(path, `${JSON.stringify([...known].slice(0, MAX_CACHED))}\n`, token);
  } catch {}
}
