// Runs a job: customers, then every draft; after that, those that are complete are finalized and sent.
// A row whose call is in doubt waits for the settle time while others go on. Each row is a run of composeStatement.

import {linkOf, numberOf} from '../../api/statement.js';
import {CentavoError, type Applied} from '../../ground/errors.js';
import {composeStatement} from '../compose/compose.js';
import type {Outcome, RunOptions} from '../compose/outcome.js';
import type {Statement, StatementPlan} from '../compose/plan.js';
import type {Phase, Row} from './job/facts.js';
import type {JobFile} from './job/file.js';
import {createCustomer, missingCustomers} from './make-customers.js';
import {EXTERNAL_ID} from './read-statements.js';
import {rowJournal, type Sends} from './row-journal.js';
import {Sweep} from './sweep.js';
import {endsRun, isHeldUp, Workers, type WorkersOptions} from './workers.js';

/** How a row came out of one round. */
export interface RowNews {
  readonly row: Row;
  readonly phase: Phase;
  /** What kept it from going on, in words. */
  readonly error?: {readonly code: string; readonly message: string};
}

export interface JobOptions extends Pick<RunOptions, 'client' | 'now' | 'sleep'>, WorkersOptions {
  /** Ends the calls that are under way, some seconds after the signal. */
  readonly patience?: AbortSignal;
  readonly job: JobFile;
  readonly tell: (news: RowNews) => void;
  readonly onCustomer?: () => void;
  readonly explain: (outcome: Extract<Outcome, {end: 'stopped'}>, plan: StatementPlan) => CentavoError;
  readonly sends: Sends;
  /** Rows are billed even where they were billed with other content since the file was checked. */
  readonly allowDuplicate: boolean;
}

export interface JobEnd {
  /** Whether this run has changed anything. */
  readonly applied: Applied;
  /** What ended it as a whole: Ctrl-C, a refused key, a full disk, a service that cannot be reached. */
  readonly error?: unknown;
}

const FINISHING: readonly Phase[] = ['drafted', 'finishing'];
/** Rounds in which rows that were held up are tried again. */
const MOST_ROUNDS = 12;

/** Works on everything that is not done. What is left afterwards is failed, in doubt, or waits for another run. Never throws. */
export async function runJob(options: JobOptions): Promise<JobEnd> {
  const {job} = options;
  const run = new JobRun(options);
  let ended: {error: unknown} | undefined;
  try {
    job.begin();
    await run.customers();
    await run.rounds(['planned', 'drafting'], (row) => run.draft(row));
    if (job.record.finalize) {
      run.settleSends();
      await run.leaveToOthers();
      await run.rounds(FINISHING, (row) => run.finish(row));
    }
    job.end();
  } catch (error) {
    ended = {error};
    try {
      job.end();
    } catch {
      job.recover();
    }
  }
  return {applied: run.applied, ...ended};
}

class JobRun {
  readonly #options: JobOptions;
  readonly #job: JobFile;
  readonly #workers: Workers;
  readonly #sweep: Sweep;
  readonly #finalize: boolean;
  readonly #send: boolean;
  /** Unix seconds. */
  readonly #since: number;
  /** Rows, and customers, with a call of this run whose outcome is not known. */
  readonly #unsettled = new Set<number | string>();

  constructor(options: JobOptions) {
    const {job, patience} = options;
    const {finalize, send, since} = job.record;
    this.#options = options;
    this.#job = job;
    this.#workers = new Workers(options);
    this.#sweep = new Sweep({client: this.#workers.client, signal: patience, since, job});
    this.#finalize = finalize;
    this.#send = send;
    this.#since = since;
  }

  get applied(): Applied {
    return this.#unsettled.size > 0 ? 'unknown' : this.#workers.changed ? 'yes' : 'no';
  }

