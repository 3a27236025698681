// The journal of an import: a SQLite file for each job, which has what is wanted, what was begun and what came of it.
// A call is written down before it is made, so that a killed run can be continued with nothing lost and nothing doubled.

import {createHash} from 'node:crypto';
import {chmodSync, closeSync, mkdirSync, openSync} from 'node:fs';
import {dirname} from 'node:path';
import {CentavoError} from '../../errors.js';
import {localError} from '../../system-errors.js';
import {openDatabase, type Database} from '../../storage/sqlite.js';
import type {StatementItem} from '../plan.js';

/** Raised when the tables change; a file of another version is refused. */
const VERSION = 1;

/** `ready`: checked and not begun. `ended`: every row is done, failed or in doubt. */
export type JobState = 'abandoned' | 'ended' | 'ready' | 'running';

/** What is known of a job as a whole. */
export interface JobFacts {
  readonly id: string;
  /** Name of the file, or `-`. */
  readonly source: string;
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** Identifies the account: an import never goes on with another one. */
  readonly account: string;
  readonly finalize: boolean;
  readonly send: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
}

export interface JobRecord extends JobFacts {
  readonly state: JobState;
  /** Unix seconds; null while it has not ended. */
  readonly endedAt: number | null;
  /** It is not purged by itself. */
  readonly keep: boolean;
}

/** Where a row stands. `planned` → `drafting` → `drafted` → `finishing` → `done`; or `failed`. */
export type Phase = 'done' | 'drafted' | 'drafting' | 'failed' | 'finishing' | 'planned';

/** Whether a statement was e-mailed by this job. */
export type Sent = 'no' | 'unknown' | 'yes';

/** One statement of the file. */
export interface Row {
  /** From 1, in the order of the file. */
  readonly n: number;
  readonly external_id: string;
  /** Line of the file on which it begins. */
  readonly line: number;
  /** Value of the metadata key by which its draft is found. */
  readonly key: string;
  /** As in the file: an id, or an e-mail address in lower case. */
  readonly customer: string;
  /** Unix seconds. */
  readonly due_at: number | null;
  readonly description: string | null;
  /** JSON. */
  readonly metadata: string | null;
  /** Centavos. */
  readonly amount: number;
  readonly phase: Phase;
  /** 1 when its draft may be there twice. */
  readonly doubted: number;
  /** 1 when an earlier process was at it: what that had begun may still be applied. */
  readonly inherited: number;
  /** 1 when this job has begun to finalize it. */
  readonly opened: number;
  readonly id: string | null;
  readonly number: string | null;
  readonly link: string | null;
  /** Status at the service, as last seen. */
  readonly status: string | null;
  readonly sent: Sent;
  readonly error_code: string | null;
  readonly error: string | null;
}

/** A customer of the file. */
export interface JobCustomer {
  /** As in the file: an id, or an e-mail address in lower case. */
  readonly ref: string;
  readonly id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  /** 1 for one that this job creates. */
  readonly creates: number;
  /** Unix seconds at which its creation was begun. */
  readonly begun_at: number | null;
}

const TABLES = `
CREATE TABLE job (
  id TEXT PRIMARY KEY, version INTEGER NOT NULL, source TEXT NOT NULL, profile TEXT NOT NULL, mode TEXT NOT NULL,
  account TEXT NOT NULL, finalize INTEGER NOT NULL, send INTEGER NOT NULL, created_at INTEGER NOT NULL,
  state TEXT NOT NULL, ended_at INTEGER, keep INTEGER NOT NULL DEFAULT 0, pid INTEGER, pid_started_at INTEGER
);
CREATE TABLE row (
  n INTEGER PRIMARY KEY, external_id TEXT NOT NULL UNIQUE, line INTEGER NOT NULL, key TEXT NOT NULL DEFAULT '',
  customer TEXT NOT NULL, due TEXT, due_at INTEGER, description TEXT, metadata TEXT, amount INTEGER NOT NULL DEFAULT 0,
  phase TEXT NOT NULL DEFAULT 'planned', doubted INTEGER NOT NULL DEFAULT 0,
  inherited INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0, id TEXT, number TEXT, link TEXT, status TEXT, sent TEXT NOT NULL DEFAULT 'no',
  error_code TEXT, error TEXT
);
CREATE TABLE item (
  row INTEGER NOT NULL, position INTEGER NOT NULL, description TEXT NOT NULL, quantity INTEGER NOT NULL,
  unit_price INTEGER NOT NULL, PRIMARY KEY (row, position)
) WITHOUT ROWID;
CREATE TABLE customer (
  ref TEXT PRIMARY KEY, id TEXT, email TEXT, name TEXT, creates INTEGER NOT NULL DEFAULT 0, begun_at INTEGER
) WITHOUT ROWID;
CREATE INDEX row_phase ON row (phase, n);
CREATE INDEX row_key ON row (key);
`;

