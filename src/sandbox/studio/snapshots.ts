// Copies of the sandbox's file, beside it, and going back to one.

import {readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {inManila} from '../../ground/manila.js';
import type {Database} from '../../storage/sqlite.js';
import {table} from './parts.js';

const endOf = (path: string): string => `${basename(path)}.snapshot-`;

/** Their names, the newest first; undefined for a sandbox without a file. */
export function snapshotsOf(path: string): readonly string[] | undefined {
  if (path === ':memory:') return undefined;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(endOf(path)));
  return names
    .map((name) => name.slice(endOf(path).length))
    .sort()
    .reverse();
}

/** @param now unix seconds of the real clock @returns its name, which is that time in Manila */
export function saveSnapshot(database: Database, path: string, now: number): string {
  const name = inManila(now).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  database.prepare('VACUUM INTO ?').run(join(dirname(path), endOf(path) + name));
  return name;
}

/** All that is in the file becomes what it was, in one transaction. @param name of {@link snapshotsOf} */
export function restoreSnapshot(database: Database, path: string, name: string): void {
  database.prepare('ATTACH ? AS snapshot').run(join(dirname(path), endOf(path) + name));
  try {
    database.transaction(() => {
      const tables = database
        .prepare("SELECT name FROM snapshot.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .all<{name: string}>();
      for (const table of tables)
        database.exec(
          `DELETE FROM main.${table.name}; INSERT INTO main.${table.name} SELECT * FROM snapshot.${table.name}`,
        );
    });
  } finally {
    database.exec('DETACH snapshot');
  }
}
