// Runs a job in rounds: customers, drafts with their items, and then due dates, finalizing and emails. Between two rounds it waits
// until its reads show whatever another import of the same rows made before, so that of two imports only one continues with a row.
// Each customer and each row is a run of the engine; while one waits, others continue.

import {paymentLinkOf, statementNumberOf} from '../../api/statement.js';
import {CentavoError, type Applied} from '../../common/errors.js';
import {statementIdIn, type RunEvent} from '../statement/workflow/run-events.js';
import type {RunOutcome} from '../statement/workflow/outcome.js';
import type {BillingStatementData, StatementPlan} from '../statement/plan.js';
import {readDelay, draftOwnersOf} from '../statement/workflow/decide.js';
import type {RunJournal} from '../statement/workflow/journal.js';
import {runPlan, type RunOptions, type RunProgressEvent} from '../statement/workflow/run-plan.js';
import type {JobCustomer, RowPhase, StatementRow} from './job/job-types.js';
import type {JobFile} from './job/job-file.js';
import {EXTERNAL_ID, isNumbered} from './read-rows.js';
import {RivalSweep, type ContestedRow, type RivalStatement} from './rival-sweep.js';
import {stopsImport, isWorthRetrying, RowWorkers, type RowWorkersOptions} from './row-workers.js';

export interface RowProgress {
  readonly row: StatementRow;
  readonly phase: RowPhase;
  readonly error?: {readonly code: string; readonly message: string};
}

/** Sends of other commands on this machine, and the record of this one. */
export interface SendHistory {
  /** Records that a statement is about to be sent. */
  readonly recordIntent: (id: string) => Promise<void> | void;
  readonly recordEnd: (id: string, sent: boolean) => void;
  /** @param after unix seconds; sends up to then do not count */
  readonly earlierSend: (id: string, after: number | null) => 'in_doubt' | 'sent' | undefined;
}

export interface JobOptions extends RowWorkersOptions, Pick<RunOptions, 'timeout' | 'timing'> {
  /** Ends the calls that are under way, some seconds after the signal. */
  readonly abortCalls?: AbortSignal;
  readonly job: JobFile;
  readonly onProgress: (progress: RowProgress) => void;
  readonly onCustomer?: () => void;
  /** Called with the reason of a wait and its end, in milliseconds since the epoch. */
  readonly onWait?: (until: number, why: 'barrier' | Extract<RunProgressEvent, {type: 'wait'}>['why']) => void;
  /** Called with the id of a customer that this job created but does not bill, because another import was faster. */
  readonly onSurplusCustomer?: (id: string) => void;
  readonly explain: (outcome: Extract<RunOutcome, {end: 'stopped'}>, plan: StatementPlan) => CentavoError;
  /** Explains why a row is left to another import. @param stays true if its own statement stays, because a person finalized it */
  readonly explainLoss: (
    row: StatementRow,
    winner: RivalStatement,
    stays: boolean,
  ) => {readonly code: string; readonly message: string};
  readonly sends: SendHistory;
  /** Rows are billed even where they were billed with other content since the file was checked. */
  readonly allowDuplicate: boolean;
  /** Statements that had ended when this process began: their rows may be billed again. */
  readonly endedStatements?: ReadonlySet<string>;
}

export interface JobOutcome {
  /** `unknown` if the outcome of a call of this run is unknown. */
  readonly applied: Applied;
  /** The error that ended the run: Ctrl-C, a refused key, a full disk, an unreachable service. */
  readonly error?: unknown;
}

const FINISHING: readonly RowPhase[] = ['drafted', 'finishing'];
const DRAFTING: readonly RowPhase[] = ['planned', 'drafting'];
/** How often blocked rows are retried. */
const MAX_ROUNDS = 12;

