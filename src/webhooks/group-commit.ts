// Many small writes, one commit: a disk makes about a thousand commits a second, however little is in each.

import {statSync} from 'node:fs';
import {CentavoError} from '../errors.js';
import type {Database} from '../storage/sqlite.js';

interface Queued {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: CentavoError) => void;
}

/** Runs what is given within one turn of the event loop in one transaction. */
export class GroupCommit {
  readonly #database: Database;
  readonly #stillThere: () => boolean;
  #queue: Queued[] = [];

  /** @param path of the database's file; of one that was removed, writes would go on into nothing */
  constructor(database: Database, path: string) {
    this.#database = database;
    this.#stillThere = presenceOf(path);
  }

  /**
   * Resolves with what `work` gives once it is on the disk.
   * @throws CentavoError kind `local_io` when it cannot be written; nothing of its group is written then
   */
  add<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push({work, resolve, reject});
      if (this.#queue.length === 1) setImmediate(() => this.flush());
    });
  }

  flush(): void {
    const group = this.#queue;
    if (group.length === 0) return;
    this.#queue = [];
    let results: unknown[];
    try {
      if (!this.#stillThere()) throw new Error('its file was removed or replaced');
      results = this.#database.transaction(() => group.map(({work}) => work()));
    } catch (error) {
      const failure = writeError(error);
      for (const {reject} of group) reject(failure);
      return;
    }
    for (const [index, {resolve}] of group.entries()) resolve(results[index] as never);
  }
}

function presenceOf(path: string): () => boolean {
  if (path === ':memory:') return () => true;
  const opened = statSync(path, {bigint: true});
  return () => {
    const now = statSync(path, {bigint: true, throwIfNoEntry: false});
    return now !== undefined && now.ino === opened.ino && now.dev === opened.dev;
  };
}

const writeError = (cause: unknown): CentavoError =>
  new CentavoError('local_io', 'the store of deliveries cannot be written.', {
    why: `${(cause as Error).message}.`,
    applied: 'no',
    retryable: true,
    cause,
  });
