// The log of changes made from this machine, in SQLite: each change with its steps and its end. It holds no secret.

import {lstatSync} from 'node:fs';
import {CentavoError} from '../common/errors.js';
import {codeOf, localError} from '../common/system-errors.js';
import {ensurePrivateFile} from '../storage/private-file.js';
import {makeTables, openDatabase, type Database, type SqliteValue} from '../storage/sqlite.js';
import {
  earlierActivityOf,
  recordedSendOf,
  type EarlierActivity,
  type LocalRefund,
  type RecordedSend,
  type LocalSettlement,
  type RecordedWrite,
} from './queries.js';
import {
  HistoryWriter,
  SCHEMA,
  type HistoryEntryEnd,
  type NewHistoryEntry,
  type HistoryName,
  type HistorySubject,
} from './history-writer.js';

export type {HistoryEntryEnd, NewHistoryEntry, HistoryName, HistorySubject} from './history-writer.js';

/** One write as `centavo history` shows it. */
export interface HistoryRecord {
  /** Unix seconds at which it began. */
  readonly at: number;
  readonly profile: string;
  readonly mode: string;
  readonly command: string;
  /** Ids that the command named, then ids that it created. */
  readonly ids: readonly string[];
  /** Centavos. */
  readonly amount: number | null;
  readonly reason: string | null;
  /** `ok`, the code of an error, or `unfinished` without a recorded end: the process was killed. */
  readonly result: string;
  readonly exit_code: number | null;
  readonly applied: string | null;
  /** The last step begun of several: `send`, then `sent` or `not_sent`; null for a write of one step. */
  readonly step: string | null;
  /** Unix seconds. */
  readonly step_at: number | null;
  readonly steps: readonly RecordedStep[];
  /** Unix seconds; null where no end was recorded. */
  readonly ended_at: number | null;
  /** The number of the one statement that it is about, and the name of its customer, if they were seen. */
  readonly number: string | null;
  readonly customer: string | null;
  /** The name of the file that was billed from. */
  readonly file: string | null;
  /** The objects of `ids`, with their names, and whether each was emailed. */
  readonly objects: readonly RecordedObject[];
}

export interface RecordedObject {
  readonly id: string;
  readonly number: string | null;
  readonly customer: string | null;
  readonly send: RecordedSend['state'] | null;
}

export interface RecordedStep {
  readonly step: string;
  /** Unix seconds. */
  readonly at: number;
  readonly ids: readonly string[];
}

/** Conditions that a write must all meet. */
export interface HistoryFilter {
  readonly profile?: string;
  readonly mode?: string;
  readonly result?: string;
  /** The id of an object that it names or made. */
  readonly object?: string;
  /** Unix seconds. */
  readonly since?: number;
  /** Names of customers; matches any of them. */
  readonly customers?: readonly string[];
}

export interface HistoryOptions {
  /** Unix seconds. */
  readonly now: () => number;
  /** Identifies a write, so that its end finds its beginning. */
  readonly token: () => string;
}

/** A change whose end is not recorded yet. */
interface OpenWrite {
  readonly change: number;
  readonly objects: Set<string>;
  readonly names: Map<string, HistoryName>;
  unchanged: boolean;
  subject: HistorySubject;
}

interface ChangeRow extends Omit<HistoryRecord, 'ids' | 'objects' | 'result' | 'step' | 'step_at' | 'steps'> {
  readonly n: number;
  readonly id: string;
  readonly result: string | null;
}

interface EntryRow extends HistoryName {
  readonly object: string | null;
  readonly step: string | null;
  readonly at: number | null;
  readonly part: number | null;
}

const WHEN_DAMAGED = 'Move the file away. centavo then no longer knows what was sent from this machine.';

const ENDING = /billing-statements (mark-uncollectible|reissue|settle|void)$/;

const PAGE_OF_WRITES = 100;

export class History {
  /** Created, with its folder, at the first write. */
  readonly path: string;
  readonly #options: HistoryOptions;
  #database: Database | undefined;
  #openWrites: OpenWrite[] = [];

  constructor(path: string, options: HistoryOptions) {
    this.path = path;
    this.#options = options;
  }

  /** Records a write before it is sent; it is then on the disk. If this throws, nothing may be sent. */
  begin(write: NewHistoryEntry): void {
    const {now, token} = this.#options;
    const change = this.#require('nothing was sent: the change', (log) => log.begin(token(), now(), write));
    this.#openWrites.push({change, objects: new Set(), names: new Map(), unchanged: false, subject: {}});
  }

