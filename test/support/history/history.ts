// A history with a fixed clock and fixed names, and its records.

import {join} from 'node:path';
import {
  History,
  type HistoryAccount,
  type HistoryEntryEnd,
  type NewHistoryEntry,
  type HistoryRecord,
} from '../../../src/history/history.js';
import {HistoryWriter} from '../../../src/history/history-writer.js';
import {openDatabase} from '../../../src/storage/sqlite.js';

export const BEGINNING = 1_800_000_000;
export const OK: HistoryEntryEnd = {result: 'ok', exitCode: 0, applied: 'yes'};

export const FINALIZING: NewHistoryEntry = {
  profile: 'shop',
  mode: 'live',
  command: 'billing-statements finalize',
  ids: ['bstm_7Hq2'],
  amount: 125_050,
};

export const SHOP: HistoryAccount = {id: 'https://api.example.com live live_secret-1', profile: 'shop', mode: 'live'};

/**
 * The history in this folder; each record is a second later and named w1, w2 and so on.
 * @param account null for changes that older versions recorded, without an account
 */
export function historyIn(
  directory: string,
  {first = 1, account = SHOP}: {readonly first?: number; readonly account?: HistoryAccount | null} = {},
): History {
  let [clock, names] = [BEGINNING, first];
  const history = new History(join(directory, 'history.db'), {now: () => clock++, token: () => `w${names++}`});
  history.account = account ?? undefined;
  return history;
}

/** Records a write from its beginning to its end. */
export function recordOne(
  history: History,
  write: Partial<NewHistoryEntry> = {},
  outcome: Partial<HistoryEntryEnd> = {},
): void {
  history.begin({...FINALIZING, ...write});
  history.end({...OK, ...outcome});
}

/** Records `count` writes, all but the first in one transaction, which is faster. */
export function recordMany(directory: string, count: number, idsOf: (number: number) => readonly string[]): void {
  const history = historyIn(directory);
  recordOne(history, {ids: idsOf(0)});
  history.close();
  const database = openDatabase(history.path);
  database.transaction(() => {
    const log = new HistoryWriter(database);
    for (let number = 1; number < count; number++) {
      const change = log.begin(`many${number}`, BEGINNING + number, {...FINALIZING, ids: idsOf(number)});
      log.end(change, BEGINNING + number, OK, {});
    }
  });
  database.close();
}

/** All records, oldest first. */
export const recordsIn = (history: History): HistoryRecord[] => [...history.pages()].flat().reverse();
