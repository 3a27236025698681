// Finds sends that the history has lost, because its file was deleted or replaced, and records them again.

import type {RecordedSend} from '../accounting/standing.js';
import {type Database, readOnly} from '../storage/sqlite.js';
import {HistoryWriter} from './history-writer.js';
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

/** Returns the sends that the history lacks. Does not create or change the file. */
export const lostSends = (path: string, sends: readonly KnownSend[]): readonly KnownSend[] =>
  readOnly(path, (database) => sends.filter((send) => isLost(database, send)), 'change') ?? sends;

/** Records the sends that the history lacks. @returns the ids of their statements */
export function restoreSends(
  path: string,
  sends: readonly KnownSend[],
  {token, ...origin}: {readonly profile: string; readonly mode: string; readonly token: () => string},
): Set<string> {
  const database = openHistory(path);
  try {
    return database.transaction(() => {
      const lost = sends.filter((send) => isLost(database, send));
      const log = new HistoryWriter(database);
      for (const {statement, change, at, state, account} of lost) {
        const [ids, isSent] = [[statement], state === 'sent'];
        const n = log.begin(`${change ?? token()}-${statement}`, at, {
          ...origin,
          account,
          command: 'billing-statements send',
          ids,
        });
        log.step(n, isSent ? SENT_STEP : 'send', at, ids);
        const end = isSent
          ? {result: 'ok', exitCode: 0, applied: 'yes'}
          : {result: 'outcome_unknown', exitCode: null, applied: 'unknown'};
        log.end(n, at, end, {});
      }
      return new Set(lost.map(({statement}) => statement));
    });
  } finally {
    database.close();
  }
}
