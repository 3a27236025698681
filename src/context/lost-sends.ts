// Records each send in the journal of runs, too, and restores from there and from imports what the history has lost.

import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import type {History, KnownSend} from '../history/history.js';
import {formatCount} from '../common/counts.js';
import {localName} from '../config/resolve.js';
import {isFileError} from '../common/system-errors.js';
import type {Accounts} from './accounts.js';

export interface LostSendsPort extends Pick<Accounts, 'connection'> {
  readonly history: () => Promise<History>;
  readonly changeLog: () => Promise<History>;
  readonly billing: () => Promise<typeof import('../billing/index.js')>;
  readonly imports: () => Promise<typeof import('../billing/import/index.js')>;
  readonly dataDirectory: () => string;
  /** Unix seconds by the account's clock. */
  readonly displayNow: () => number;
  readonly io: {readonly note: (line: string, options: {readonly warns: true}) => void};
}

/** Records an outcome. Without it, the send counts as possibly made and is not repeated. */
export function unlessFileFails(record: () => unknown): void {
  try {
    record();
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
}

/** @param path of the journal of runs */
export function lostSendsOf(context: LostSendsPort, path: string) {
  const {billing, connection} = context;
  /** Ids of the statements whose lost sends were looked for. */
  const recalled = new Set<string>();

  /** Records a send in the journal too, which repairs a lost history. @returns a function that records the outcome */
  const noteSend = async (statement: string) => {
    const {recordSend} = await billing();
    const {account, current: change} = await context.history();
    const record = (state: Parameters<typeof recordSend>[1]) =>
      change && recordSend(path, state, {statement, change, account, at: context.displayNow()});
    record('in_doubt');
    return (state: Parameters<typeof record>[0]) => unlessFileFails(() => record(state));
  };

  /** Returns the sends that only the journal and the files of imports record. @param ids undefined for all statements */
  const lostSends = async (ids?: readonly string[]): Promise<readonly KnownSend[]> => {
    const [{sendsInRuns}, {JobFile}, history] = await Promise.all([billing(), context.imports(), context.changeLog()]);
    const sends = sendsInRuns(path);
    const folder = join(context.dataDirectory(), 'jobs');
    for (const name of existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.db')) : [])
      try {
        sends.push(...JobFile.sendsIn(join(folder, name)));
      } catch {
        context.io.note(`${join(folder, name)} cannot be read. To see why: centavo doctor`, {warns: true});
      }
    return history.lostSends(ids ? sends.filter(({statement}) => ids.includes(statement)) : sends);
  };

  /** Records the lost sends of statements in the history again. @returns ids of the statements that had any */
  const recallSends = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const asked = ids.filter((id) => !recalled.has(id));
    for (const id of asked) recalled.add(id);
    const lost = asked.length > 0 ? await lostSends(asked) : [];
    if (lost.length > 0) {
      const [history, account] = await Promise.all([context.changeLog(), connection()]);
      history.restoreSends(lost, {mode: account.mode, profile: localName(account)});
      const count = formatCount(lost.length, 'send');
      context.io.note(`Restored in the history, from other files of centavo: ${count}.`, {warns: true});
    }
    return new Set(lost.map(({statement}) => statement));
  };

  return {noteSend, lostSends, recallSends};
}
