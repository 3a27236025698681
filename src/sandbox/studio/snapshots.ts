// Saves and restores snapshots of the sandbox's file.

import {closeSync, openSync, readdirSync, readSync, rmSync, statSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import {CentavoError} from '../../common/errors.js';
import {toManila} from '../../common/manila.js';
import {localError, systemReason} from '../../common/system-errors.js';
import {type Store, TABLES} from '../store.js';

const NAME = /^\d{4}-\d\d-\d\d-\d{6}(-\d+)?$/;

const fileOf = (path: string, name: string): string => `${path}.snapshot-${name}`;

/** Returns names of snapshots, newest first; undefined for a sandbox without a file. */
export function snapshotsOf(path: string): readonly string[] | undefined {
  if (path === ':memory:') return undefined;
  const beginning = basename(fileOf(path, ''));
  return readdirSync(dirname(path), {withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.startsWith(beginning))
    .map(({name}) => name.slice(beginning.length))
    .filter((name) => NAME.test(name))
    .sort()
    .reverse();
}

const noSnapshots = (): CentavoError =>
  new CentavoError('rejected', 'this sandbox has no snapshots.', {
    why: 'It is kept in memory, without a file.',
    applied: 'no',
  });

/** @param now unix seconds of the real clock @returns the name, which is this time in Manila */
export function saveSnapshot({database}: Store, path: string, now: number): string {
  const existing = snapshotsOf(path);
  if (!existing) throw noSnapshots();
  const time = toManila(now).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  let name = time;
  for (let count = 2; existing.includes(name); count += 1) name = `${time}-${count}`;
  const file = fileOf(path, name);
  let isCreated = false;
  try {
    // SQLite would create a file that every user can read.
    closeSync(openSync(file, 'wx', 0o600));
    isCreated = true;
    database.prepare('VACUUM INTO ?').run(file);
  } catch (error) {
    if (isCreated) rmSync(file, {force: true});
    throw localError('the snapshot cannot be saved.', (error as Error).cause ?? error);
  }
  return name;
}

/**
 * Restores everything except keys and addresses, in one transaction.
 * @param name a name from {@link snapshotsOf}
 * @param now unix seconds of the real clock
 * @returns the name of a new snapshot with the previous state
 */
export function restoreSnapshot(store: Store, path: string, name: string, now: number): string {
  const {database} = store;
  const names = snapshotsOf(path);
  if (!names) throw noSnapshots();
  if (!names.includes(name)) throw new CentavoError('not_found', 'this snapshot was not found.', {applied: 'no'});
  const file = fileOf(path, name);
  let problem: string | undefined;
  const before = saveSnapshot(store, path, now);
  try {
    if (!isAsSaved(file)) problem = 'It was changed after it was saved.';
    else {
      database.prepare('ATTACH ? AS snapshot').run(file);
      try {
        problem = database.transaction(() => copyBack(store));
      } finally {
        database.exec('DETACH snapshot');
      }
    }
  } catch (error) {
    problem = systemReason((error as Error).cause ?? error);
  }
  if (!problem) return before;
  rmSync(fileOf(path, before), {force: true});
  throw new CentavoError('local_io', `the snapshot ${name} cannot be used.`, {why: problem, applied: 'no'});
}

/** False for an empty file, or a file with a journal or write-ahead log: SQLite would write to the file. */
function isAsSaved(file: string): boolean {
  const header = Buffer.alloc(20);
  const opened = openSync(file, 'r');
  readSync(opened, header);
  closeSync(opened);
  return header[18] === 1 && !statSync(`${file}-journal`, {throwIfNoEntry: false})?.size;
}

/** @returns the reason why the snapshot cannot be used, if any */
function copyBack(store: Store): string | undefined {
  const {database} = store;
  const tablesOf = (file: string): string => `SELECT name, sql FROM ${file}.sqlite_master WHERE type = 'table'`;
  const missing = database.prepare(`${tablesOf('main')} EXCEPT ${tablesOf('snapshot')}`).get();
  const settingOf = (name: string): string | undefined =>
    database.prepare('SELECT value FROM snapshot.settings WHERE name = ?').get<{value: string}>(name)?.value;
  if (missing || settingOf('version') !== store.setting('version')) return 'It was made by another version of centavo.';
  if (settingOf('secret_key') !== store.setting('secret_key')) return 'It belongs to another sandbox.';
  const clock = ['clock_offset', 'clock_last'].map((name) => settingOf(name) ?? '0');
  if (!clock.every((text) => /^\d{1,12}$/.test(text))) return 'Its clock is not a number.';
  store.clear();
  for (const table of [...TABLES, 'settings'])
    database.exec(`INSERT OR IGNORE INTO main.${table} SELECT * FROM snapshot.${table}`);
  // Deliveries that were running at the time of the snapshot no longer run.
  database.exec('UPDATE main.deliveries SET leased_until = 0');
  return undefined;
}