/** Processes all unfinished rows. Remaining rows are failed, unknown, or wait for another run. Never throws. */
export async function runJob(options: JobOptions): Promise<JobOutcome> {
  const {job} = options;
  const run = new JobRun(options);
  let failure: {error: unknown} | undefined;
  try {
    job.begin();
    await run.work();
    job.end();
  } catch (error) {
    failure = {error};
    try {
      job.end();
    } catch (writeError) {
      job.recover();
      // Report the failed write first: it matters more than why no further call was made.
      failure = {error: writeError};
    }
  }
  return {applied: run.applied, ...failure};
}

class JobRun {
  readonly #options: JobOptions;
  readonly #job: JobFile;
  readonly #workers: RowWorkers;
  readonly #sweep: RivalSweep;
  readonly #finalize: boolean;
  readonly #send: boolean;
  /** Rows and customers with a call of unknown outcome. */
  readonly #unsettled = new Set<number | string>();
  readonly #failedCustomers = new Set<string>();
  /** Milliseconds since the epoch at which the last creation or takeover of this job is certain to have been applied, or never will be. */
  #createdBy: number;

  constructor(options: JobOptions) {
    const {job, abortCalls, allowDuplicate, endedStatements = new Set(), nowMilliseconds} = options;
    const {finalize, send} = job.record;
    this.#options = options;
    this.#job = job;
    this.#workers = new RowWorkers(options);
    this.#sweep = new RivalSweep({
      client: this.#workers.client,
      signal: abortCalls,
      job,
      allowDuplicate,
      endedStatements,
    });
    this.#finalize = finalize;
    this.#send = send;
    this.#createdBy = nowMilliseconds();
  }

  get applied(): Applied {
    return this.#unsettled.size > 0 ? 'unknown' : this.#workers.changed ? 'yes' : 'no';
  }

  async work(): Promise<void> {
    const job = this.#job;
    await this.#rounds(
      () => job.newCustomers(this.#failedCustomers),
      (customer) => this.#createCustomer(customer),
    );
    if (job.hasUnsettledCustomers) {
      await this.#waitForReads();
      await this.#retrying('', () => this.#sweep.mergeCustomers());
    }
    await this.#rounds(
      () => this.#openRows(DRAFTING),
      (row) => this.#createDraft(row),
    );
    this.#markEarlierSends();
    const hasDrafts = !job.record.rivals_checked && !job.rows(FINISHING).next().done;
    if (hasDrafts || job.surplusCustomers().length > 0) {
      await this.#waitForReads();
      await this.#resolveRivals();
      job.setRivalsChecked(true);
    }
    await this.#rounds(
      () => this.#openRows(FINISHING),
      (row) => this.#finish(row),
    );
  }

  /** Works on each until none of them can go on. */
  async #rounds<Item>(items: () => Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      if (items()[Symbol.iterator]().next().done) return;
      await this.#workers.forEach(items(), work);
    }
  }

  *#openRows(phases: readonly RowPhase[]): Generator<StatementRow> {
    const job = this.#job;
    // A row whose send has an unknown outcome is not sent again.
    for (const row of job.rows(phases))
      if (row.sent !== 'unknown' && (row.id ?? job.customer(row.customer)!.id) !== null) yield row;
  }

  /** Retries while the service is unreachable. @param of the row or customer that it may change */
  async #retrying<T>(of: number | string, work: () => Promise<T>): Promise<T> {
    for (let round = 1; ; round++) {
      try {
        const result = await work();
        // A retry that finds everything done was applied by the first attempt.
        if (this.#unsettled.delete(of)) this.#workers.changed = true;
        return result;
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        if (error.details.applied === 'unknown') this.#unsettled.add(of);
        // That call counts the time of the outage.
        if (!isWorthRetrying(error) || (error.kind !== 'unavailable' && round >= MAX_ROUNDS)) throw error;
        this.#workers.retryLater(error);
      }
    }
  }

  /** Waits until reads show everything older than this job's own objects. */
  async #waitForReads(): Promise<void> {
    const {nowMilliseconds, onWait, timing} = this.#options;
    const until = this.#createdBy + readDelay(timing());
    if (until <= nowMilliseconds()) return;
    onWait?.(until, 'barrier');
    await this.#workers.waitBetweenRounds(until - nowMilliseconds());
    onWait?.(nowMilliseconds(), 'barrier');
  }

  async #createCustomer(customer: JobCustomer): Promise<void> {
    const {ref, email, name} = customer;
    const newCustomer = {name: name!, email: email!};
    const plan = {newCustomer, items: [], finalize: false, send: false};
    const outcome = await this.#run(ref, plan, customerJournal(this.#job, customer));
    if (outcome.end === 'done') {
      this.#workers.recordSuccess();
      return this.#options.onCustomer?.();
    }
    const error = serviceErrorOf(outcome) ?? this.#options.explain(outcome, plan);
    if (stopsImport(error)) throw error;
    if (isWorthRetrying(error)) return this.#workers.retryLater(error);
    this.#failedCustomers.add(ref);
    const message = `The customer could not be created: ${failureText(error)}`;
    for (const row of this.#job.rowsFor(ref))
      if (DRAFTING.includes(row.phase)) this.#endRow(row, 'failed', {code: error.code, message});
  }

  async #createDraft(row: StatementRow): Promise<void> {
    const outcome = await this.#runRow(row, {...this.#planOf(row), stage: 'items', finalize: false, send: false});
    if (outcome) this.#endRow(row, 'drafted', undefined, outcome);
  }

  async #finish(row: StatementRow): Promise<void> {
    const {n, id, amount, resend_at: resendAt} = row;
    // The user chose to resend it.
    const resendPlan = {id: id!, items: [], finalize: false, send: true, named: {shown: {amount}}};
    const finishPlan = {...this.#planOf(row), stage: 'rest', finalize: this.#finalize, send: this.#send} as const;
    const dueAt = row.due_at === null ? {} : {dueAt: row.due_at};
    const outcome = await (resendAt === null
      ? this.#runRow(row, {...finishPlan, ...dueAt})
      : this.#runRow(row, resendPlan, rowJournal(this.#job, this.#job.row(n), [])));
    if (outcome) this.#endRow(row, 'done', undefined, outcome);
  }

  #planOf(row: StatementRow): Pick<StatementPlan, 'create' | 'items'> {
    const number = isNumbered(row) ? {[EXTERNAL_ID]: row.external_id} : {};
    const metadata = {...(JSON.parse(row.metadata ?? '{}') as object), ...number};
    // An existing statement needs no customer.
    const customer = this.#job.customer(row.customer)!.id ?? '';
    const description = row.description === null ? {} : {description: row.description};
    return {
      create: {currency: 'PHP', customer_id: customer, ...description, metadata},
      items: this.#job.itemsOf(row.n),
    };
  }

  /** A process that was killed right after a send may have recorded it in the history. */
  #markEarlierSends(): void {
    for (const {n, id, resend_at: after} of this.#job.unclearSends())
      if (id !== null && this.#options.sends.earlierSend(id, after) === 'sent') {
        this.#job.setRow(n, {sent: 'yes', phase: 'done', status: 'open', unsettled_at: null});
        this.#options.onProgress({row: this.#job.row(n), phase: 'done'});
      }
  }

  /** Leaves the rows that another import bills, and takes its customers where they are older. */
  async #resolveRivals(): Promise<void> {
    const billed = new Set<string>();
    const contested = await this.#retrying('', () => this.#sweep.findContested(billed));
    await this.#workers.forEach(contested, (each) =>
      this.#retrying(`contest ${each.n}`, () => this.#resolveContest(each)),
    );
    for (const id of this.#job.surplusCustomers())
      if (billed.has(id) || !(await this.#retrying(id, () => this.#sweep.deleteCustomer(id))))
        this.#options.onSurplusCustomer?.(id);
    this.#job.clearSurplus();
  }

  async #resolveContest(contested: ContestedRow): Promise<void> {
    const {winner, stays} = await this.#sweep.resolveContest(contested);
    const row = this.#job.row(contested.n);
    if (!winner || !FINISHING.includes(row.phase) || row.sent === 'unknown') return;
    if (!stays) disown(this.#job, row.n);
    this.#endRow(row, 'failed', this.#options.explainLoss(row, winner, stays));
  }

  /** The statement, when everything is as asked for; undefined when the row is held up or has failed. */
  async #runRow(
    {n}: StatementRow,
    plan: StatementPlan,
    journal: RunJournal = rowJournal(this.#job, this.#job.row(n)),
  ): Promise<BillingStatementData | undefined> {
    const {explain, now} = this.#options;
    const job = this.#job;
    const outcome = await this.#run(n, plan, journal);
    const {status} = outcome.end === 'stopped' ? outcome.state : outcome.statement;
    const isUnknown = this.#unsettled.has(n);
    job.setRow(n, {unsettled_at: isUnknown ? now() : null, ...(status !== undefined && {status})});
    if (outcome.end === 'done') return outcome.statement;
    const {stop} = outcome;
    // A paid statement is not emailed.
    if (plan.named && stop.why === 'ended' && stop.statement.status === 'paid') return stop.statement;
    const error = explain(outcome, plan);
    const cause = serviceErrorOf(outcome);
    if (stopsImport(cause ?? error)) throw cause ?? error;
    // No cause: not the API's fault. The message then ends with the next step.
    const nextStep = cause === undefined && error.details.hint ? ` ${error.details.hint}` : '';
    const failure = {code: error.code, message: `${failureText(error)}${nextStep}`};
    if (stop.why === 'send_in_doubt') job.setRow(n, {sent: 'unknown'});
    const row = job.row(n);
    if (row.sent === 'unknown') this.#endRow(row, 'finishing', failure);
    else if (cause === undefined || !isWorthRetrying(cause)) this.#endRow(row, 'failed', failure);
    else {
      job.setRow(n, {error_code: failure.code, error: failure.message});
      this.#options.onProgress({row, phase: row.phase, error: failure});
      this.#workers.retryLater(cause);
    }
    return undefined;
  }

  async #run(of: number | string, plan: StatementPlan, journal: RunJournal): Promise<RunOutcome> {
    const {nowMilliseconds, onWait, abortCalls: signal, sends, timeout, timing} = this.#options;
    const workers = this.#workers;
    const row = typeof of === 'number' ? this.#job.row(of) : undefined;
    const history: RunOptions['history'] = {
      intend: async (call, ids) => {
        await workers.waitUntilReady();
        if (call === 'send') await sends.recordIntent(ids[0]!);
      },
      made: () => {},
      sendEnded: (id, sent) => sends.recordEnd(id, sent),
      earlier: (id) => ({unsettled: false, send: sends.earlierSend(id, row!.resend_at)}),
    };
    const onProgress = (event: RunProgressEvent): void => {
      if (event.type === 'wait') return onWait?.(event.until, event.why);
      if (event.call !== 'customer' && event.call !== 'draft' && event.call !== 'take_over') return;
      const settleTime = event.type === 'outcome_unknown' ? timing().settle : 0;
      this.#createdBy = Math.max(this.#createdBy, nowMilliseconds() + settleTime);
    };
    const outcome = await runPlan(plan, {
      client: workers.client,
      journal,
      signal,
      timeout,
      timing,
      history,
      onProgress,
      now: nowMilliseconds,
      sleep: (milliseconds) => workers.sleep(milliseconds),
      search: this.#sweep.search,
    });
    const applied = outcome.end === 'done' ? (outcome.changed ? 'yes' : 'no') : outcome.state.applied;
    if (applied === 'unknown') this.#unsettled.add(of);
    else {
      // If everything is there now, the earlier unknown attempt was applied, unless the draft never belonged to this row.
      const wasDone = outcome.end === 'done' && this.#unsettled.delete(of) && hasOwned(journal.run, outcome.statement);
      if (wasDone || applied === 'yes') workers.changed = true;
    }
    return outcome;
  }

  #endRow(
    row: StatementRow,
    phase: RowPhase,
    error?: {code: string; message: string},
    statement?: BillingStatementData,
  ): void {
    const {n} = row;
    this.#job.setRow(n, {
      phase,
      error_code: error?.code ?? null,
      error: error?.message ?? null,
      ...(statement && {
        id: statement.id,
        status: statement.status ?? null,
        number: statementNumberOf(statement) ?? null,
        link: paymentLinkOf(statement) ?? null,
      }),
    });
    // Another import of this machine may continue a draft before reads show all of it.
    if (phase === 'done' && this.#finalize) this.#job.clearEvents(n);
    this.#workers.recordSuccess();
    this.#options.onProgress({row: this.#job.row(n), phase, ...(error && {error})});
  }
}

