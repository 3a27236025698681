// What was asked for under an idempotency key on this machine, and how it ended: one table in SQLite, without secrets.

import {createHash} from 'node:crypto';
import {DAY} from '../common/manila.js';
import {CentavoError} from '../common/errors.js';
import {localError} from '../common/system-errors.js';
import type {IsProcessAlive, ProcessIdentity} from '../processes/process-identity.js';
import {openStore, type Database, type SqliteValue, type StoreKind} from '../storage/sqlite.js';

/** Days from the end of a change to its removal. A change of unknown outcome is kept for ever. */
const KEPT = 90;

const SCHEMA = `
  CREATE TABLE change (
    n INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, command TEXT NOT NULL,
    state TEXT NOT NULL, plan_key TEXT NOT NULL, seen TEXT, object TEXT, answer TEXT,
    begun_at INTEGER NOT NULL, ended_at INTEGER, pid INTEGER, pid_started_at INTEGER, UNIQUE (account, key)
  );
  CREATE INDEX change_object ON change (object) WHERE object IS NOT NULL;
`;

/** What is asked for. `digest` covers the operation and what was typed: `digestOf`. */
export interface WantedChange {
  /** Identifies the account: `context.accountId()`. */
  readonly account: string;
  readonly key: string;
  readonly digest: string;
  /** `refunds create` */
  readonly command: string;
}

/** `kept`: nothing was sent yet. `sending`: an outcome is not known. `done`: made, and known. */
type ChangeState = 'done' | 'kept' | 'sending';

/** A row. Times are unix seconds by the account's clock. */
export interface KeyedChange extends WantedChange {
  readonly n: number;
  readonly state: ChangeState;
  /** The key of the engine's plan, by which a bill that was cut short goes on. */
  readonly plan_key: string;
  /** JSON of what the account showed just before the change was sent; null until then. */
  readonly seen: string | null;
  /** Id of the object that was made or changed. */
  readonly object: string | null;
  /** JSON of the answer without secrets, for an object that the API cannot read again. */
  readonly answer: string | null;
  readonly begun_at: number;
  /** Null while its process lives, and after the process was killed. */
  readonly ended_at: number | null;
  readonly pid: number | null;
  readonly pid_started_at: number | null;
}

/**
 * `new`: this process holds the key, and nothing was sent. `unknown`: this process holds the key of an earlier change
 * whose outcome is not known. `busy`: a living process holds the key. `other`: the key stands for something else.
 */
export interface Claim {
  readonly is: 'busy' | 'done' | 'new' | 'other' | 'unknown';
  readonly change: KeyedChange;
}

export interface RepeatsOptions {
  readonly owner: ProcessIdentity;
  readonly isAlive: IsProcessAlive;
  /** Returns random letters and digits. */
  readonly token: () => string;
}

/** The file of keys and hand-overs, opened when it is first needed. */
export abstract class RepeatsFile {
  /** The name of the record in errors: `the hand-over`. */
  protected abstract readonly what: string;
  #database: Database | undefined;
  #isWriting = false;

