// The history of changes made from this machine, in SQLite: each change, its steps and its end. Contains no secrets.

import {lstatSync} from 'node:fs';
import {CentavoError} from '../common/errors.js';
import {codeOf, localError} from '../common/system-errors.js';
import {openStore, type Database, type SqliteValue, type StoreKind} from '../storage/sqlite.js';
import type {IsProcessAlive, ProcessIdentity} from '../processes/process-identity.js';
import type {LocalRefund, LocalSettlement, MoneyHistory, RecordedSend} from '../accounting/standing.js';
import type {EarlierActivity, RecordedWrite} from './queries.js';
import {earlierActivityOf, isUnknown, recordedSendOf, SENT_STEP} from './queries.js';
import {
  HistoryWriter,
  SCHEMA,
  SCHEMA_UPGRADES,
  type HistoryEntryEnd,
  type KnownSend,
  type NewHistoryEntry,
  type HistoryName,
  type HistorySubject,
} from './history-writer.js';

export type {HistoryEntryEnd, KnownSend, NewHistoryEntry, HistoryName, HistorySubject} from './history-writer.js';

/** A recorded change, as `centavo history` prints it. */
export interface HistoryRecord {
  /** Unix seconds when the change began. */
  readonly at: number;
  readonly profile: string;
  readonly mode: string;
  readonly command: string;
  /** Ids that the command named, then ids that it created. */
  readonly ids: readonly string[];
  /** Centavos. */
  readonly amount: number | null;
  readonly reason: string | null;
  /** `ok`, an error code, or `unfinished` if no end was recorded: the process was killed or still runs. */
  readonly result: string;
  readonly exit_code: number | null;
  readonly applied: string | null;
  /** The last recorded step: `send`, then `sent` or `not_sent`; null for a change without steps. */
  readonly step: string | null;
  /** Unix seconds. */
  readonly step_at: number | null;
  readonly steps: readonly RecordedStep[];
  /** Unix seconds; null if no end was recorded. */
  readonly ended_at: number | null;
  /** The number and the customer's name of the changed statement; null if unknown, or for several statements. */
  readonly number: string | null;
  readonly customer: string | null;
  /** The name of the import file. */
  readonly file: string | null;
  /** The variable by which the agent that made the change was known; null for a person or a script. */
  readonly agent: string | null;
  /** The objects of `ids`, each with its names and, for a statement, whether it was sent. */
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

/** Conditions for changes; a change must meet all of them. */
export interface HistoryFilter {
  readonly profile?: string;
  readonly mode?: string;
  readonly result?: string;
  /** Id of an object that the change names or created. */
  readonly object?: string;
  /** Unix seconds. */
  readonly since?: number;
  /** Names of customers; a change matches if any of them is its customer. */
  readonly customers?: readonly string[];
}

export interface HistoryOptions {
  /** Unix seconds by the account's clock, as far as it is known. */
  readonly now: () => number;
  /** Seconds that `now` adds to this machine's clock; undefined until the account's service has answered. */
  readonly offset?: () => number | undefined;
  /** Returns a unique id for a change. */
  readonly token: () => string;
  readonly owner?: ProcessIdentity;
  readonly isAlive?: IsProcessAlive;
}

export interface Entry {
  readonly change: number;
  /** Unique id of the change. Of an attempt under an idempotency key, it begins with the key of the plan. */
  readonly attempt: string;
  /** True while the process that makes the change lives. */
  readonly isRunning: boolean;
  /** Unix seconds of its end, or else of its last step, or its beginning. */
  readonly lastActivityAt: number;
}

/** A change whose end is not recorded yet. */
interface OpenWrite {
  readonly id: string;
  readonly change: number;
  readonly objects: Set<string>;
  readonly names: Map<string, HistoryName>;
  /** The offset of the recorded times. */
  offset: number | undefined;
  unchanged: boolean;
  subject: HistorySubject;
}

interface ChangeRow extends Omit<HistoryRecord, 'ids' | 'objects' | 'result' | 'step' | 'step_at' | 'steps'> {
  readonly n: number;
  readonly id: string;
  readonly result: string | null;
  readonly pid: number | null;
  readonly pid_started_at: number | null;
}

interface EntryRow extends HistoryName {
  readonly object: string | null;
  readonly step: string | null;
  readonly at: number | null;
  readonly part: number | null;
}

const WHEN_DAMAGED = 'Move the file away. centavo then knows only the changes that its other files record.';

const BILLING = /^billing-statements (create|duplicate)$/;
const ENDING = /billing-statements (mark-uncollectible|reissue|settle|void)$/;

const PAGE_OF_WRITES = 100;

/** True for changes of the account, and for older changes, which have none. */
const OF_ACCOUNT = '(account IS NULL OR instr(account, ?) = 1)';

export class History {
  /** The database file, created with its folder at the first write. */
  readonly path: string;
  #database: Database | undefined;
  #openWrites: OpenWrite[] = [];
  /** The id of the account: questions about money skip changes of other accounts. */
  account = '';