const serviceErrorOf = ({stop}: Extract<RunOutcome, {end: 'stopped'}>): CentavoError | undefined =>
  stop.why === 'failed' ? stop.error : undefined;

const failureText = ({message, details: {why, apiErrors}}: CentavoError): string =>
  [message, why ?? apiErrors?.[0]?.detail].filter(Boolean).join(' ');

// The runs of a job are kept in its file: the events of each created customer and of each row, whose columns
// say the same in short. An intention is on the disk before its call is made, with one write for all that wait for it.

function customerJournal(job: JobFile, {ref}: JobCustomer): RunJournal {
  return {
    key: job.customerKey(ref),
    run: job.id,
    events: job.eventsOf(ref),
    record: (event) => {
      job.addEvents(ref, event);
      if (event.type === 'intended') return job.commitTogether();
      if ((event.type === 'answered' || event.type === 'found') && event.id) job.setCustomer(ref, {id: event.id});
    },
    disown: () => {},
    close: () => {},
  };
}

/** True if a run created or took over a statement. A run that creates a customer has no statement to check. */
function hasOwned(run: string, statement: BillingStatementData): boolean {
  const {owner, previous} = draftOwnersOf(statement);
  return owner === undefined || owner === run || previous.includes(run);
}

/** @param events for a run that starts anew, whatever is known of the statement */
function rowJournal(job: JobFile, row: StatementRow, events = eventsOfRow(job, row)): RunJournal {
  const {n, key} = row;
  let call: string | undefined;
  return {
    key,
    run: job.runOf(n),
    events,
    record: (event) => {
      job.addEvents(n, event);
      if (event.type === 'intended') ({call} = event);
      const values = rowValuesAfter(event, call);
      if (values) job.setRow(n, values);
      if (event.type === 'intended' && (call === 'draft' || call === 'take_over')) job.setRivalsChecked(false);
      if (event.type === 'intended') return job.commitTogether();
    },
    disown: () => disown(job, n),
    close: () => {},
  };
}

