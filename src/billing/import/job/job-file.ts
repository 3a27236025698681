// The journal of an import: one SQLite file per job, with its rows, started calls and their outcomes.
// Each call is recorded before it is made, so that a killed run can continue without repeating calls.

import {createHash, randomUUID} from 'node:crypto';
import {existsSync, rmSync} from 'node:fs';
import {basename} from 'node:path';
import {CentavoError, nextCommand, refusedError} from '../../../common/errors.js';
import {openDatabase, type Database, type SqliteValue} from '../../../storage/sqlite.js';
import {SIDE_FILES} from '../../../storage/write-ahead-log.js';
import {DAY, MANILA_OFFSET} from '../../../common/manila.js';
import type {StatementItem} from '../../../input/items.js';
import {isNumbered, lookOf} from '../../../input/own-numbers.js';
import {isSamePerson} from '../../../input/names.js';
import type {KnownSend} from '../../../history/history.js';
import type {IsProcessAlive, ProcessIdentity} from '../../../processes/process-identity.js';
import type {RunEvent} from '../../statement/workflow/run-events.js';
import type {JobCustomer, JobHeader, JobRecord, JobState, RowPhase, StatementRow, JobTally} from './job-types.js';

/** Incremented when the tables change; files of another version are refused. */
const VERSION = 3;

const TABLES = `
CREATE TABLE job (
  id TEXT PRIMARY KEY, version INTEGER NOT NULL, source TEXT NOT NULL, profile TEXT NOT NULL, mode TEXT NOT NULL,
  account TEXT NOT NULL, finalize INTEGER NOT NULL, send INTEGER NOT NULL, period TEXT, digest TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  result_file TEXT, since INTEGER NOT NULL DEFAULT 0, newest INTEGER NOT NULL DEFAULT 0,
  customers_since INTEGER NOT NULL DEFAULT 0, rivals_checked INTEGER NOT NULL,
  state TEXT NOT NULL, ended_at INTEGER, pid INTEGER, pid_started_at INTEGER
);
CREATE TABLE row (
  n INTEGER PRIMARY KEY, external_id TEXT NOT NULL UNIQUE, raw_external_id TEXT, look TEXT, line INTEGER NOT NULL,
  key TEXT NOT NULL DEFAULT '', raw_key TEXT, plain_key TEXT NOT NULL DEFAULT '',
  customer TEXT NOT NULL, due TEXT, due_at INTEGER, description TEXT, metadata TEXT, amount INTEGER NOT NULL DEFAULT 0,
  claim TEXT, phase TEXT NOT NULL DEFAULT 'planned', run TEXT, billed_before INTEGER NOT NULL DEFAULT 0, unsettled_at INTEGER,
  opened INTEGER NOT NULL DEFAULT 0, id TEXT, number TEXT, link TEXT, status TEXT, sent TEXT DEFAULT 'no',
  resend_at INTEGER, error_code TEXT, error TEXT
);
CREATE TABLE item (
  row INTEGER NOT NULL, position INTEGER NOT NULL, description TEXT NOT NULL, raw_description TEXT,
  quantity INTEGER NOT NULL, unit_price INTEGER NOT NULL, PRIMARY KEY (row, position)
) WITHOUT ROWID;
CREATE TABLE customer (
  ref TEXT PRIMARY KEY, id TEXT, email TEXT, name TEXT, creates INTEGER NOT NULL DEFAULT 0, surplus TEXT
) WITHOUT ROWID;
CREATE TABLE name (customer TEXT NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (customer, name)) WITHOUT ROWID;
CREATE TABLE event (of TEXT NOT NULL, n INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (of, n)) WITHOUT ROWID;
CREATE TABLE other (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX row_phase ON row (phase, n);
CREATE INDEX row_key ON row (key);
CREATE INDEX row_plain_key ON row (plain_key);
CREATE INDEX row_raw_key ON row (raw_key) WHERE raw_key IS NOT NULL;
CREATE INDEX row_raw_external_id ON row (raw_external_id) WHERE raw_external_id IS NOT NULL;
CREATE INDEX row_look ON row (look) WHERE look IS NOT NULL;
CREATE INDEX row_customer ON row (customer, n);
CREATE INDEX row_id ON row (id);
CREATE INDEX customer_id ON customer (id);
`;

