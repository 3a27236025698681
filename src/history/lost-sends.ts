// Finds sends that the history has lost, because its file was deleted or replaced, and records them again.

import {existsSync} from 'node:fs';
import type {RecordedSend} from '../accounting/standing.js';
import type {Database} from '../storage/sqlite.js';
import {HistoryWriter, type NewHistoryEntry} from './history-writer.js';
import {openHistory} from './history.js';
import {SENT_STEP} from './queries.js';

/** A send that another file records. `change` is the id of its change; null if that file does not know it. */
export interface KnownSend extends RecordedSend {
  readonly statement: string;
  readonly change: string | null;
  readonly account: string;
}

/** Without the id of the change, any recorded attempt to send the statement counts. */
const isLost = (database: Database, {change, statement}: KnownSend): boolean =>
  database
    .prepare(
      `SELECT 1 FROM change JOIN entry ON change = change.n WHERE object = ?
       AND (instr(id, ?) = 1 OR (? IS NULL AND (step = 'send' OR command LIKE '%billing-statements send')))`,
    )
    .get(statement, change, change) === undefined;

function withHistory<T>(path: string, work: (database: Database) => T): T {
  const database = openHistory(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Returns the sends that the history lacks. */
export const lostSends = (path: string, sends: readonly KnownSend[]): readonly KnownSend[] =>
  existsSync(path) ? withHistory(path, (database) => sends.filter((send) => isLost(database, send))) : sends;

/** Records sends again, unless another process has. */
export function restoreSends(
  path: string,
  sends: readonly KnownSend[],
  origin: Pick<NewHistoryEntry, 'mode' | 'profile'>,
): void {
  const restore = (database: Database, {statement, change, at, state, account}: KnownSend): void => {
    const log = new HistoryWriter(database);
    const [ids, isSent] = [[statement], state === 'sent'];
    const id = `${change ?? 'import'}-${statement}`;
    const n = log.begin(id, at, {...origin, account, command: 'billing-statements send', ids});
    log.step(n, isSent ? SENT_STEP : 'send', at, ids);
    const end = isSent
      ? {result: 'ok', exitCode: 0, applied: 'yes'}
      : {result: 'outcome_unknown', exitCode: null, applied: 'unknown'};
    log.end(n, at, end, {});
  };
  withHistory(path, (database) =>
    database.transaction(() => {
      for (const send of sends) if (isLost(database, send)) restore(database, send);
    }),
  );
}