/** The row's statement is gone or owned by another run; the row starts again with a new draft. */
function disown(job: JobFile, n: number): void {
  job.clearEvents(n);
  job.setRow(n, {id: null, run: null, opened: 0, status: null, number: null, link: null});
}

/** A job drops the events of a done row. A later import that continues the statement rebuilds them from the row. */
function eventsOfRow(job: JobFile, {n, id, opened}: StatementRow): readonly RunEvent[] {
  if (id !== null && job.eventsOf(n).length === 0) {
    job.addEvents(n, {type: 'named', id});
    if (opened === 1) job.addEvents(n, {type: 'intended', call: 'finalize', at: 0}, {type: 'outcome_unknown', at: 0});
  }
  return job.eventsOf(n);
}

function rowValuesAfter(event: RunEvent, call: string | undefined): Partial<StatementRow> | undefined {
  switch (event.type) {
    case 'intended':
      if (call === 'draft') return {phase: 'drafting'};
      if (call === 'finalize') return {phase: 'finishing', opened: 1};
      return call === 'send' ? {phase: 'finishing', sent: 'unknown'} : undefined;
    case 'refused':
      return call === 'send' ? {sent: 'no'} : undefined;
    default: {
      const id = statementIdIn(event);
      return id !== undefined ? {id} : event.type === 'answered' && call === 'send' ? {sent: 'yes'} : undefined;
    }
  }
}