type Flag = 'finalize' | 'rivals_checked' | 'send';

interface JobRow extends Omit<JobRecord, Flag>, Readonly<Record<Flag, number>> {
  readonly version: number;
  readonly pid: number | null;
  readonly pid_started_at: number | null;
}

/** Hint for a damaged file. A new import finds the job's statements in the account. */
const DAMAGED = 'Import the spreadsheet again. To remove the file: centavo jobs remove';

const BATCH = 200;
const WRITE_BATCH = 1000;

/** Fields known when a row is read from the file. */
type Read = 'customer' | 'description' | 'due' | 'due_at' | 'external_id' | 'line' | 'metadata';
/** A row as read from the file; `amount` is the sum of its items so far, in centavos. */
export type NewJobRow = Pick<StatementRow, Read> & Partial<Pick<StatementRow, 'amount' | 'raw_external_id'>>;

const WITH_FIRST = 'row.n, row.external_id, row.line, first.external_id AS first_external_id, first.line AS first_line';

/** A row, and the first of the rows that are like it. */
export interface RepeatedRow {
  readonly n: number;
  readonly external_id: string;
  readonly line: number;
  readonly first_external_id: string;
  readonly first_line: number;
}

/** Totals of the rows that a job still has to process. */
export interface RemainingRows {
  readonly statements: number;
  /** Centavos. */
  readonly amount: number;
  readonly customers: number;
  readonly items: number;
  /** Unix seconds; null if no row has a due date. */
  readonly firstDue: number | null;
  readonly lastDue: number | null;
  /** Rows without a due date. */
  readonly undated: number;
  readonly toCreate: number;
  readonly toComplete: number;
  readonly toFinalize: number;
  readonly largest: StatementRow | undefined;
}

export type NameMismatch = {readonly customer: JobCustomer; readonly name: string; readonly line: number};

export class JobFile {
  readonly path: string;
  readonly id: string;
  /** The period that the file bills; null if none was named. */
  readonly period: string | null;
  private readonly database: Database;
  /** Number of the last row; undefined until a row is added. */
  #last: number | undefined;
  #isInTransaction = false;
  /** True once a row was added whose sheet shows another text than its exact value. */
  hasRawTexts = false;
  #isClosed = false;
  #committing: Promise<void> | undefined;
  /** The error after which nothing can be written. */
  #broken: unknown;

  private constructor(path: string, database: Database, {id, period}: Pick<JobHeader, 'id' | 'period'>) {
    this.database = database;
    this.path = path;
    this.id = id;
    this.period = period;
  }

  static create(path: string, header: JobHeader): JobFile {
    const database = openDatabase(path, {journal: 'WAL'});
    const file = new JobFile(path, database, header);
    const [finalize, send] = [Number(header.finalize), Number(header.send)];
    database.transaction(() => {
      database.exec(TABLES);
      file.#insert('job', {...header, finalize, send, version: VERSION, state: 'ready', rivals_checked: 1});
    });
    return file;
  }

  static open(path: string): JobFile {
    // SQLite would create a missing file, for example when another process has just removed the job.
    if (!existsSync(path))
      throw new CentavoError('not_found', `job file ${path} was not found.`, {code: 'job_not_found', applied: 'no'});
    let job: JobRow;
    const check = (opened: Database): unknown => (job = readJob(path, opened));
    const whenDamaged = `${DAMAGED} ${basename(path, '.db')}`;
    return new JobFile(path, openDatabase(path, {check, journal: 'WAL', whenDamaged}), job!);
  }

  static remove(path: string): void {
    for (const end of [...SIDE_FILES, '']) rmSync(path + end, {force: true});
  }

