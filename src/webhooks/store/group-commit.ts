// Groups small writes into one commit, since a disk makes only about a thousand commits a second.

import {closeSync, fdatasync, openSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {localError} from '../../common/system-errors.js';
import type {Database} from '../../storage/sqlite.js';

interface Queued {
  readonly work: () => void;
  readonly urgent: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Milliseconds that work may wait if it is not urgent. */
const COMMIT_DELAY = 5;
/**
 * Maximum turns of the event loop in which a group grows. The event loop accepts one connection per turn, and a
 * delivery needs two turns. Without waiting, each delivery would be its own commit.
 */
const MAX_TURNS = 32;

/**
 * With a write-ahead log, a commit only writes, and the log is synced beside the event loop. Without a log, a commit
 * syncs before it returns.
 */
export class GroupCommit {
  readonly #logPath: string;
  readonly #fileChecks: readonly (() => boolean)[];
  /** Descriptor of the write-ahead log. SQLite has no locks on this file that closing it would release. */
  #log: number | undefined;
  #queue: Queued[] = [];
  #isSyncing = false;
  #hasLostPages = false;
  #gathering = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param path of the database file, checked before each commit: writes to a removed file would be lost silently */
  constructor(
    private readonly database: Database,
    path: string,
  ) {
    this.#logPath = `${path}-wal`;
    this.#fileChecks = [path, ...(database.hasLog ? [this.#logPath] : [])].map(fileCheckOf);
    if (database.hasLog) this.#log = openSync(this.#logPath, 'r');
  }

  /**
   * Resolves with the result of `work` once it is on disk. Work that is not urgent waits up to {@link COMMIT_DELAY}. It
   * resolves once committed: a power cut may lose it, the end of the process cannot.
   */
  add<T>(work: () => T, {urgent = true} = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      this.#queue.push({work: () => (result = work()), urgent, resolve: () => resolve(result), reject});
      if (urgent) this.#gather();
      else this.#timer ??= setTimeout(() => this.#flush(), COMMIT_DELAY);
    });
  }

  #gather(): void {
    if (this.#gathering || this.#isSyncing) return;
    this.#gathering = true;
    this.#flushWhenGrown(0, MAX_TURNS);
  }

  /** Flushes after the first turn in which nothing was added, or after {@link MAX_TURNS}. */
  #flushWhenGrown(sizeBefore: number, turnsLeft: number): void {
    setImmediate(() => {
      const {length} = this.#queue;
      if (length > sizeBefore && turnsLeft > 0) this.#flushWhenGrown(length, turnsLeft - 1);
      else this.#flush();
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathering = false;
    const group = this.#queue;
    const log = this.#log;
    // The group grows until the sync ends.
    if (group.length === 0 || (log !== undefined && this.#isSyncing)) return;
    this.#queue = [];
    try {
      if (!this.#fileChecks.every((exists) => exists()))
        throw Object.assign(new Error('removed or replaced'), {code: 'ENOENT'});
      if (this.#hasLostPages) this.#rewriteLog();
      this.#commit(group);
    } catch (error) {
      return rejectAll(group, error);
    }
    for (const {urgent, resolve} of group) if (!urgent || log === undefined) resolve();
    if (log !== undefined) this.#sync(log, group);
  }

  #commit(group: readonly Queued[]): void {
    if (this.#log !== undefined) this.database.exec('PRAGMA synchronous=NORMAL');
    try {
      this.database.transaction(() => group.forEach(({work}) => work()));
    } finally {
      if (this.#log !== undefined) this.database.exec('PRAGMA synchronous=FULL');
    }
  }

  #sync(log: number, group: readonly Queued[]): void {
    this.#isSyncing = true;
    fdatasync(log, (error) => {
      this.#isSyncing = false;
      this.#hasLostPages ||= error !== null;
      if (error) rejectAll(group, error);
      else for (const {resolve} of group) resolve();
      if (this.#log === undefined) closeSync(log);
      else if (this.#queue.length > 0) this.#gather();
    });
  }

  /**
   * Linux reports a failed sync once, then takes the pages for written: the next sync would succeed without them. A log
   * without them ends there, and a checkpoint of it could damage the database. So it is written again.
   */
  #rewriteLog(): void {
    // While this process has the write lock, no process changes the log.
    this.database.transaction(() =>
      writeFileSync(this.#logPath, readFileSync(this.#logPath), {flag: 'r+', flush: true}),
    );
    this.#hasLostPages = false;
  }

  /** Commits the queue, synced by SQLite. A sync that is running ends later. */
  close(): void {
    const log = this.#log;
    this.#log = undefined;
    this.#flush();
    if (log !== undefined && !this.#isSyncing) closeSync(log);
  }
}

function rejectAll(group: readonly Queued[], error: unknown): void {
  const failure = localError('cannot write to the delivery database.', error, {retryable: true});
  for (const {reject} of group) reject(failure);
}

function fileCheckOf(path: string): () => boolean {
  if (path === ':memory:') return () => true;
  const opened = statSync(path, {bigint: true});
  return () => {
    const now = statSync(path, {bigint: true, throwIfNoEntry: false});
    return now !== undefined && now.ino === opened.ino && now.dev === opened.dev;
  };
}