  constructor(
    private readonly path: string,
    protected readonly options: RepeatsOptions,
  ) {}

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  protected open(): Database {
    if (this.#database) return this.#database;
    this.#database = openStore(this.path, REPEATS_STORE);
    // Copies hold names and amounts: what is removed leaves the file.
    this.#database.exec('PRAGMA secure_delete=ON');
    return this.#database;
  }

  /** Runs `work` in one transaction, also from inside of another. @throws CentavoError code `not_recorded` */
  protected write<T>(work: (database: Database) => T): T {
    if (this.#isWriting) return work(this.open());
    try {
      const database = this.open();
      this.#isWriting = true;
      return database.transaction(() => work(database));
    } catch (error) {
      if (error instanceof CentavoError && error.kind === 'refused') throw error;
      const details = {code: 'not_recorded', applied: 'no'} as const;
      throw localError(`${this.what} could not be recorded in ${this.path}.`, error, details);
    } finally {
      this.#isWriting = false;
    }
  }
}

export class Repeats extends RepeatsFile {
  protected readonly what = 'the idempotency key';
  /** The change of this command, once it holds a key. */
  current: KeyedChange | undefined;
  /** True if no earlier attempt of the current change may have been applied. */
  #isFirst = false;

  /** SHA-256 of a description of the change as JSON, in which a file is its bytes. */
  digestOf(described: unknown): string {
    return createHash('sha256').update(JSON.stringify(described)).digest('hex');
  }

  /**
   * Looks a key up and holds it for this process, in one transaction. @param now unix seconds by the account's clock
   * @param mayPrune false if the clocks of machine and service differ @throws CentavoError kind `local_io`; then send nothing
   */
  claim(wanted: WantedChange, now: number, mayPrune: boolean): Claim {
    const {owner, isAlive, token} = this.options;
    return this.write((database) => {
      if (mayPrune) database.run("DELETE FROM change WHERE state = 'done' AND ended_at < ?", now - KEPT * DAY);
      const found = this.#get(wanted.account, wanted.key);
      const isHeld =
        found !== undefined &&
        found.pid !== null &&
        found.pid !== owner.pid &&
        isAlive(found.pid, found.pid_started_at!);
      if (found && isHeld) return {is: 'busy', change: found};
      if (found && found.state !== 'kept' && found.digest !== wanted.digest) return {is: 'other', change: found};
      if (found?.state === 'done') return {is: 'done', change: found};
      if (found?.state === 'sending') return {is: 'unknown', change: this.#hold(found)};
      if (found) database.run('DELETE FROM change WHERE n = ?', found.n);
      const {account, key, digest, command} = wanted;
      const values = [account, key, digest, command, token(), now, owner.pid, owner.startedAt];
      const sql = `INSERT INTO change (account, key, digest, command, state, plan_key, begun_at, pid, pid_started_at)
        VALUES (?, ?, ?, ?, 'kept', ?, ?, ?, ?) RETURNING *`;
      this.current = database.get<KeyedChange>(sql, ...values)!;
      this.#isFirst = true;
      return {is: 'new', change: this.current};
    });
  }

  #hold({n}: KeyedChange): KeyedChange {
    const {pid, startedAt} = this.options.owner;
    const sql = 'UPDATE change SET pid = ?, pid_started_at = ? WHERE n = ? RETURNING *';
    return (this.current = this.open().get<KeyedChange>(sql, pid, startedAt, n)!);
  }

  /**
   * Records on disk that the change is about to be sent. @param seen what the account shows now, to tell later what is new
   * @param object id of the object to change @throws CentavoError kind `local_io`; then send nothing
   */
  send(seen: object = {}, object?: string): void {
    const {state, seen: before, object: named} = this.current!;
    if (state === 'done') return;
    // What was seen before the first attempt tells apart what any attempt has made.
    const values = {seen: before ?? JSON.stringify(seen), object: named ?? object ?? null};
    this.#update({...values, state: 'sending', ended_at: null});
  }

  /** Records that no attempt so far was applied: the change is sent as if for the first time. */
  renew(): void {
    this.#update({state: 'kept', seen: null, ended_at: null});
    this.#isFirst = true;
  }

  /** Records that the change was made. Never throws: the change is made. @param answer without secrets */
  done(object: string | undefined, answer: object | undefined, now: number): void {
    const text = answer && JSON.stringify(answer);
    this.#attempt({state: 'done', object: object ?? null, answer: text ?? null, ended_at: now});
  }

  /** Frees the key if no attempt was applied; otherwise its outcome stays unknown, unless it is done. Never throws. */
  end(applied: string | null, now: number): void {
    const {current} = this;
    if (!current) return;
    try {
      const isUnmade = current.state === 'kept' || (current.state === 'sending' && applied === 'no');
      if (isUnmade && this.#isFirst) this.free(current);
      else this.#update({pid: null, pid_started_at: null, ended_at: current.ended_at ?? now});
    } catch (error) {
      // What is not recorded has an unknown outcome once this process has ended.
      if (!(error instanceof CentavoError)) throw error;
    }
    this.current = undefined;
  }

  /** Forgets a change that was not made, so that its key can be used again; not if another process changed it meanwhile. */
  free({n, plan_key: row, state, pid, ended_at: end}: KeyedChange): void {
    // SQLite uses the number of a deleted row again.
    const sql = 'DELETE FROM change WHERE plan_key = ? AND state = ? AND pid IS ? AND ended_at IS ?';
    this.write((database) => database.run(sql, row, state, pid, end));
    if (this.current?.n === n) this.current = undefined;
  }

  /** Other changes of this account that were made, or may have been, for an object. @param object an id */
  othersOf(account: string, object: string): KeyedChange[] {
    const sql = 'SELECT * FROM change WHERE account = ? AND object = ? AND n <> ?';
    return this.open().all<KeyedChange>(sql, account, object, this.current?.n ?? -1);
  }

  /** Returns the change under a key that was made, or may have been. */
  sentUnder(account: string, key: string): KeyedChange | undefined {
    const found = this.#get(account, key);
    return found?.state === 'kept' ? undefined : found;
  }

  #get(account: string, key: string): KeyedChange | undefined {
    const sql = 'SELECT * FROM change WHERE account = ? AND key = ?';
    return this.open().get<KeyedChange>(sql, account, key);
  }

  #update(values: Partial<KeyedChange>): void {
    const names = Object.keys(values);
    const sql = `UPDATE change SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE n = ? RETURNING *`;
    const all = [...(Object.values(values) as SqliteValue[]), this.current!.n];
    this.current = this.write((database) => database.get<KeyedChange>(sql, ...all));
  }

  #attempt(values: Partial<KeyedChange>): void {
    if (!this.current) return;
    try {
      this.#update(values);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
    }
  }
}

/** From version 1 to 2: hand-overs, see hand-overs.ts. */
const HAND_OVERS = `
  CREATE TABLE hand_over (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, asked_at INTEGER NOT NULL, account TEXT NOT NULL,
    digest TEXT NOT NULL, profile TEXT NOT NULL, key_source TEXT NOT NULL, command TEXT NOT NULL, argv TEXT NOT NULL,
    resolved TEXT NOT NULL, what TEXT NOT NULL, amount INTEGER, customer TEXT, ids TEXT NOT NULL, agent TEXT NOT NULL,
    decided_at INTEGER, told_at INTEGER, result TEXT, object TEXT, pid INTEGER, pid_started_at INTEGER
  );
  CREATE INDEX hand_over_digest ON hand_over (account, digest);
  CREATE TABLE hand_over_input (hand_over TEXT NOT NULL, path TEXT NOT NULL, bytes BLOB NOT NULL);
`;

export const REPEATS_STORE: StoreKind = {
  schema: SCHEMA,
  upgrades: [HAND_OVERS],
  whenDamaged: 'Move the file away. centavo then no longer knows which idempotency keys were used.',
  foreignFileError: (path, by) =>
    new CentavoError('local_io', `the file of idempotency keys ${path} cannot be used.`, {
      why: `It was made by ${by}.`,
      hint: 'Move the file away, or use the latest version of centavo.',
      applied: 'no',
    }),
};