  /** Returns the sends of a file’s job by this machine. A finished row has no events; the end of its job is the time of its send. */
  static sendsIn(path: string): KnownSend[] {
    const job = JobFile.open(path);
    const sql = `SELECT row.id AS statement, NULL AS change, iif(sent = 'yes', 'sent', 'in_doubt') AS state, account,
      coalesce(resend_at, ended_at, (SELECT max(json_extract(event, '$.at')) / 1000 FROM event), created_at) AS at
      FROM row, job WHERE sent IN ('unknown', 'yes') AND error_code IS NOT 'adopted' AND billed_before = 0 AND row.id IS NOT NULL`;
    try {
      return job.#all(sql);
    } finally {
      job.close();
    }
  }

  get #job(): JobRow {
    return readJob(this.path, this.database);
  }

  get record(): JobRecord {
    const {finalize, send, rivals_checked, ...job} = this.#job;
    return {...job, finalize: finalize === 1, send: send === 1, rivals_checked: rivals_checked === 1};
  }

  claim(owner: ProcessIdentity, isAlive: IsProcessAlive): void {
    // Check the owner first: the process that runs the job holds a lock on the file.
    this.refuseIfTaken(owner, isAlive);
    this.transaction(() => {
      this.refuseIfTaken(owner, isAlive);
      const sql = `UPDATE job SET state = 'running', ended_at = NULL, pid = ?, pid_started_at = ?`;
      this.#write(sql, owner.pid, owner.startedAt);
    });
  }

  refuseIfTaken(owner: ProcessIdentity, isAlive: IsProcessAlive): void {
    const {id, pid, pid_started_at: startedAt} = this.#job;
    const isOther = pid !== null && (pid !== owner.pid || startedAt !== owner.startedAt);
    if (!isOther || !isAlive(pid, startedAt!)) return;
    throw refusedError('in_progress', `${id} is running in process ${pid}.`, {
      hint: 'Wait until it ends.',
      next: [nextCommand('To see it', 'jobs get', id)],
      job: id,
      retryable: true,
    });
  }

  /** Ends this process's claim, unless another process has claimed the job. @param at unix seconds */
  release(owner: ProcessIdentity, state: JobState, at: number): void {
    this.#write(
      'UPDATE job SET state = ?, ended_at = ?, pid = NULL, pid_started_at = NULL WHERE pid = ? AND pid_started_at = ?',
      ...[state, state === 'running' ? null : at, owner.pid, owner.startedAt],
    );
  }

  isRunning(isAlive: IsProcessAlive): boolean {
    const {pid, pid_started_at: startedAt} = this.#job;
    return pid !== null && isAlive(pid, startedAt!);
  }

  /** Number of the job's own rows whose statement is complete: finalized, or a draft that was wanted as one. */
  get created(): number {
    const sql = `SELECT count(*) AS count FROM row WHERE billed_before = 0 AND (phase = 'done' OR status <> 'draft')`;
    return this.#get<{count: number}>(sql)!.count;
  }

  setJob(values: Partial<Pick<JobRow, 'created_at' | 'customers_since' | 'newest' | 'since'>>): void {
    this.#set('job', values);
  }

  setRivalsChecked(checked: boolean): void {
    this.#write('UPDATE job SET rivals_checked = ? WHERE rivals_checked <> ?', Number(checked), Number(checked));
  }

  addRow({amount = 0, raw_external_id = null, ...values}: NewJobRow): number {
    this.#last ??= this.#get<{n: number}>('SELECT coalesce(max(n), 0) AS n FROM row')!.n;
    const n = ++this.#last;
    const look = isNumbered(values) ? lookOf(values.external_id) : values.external_id;
    const named = {raw_external_id, look: look === values.external_id ? null : look};
    this.#insert('row', {...values, ...named, n, amount});
    this.hasRawTexts ||= raw_external_id !== null;
    return n;
  }

  /** @param raw the exact text of the description; null if the sheet shows the same text */
  addItem(n: number, {description, quantity, unit_price: price}: StatementItem, raw: string | null = null): void {
    this.#write(
      `INSERT INTO item (row, position, description, raw_description, quantity, unit_price)
       VALUES (?, (SELECT count(*) FROM item WHERE row = ?), ?, ?, ?, ?)`,
      ...[n, n, description, raw, quantity, price],
    );
    this.hasRawTexts ||= raw !== null;
  }

  itemDescriptions(n: number, {quantity, unit_price: price}: Pick<StatementItem, 'quantity' | 'unit_price'>): string[] {
    const sql = 'SELECT description FROM item WHERE row = ? AND quantity = ? AND unit_price = ?';
    return this.#all<StatementItem>(sql, n, quantity, price).map(({description}) => description);
  }

  /** @param isRaw true for the exact texts of the descriptions */
  itemsOf(n: number, isRaw = false): StatementItem[] {
    const text = isRaw ? 'coalesce(raw_description, description) AS description' : 'description';
    return this.#all(`SELECT ${text}, quantity, unit_price FROM item WHERE row = ? ORDER BY position`, n);
  }

  get itemCount(): number {
    return this.#get<{count: number}>('SELECT count(*) AS count FROM item')!.count;
  }

  row(n: number): StatementRow {
    return this.#get<StatementRow>('SELECT * FROM row WHERE n = ?', n)!;
  }

  /** @param column `raw_external_id` for the row with this exact value, where the sheet shows another text */
  rowWithExternalId(id: string, column: 'external_id' | 'raw_external_id' = 'external_id'): StatementRow | undefined {
    return this.#get(`SELECT * FROM row WHERE ${column} = ?`, id);
  }

  rowsAlike(number: string): StatementRow[] {
    const look = lookOf(number);
    const sql = 'SELECT * FROM row WHERE external_id = ? OR look = ? OR raw_external_id = ? ORDER BY n';
    return this.#all(sql, look, look, look);
  }

  /** Rows whose numbers look like the number of another row, in the order of the file. */
  alikeRows(): Generator<RepeatedRow> {
    const looks = '(coalesce(row.look, row.external_id), row.raw_external_id)';
    const sql = `SELECT ${WITH_FIRST} FROM row JOIN row AS first ON first.n = (
      SELECT min(n) FROM row AS other WHERE other.n <> row.n
      AND (other.external_id IN ${looks} OR other.look IN ${looks} OR other.raw_external_id IN ${looks})
      ) WHERE row.n > ? AND (row.look IS NOT NULL OR row.raw_external_id IS NOT NULL) ORDER BY row.n`;
    return this.#inBatches<RepeatedRow>(sql, [0], ({n}) => [n]);
  }

  rowWithKey(key: string | null): StatementRow | undefined {
    return this.#get('SELECT * FROM row WHERE key = ? OR raw_key = ?', key, key);
  }

  /** Records a statement that is not the bill of its row, although it has the same items. This job does not compete with it. */
  addOther(id: string): void {
    this.#write('INSERT OR IGNORE INTO other (id) VALUES (?)', id);
  }

  isOther(id: string): boolean {
    return this.#get('SELECT 1 FROM other WHERE id = ?', id) !== undefined;
  }

  rowWithPlainKey(key: string): StatementRow | undefined {
    return this.#get('SELECT * FROM row WHERE plain_key = ?', key);
  }

  setRow(n: number, values: Partial<Omit<StatementRow, 'n'>>): void {
    this.#set('row', values, 'n', n);
  }

  /** Rows in the order of the file. @param phases checked when each batch is read, not at the call */
  rows(phases?: readonly RowPhase[]): Generator<StatementRow> {
    const where = phases ? `AND phase IN (${phases.map((phase) => `'${phase}'`).join(', ')})` : '';
    return this.#inBatches(`SELECT * FROM row WHERE n > ? ${where} ORDER BY n`, [0], ({n}) => [n]);
  }

  /** A customer's rows, by the reference used in the file. */
  rowsFor(ref: string): StatementRow[] {
    return this.#all('SELECT * FROM row WHERE customer = ? ORDER BY n', ref);
  }

  /** A customer's rows, by the customer's id. @param amount centavos; omit it for rows of any amount */
  rowsForId(id: string, amount?: number): StatementRow[] {
    const sql = `SELECT row.* FROM customer JOIN row ON row.customer = customer.ref
      WHERE customer.id = ? AND row.amount = coalesce(?, row.amount) ORDER BY row.n`;
    return this.#all(sql, id, amount ?? null);
  }

  /** Rows that repeat an earlier row, in the order of the file. Complete once all customers have been looked up. */
  *repeatedRows(): Generator<RepeatedRow> {
    // Items are compared only where customer, amount and day repeat. By default, libsql would sort in memory.
    this.database.exec(`
      PRAGMA temp_store = FILE;
      DROP TABLE IF EXISTS temp.repeated;
      CREATE TEMP TABLE repeated (n INTEGER PRIMARY KEY, first INTEGER NOT NULL);
      INSERT INTO repeated
      WITH billed AS (
        SELECT n, coalesce(customer.id, row.customer) AS payer, amount, (due_at + ${MANILA_OFFSET}) / ${DAY} AS day
        FROM row JOIN customer ON customer.ref = row.customer
      ), alike AS (
        SELECT *, count(*) OVER (PARTITION BY payer, amount, day) AS count FROM billed
      ), same AS (
        SELECT n, min(n) OVER (PARTITION BY payer, amount, day, (
          SELECT json_group_array(json_array(description, quantity, unit_price))
          FROM (SELECT * FROM item WHERE item.row = alike.n ORDER BY description, quantity, unit_price)
        )) AS first FROM alike WHERE count > 1
      )
      SELECT n, first FROM same WHERE n > first`);
    const sql = `SELECT ${WITH_FIRST} FROM repeated JOIN row ON row.n = repeated.n JOIN row AS first ON first.n = repeated.first
      WHERE repeated.n > ? ORDER BY repeated.n`;
    yield* this.#inBatches<RepeatedRow>(sql, [0], ({n}) => [n]);
  }

  sendsInDoubt(): StatementRow[] {
    return this.#all(`SELECT * FROM row WHERE phase = 'finishing' AND sent = 'unknown' ORDER BY n`);
  }

  /** Sentences about the rows that another statement bills, so that this job does not. */
  passedOver(code = 'billed_%'): string[] {
    const sql = `SELECT error FROM row WHERE phase = 'done' AND error_code LIKE ? ORDER BY n`;
    return this.#all<{error: string}>(sql, code).map(({error}) => error);
  }

  /** Totals of the rows still to process. @param resend numbers of the rows to send again */
  remainingRows(includeFailed: boolean, resend: readonly number[]): RemainingRows {
    const where = `phase <> 'done' AND phase <> ? AND (sent IS NOT 'unknown' OR n IN (SELECT value FROM json_each(?)))`;
    const values = [includeFailed ? '' : 'failed', JSON.stringify(resend)];
    const sql = `SELECT count(*) AS statements, coalesce(sum(amount), 0) AS amount, count(DISTINCT customer) AS customers,
      coalesce(sum((SELECT count(*) FROM item WHERE item.row = n)), 0) AS items, min(due_at) AS firstDue, max(due_at) AS lastDue,
      coalesce(sum(due_at IS NULL), 0) AS undated,
      coalesce(sum(id IS NULL), 0) AS toCreate, coalesce(sum(phase IN ('drafting', 'failed') AND opened = 0), 0) AS toComplete,
      coalesce(sum(sent IS NOT 'unknown' AND (status IS NULL OR status = 'draft')), 0) AS toFinalize
      FROM row WHERE ${where}`;
    const counts = this.#get<Omit<RemainingRows, 'largest'>>(sql, ...values)!;
    return {...counts, largest: this.#get(`SELECT * FROM row WHERE ${where} ORDER BY amount DESC LIMIT 1`, ...values)};
  }

  /** Moves failed rows back to the phase in which their retry starts. The retry reads their state from the account. */
  retryFailed(): void {
    this.#write(
      `UPDATE row SET error_code = NULL, error = NULL, phase = CASE
         WHEN opened = 1 THEN 'finishing'
         WHEN id IS NULL AND NOT EXISTS (SELECT 1 FROM event WHERE of = CAST(row.n AS TEXT)) THEN 'planned'
         ELSE 'drafting' END
       WHERE phase = 'failed'`,
    );
  }

  /** True if the job continues drafts that another machine created. */
  get takesOver(): boolean {
    return this.#get(`SELECT 1 FROM row WHERE phase = 'drafting' AND run IS NULL LIMIT 1`) !== undefined;
  }

  /** Returns the id of the run that owns a row's draft; creates an id if the row has none. */
  runOf(n: number): string {
    const {run} = this.row(n);
    if (run) return run;
    const fresh = randomUUID().replaceAll('-', '');
    this.setRow(n, {run: fresh});
    return fresh;
  }

  /**
   * Marks rows to be sent again. Skips a row that another process decided on since the question.
   * @param asked the rows at the time of the question @param now unix seconds
   */
  sendAgain(asked: readonly StatementRow[], now: number): void {
    const decided = new Map(asked.map(({n, resend_at: at}) => [n, at]));
    for (const {n, resend_at: at} of this.sendsInDoubt())
      if (decided.get(n) === at) this.setRow(n, {sent: 'no', opened: 1, resend_at: now});
  }

  /** Id of a customer or statement in this job's account, if any is known. */
  get knownId(): string | undefined {
    const sql = (table: string): string => `SELECT id FROM ${table} WHERE id IS NOT NULL LIMIT 1`;
    return (this.#get<{id: string}>(sql('customer')) ?? this.#get<{id: string}>(sql('row')))?.id;
  }

  get tally(): JobTally {
    const sql = `SELECT count(*) AS statements, coalesce(sum(amount), 0) AS amount,
      coalesce(sum(phase = 'done'), 0) AS done, coalesce(sum(CASE phase WHEN 'done' THEN amount END), 0) AS doneAmount,
      coalesce(sum(phase = 'done' AND sent = 'yes'), 0) AS sent, coalesce(sum(phase = 'failed'), 0) AS failed,
      coalesce(sum(status IN ('void', 'deleted')), 0) AS voided,
      coalesce(sum(phase IN ('drafted', 'finishing')), 0) AS drafted,
      coalesce(sum(phase IN ('drafting', 'finishing') AND
      (sent = 'unknown' OR unsettled_at IS NOT NULL OR (SELECT pid FROM job) IS NOT NULL)), 0) AS inDoubt,
      (SELECT count(*) FROM customer) AS customers,
      (SELECT coalesce(sum(creates AND id IS NULL AND EXISTS
        (SELECT 1 FROM row WHERE customer = ref AND phase IN ('planned', 'drafting'))), 0) FROM customer) AS newCustomers
      FROM row WHERE billed_before = 0`;
    return this.#get<JobTally>(sql)!;
  }

  addCustomer(ref: string, values: {readonly email?: string; readonly name?: string; readonly id?: string}): void {
    this.#write(
      `INSERT INTO customer (ref, id, email, name) VALUES (?, ?, ?, ?)
       ON CONFLICT (ref) DO UPDATE SET name = coalesce(name, excluded.name)`,
      ...[ref, values.id ?? null, values.email ?? null, values.name ?? null],
    );
  }

  addName(ref: string, name: string, line: number): void {
    this.#write('INSERT OR IGNORE INTO name (customer, name, line) VALUES (?, ?, ?)', ref, name, line);
  }

  /** Names in the file that differ from the customer's name; for a new customer, every name after the first. */
  *nameMismatches(): Generator<NameMismatch> {
    // One query for all customers: SQLite frees a query's memory only when the event loop turns.
    const sql = `SELECT customer.*, name.name AS said, line FROM name JOIN customer ON ref = customer
      WHERE (customer, name.name) > (?, ?) AND name.name <> customer.name AND customer.name <> '' ORDER BY customer, name.name`;
    type MismatchRow = JobCustomer & {readonly said: string; readonly line: number};
    const placeOf = (last: MismatchRow): SqliteValue[] => [last.ref, last.said];
    for (const {said, line, ...customer} of this.#inBatches<MismatchRow>(sql, ['', ''], placeOf))
      if (!isSamePerson(said, customer.name!)) yield {customer, name: said, line};
  }

  customer(ref: string): JobCustomer | undefined {
    return this.#get('SELECT * FROM customer WHERE ref = ?', ref);
  }

  nameOf(row: StatementRow): string | null {
    return this.customer(row.customer)?.name || null;
  }

  /** Metadata value that marks a customer created by an import; equal on every machine. */
  customerKey(ref: string): string {
    return createHash('sha256').update(`customer ${ref}`).digest('hex').slice(0, 32);
  }

  /** Events of a new customer, by reference, or of a row's statement, by row number. */
  eventsOf(of: number | string): RunEvent[] {
    const found = this.#all<{event: string}>('SELECT event FROM event WHERE of = ? ORDER BY n', String(of));
    return found.map(({event}) => JSON.parse(event) as RunEvent);
  }

  addEvents(of: number | string, ...events: readonly RunEvent[]): void {
    for (const event of events)
      this.#write(
        'INSERT INTO event (of, n, event) VALUES (?, (SELECT coalesce(max(n), 0) + 1 FROM event WHERE of = ?), ?)',
        ...[String(of), String(of), JSON.stringify(event)],
      );
  }

  /** Deletes a row's events, so that its next run starts with a new statement. */
  clearEvents(of: number | string): void {
    this.#write('DELETE FROM event WHERE of = ?', String(of));
  }

  setCustomer(ref: string, values: Partial<Omit<JobCustomer, 'ref'>>): void {
    this.#set('customer', values, 'ref', ref);
  }

  customers(): Generator<JobCustomer> {
    return this.#inBatches('SELECT * FROM customer WHERE ref > ? ORDER BY ref', [''], ({ref}) => [ref]);
  }

  /** Customers that this job still has to create. @param without references of customers whose creation failed */
  *newCustomers(without: ReadonlySet<string>): Generator<JobCustomer> {
    const isBilled = `SELECT 1 FROM row WHERE customer = ? AND phase IN ('planned', 'drafting') LIMIT 1`;
    for (const customer of this.customers())
      if (customer.creates === 1 && customer.id === null && !without.has(customer.ref))
        // A customer that may already have been created is looked up even if no row needs it.
        if (this.#get(isBilled, customer.ref) || this.eventsOf(customer.ref).length > 0) yield customer;
  }

  /** True if this job created customers that another import may have created too. */
  get hasUnmergedCustomers(): boolean {
    return this.#get('SELECT 1 FROM customer WHERE creates = 1 AND id IS NOT NULL LIMIT 1') !== undefined;
  }

  confirmCustomers(): void {
    this.#write('UPDATE customer SET creates = 2 WHERE creates = 1 AND id IS NOT NULL');
  }

  /** Ids of this job's duplicate customers: another import created the same customers earlier. */
  surplusCustomers(): string[] {
    const found = this.#all<{surplus: string}>('SELECT surplus FROM customer WHERE surplus IS NOT NULL');
    return found.map(({surplus}) => surplus);
  }

  clearSurplus(): void {
    this.#write('UPDATE customer SET surplus = NULL WHERE surplus IS NOT NULL');
  }

  /**
   * Starts a transaction; its writes reach the disk at the next {@link commit}. A killed process loses only outcomes:
   * the start of a call is committed before the call is made.
   */
  begin(): void {
    this.#isInTransaction = true;
    this.#guarded(() => this.database.exec('BEGIN IMMEDIATE'));
  }

  /** Commits after each 1000 items, and lets signals in and SQLite free its memory. Returns true if it did. */
  async commitBatch(count: number): Promise<boolean> {
    if (count % WRITE_BATCH > 0) return false;
    this.commit();
    await new Promise((resolve) => setImmediate(resolve));
    return true;
  }

  /** Commits all writes to disk, and starts a new transaction. If it throws, the next call must not be made. */
  commit(): void {
    this.end();
    this.begin();
  }

  /** Shares one {@link commit} among all rows that ask in the same turn of the event loop. */
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

  end(): void {
    this.#guarded(() => this.database.exec('COMMIT'));
    this.#isInTransaction = false;
  }

  transaction<T>(work: () => T): T {
    return this.database.transaction(work);
  }

  #get<T>(sql: string, ...values: SqliteValue[]): T | undefined {
    return this.database.get<T>(sql, ...values);
  }

  #all<T>(sql: string, ...values: SqliteValue[]): T[] {
    return this.database.all<T>(sql, ...values);
  }

  #write(sql: string, ...values: SqliteValue[]): void {
    this.#guarded(() => this.database.run(sql, ...values));
  }

  #insert(table: 'job' | 'row', values: Readonly<Record<string, SqliteValue>>): void {
    const names = Object.keys(values);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    this.#write(sql, ...Object.values(values));
  }

  /** @param key column that must equal `of`; omitted for a table with one row */
  #set(table: 'customer' | 'job' | 'row', values: object, key?: string, ...of: SqliteValue[]): void {
    const columns = Object.keys(values).map((name) => `${name} = ?`);
    const where = key === undefined ? '' : ` WHERE ${key} = ?`;
    const all = Object.values(values).map((value: SqliteValue | undefined) => value ?? null);
    this.#write(`UPDATE ${table} SET ${columns.join(', ')}${where}`, ...all, ...of);
  }

  /** Reads a query in pages, to limit memory. @param placeOf the sort key after which the next page starts */
  *#inBatches<T>(sql: string, first: SqliteValue[], placeOf: (last: T) => SqliteValue[]): Generator<T> {
    for (let after = first; ;) {
      const some = this.#all<T>(`${sql} LIMIT ${BATCH}`, ...after);
      yield* some;
      if (some.length < BATCH) return;
      after = placeOf(some.at(-1)!);
    }
  }

  /** Refuses all writes after a failed write, for which SQLite may have rolled back the transaction. */
  #guarded(work: () => void): void {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      work();
    } catch (error) {
      if (this.#isInTransaction) this.#broken = error;
      throw error;
    }
  }

  /** Closes the file and drops the writes since the last {@link commit}. */
  close(): void {
    if (this.#isInTransaction) this.#rollBack();
    this.#isClosed = true;
    this.database.close();
  }

  /** Rolls back to the last commit after a failed write, and allows writes again. */
  recover(): void {
    if (this.#broken === undefined) return;
    this.#rollBack();
    this.#broken = undefined;
  }

  /** Ignores errors: SQLite may already have rolled back. */
  #rollBack(): void {
    this.#isInTransaction = false;
    try {
      this.database.exec('ROLLBACK');
    } catch {}
  }
}

/** Returns the job in a file. Throws for a damaged file, and for a file of another version. */
export function readJob(path: string, database: Database): JobRow {
  const tables = database.all(`SELECT name FROM sqlite_master WHERE name = 'job'`);
  const job = tables.length === 0 ? undefined : database.get<JobRow>('SELECT * FROM job');
  if (!job)
    throw new CentavoError('local_io', `${path} is not a job file.`, {
      code: 'damaged_job',
      hint: `${DAMAGED} ${basename(path, '.db')}`,
      applied: 'no',
    });
  if (job.version === VERSION) return job;
  throw new CentavoError('config', `the job file ${path} has version ${job.version}.`, {
    code: 'job_version',
    why: `This version of centavo reads version ${VERSION}.`,
    hint: 'Continue the job with the version of centavo that started it.',
  });
}
