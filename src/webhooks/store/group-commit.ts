// Groups small writes into one commit, since a disk makes only about a thousand commits a second.

import {statSync} from 'node:fs';
import {localError} from '../../common/system-errors.js';
import type {Database} from '../../storage/sqlite.js';

interface Queued {
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds that work may wait if it is not urgent. */
const COMMIT_DELAY = 5;
/**
 * Maximum turns of the event loop in which a group grows. The event loop accepts one connection per turn, and a
 * delivery needs two turns. Without waiting, each delivery would be its own commit.
 */
const MAX_TURNS = 32;

export class GroupCommit {
  readonly #database: Database;
  readonly #fileExists: () => boolean;
  #queue: Queued[] = [];
  #gathering = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param path of the database file, checked before each commit: writes to a removed file would be lost silently */
  constructor(database: Database, path: string) {
    this.#database = database;
    this.#fileExists = fileCheckOf(path);
  }

  /** Resolves with the result of `work` once committed. Work that is not urgent waits up to {@link COMMIT_DELAY}. */
  add<T>(work: () => T, {urgent = true} = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push({work, resolve, reject});
      if (this.#gathering) return;
      if (urgent) {
        this.#gathering = true;
        this.#flushWhenGrown(0, MAX_TURNS);
      } else this.#timer ??= setTimeout(() => this.flush(), COMMIT_DELAY);
    });
  }

  /** Flushes after the first turn in which nothing was added, or after {@link MAX_TURNS}. */
  #flushWhenGrown(sizeBefore: number, turnsLeft: number): void {
    setImmediate(() => {
      const {length} = this.#queue;
      if (length > sizeBefore && turnsLeft > 0) this.#flushWhenGrown(length, turnsLeft - 1);
      else this.flush();
    });
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathering = false;
    const group = this.#queue;
    if (group.length === 0) return;
    this.#queue = [];
    let results: unknown[];
    try {
      if (!this.#fileExists()) throw Object.assign(new Error('removed or replaced'), {code: 'ENOENT'});
      results = this.#database.transaction(() => group.map(({work}) => work()));
    } catch (error) {
      const failure = localError('cannot write to the delivery database.', error, {retryable: true});
      for (const {reject} of group) reject(failure);
      return;
    }
    for (const [index, {resolve}] of group.entries()) resolve(results[index] as never);
  }
}

function fileCheckOf(path: string): () => boolean {
  if (path === ':memory:') return () => true;
  const opened = statSync(path, {bigint: true});
  return () => {
    const now = statSync(path, {bigint: true, throwIfNoEntry: false});
    return now !== undefined && now.ino === opened.ino && now.dev === opened.dev;
  };
}
