// The journal of an import: a SQLite file for each job, which has what is wanted, what was begun and what came of it.
// A call is written down before it is made, so that a killed run can be continued with nothing lost and nothing doubled.

import {chmodSync, closeSync, mkdirSync, openSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import {CentavoError} from '../../../ground/errors.js';
import {localError} from '../../../ground/system-errors.js';
import {openDatabase, type Database, type Value} from '../../../storage/sqlite.js';
import type {JobFacts, JobRecord, JobState, Owner} from './facts.js';
import {JobRows} from './rows.js';
import {TABLES, VERSION} from './tables.js';

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
  readonly result_file: string | null;
  readonly since: number;
  readonly newest: number;
  readonly state: JobState;
  readonly ended_at: number | null;
  readonly keep: number;
  readonly pid: number | null;
  readonly pid_started_at: number | null;
}

/** A new import finds in the account what this one made. */
const DAMAGED = 'Import the spreadsheet again. To remove the file: centavo jobs purge';

type IsAlive = (pid: number, startedAt: number) => boolean;

export class JobFile extends JobRows {
  readonly path: string;
  readonly id: string;
  #isWorking = false;
  #isClosed = false;
  #committing: Promise<void> | undefined;
  /** Why nothing can be written any more. */
  #broken: unknown;

  private constructor(path: string, database: Database, id: string) {
    super(database);
    this.path = path;
    this.id = id;
  }

  /** Makes the file of a new job; only its owner may read it. */
  static create(path: string, facts: JobFacts): JobFile {
    try {
      mkdirSync(dirname(path), {recursive: true, mode: 0o700});
      chmodSync(dirname(path), 0o700);
      closeSync(openSync(path, 'wx', 0o600));
    } catch (error) {
      throw localError(`the job file ${path} cannot be made.`, error, {applied: 'no'});
    }
    const database = openDatabase(path);
    const {id, source, profile, mode, account, finalize, send, createdAt, resultFile} = facts;
    database.transaction(() => {
      database.exec(TABLES);
      database
        .prepare(
          `INSERT INTO job (id, version, source, profile, mode, account, finalize, send, created_at, result_file, state)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ready')`,
        )
        .run(id, VERSION, source, profile, mode, account, Number(finalize), Number(send), createdAt, resultFile);
    });
    return new JobFile(path, database, id);
  }

