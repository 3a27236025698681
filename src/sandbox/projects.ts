// Describes the projects of the sandbox from their files, which it only reads, and deletes a project.

import {rmSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {loopbackLookup} from '../http/addresses.js';
import {canConnect} from '../http/webhook-sender.js';
import {readOnly, type Database} from '../storage/sqlite.js';

/** Reads a project's file. @returns undefined for a file that is missing or cannot be read */
function readProject<T>(path: string, table: string, read: (database: Database) => T): T | undefined {
  try {
    return readOnly(path, read, table);
  } catch {
    return undefined;
  }
}

/** Unix seconds of the last change, and the number of objects by resource. @returns undefined for an unreadable file */
export function describeProject(path: string): {changedAt: number; counts: Record<string, number>} | undefined {
  const query = 'SELECT resource, count(*) AS n FROM objects WHERE deleted = 0 GROUP BY resource';
  const rows = readProject(path, 'objects', (database) => database.all<{resource: string; n: number}>(query));
  if (!rows) return undefined;
  // A running server writes to the log. A reader leaves an empty one.
  const files = [path, `${path}-wal`].map((file) => statSync(file, {throwIfNoEntry: false}));
  return {
    changedAt: Math.floor(Math.max(...files.map((stats) => (stats?.size ? stats.mtimeMs : 0))) / 1000),
    counts: Object.fromEntries(rows.map(({resource, n}) => [resource, n])),
  };
}

/** True if the project has an object with one of these ids, statement numbers or references. */
export function projectHas(path: string, names: readonly string[]): boolean {
  const query = `SELECT 1 FROM objects WHERE deleted = 0 AND (id = ?1 OR
    (resource = 'billing_statement' AND json_extract(body, '$.billing_statement_number') = upper(?1)) OR
    (resource = 'checkout_session' AND json_extract(body, '$.customer_reference_id') = ?1) OR
    ?1 IN (SELECT value FROM json_each(body, '$.metadata')))`;
  const has = (database: Database): boolean => names.some((name) => database.get(query, name) !== undefined);
  return readProject(path, 'objects', has) ?? false;
}

/** Returns the address of the project's server, if one answers. */
export async function projectServer(path: string): Promise<string | undefined> {
  const query = "SELECT value FROM settings WHERE name = 'studio_url'";
  const found = readProject(path, 'settings', (database) => database.get<{value: string}>(query));
  for (const url of found?.value.split(' ').filter(Boolean) ?? [])
    if (await canConnect(new URL(url), loopbackLookup)) return new URL(url).origin;
  return undefined;
}

/** Deletes a project's folder, with its snapshots. */
export const deleteProject = (path: string): void => rmSync(dirname(path), {recursive: true});
