// A history with a fixed clock and fixed names, and its records.

import {join} from 'node:path';
import {History, type HistoryEntryEnd, type NewHistoryEntry, type HistoryRecord} from '../../../src/history/history.js';
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

/** The history in this folder; each record is a second later and named w1, w2 and so on. */
export function historyIn(directory: string, {first = 1} = {}): History {
  let [clock, names] = [BEGINNING, first];
  return new History(join(directory, 'history.db'), {now: () => clock++, token: () => `w${names++}`});
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