  static open(path: string): JobFile {
    const database = openDatabase(path, {whenDamaged: `${DAMAGED} ${basename(path, '.db')}`});
    try {
      return new JobFile(path, database, readJob(path, database).id);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  get #job(): JobRow {
    return readJob(this.path, this.database);
  }

  get record(): JobRecord {
    const job = this.#job;
    const {id, source, profile, mode, account, state, since, newest} = job;
    return {
      ...{id, source, profile, mode, account, state, since, newest},
      createdAt: job.created_at,
      endedAt: job.ended_at,
      resultFile: job.result_file,
      finalize: job.finalize === 1,
      send: job.send === 1,
      keep: job.keep === 1,
    };
  }

  /** Makes this process work on the job. The last calls of an earlier one may still be applied. @param now unix seconds */
  claim(owner: Owner, now: number, isAlive: IsAlive): void {
    // The one that works on it keeps the file locked, so it is looked at first.
    this.refuseIfTaken(owner, isAlive);
    this.together(() => {
      this.refuseIfTaken(owner, isAlive);
      this.write(
        `UPDATE job SET state = 'running', ended_at = NULL, pid = ?, pid_started_at = ?`,
        owner.pid,
        owner.startedAt,
      );
      this.write(`UPDATE row SET unsettled_at = ? WHERE phase IN ('drafting', 'finishing')`, now);
      this.write(`UPDATE customer SET begun_at = ? WHERE begun_at IS NOT NULL AND id IS NULL`, now);
    });
  }

  refuseIfTaken(owner: Owner, isAlive: IsAlive): void {
    const {id, pid, pid_started_at: startedAt} = this.#job;
    const isOther = pid !== null && (pid !== owner.pid || startedAt !== owner.startedAt);
    if (!isOther || !isAlive(pid, startedAt!)) return;
    throw new CentavoError('refused', `${id} is being worked on by process ${pid}.`, {
      code: 'job_is_running',
      hint: `Wait until it ends, or stop it: kill ${pid}`,
      applied: 'no',
    });
  }

  /** Ends the work of this process, unless another one has taken it over. @param at unix seconds */
  release(owner: Owner, state: JobState, at: number): void {
    this.write(
      `UPDATE job SET state = ?, ended_at = ?, pid = NULL, pid_started_at = NULL
       WHERE pid = ? AND pid_started_at = ?`,
      state,
      state === 'ended' || state === 'abandoned' ? at : null,
      owner.pid,
      owner.startedAt,
    );
  }

  isRunning(isAlive: IsAlive): boolean {
    const {pid, pid_started_at: startedAt} = this.#job;
    return pid !== null && isAlive(pid, startedAt!);
  }

  keep(keeps: boolean): void {
    this.write('UPDATE job SET keep = ?', Number(keeps));
  }

  /** See {@link JobRecord}. */
  setSince(since: number, newest: number): void {
    this.write('UPDATE job SET since = ?, newest = ?', since, newest);
  }

  /**
   * From now on, what is written reaches the disk at the next {@link commit}. What a killed process loses is what came of
   * calls, never that they were begun: that is committed before they are made.
   */
  begin(): void {
    this.#isWorking = true;
    this.#guarded(() => this.database.exec('BEGIN IMMEDIATE'));
  }

  /** Everything written is on the disk when this returns. If it throws, the next call must not be made. */
  commit(): void {
    this.end();
    this.begin();
  }

  /** One {@link commit} for all rows that ask for it at about the same time. */
  commitTogether(): Promise<void> {
    this.#committing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#committing = undefined;
        if (this.#isClosed) return;
        try {
          this.commit();
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    return this.#committing;
  }

  /** Ends what {@link begin} began. */
  end(): void {
    this.#guarded(() => this.database.exec('COMMIT'));
    this.#isWorking = false;
  }

  together<T>(work: () => T): T {
    return this.database.transaction(work);
  }

  protected override write(sql: string, ...values: Value[]): void {
    this.#guarded(() => super.write(sql, ...values));
  }

  /** After a failure the engine may have undone what was not committed: nothing may be written on top of that. */
  #guarded(work: () => void): void {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      work();
    } catch (error) {
      if (this.#isWorking) this.#broken = error;
      throw error;
    }
  }

  /** Gives up what was written since the last {@link commit}, as a killed process does. */
  close(): void {
    // The engine may have undone it by itself.
    if (this.#isWorking) this.#rollBack();
    this.#isClosed = true;
    this.database.close();
  }

  /** Goes back to what was committed last, after a failure. */
  recover(): void {
    if (this.#broken === undefined) return;
    this.#rollBack();
    this.#broken = undefined;
  }

  #rollBack(): void {
    this.#isWorking = false;
    try {
      this.database.exec('ROLLBACK');
    } catch {}
  }
}

function readJob(path: string, database: Database): JobRow {
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE name = 'job'`).all();
  const job = tables.length === 0 ? undefined : database.prepare('SELECT * FROM job').get<JobRow>();
  if (!job)
    throw new CentavoError('local_io', `${path} is no job file.`, {
      code: 'damaged_job',
      hint: `${DAMAGED} ${basename(path, '.db')}`,
      applied: 'no',
    });
  if (job.version === VERSION) return job;
  throw new CentavoError('config', `the job file ${path} is of version ${job.version}.`, {
    code: 'job_version',
    why: `This version of centavo reads version ${VERSION}.`,
    hint: 'Continue the job with the version of centavo that began it.',
    applied: 'no',
  });
}
