// The sandbox's projects: each but the default one has a folder, with its file and its snapshots.

import {existsSync, readdirSync, rmSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {PROJECTS_FOLDER, sandboxFile} from '../config/paths.js';
import {DEFAULT_PROJECT, PROFILE_NAME} from '../config/profiles.js';
import {loopbackLookup} from '../http/addresses.js';
import {canConnect} from '../http/webhook-sender.js';
import {readOnly} from '../storage/sqlite.js';

/** Names of the projects that have a file, the default one first. */
export function projectsIn(dataFolder: string): string[] {
  const folder = join(dataFolder, PROJECTS_FOLDER);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => PROFILE_NAME.test(name)) : [];
  return [DEFAULT_PROJECT, ...names.sort()].filter((name) => existsSync(sandboxFile(dataFolder, name)));
}

/** Unix seconds of the last change, and the number of objects by resource. @returns undefined for an unreadable file */
export function describeProject(path: string): {changedAt: number; counts: Record<string, number>} | undefined {
  const query = 'SELECT resource, count(*) AS n FROM objects WHERE deleted = 0 GROUP BY resource';
  const rows = attempt(() => readOnly(path, (database) => database.prepare(query).all<ResourceCount>(), 'objects'));
  if (!rows) return undefined;
  return {
    changedAt: Math.floor(statSync(path).mtimeMs / 1000),
    counts: Object.fromEntries(rows.map(({resource, n}) => [resource, n])),
  };
}

interface ResourceCount {
  readonly resource: string;
  readonly n: number;
}

/** Returns another project that has an object with one of these ids or statement numbers. */
export function projectWith(dataFolder: string, current: string, names: readonly string[]): string | undefined {
  const query = `SELECT 1 FROM objects WHERE deleted = 0 AND (id = ?1 OR
    (resource = 'billing_statement' AND json_extract(body, '$.billing_statement_number') = upper(?1)))`;
  const has = (path: string): boolean =>
    attempt(() =>
      readOnly(path, (database) => names.some((name) => database.prepare(query).get(name) !== undefined), 'objects'),
    ) ?? false;
  return projectsIn(dataFolder).find((name) => name !== current && has(sandboxFile(dataFolder, name)));
}

/** Returns the address of the project's server, if one answers. */
export async function servedProject(dataFolder: string, name: string): Promise<string | undefined> {
  const query = "SELECT value FROM settings WHERE name = 'studio_url'";
  const found = attempt(() =>
    readOnly(sandboxFile(dataFolder, name), (database) => database.prepare(query).get<{value: string}>(), 'settings'),
  );
  for (const url of found?.value.split(' ').filter(Boolean) ?? [])
    if (await canConnect(new URL(url), loopbackLookup)) return new URL(url).origin;
  return undefined;
}

/** Deletes a project's folder, with its snapshots. */
export const deleteProject = (dataFolder: string, name: string): void =>
  rmSync(dirname(sandboxFile(dataFolder, name)), {recursive: true});

/** A file that cannot be read has nothing to say. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
