// Copies of the sandbox's file, beside it, and going back to one.

import {closeSync, openSync, readdirSync, rmSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import {CentavoError} from '../../ground/errors.js';
import {inManila} from '../../ground/manila.js';
import {localError, reasonOf} from '../../ground/system-errors.js';
import {type Store, TABLES} from '../store.js';

const NAME = /^\d{4}-\d\d-\d\d-\d{6}(-\d+)?$/;

const fileOf = (path: string, name: string): string => `${path}.snapshot-${name}`;

/** Their names, the newest first; undefined for a sandbox without a file. */
export function snapshotsOf(path: string): readonly string[] | undefined {
  if (path === ':memory:') return undefined;
  const beginning = basename(fileOf(path, ''));
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(beginning) && NAME.test(name.slice(beginning.length)))
    .map((name) => name.slice(beginning.length))
    .sort()
    .reverse();
}

const noFile = (): CentavoError =>
  new CentavoError('rejected', 'this sandbox has no snapshots.', {
    why: 'It is kept in memory, without a file.',
    applied: 'no',
  });

/** @param now unix seconds of the real clock @returns its name, which is that time in Manila */
export function saveSnapshot({database}: Store, path: string, now: number): string {
  const others = snapshotsOf(path);
  if (!others) throw noFile();
  const time = inManila(now).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  let name = time;
  for (let count = 2; others.includes(name); count += 1) name = `${time}-${count}`;
  const file = fileOf(path, name);
  try {
    // SQLite would let everybody read it.
    closeSync(openSync(file, 'wx', 0o600));
    database.prepare('VACUUM INTO ?').run(file);
  } catch (error) {
    rmSync(file, {force: true});
    throw localError('the snapshot cannot be saved.', error);
  }
  return name;
}

/** All but the keys and addresses becomes what it was, in one transaction. @param name of {@link snapshotsOf} */
export function restoreSnapshot(store: Store, path: string, name: string): void {
  const {database} = store;
  const names = snapshotsOf(path);
  if (!names) throw noFile();
  if (!names.includes(name)) throw new CentavoError('not_found', 'there is no such snapshot.', {applied: 'no'});
  let isOurs: boolean;
  try {
    database.prepare('ATTACH ? AS snapshot').run(fileOf(path, name));
    try {
      isOurs = database.transaction(() => copyBack(store));
    } finally {
      database.exec('DETACH snapshot');
    }
  } catch (error) {
    throw unusable(name, reasonOf((error as Error).cause ?? error));
  }
  if (!isOurs) throw unusable(name, 'It was made by another version of centavo.');
}

const unusable = (name: string, why: string): CentavoError =>
  new CentavoError('local_io', `the snapshot ${name} cannot be used.`, {
    why: `${why} Nothing was changed.`,
    applied: 'no',
  });

/** False when the tables of the snapshot are others. */
function copyBack(store: Store): boolean {
  const {database} = store;
  const tablesOf = (file: string): string => `SELECT name, sql FROM ${file}.sqlite_master WHERE type = 'table'`;
  const missing = database.prepare(`${tablesOf('main')} EXCEPT ${tablesOf('snapshot')}`).get();
  if (missing) return false;
  const version = database.prepare("SELECT value FROM snapshot.settings WHERE name = 'version'").get<{value: string}>();
  if (version?.value !== store.setting('version')) return false;
  store.clear();
  for (const table of [...TABLES, 'settings'])
    database.exec(`INSERT OR IGNORE INTO main.${table} SELECT * FROM snapshot.${table}`);
  // What was being sent when it was saved is not being sent now.
  database.exec('UPDATE main.deliveries SET leased_until = 0');
  return true;
}