  constructor(
    path: string,
    private readonly options: HistoryOptions,
  ) {
    this.path = path;
  }

  /**
   * Records a change on disk before it is sent. @param lastLook called in the same transaction; may throw a refusal
   * @throws CentavoError kind `local_io`; nothing may then be sent
   */
  begin(write: NewHistoryEntry, lastLook?: () => void): void {
    const {now, offset, owner, token} = this.options;
    const {account} = this;
    const id = token();
    const change = this.#require('nothing was sent: the change', (log) => {
      lastLook?.();
      return log.begin(id, now(), {account, ...write}, owner);
    });
    const seen = {objects: new Set<string>(), names: new Map<string, HistoryName>(), unchanged: false, subject: {}};
    this.#openWrites.push({id, change, offset: offset?.(), ...seen});
  }

  /** Moves the recorded times to the service's clock, if its first answer came after them. */
  #shift(log: HistoryWriter, write: OpenWrite): void {
    if (write.offset !== undefined) return;
    write.offset = this.options.offset?.();
    if (write.offset) log.shift(write.change, write.offset);
  }

  /** Id of the last change without a recorded end. */
  get current(): string | undefined {
    return this.#openWrites.at(-1)?.id;
  }

  /** Notes an object that the last change created or found; `end` records it. */
  addObject(id: string, name?: HistoryName): void {
    this.#openWrites.at(-1)?.objects.add(id);
    if (name) this.addNames([[id, name]]);
  }

  /** Notes the names of objects; `end` records them. */
  addNames(names: Iterable<readonly [id: string, name: HistoryName]>): void {
    for (const [id, name] of names) this.#openWrites.at(-1)?.names.set(id, name);
  }

  /** Notes the statement of the last change; `end` records it. Omitted fields keep their values. */
  setSubject(subject: HistorySubject): void {
    const last = this.#openWrites.at(-1);
    if (last) last.subject = {...last.subject, ...subject};
  }

  /** Records a step of the last change on disk, before the step. @throws CentavoError kind `local_io`; then skip the step */
  step(name: string, ids: readonly string[]): void {
    const last = this.#openWrites.at(-1);
    if (!last) return;
    for (const id of ids) last.objects.add(id);
    this.#require('the next step', (log) => {
      this.#shift(log, last);
      log.step(last.change, name, this.options.now(), ids);
    });
  }

  #require<T>(what: string, work: (log: HistoryWriter) => T): T {
    try {
      return this.#write(work);
    } catch (error) {
      if (error instanceof CentavoError && error.kind === 'refused') throw error;
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

  /** Notes that the last change had nothing to change, so that `end` records its success as not applied. */
  markUnchanged(): void {
    const last = this.#openWrites.at(-1);
    if (last) last.unchanged = true;
  }

  /** Records the end of all open changes. Never throws, because the changes have been made. @returns true if recorded */
  end({result, exitCode, applied}: HistoryEntryEnd): boolean {
    const ending = this.#openWrites;
    this.#openWrites = [];
    if (ending.length === 0) return true;
    return this.#attempt((log) => {
      for (const write of ending) {
        const {change, objects, names, unchanged, subject} = write;
        this.#shift(log, write);
        log.addObjects(change, objects);
        log.setNames(names);
        const seen = unchanged && applied === 'yes' ? 'no' : applied;
        log.end(change, this.options.now(), {result, exitCode, applied: seen}, subject);
      }
    });
  }

  /** Records the hash of a file. Never throws, because the file matters more. @returns true if recorded */
  recordFile(path: string, sha256: string): boolean {
    return this.#attempt((log) => log.file(path, sha256, this.options.now()));
  }

  /** Returns all SHA-256 hashes recorded for a file, newest first. A killed process may not have written the newest content. */
  recordedHashes(path: string): string[] {
    const sql = 'SELECT sha256 FROM file WHERE path = ? ORDER BY n DESC';
    return this.#all<{sha256: string}>(sql, path).map(({sha256}) => sha256);
  }

  /** Yields changes newest first, in at least one page. Reads each page on demand, to limit memory use. */
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
    const {at, profile, mode, agent, command, amount, reason, result, exit_code, applied, ended_at} = write;
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
      agent,
      objects: [...objects].map(([id, {number = null, customer = null, steps: own}]) => ({
        id,
        number,
        customer,
        send: id.startsWith('bstm_') ? (recordedSendOf({...write, steps: own})?.state ?? null) : null,
      })),
    };
  }

  /** Returns the names of all customers in the history. */
  customers(): string[] {
    const sql = `SELECT customer FROM change WHERE customer IS NOT NULL
      UNION SELECT customer FROM name WHERE customer IS NOT NULL`;
    return this.#all<{customer: string}>(sql).map(({customer}) => customer);
  }

  /** Returns ids that start so, of objects that changes in this account name. */
  idsFrom(start: string, limit: number): {id: string; what: null}[] {
    const sql = `SELECT DISTINCT object AS id, NULL AS what FROM change JOIN entry ON change = change.n
      WHERE object GLOB ? AND ${OF_ACCOUNT} ORDER BY object LIMIT ?`;
    return this.#all(sql, `${start}*`, this.#scope, limit);
  }

  /** The service of an account with a key: there, an id names one object, whatever key was used. */
  get #scope(): string {
    return this.account.replace(/^(http.* )\S+$/, '$1');
  }

  /** Returns an object's changes, newest first, without the open changes of this process. */
  #otherWrites(object: string, open = this.#openWrites): (ChangeRow & Entry & RecordedWrite)[] {
    const own = new Set(open.map(({change}) => change));
    const steps = 'SELECT step, at FROM entry WHERE change = ? AND object = ? AND step IS NOT NULL ORDER BY n';
    const rows = this.#all<ChangeRow & {lastActivityAt: number; firstObject: string}>(
      `SELECT *, coalesce(ended_at, (SELECT at FROM entry WHERE change = change.n AND step IS NOT NULL ORDER BY n DESC LIMIT 1), at) AS lastActivityAt,
         (SELECT object FROM entry WHERE change = change.n AND object IS NOT NULL ORDER BY n LIMIT 1) AS firstObject
       FROM change WHERE n IN (SELECT change FROM entry WHERE object = ?) AND ${OF_ACCOUNT} ORDER BY n DESC`,
      ...[object, this.#scope],
    );
    return rows
      .filter(({n}) => !own.has(n))
      .map((row) => ({
        ...row,
        change: row.n,
        attempt: row.id,
        isRunning: this.#isRunning(row),
        result: row.result ?? 'unfinished',
        steps: this.#all<{step: string; at: number}>(steps, row.n, object),
      }));
  }

  #isRunning({result, pid, pid_started_at: startedAt}: ChangeRow): boolean {
    const {isAlive, owner} = this.options;
    return result === null && pid !== null && pid !== owner?.pid && isAlive?.(pid, startedAt!) === true;
  }

  /** Records what a person said of a change whose outcome was unknown. @param change its number */
  decide(change: number, isMade: boolean): void {
    this.#require('the answer', (log) => log.decide(change, isMade, this.options.now()));
  }

  /** Like `decide`, for the attempts under an idempotency key. @param plan the key of its plan */
  decideAttempts(plan: string, isMade: boolean): void {
    const sql = "SELECT n FROM change WHERE id GLOB ? AND coalesce(applied, 'unknown') = 'unknown'";
    for (const {n} of this.#all<{n: number}>(sql, `${plan}*`)) this.decide(n, isMade);
  }

  /** Records that a person said a statement was sent, whose send by another command had an unknown outcome. */
  countAsSent(id: string): void {
    const send = this.lastSend(id);
    if (send) this.#require('the answer', (log) => log.step(send.change, SENT_STEP, this.options.now(), [id]));
  }

  /** Returns other commands' activity on a statement. @param settle milliseconds for which an uncertain change may be applied */
  earlierActivity(id: string, settle: number): EarlierActivity {
    return earlierActivityOf(this.#otherWrites(id), this.options.now(), settle);
  }

  /** Returns the last send, or possible send, of a statement by other commands. */
  lastSend(id: string): (Entry & RecordedSend) | undefined {
    return this.sends(id).sort((one, other) => other.at - one.at)[0];
  }

  /** Returns the sends, or possible sends, of a statement by other commands, newest first. @param plan only attempts of this plan */
  sends(id: string, plan = ''): (Entry & RecordedSend)[] {
    return this.#otherWrites(id).flatMap((write) => {
      const send = write.id.startsWith(plan) ? recordedSendOf(write) : undefined;
      return send ? {...send, ...entryOf(write)} : [];
    });
  }

  /** Returns the sends that the history lacks, because its file was deleted or replaced. @param sends of other files */
  lostSends(sends: readonly KnownSend[]): KnownSend[] {
    // Without the id of the change, any recorded attempt counts.
    const sql = `SELECT 1 FROM change JOIN entry ON change = change.n WHERE object = ?1
      AND (instr(id, ?2) = 1 OR (?2 IS NULL AND (step = 'send' OR command LIKE '%billing-statements send')))`;
    return sends.filter(({change, statement}) => this.#all(sql, statement, change).length === 0);
  }

  /** Records lost sends again. */
  restoreSends(sends: readonly KnownSend[], origin: Pick<NewHistoryEntry, 'mode' | 'profile'>): void {
    this.#require('a lost send', (log) => {
      for (const send of this.lostSends(sends)) log.restore(send, origin);
    });
  }

  /** True if another command changed the object so. @param plan key of a plan, whose earlier attempts do not count */
  isOf(command: string, id: string, plan: string): boolean {
    return this.#otherWrites(id).some((write) => write.command === command && !write.id.startsWith(plan));
  }

  /** Returns the refunds of a payment that other commands made or may have made, oldest first. */
  refunds(paymentId: string): (Entry & LocalRefund)[] {
    return this.#otherWrites(paymentId)
      .filter(({command, applied}) => /^(api )?refunds create$/.test(command) && applied !== 'no')
      .flatMap((write) => {
        const {at, amount, applied} = write;
        const sql = "SELECT object AS id FROM entry WHERE change = ? AND object GLOB 're_*'";
        const [made] = this.#all<{id: string}>(sql, write.change);
        return amount === null ? [] : {...made, at, amount, isCertain: applied === 'yes', ...entryOf(write)};
      })
      .reverse();
  }

  /** True if the last change of an object by other commands may or may not have been made. @param amount of the change, in centavos */
  isUnknown(id: string, amount?: number): boolean {
    const [last] = this.#otherWrites(id);
    return last !== undefined && isUnknown(last) && (amount === undefined || (last.amount ?? amount) === amount);
  }

  /** Returns when other commands billed a customer, or may have, newest first. @param amount centavos */
  bills(customerId: string, amount: number | undefined): (Entry & {readonly at: number})[] {
    return this.#otherWrites(customerId)
      .filter((bill) => BILLING.test(bill.command) && bill.amount === amount && bill.applied !== 'no')
      .map((write) => ({at: write.at, ...entryOf(write)}));
  }

  /** Returns the statements that commands of an amount changed, or may have changed at any time. @param amount centavos @param since unix seconds */
  changedStatements(amount: number, since: number): string[] {
    const sql = `SELECT DISTINCT object AS id FROM entry JOIN change ON change = change.n
       WHERE amount = ? AND object GLOB 'bstm_*' AND ${OF_ACCOUNT}
         AND (coalesce(applied, 'unknown') = 'unknown' OR coalesce(ended_at, change.at) > ?)`;
    return this.#all<{id: string}>(sql, amount, this.#scope, since).map(({id}) => id);
  }

  /** Returns when a command voided, settled or wrote off a statement, in unix seconds. */
  endOf(id: string): {readonly at: number} | undefined {
    const own = this.#openWrites.filter(({unchanged}) => !unchanged).map(({change}) => change);
    return this.#otherWrites(id, []).find(
      ({n, command, firstObject, applied}) =>
        // A reissue ends only the first statement that it names. The change of this process is not recorded as applied yet.
        ENDING.test(command) &&
        (applied === 'yes' || own.includes(n)) &&
        (firstObject === id || !command.endsWith(' reissue')),
    );
  }

  /** Returns the account's settlements by statement id. */
  settlements(): Map<string, LocalSettlement> {
    type Found = Pick<LocalSettlement, 'amount' | 'at' | 'paidAt' | 'reason'>;
    const rows = this.#all<Found & {object: string; isCertain: number | null; isGivenUp: number | null}>(
      `SELECT object, change.at, paid_at AS paidAt, reason, amount, applied = 'yes' AS isCertain, max(step = 'mark-uncollectible') AS isGivenUp
       FROM change JOIN entry ON change = change.n
       WHERE command = 'billing-statements settle' AND ${OF_ACCOUNT} AND reason IS NOT NULL
         AND coalesce(applied, '') <> 'no' AND object GLOB 'bstm_*' GROUP BY change, object ORDER BY change DESC`,
      this.#scope,
    );
    const settlements = new Map<string, LocalSettlement>();
    for (const {object, isCertain, isGivenUp, ...rest} of rows) {
      // A certain settlement outweighs a later uncertain settlement.
      if (settlements.has(object) && (!isCertain || settlements.get(object)!.isCertain)) continue;
      settlements.set(object, {...rest, isCertain: Boolean(isCertain), ...(isGivenUp && {isGivenUp: true})});
    }
    return settlements;
  }

  /** Returns, by old id, the statements that replaced a statement, oldest first. A reissue names the old one first. */
  replacements(): Map<string, string[]> {
    const rows = this.#all<{change: number; object: string}>(
      `SELECT change, object FROM change JOIN entry ON change = change.n
       WHERE command = 'billing-statements reissue' AND ${OF_ACCOUNT} AND coalesce(applied, '') <> 'no'
         AND object GLOB 'bstm_*' GROUP BY change, object ORDER BY change, min(entry.n)`,
      this.#scope,
    );
    const replacements = new Map<string, string[]>();
    let old: {change: number; object: string} | undefined;
    for (const row of rows) {
      if (old?.change === row.change)
        replacements.set(old.object, [...(replacements.get(old.object) ?? []), row.object]);
      else old = row;
    }
    return replacements;
  }

  /** Returns what the history knows of the account's money, for `standingOf`. */
  money(): MoneyHistory {
    const settlements = this.settlements();
    const replacements = this.replacements();
    return {
      settlement: (id) => settlements.get(id),
      replacements: (id) => replacements.get(id) ?? [],
      end: (id) => this.endOf(id),
      refunds: (paymentId) => this.refunds(paymentId),
      send: (id) => this.lastSend(id),
    };
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  /** Returns no rows if the file does not exist: a read never creates the file. */
  #all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    try {
      if (!this.#database && !isThere(this.path)) return [];
      return this.#open().all<Row>(sql, ...values);
    } catch (error) {
      const {details} = localError('', error);
      throw new CentavoError('local_io', `the history ${this.path} cannot be read.`, {...details, applied: undefined});
    }
  }

  #open(): Database {
    return (this.#database ??= openStore(this.path, HISTORY_STORE));
  }
}

const entryOf = ({change, attempt, isRunning, lastActivityAt}: Entry): Entry => ({
  ...{change, attempt, isRunning, lastActivityAt},
});

export const HISTORY_STORE: StoreKind = {
  schema: SCHEMA,
  upgrades: SCHEMA_UPGRADES,
  // On a full disk, a persistent journal file still has space for a small change.
  journal: 'PERSIST',
  settings: 'PRAGMA journal_size_limit = 65536',
  whenDamaged: WHEN_DAMAGED,
  foreignFileError: (path, by) =>
    new CentavoError('local_io', `the history ${path} cannot be used.`, {
      why: `It was made by ${by}.`,
      hint: by === 'another program' ? WHEN_DAMAGED : 'Use the latest version of centavo.',
      applied: 'no',
    }),
};

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