interface JobRow {
  readonly id: string;
  readonly version: number;
  readonly source: string;
  readonly profile: string;
  readonly mode: JobFacts['mode'];
  readonly account: string;
  readonly finalize: number;
  readonly send: number;
  readonly created_at: number;
  readonly state: JobState;
  readonly ended_at: number | null;
  readonly keep: number;
  readonly pid: number | null;
  readonly pid_started_at: number | null;
}

/** How many of a job's statements are in each state, and what they come to. */
export interface Tally {
  readonly statements: number;
  /** Centavos of all of them. */
  readonly amount: number;
  readonly customers: number;
  readonly newCustomers: number;
  /** Everything wanted was done. */
  readonly done: number;
  readonly doneAmount: number;
  readonly failed: number;
  /** Begun, and neither done nor failed. */
  readonly pending: number;
  /** Sent, or perhaps sent. */
  readonly sent: number;
  readonly inDoubt: number;
}

/** A process, told apart from a later one with the same number by when it started. */
export interface Owner {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export class JobFile {
  readonly path: string;
  readonly #database: Database;
  #isWorking = false;

  private constructor(path: string, database: Database) {
    this.path = path;
    this.#database = database;
  }

  /** Makes the file of a new job; only its owner may read it. @throws CentavoError kind `local_io` */
  static create(path: string, facts: JobFacts): JobFile {
    try {
      mkdirSync(dirname(path), {recursive: true, mode: 0o700});
      chmodSync(dirname(path), 0o700);
      closeSync(openSync(path, 'wx', 0o600));
    } catch (error) {
      throw localError(`the job file ${path} cannot be made.`, error, {applied: 'no'});
    }
    const file = new JobFile(path, openDatabase(path));
    file.#database.exec(TABLES);
    const {id, source, profile, mode, account, finalize, send, createdAt} = facts;
    file.#database
      .prepare(
        `INSERT INTO job (id, version, source, profile, mode, account, finalize, send, created_at, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'ready')`,
      )
      .run(id, VERSION, source, profile, mode, account, Number(finalize), Number(send), createdAt);
    return file;
  }

  /** @throws CentavoError kind `local_io`, or `config` for a file of another version */
  static open(path: string): JobFile {
    const file = new JobFile(path, openDatabase(path));
    const {version} = file.#job();
    if (version !== VERSION)
      throw new CentavoError('config', `the job file ${path} is of version ${version}.`, {
        code: 'job_version',
        why: `This version of centavo reads version ${VERSION}.`,
        hint: 'Continue the job with the version of centavo that began it.',
        applied: 'no',
      });
    return file;
  }

  #job(): JobRow {
    const job = this.#database.prepare('SELECT * FROM job').get<JobRow>();
    if (!job)
      throw new CentavoError('local_io', `${this.path} is no job file.`, {
        code: 'damaged_job',
        hint: 'Its import was never begun. Remove the file, and import again.',
        applied: 'no',
      });
    return job;
  }

  get record(): JobRecord {
    const {finalize, send, keep, created_at: createdAt, ended_at: endedAt, ...job} = this.#job();
    const {id, source, profile, mode, account, state} = job;
    return {
      ...{id, source, profile, mode, account, state, createdAt, endedAt},
      finalize: finalize === 1,
      send: send === 1,
      keep: keep === 1,
    };
  }

