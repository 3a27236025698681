// Snapshots in memory: copies of the tables beside them, compared row by row when restored.

import type {Sandbox} from '../sandbox.js';
import {KEPT_SETTINGS, type Store, TABLES} from '../store.js';

/** Settings that belong to the process and its file, not to the state. */
const OWN_SETTINGS = [...KEPT_SETTINGS, 'generation'].map((name) => `'${name}'`).join(', ');
const ROWS = [...TABLES, 'settings'];

interface Column {
  readonly name: string;
  readonly type: string;
  /** Position in the primary key, from 1; 0 for other columns. */
  readonly pk: number;
}

const columnsOf = ({database}: Store, table: string): Column[] =>
  database.all<Column>('SELECT name, type, pk FROM pragma_table_info(?)', table);

const copyOf = (id: number, table: string): string => `temp.snapshot_${id}_${table}`;

/** Copies all rows. @param id names the copy */
export function takeSnapshot(sandbox: Sandbox, id: number): void {
  sandbox.read(({store}) => {
    for (const table of ROWS) {
      const columns = columnsOf(store, table);
      const keys = columns.filter(({pk}) => pk > 0).map(({name}) => name);
      const fields = [...columns.map(({name, type}) => `${name} ${type}`), `PRIMARY KEY (${keys.join()})`];
      store.database.exec(`CREATE TEMP TABLE ${copyOf(id, table).slice(5)} (${fields.join()})`);
      store.database.exec(`INSERT INTO ${copyOf(id, table)} SELECT * FROM main.${table}`);
    }
  });
}

export const dropSnapshot = ({requests: {database}}: Sandbox, id: number): void =>
  ROWS.forEach((table) => database.exec(`DROP TABLE ${copyOf(id, table)}`));

/** Makes all rows as they were, the clock included. Rows that are equal stay untouched. */
export function restoreMemorySnapshot(sandbox: Sandbox, id: number): void {
  sandbox.rewrite((store) => {
    for (const table of ROWS) {
      const copy = copyOf(id, table);
      const columns = columnsOf(store, table);
      const equal = (names: readonly Column[]) => names.map(({name}) => `a.${name} IS b.${name}`).join(' AND ');
      const keys = equal(columns.filter(({pk}) => pk > 0));
      const only = table === 'settings' ? `a.name NOT IN (${OWN_SETTINGS}) AND` : '';
      store.database.exec(
        `DELETE FROM main.${table} AS a WHERE ${only} NOT EXISTS (SELECT 1 FROM ${copy} AS b WHERE ${keys})`,
      );
      store.database.exec(
        `INSERT OR REPLACE INTO main.${table} SELECT * FROM ${copy} AS a WHERE ${only}
        NOT EXISTS (SELECT 1 FROM main.${table} AS b WHERE ${equal(columns)})`,
      );
    }
    // Deliveries that ran at the time of the snapshot no longer run.
    store.database.exec('UPDATE main.deliveries SET leased_until = 0 WHERE leased_until <> 0');
    store.database.exec("DELETE FROM main.failures; DELETE FROM main.settings WHERE name = 'generation'");
    store.setGeneration();
  });
}