  /** Notes an object that the last write made or found, for its end. */
  addObject(id: string, name?: HistoryName): void {
    this.#openWrites.at(-1)?.objects.add(id);
    if (name) this.addNames([[id, name]]);
  }

  /** Notes what objects are called, for the end of the last write. */
  addNames(names: Iterable<readonly [id: string, name: HistoryName]>): void {
    for (const [id, name] of names) this.#openWrites.at(-1)?.names.set(id, name);
  }

  /** Records the statement of the last change, for its end. Keeps earlier fields. */
  setSubject(subject: HistorySubject): void {
    const last = this.#openWrites.at(-1);
    if (last) last.subject = {...last.subject, ...subject};
  }

  /** Records a step of the last write before it is taken; it is then on the disk. If this throws, it may not be taken. */
  step(name: string, ids: readonly string[]): void {
    const last = this.#openWrites.at(-1);
    if (!last) return;
    for (const id of ids) last.objects.add(id);
    this.#require('the next step', (log) => log.step(last.change, name, this.#options.now(), ids));
  }

  #require<T>(what: string, work: (log: HistoryWriter) => T): T {
    try {
      return this.#write(work);
    } catch (error) {
      const {details} = localError('', error);
      throw new CentavoError('local_io', `${what} could not be recorded in ${this.path}.`, {
        hint: 'centavo records every change before making it. To record it in another folder, set CENTAVO_DATA_DIR.',
        ...details,
        code: 'not_recorded',
        applied: 'no',
      });
    }
  }

  #attempt(work: (log: HistoryWriter) => void): boolean {
    try {
      this.#write(work);
      return true;
    } catch {
      return false;
    }
  }

  #write<T>(work: (log: HistoryWriter) => T): T {
    const database = this.#open();
    return database.transaction(() => work(new HistoryWriter(database)));
  }

  /** The state of the changes without a recorded end; `unchanged` if none had anything to change. */
  get state(): 'changing' | 'none' | 'unchanged' {
    if (this.#openWrites.length === 0) return 'none';
    return this.#openWrites.every(({unchanged}) => unchanged) ? 'unchanged' : 'changing';
  }

  /** Notes that the last write had nothing to change, so that success does not count as a change. */
  markUnchanged(): void {
    const last = this.#openWrites.at(-1);
    if (last) last.unchanged = true;
  }

  /** Records the end of the writes. Never throws: the change has been made. @returns whether it was recorded */
  end({result, exitCode, applied}: HistoryEntryEnd): boolean {
    const ending = this.#openWrites;
    this.#openWrites = [];
    if (ending.length === 0) return true;
    return this.#attempt((log) => {
      for (const {change, objects, names, unchanged, subject} of ending) {
        log.addObjects(change, objects);
        log.setNames(names);
        const seen = unchanged && applied === 'yes' ? 'no' : applied;
        log.end(change, this.#options.now(), {result, exitCode, applied: seen}, subject);
      }
    });
  }

  /** Records the hash of a file. Never throws: the file matters more. @returns true if recorded */
  recordFile(path: string, sha256: string): boolean {
    return this.#attempt((log) => log.file(path, sha256, this.#options.now()));
  }

  /** The SHA-256 of everything recorded for a file, newest first. A killed process may not have written it. */
  recordedHashes(path: string): string[] {
    const sql = 'SELECT sha256 FROM file WHERE path = ? ORDER BY n DESC';
    return this.#all<{sha256: string}>(sql, path).map(({sha256}) => sha256);
  }

  /** Newest first, read when asked for, so that a long history takes no more memory. One page at least. */
  *pages(filter: HistoryFilter = {}, limit = Infinity): Generator<HistoryRecord[]> {
    const {where, values} = conditionOf(filter);
    let [before, remaining] = [Number.MAX_SAFE_INTEGER, limit];
    for (;;) {
      const sql = `SELECT * FROM change WHERE ${where} AND n < ? ORDER BY n DESC LIMIT ?`;
      const rows = this.#all<ChangeRow>(sql, ...values, before, Math.min(remaining, PAGE_OF_WRITES));
      yield rows.map((row) => this.#recordOf(row));
      remaining -= rows.length;
      if (rows.length < PAGE_OF_WRITES || remaining === 0) return;
      before = rows.at(-1)!.n;
    }
  }

  count(filter: HistoryFilter = {}): number {
    const {where, values} = conditionOf(filter);
    return this.#all<{count: number}>(`SELECT count(*) AS count FROM change WHERE ${where}`, ...values)[0]?.count ?? 0;
  }

  #recordOf(row: ChangeRow): HistoryRecord {
    const objects = new Map<string, HistoryName & {readonly steps: {step: string; at: number}[]}>();
    const steps = new Map<number, {step: string; at: number; ids: string[]}>();
    const sql = `SELECT entry.object, step, at, part, number, customer FROM entry LEFT JOIN name USING (object)
      WHERE change = ? ORDER BY n`;
    for (const {object, step, at, part, ...name} of this.#all<EntryRow>(sql, row.n)) {
      const taken = part === null ? undefined : (steps.get(part) ?? {step: step!, at: at!, ids: []});
      if (taken) steps.set(part!, taken);
      if (object === null) continue;
      const found = objects.get(object) ?? {...name, steps: []};
      objects.set(object, found);
      if (!taken) continue;
      taken.ids.push(object);
      found.steps.push(taken);
    }
    const last = [...steps.values()].at(-1);
    const write = {...row, result: row.result ?? 'unfinished'};
    const {at, profile, mode, command, amount, reason, result, exit_code, applied, ended_at} = write;
    return {
      at,
      profile,
      mode,
      command,
      ids: [...objects.keys()],
      amount,
      reason,
      result,
      exit_code,
      applied,
      step: last?.step ?? null,
      step_at: last?.at ?? null,
      steps: [...steps.values()],
      ended_at,
      number: row.number,
      customer: row.customer,
      file: row.file,
      objects: [...objects].map(([id, {number = null, customer = null, steps: own}]) => ({
        id,
        number,
        customer,
        send: id.startsWith('bstm_') ? (recordedSendOf({...write, steps: own})?.state ?? null) : null,
      })),
    };
  }

  /** The names of all customers that changes are known to concern. */
  customers(): string[] {
    const sql = `SELECT customer FROM change WHERE customer IS NOT NULL
      UNION SELECT customer FROM name WHERE customer IS NOT NULL`;
    return this.#all<{customer: string}>(sql).map(({customer}) => customer);
  }

  /** Changes of an object by other commands, newest first: without the current process's unfinished ones. */
  #otherWrites(object: string): RecordedWrite[] {
    const own = new Set(this.#openWrites.map(({change}) => change));
    const steps = 'SELECT step, at FROM entry WHERE change = ? AND object = ? AND step IS NOT NULL ORDER BY n';
    const rows = this.#all<ChangeRow & {lastActivityAt: number; firstObject: string}>(
      `SELECT *, coalesce(ended_at, (SELECT at FROM entry WHERE change = change.n AND step IS NOT NULL ORDER BY n DESC LIMIT 1), at) AS lastActivityAt,
         (SELECT object FROM entry WHERE change = change.n AND object IS NOT NULL ORDER BY n LIMIT 1) AS firstObject
       FROM change WHERE n IN (SELECT change FROM entry WHERE object = ?) ORDER BY n DESC`,
      object,
    );
    return rows
      .filter(({n}) => !own.has(n))
      .map((row) => ({
        ...row,
        result: row.result ?? 'unfinished',
        steps: this.#all<{step: string; at: number}>(steps, row.n, object),
      }));
  }

  /** Earlier activity of other commands on a statement. @param settle milliseconds within which an unknown change may be applied */
  earlierActivity(id: string, settle: number): EarlierActivity {
    return earlierActivityOf(this.#otherWrites(id), this.#options.now(), settle);
  }

  /** The last time at which other commands sent a statement, or may have. */
  lastSend(id: string): RecordedSend | undefined {
    const sends = this.#otherWrites(id).flatMap((write) => recordedSendOf(write) ?? []);
    return sends.reduce<RecordedSend | undefined>((last, send) => (last && last.at > send.at ? last : send), undefined);
  }

  /** The refunds of a payment that other commands made, oldest first. */
  refunds(paymentId: string): LocalRefund[] {
    return this.#otherWrites(paymentId)
      .filter(({command, applied}) => /^(api )?refunds create$/.test(command) && applied !== 'no')
      .flatMap(({at, amount, applied}) => (amount === null ? [] : {at, amount, isCertain: applied === 'yes'}))
      .reverse();
  }

  /** When another command voided or wrote off a statement, in unix seconds. */
  endOf(id: string): {readonly at: number; readonly reason?: string} | undefined {
    for (const {command, firstObject, applied, at, reason, steps} of this.#otherWrites(id))
      // A reissue ends only the first one that it names.
      if (ENDING.test(command) && applied === 'yes' && (firstObject === id || !command.endsWith(' reissue')))
        // A settlement with a step wrote the debt off.
        return {at, ...(reason && steps.length === 0 ? {reason} : {})};
    return undefined;
  }

  /** The settlements of an account by the id of the statement. */
  settlements({profile, mode}: {readonly profile: string; readonly mode: string}): Map<string, LocalSettlement> {
    type Found = Pick<LocalSettlement, 'amount' | 'at' | 'reason'>;
    const rows = this.#all<Found & {object: string; isCertain: number | null; isGivenUp: number | null}>(
      `SELECT object, change.at, reason, amount, applied = 'yes' AS isCertain, max(step = 'mark-uncollectible') AS isGivenUp
       FROM change JOIN entry ON change = change.n
       WHERE command = 'billing-statements settle' AND profile = ? AND mode = ? AND reason IS NOT NULL
         AND coalesce(applied, '') <> 'no' AND object GLOB 'bstm_*' GROUP BY change, object ORDER BY change DESC`,
      ...[profile, mode],
    );
    const settlements = new Map<string, LocalSettlement>();
    for (const {object, isCertain, isGivenUp, ...rest} of rows) {
      // A certain settlement outweighs a later unknown one.
      if (settlements.has(object) && (!isCertain || settlements.get(object)!.isCertain)) continue;
      settlements.set(object, {...rest, isCertain: Boolean(isCertain), ...(isGivenUp && {isGivenUp: true})});
    }
    return settlements;
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  /** None where nothing was ever recorded: reading makes no file. */
  #all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    try {
      if (!this.#database && !isThere(this.path)) return [];
      return this.#open()
        .prepare(sql)
        .all<Row>(...values);
    } catch (error) {
      const {details} = localError('', error);
      throw new CentavoError('local_io', `the history ${this.path} cannot be read.`, {...details, applied: undefined});
    }
  }

  #open(): Database {
    if (this.#database) return this.#database;
    ensurePrivateFile(this.path);
    const database = openDatabase(this.path, {whenDamaged: WHEN_DAMAGED});
    try {
      // On a full disk, a journal that keeps its place still has room for a small change.
      database.exec('PRAGMA journal_mode = PERSIST; PRAGMA journal_size_limit = 65536');
      makeTables(database, SCHEMA, (by) => notOurs(this.path, by));
    } catch (error) {
      database.close();
      throw error;
    }
    return (this.#database = database);
  }
}

const notOurs = (path: string, by: string): CentavoError =>
  new CentavoError('local_io', `the history ${path} cannot be used.`, {
    why: `It was made by ${by}.`,
    hint: by === 'another program' ? WHEN_DAMAGED : 'Use the latest version of centavo.',
    applied: 'no',
  });

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function conditionOf(filter: HistoryFilter): {where: string; values: SqliteValue[]} {
  const {profile, mode, result, object, since} = filter;
  const customers = filter.customers && JSON.stringify(filter.customers);
  const among = 'IN (SELECT value FROM json_each(?))';
  const ofCustomer = `SELECT change FROM entry JOIN name USING (object) WHERE name.customer ${among}`;
  const wanted: readonly (readonly [sql: string, ...values: (SqliteValue | undefined)[]])[] = [
    ['profile = ?', profile],
    ['mode = ?', mode],
    ["coalesce(result, 'unfinished') = ?", result],
    ['n IN (SELECT change FROM entry WHERE object = ?)', object],
    ['at >= ?', since],
    [`(customer ${among} OR n IN (${ofCustomer}))`, customers, customers],
  ];
  const given = wanted.filter((each): each is [string, ...SqliteValue[]] => each[1] !== undefined);
  return {
    where: ['1', ...given.map(([sql]) => sql)].join(' AND '),
    values: given.flatMap(([, ...values]) => values as SqliteValue[]),
  };
}