  async customers(): Promise<void> {
    const {now, patience} = this.#options;
    const failed = new Set<string>();
    const onFailed = (ref: string, error: CentavoError): void => {
      failed.add(ref);
      const message = `The customer could not be created: ${wordsOf(error)}`;
      for (const row of this.#job.rowsFor(ref))
        if (row.phase === 'planned' || row.phase === 'drafting') this.#end(row, 'failed', {code: error.code, message});
    };
    const options = {job: this.#job, workers: this.#workers, now, patience, onFailed, inDoubt: this.#unsettled};
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const waiting = function* (job: JobFile) {
        for (const customer of missingCustomers(job)) if (!failed.has(customer.ref)) yield customer;
      };
      if (waiting(this.#job).next().done) return;
      await this.#workers.each(waiting(this.#job), async (customer) => {
        await createCustomer(customer, options);
        if (this.#job.customer(customer.ref)!.id !== null) this.#options.onCustomer?.();
      });
    }
  }

  /** Works on the rows in these phases until none of them can go on. */
  async rounds(phases: readonly Phase[], work: (row: Row) => Promise<void>): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      // Nobody can tell whether one whose sending is in doubt was sent, so it is left alone.
      const waiting = function* (job: JobFile): Generator<Row> {
        for (const row of job.rows(phases))
          if (row.sent !== 'unknown' && job.customer(row.customer)!.id !== null) yield row;
      };
      if (waiting(this.#job).next().done) return;
      await this.#workers.each(waiting(this.#job), work);
    }
  }

  /** A process that was killed right after a send may have recorded it in the history. */
  settleSends(): void {
    for (const {n, id, resend_at: after} of this.#job.unclearSends())
      if (id !== null && this.#options.sends.elsewhere(id, after) === 'sent') {
        this.#job.setRow(n, {sent: 'yes', phase: 'done', status: 'open', unsettled_at: null});
        this.#options.tell({row: this.#job.row(n), phase: 'done'});
      }
  }

  /** Leaves the rows that another import has made a statement for, since two would be billed. */
  async leaveToOthers(): Promise<void> {
    const isWaiting = ({phase, sent}: Row): boolean => FINISHING.includes(phase) && sent !== 'unknown';
    if (this.#job.rows(FINISHING).next().done) return;
    for await (const {row, statement, how} of this.#sweep.madeElsewhere()) {
      if (!isWaiting(row) || (how === 'changed' && this.#options.allowDuplicate)) continue;
      const message =
        how === 'same'
          ? `Another import made ${statement.id} for this row, so ${row.id} is left alone. If that import has ended, --retry-failed keeps one of them.`
          : `It was billed as ${statement.id} since this import began, with other content, so ${row.id} is left alone. To bill both: --retry-failed --allow-duplicate`;
      this.#end(row, 'failed', {code: 'made_elsewhere', message});
      // From now on there are two, and they are looked for.
      if (how === 'same') this.#job.setRow(row.n, {doubted: 2});
    }
  }

  async draft(row: Row): Promise<void> {
    // An earlier process may have created it without learning its id, and then it may be there twice.
    const isDoubted = row.phase === 'drafting' && row.id === null;
    if (isDoubted) this.#doubt(row.n);
    const outcome = await this.#compose(row, {
      ...this.#planOf(isDoubted ? this.#job.row(row.n) : row),
      create: {
        currency: 'PHP',
        customer_id: this.#job.customer(row.customer)!.id!,
        ...(row.description !== null && {description: row.description}),
        metadata: {...(JSON.parse(row.metadata ?? '{}') as object), [EXTERNAL_ID]: row.external_id},
      },
      finalize: false,
      send: false,
    });
    if (outcome) this.#end(row, this.#finalize ? 'drafted' : 'done', undefined, outcome);
  }

  async finish(row: Row): Promise<void> {
    const outcome = await this.#compose(row, {
      ...this.#planOf(row),
      create: {currency: 'PHP', customer_id: this.#job.customer(row.customer)!.id!},
      finalize: true,
      send: this.#send,
    });
    if (outcome) this.#end(row, 'done', undefined, outcome);
  }

  #doubt(n: number): void {
    if (this.#job.row(n).doubted === 0) this.#job.setRow(n, {doubted: 1});
  }

  #planOf(row: Row): Omit<StatementPlan, 'finalize' | 'send'> {
    const {n, id, key, phase} = row;
    return {
      ...(id !== null && {id}),
      items: this.#job.itemsOf(n),
      ...(row.due_at !== null && {dueAt: row.due_at}),
      job: {
        key,
        since: this.#since,
        begun: phase !== 'planned',
        doubted: row.doubted > 0,
        shared: row.doubted === 2,
        opened: row.opened === 1,
        ...(row.unsettled_at !== null && {unsettledAt: row.unsettled_at}),
      },
    };
  }

  /** The statement, when everything is as asked for; undefined when the row is held up or has failed. */
  async #compose(row: Row, plan: StatementPlan): Promise<Statement | undefined> {
    const {explain, now, patience: signal} = this.#options;
    const outcome = await composeStatement(plan, {
      client: this.#workers.client,
      journal: rowJournal(row.n, {job: this.#job, workers: this.#workers, sends: this.#options.sends}),
      signal,
      now,
      token: () => row.key,
      search: this.#sweep.search,
      sleep: (milliseconds) => this.#workers.sleep(milliseconds),
      tell: (news) => {
        if (news.what === 'doubt' && news.step === 'draft') this.#doubt(row.n);
      },
    });
    const applied = outcome.end === 'done' ? (outcome.changed ? 'yes' : 'no') : outcome.state.applied;
    const isUnknown = applied === 'unknown';
    if (applied === 'yes') this.#workers.changed = true;
    if (isUnknown) this.#unsettled.add(row.n);
    else this.#unsettled.delete(row.n);
    const {status} = outcome.end === 'stopped' ? outcome.state : outcome.statement;
    this.#job.setRow(row.n, {unsettled_at: isUnknown ? now() : null, ...(status !== undefined && {status})});
    if (outcome.end === 'done') {
      if (outcome.sentBefore) this.#job.setRow(row.n, {sent: 'yes'});
      return outcome.statement;
    }
    // It was certainly not applied: if the statement is open one day, somebody else has opened it, and may have sent it.
    const isRefused = outcome.stop.why === 'failed' && outcome.stop.at === 'finalize' && !isUnknown;
    if (isRefused && row.opened === 0) this.#job.setRow(row.n, {opened: 0});
    const error = explain(outcome, plan);
    const cause = outcome.stop.why === 'failed' ? outcome.stop.error : undefined;
    if (endsRun(cause ?? error)) throw cause ?? error;
    // Without a cause the service is not to blame, and the words end with what to do.
    const todo = cause === undefined && error.details.hint ? ` ${error.details.hint}` : '';
    const said = {code: error.code, message: `${wordsOf(error)}${todo}`};
    // A process of this job may have been killed after it recorded in the history that it was about to send.
    if (outcome.stop.why === 'send_in_doubt') this.#job.setRow(row.n, {sent: 'unknown'});
    if (this.#job.row(row.n).sent === 'unknown') this.#end(row, 'finishing', said);
    else if (cause === undefined || !isHeldUp(cause)) this.#end(row, 'failed', said);
    else {
      this.#job.setRow(row.n, {error_code: said.code, error: said.message});
      this.#options.tell({row, phase: row.phase, error: said});
      this.#workers.heldUp(cause);
    }
    return undefined;
  }

  #end(row: Row, phase: Phase, error?: {code: string; message: string}, statement?: Statement): void {
    this.#job.setRow(row.n, {
      phase,
      error_code: error?.code ?? null,
      error: error?.message ?? null,
      ...(statement && {
        id: statement.id,
        status: statement.status ?? null,
        number: numberOf(statement) ?? null,
        link: linkOf(statement) ?? null,
      }),
    });
    this.#workers.succeeded();
    this.#options.tell({row: this.#job.row(row.n), phase, ...(error && {error})});
  }
}

const wordsOf = ({message, details: {why, apiErrors}}: CentavoError): string =>
  [message, why ?? apiErrors?.[0]?.detail].filter(Boolean).join(' ');