  /**
   * Makes this process the one that works on the job.
   * @param isAlive whether a process still runs
   * @throws CentavoError kind `refused` while another process does
   */
  claim(owner: Owner, isAlive: (pid: number, startedAt: number) => boolean): void {
    // The one that works on it keeps the file locked, so it is looked at first.
    this.#refuseIfTaken(owner, isAlive);
    this.#database.transaction(() => {
      this.#refuseIfTaken(owner, isAlive);
      this.#database
        .prepare(`UPDATE job SET state = 'running', ended_at = NULL, pid = ?, pid_started_at = ?`)
        .run(owner.pid, owner.startedAt);
      this.#database.prepare(`UPDATE row SET inherited = phase IN ('drafting', 'finishing')`).run();
    });
  }

  #refuseIfTaken(owner: Owner, isAlive: (pid: number, startedAt: number) => boolean): void {
    const {id, pid, pid_started_at: startedAt} = this.#job();
    const isOther = pid !== null && (pid !== owner.pid || startedAt !== owner.startedAt);
    if (!isOther || !isAlive(pid, startedAt!)) return;
    throw new CentavoError('refused', `${id} is being worked on by process ${pid}.`, {
      code: 'job_is_running',
      hint: `Wait until it ends, or stop it: kill ${pid}`,
      applied: 'no',
    });
  }

  /** Ends the work of this process. @param at unix seconds */
  release(state: JobState, at: number): void {
    this.#database
      .prepare('UPDATE job SET state = ?, ended_at = ?, pid = NULL, pid_started_at = NULL')
      .run(state, state === 'ended' || state === 'abandoned' ? at : null);
  }

  /** Whether a process is working on it. */
  isRunning(isAlive: (pid: number, startedAt: number) => boolean): boolean {
    const {pid, pid_started_at: startedAt} = this.#job();
    return pid !== null && isAlive(pid, startedAt!);
  }

  keep(keeps: boolean): void {
    this.#database.prepare('UPDATE job SET keep = ?').run(Number(keeps));
  }

  /**
   * From now on, what is written reaches the disk at the next {@link commit}. What a killed process loses is what came of
   * calls, never that they were begun: that is committed before they are made.
   */
  begin(): void {
    this.#database.exec('BEGIN IMMEDIATE');
    this.#isWorking = true;
  }

  /** Everything written is on the disk when this returns. @throws CentavoError kind `local_io`; then the next call must not be made */
  commit(): void {
    this.end();
    this.begin();
  }

  /** The end of what {@link begin} began. */
  end(): void {
    this.#database.exec('COMMIT');
    this.#isWorking = false;
  }

  /** Does several things in one transaction. */
  together<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  // --- what is wanted ---

  /** Adds a statement, or finds it. @returns its number, and its row when it was there already */
  addRow(row: Pick<Row, 'customer' | 'external_id' | 'line'> & {readonly due: string | null} & Partial<Row>): number {
    const {n} = this.#database.prepare('SELECT coalesce(max(n), 0) + 1 AS n FROM row').get<{n: number}>()!;
    this.#database
      .prepare(
        `INSERT INTO row (n, external_id, line, customer, due, due_at, description, metadata)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        n,
        row.external_id,
        row.line,
        row.customer,
        row.due,
        row.due_at ?? null,
        row.description ?? null,
        row.metadata ?? null,
      );
    return n;
  }

  rowNamed(externalId: string): (Row & {readonly due: string | null}) | undefined {
    return this.#database.prepare('SELECT * FROM row WHERE external_id = ?').get(externalId);
  }

  rowWithKey(key: string): Row | undefined {
    return this.#database.prepare('SELECT * FROM row WHERE key = ?').get(key);
  }

  setRow(n: number, values: Partial<Omit<Row, 'n'>>): void {
    const names = Object.keys(values) as (keyof typeof values)[];
    this.#database
      .prepare(`UPDATE row SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE n = ?`)
      .run(...names.map((name) => values[name] ?? null), n);
  }

  addItem(n: number, {description, quantity, unit_price: price}: StatementItem): void {
    this.#database
      .prepare(
        `INSERT INTO item (row, position, description, quantity, unit_price)
         VALUES (?, (SELECT count(*) FROM item WHERE row = ?), ?, ?, ?)`,
      )
      .run(n, n, description, quantity, price);
  }

  itemsOf(n: number): StatementItem[] {
    return this.#database
      .prepare('SELECT description, quantity, unit_price FROM item WHERE row = ? ORDER BY position')
      .all(n);
  }

  addCustomer(ref: string, values: {readonly email?: string; readonly name?: string; readonly id?: string}): void {
    this.#database
      .prepare(
        `INSERT INTO customer (ref, id, email, name) VALUES (?, ?, ?, ?)
         ON CONFLICT (ref) DO UPDATE SET name = coalesce(name, excluded.name)`,
      )
      .run(ref, values.id ?? null, values.email ?? null, values.name ?? null);
  }

  customer(ref: string): JobCustomer | undefined {
    return this.#database.prepare('SELECT * FROM customer WHERE ref = ?').get(ref);
  }

  /** The metadata key of a customer that this job creates. */
  customerKey(ref: string): string {
    return `${this.#job().id}_${createHash('sha256').update(ref).digest('hex').slice(0, 16)}`;
  }

  setCustomer(ref: string, values: Partial<Omit<JobCustomer, 'ref'>>): void {
    const names = Object.keys(values) as (keyof typeof values)[];
    this.#database
      .prepare(`UPDATE customer SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ref = ?`)
      .run(...names.map((name) => values[name] ?? null), ref);
  }

  /** Customers, some at a time, so that a long list takes no more memory than a short one. */
  *customers(): Generator<JobCustomer> {
    let after = '';
    for (;;) {
      const some = this.#database
        .prepare('SELECT * FROM customer WHERE ref > ? ORDER BY ref LIMIT 200')
        .all<JobCustomer>(after);
      if (some.length === 0) return;
      yield* some;
      after = some.at(-1)!.ref;
    }
  }

  /** Rows in the order of the file, some at a time. @param phases only rows in one of these as the reading reaches them */
  *rows(phases?: readonly Phase[]): Generator<Row> {
    let after = 0;
    const where = phases ? `AND phase IN (${phases.map(() => '?').join(', ')})` : '';
    for (;;) {
      const some = this.#database
        .prepare(`SELECT * FROM row WHERE n > ? ${where} ORDER BY n LIMIT 200`)
        .all<Row>(after, ...(phases ?? []));
      if (some.length === 0) return;
      yield* some;
      after = some.at(-1)!.n;
    }
  }

  /** The line on which a customer first stands. */
  firstLineOf(customer: string): number {
    return this.#database.prepare('SELECT min(line) AS line FROM row WHERE customer = ?').get<{line: number}>(customer)!
      .line;
  }

  /** How many items all statements have. */
  get itemCount(): number {
    return this.#database.prepare('SELECT count(*) AS count FROM item').get<{count: number}>()!.count;
  }

  /** Rows that failed are tried again by the next run. Where they got to is read from the account. */
  retryFailed(): void {
    this.#database
      .prepare(`UPDATE row SET phase = CASE opened WHEN 1 THEN 'finishing' ELSE 'drafting' END WHERE phase = 'failed'`)
      .run();
  }

  /** The row with the largest amount. */
  get largest(): Row | undefined {
    return this.#database.prepare('SELECT * FROM row ORDER BY amount DESC LIMIT 1').get();
  }

  row(n: number): Row {
    return this.#database.prepare('SELECT * FROM row WHERE n = ?').get<Row>(n)!;
  }

  /** The due date of each row as it was typed, for its key. */
  dueText(n: number): string | null {
    return this.#database.prepare('SELECT due FROM row WHERE n = ?').get<{due: string | null}>(n)!.due;
  }

  get tally(): Tally {
    const counts = this.#database
      .prepare(
        `SELECT count(*) AS statements, coalesce(sum(amount), 0) AS amount,
           coalesce(sum(phase = 'done'), 0) AS done, coalesce(sum(CASE phase WHEN 'done' THEN amount END), 0) AS doneAmount,
           coalesce(sum(phase = 'failed'), 0) AS failed,
           coalesce(sum(phase NOT IN ('planned', 'done', 'failed')), 0) AS pending,
           coalesce(sum(sent = 'yes'), 0) AS sent,
           coalesce(sum(sent = 'unknown' OR phase IN ('drafting', 'finishing')), 0) AS inDoubt
         FROM row`,
      )
      .get<Omit<Tally, 'customers' | 'newCustomers'>>()!;
    const customers = this.#database
      .prepare('SELECT count(*) AS customers, coalesce(sum(creates), 0) AS newCustomers FROM customer')
      .get<Pick<Tally, 'customers' | 'newCustomers'>>()!;
    return {...counts, ...customers};
  }

  /** Gives up what was written since the last {@link commit}, as a killed process does. */
  close(): void {
    if (this.#isWorking) this.#database.exec('ROLLBACK');
    this.#database.close();
  }
}
