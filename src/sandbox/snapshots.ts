// Saves, finds, loads and deletes snapshots of the sandbox's file, for commands and the studio.

import {closeSync, openSync, readdirSync, readSync, rmSync, statSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import {CentavoError, nextCommand, usageError} from '../common/errors.js';
import {toManila} from '../common/manila.js';
import {localError, systemReason} from '../common/system-errors.js';
import type {Sandbox} from './sandbox.js';
import {type Store, TABLES} from './store.js';

/** The time in Manila, then a label or a count. SQLite writes its own files beside a database. */
const NAME = /^(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)(\d\d)(?:-(?!.*\b(?:journal|wal|shm)$)([A-Za-z0-9][\w-]{0,63}))?$/;

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

/** `saved_at` is in unix seconds of the real clock. @param name `2031-01-15-093000-before-demo` */
function describeSnapshot(path: string, name: string) {
  const file = fileOf(path, name);
  const [, day, ...time] = NAME.exec(name)!;
  const saved_at = Date.parse(`${day}T${time.slice(0, 3).join(':')}+08:00`) / 1000;
  return {name, saved_at, file, bytes: statSync(file).size};
}

function snapshotNames(path: string): readonly string[] {
  const names = snapshotsOf(path);
  if (names) return names;
  throw new CentavoError('rejected', 'this sandbox has no snapshots.', {
    why: 'It is kept in memory, without a file.',
    applied: 'no',
  });
}

/** Returns the only snapshot with this name or label, or else with this part of a name. @throws CentavoError */
function findSnapshot(path: string, given: string): string {
  const names = snapshotNames(path);
  const named = names.filter((name) => name === given || NAME.exec(name)?.[5] === given);
  const found = named.length > 0 ? named : names.filter((name) => name.includes(given));
  if (found.length === 1) return found[0]!;
  const next = [nextCommand('To list them', 'sandbox snapshot list')];
  if (found.length === 0)
    throw new CentavoError('not_found', `snapshot ${JSON.stringify(given)} was not found.`, {next, applied: 'no'});
  throw usageError('snapshot_ambiguous', `${found.length} snapshots match ${JSON.stringify(given)}.`, {
    why: `They are ${found.slice(0, 5).join(', ')}${found.length > 5 ? ' and others' : ''}.`,
    candidates: found.map((id) => ({id})),
    next,
  });
}

/** @param label stands behind the time in the name @returns the name, which begins with the real time in Manila */
export function saveSnapshot({requests: {database}, path, signedAt}: Sandbox, label?: string): string {
  const existing = snapshotNames(path);
  const time = toManila(signedAt()).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  const base = [time, label].filter(Boolean).join('-');
  if (!NAME.test(base))
    throw usageError('invalid_name', `${JSON.stringify(label)} is not a name for a snapshot.`, {
      hint: 'Use up to 64 letters, digits and dashes: before-demo',
    });
  let name = base;
  for (let count = 2; existing.includes(name); count += 1) name = `${base}-${count}`;
  const file = fileOf(path, name);
  let isCreated = false;
  try {
    // SQLite would create a file that every user can read.
    closeSync(openSync(file, 'wx', 0o600));
    isCreated = true;
    database.run('VACUUM INTO ?', file);
    withAttached({database}, file, () => database.exec('DELETE FROM snapshot.failures'));
  } catch (error) {
    if (isCreated) rmSync(file, {force: true});
    throw localError('the snapshot cannot be saved.', (error as Error).cause ?? error);
  }
  return name;
}

function withAttached<T>({database}: Pick<Store, 'database'>, file: string, work: () => T): T {
  database.run('ATTACH ? AS snapshot', file);
  try {
    return work();
  } finally {
    database.exec('DETACH snapshot');
  }
}

/**
 * Restores everything except keys, addresses, fees and the event shape, in one transaction. No failure stays aimed.
 * @param name a name from {@link snapshotsOf}
 * @returns the name of a new snapshot with the previous state
 */
export function loadSnapshot(sandbox: Sandbox, name: string): string {
  const {path} = sandbox;
  // Outside a transaction, in which SQLite cannot copy its file.
  const store = sandbox.read((reading) => reading.store);
  const {database} = store;
  if (!snapshotNames(path).includes(name))
    throw new CentavoError('not_found', 'this snapshot was not found.', {applied: 'no'});
  const file = fileOf(path, name);
  let problem: string | undefined;
  const before = saveSnapshot(sandbox);
  try {
    problem = isAsSaved(file)
      ? withAttached(store, file, () => database.transaction(() => copyBack(store)))
      : 'It was changed after it was saved.';
  } catch (error) {
    problem = systemReason((error as Error).cause ?? error);
  }
  if (!problem) return before;
  rmSync(fileOf(path, before), {force: true});
  throw new CentavoError('local_io', `the snapshot ${name} cannot be used.`, {why: problem, applied: 'no'});
}

export const snapshotFiles = (sandbox: Sandbox) => ({
  list: () => snapshotNames(sandbox.path).map((name) => describeSnapshot(sandbox.path, name)),
  find: (given: string) => findSnapshot(sandbox.path, given),
  save: (label?: string) => describeSnapshot(sandbox.path, saveSnapshot(sandbox, label)),
  load: (name: string) => loadSnapshot(sandbox, name),
  remove: (name: string) => {
    try {
      rmSync(fileOf(sandbox.path, name));
    } catch (error) {
      throw localError(`the snapshot ${name} cannot be deleted.`, error);
    }
  },
});

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
  // Snapshots of earlier versions have no table of failures.
  const tablesOf = (file: string): string =>
    `SELECT name, sql FROM ${file}.sqlite_master WHERE type = 'table' AND name <> 'failures'`;
  const missing = database.get(`${tablesOf('main')} EXCEPT ${tablesOf('snapshot')}`);
  const settingOf = (name: string): string | undefined =>
    database.get<{value: string}>('SELECT value FROM snapshot.settings WHERE name = ?', name)?.value;
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
