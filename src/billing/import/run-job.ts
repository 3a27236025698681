// Runs a job in rounds: customers, drafts with their items, and then due dates, finalizing and emails. Between rounds, the job
// waits until reads show objects of other imports: only one import may continue with a row.
// Each customer and each row is a run of the engine; runs continue while others wait.

import {CentavoError, type Applied} from '../../common/errors.js';
import {isNumbered} from '../../input/own-numbers.js';
import {nextText} from '../../common/next-text.js';
import {EXTERNAL_ID, PERIOD_KEY} from '../statement/metadata-keys.js';
import type {RunOutcome} from '../statement/workflow/outcome.js';
import type {BillingStatementData, StatementPlan} from '../statement/plan.js';
import {readDelay} from '../statement/workflow/service-timing.js';
import {runPlan, type RunOptions, type RunProgressEvent} from '../statement/workflow/run-plan.js';
import type {JobCustomer, JobHeader, RowPhase, StatementRow} from './job/job-types.js';
import type {RunJournal} from '../statement/workflow/journal.js';
import type {JobFile} from './job/job-file.js';
import {customerJournal, disown, hasOwned, rowJournal, valuesOf} from './job/run-journals.js';
import {RivalSweep, type ContestedRow, type RivalStatement} from './rival-sweep.js';
import {stopsImport, isWorthRetrying, RowWorkers, type RowWorkersOptions} from './row-workers.js';

/** The sends of this job and of other commands on this machine. */
export interface SendHistory {
  /** Records that a statement is about to be sent. */
  readonly recordIntent: (id: string) => Promise<void> | void;
  readonly recordEnd: (id: string, sent: boolean) => void;
  /** @param after unix seconds; earlier sends, and sends at this time, do not count */
  readonly earlierSend: (id: string, after: number | null) => 'in_doubt' | 'sent' | undefined;
}

export interface JobOptions extends RowWorkersOptions, Pick<RunOptions, 'serviceAhead' | 'timeout' | 'timing'> {
  /** Aborts running calls, some seconds after `signal` aborts. */
  readonly abortCalls?: AbortSignal;
  readonly job: JobFile;
  /** Receives a row that was drafted, is done, or failed for now. */
  readonly onProgress: (row: StatementRow) => void;
  readonly onCustomer?: () => void;
  /** Receives the id of a duplicate customer that this job created and could not delete. */
  readonly onSurplusCustomer?: (id: string) => void;
  readonly explain: (outcome: Extract<RunOutcome, {end: 'stopped'}>, plan: StatementPlan) => CentavoError;
  /** Explains why another import bills a row. @param stays true if this job's statement stays, because a user finalized it */
  readonly explainLoss: (
    row: StatementRow,
    winner: RivalStatement,
    stays: boolean,
  ) => Promise<{readonly code: string; readonly message: string}>;
  readonly sends: SendHistory;
  /** True to bill rows that another import bills with other content. */
  readonly allowDuplicate: boolean;
  /** Ids of statements that had ended when this process began. Their rows may be billed again. */
  readonly endedStatements?: ReadonlySet<string>;
}

export interface JobOutcome {
  /** `unknown` if any call of this run has an unknown outcome. */
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
  readonly #header: JobHeader;
  /** Rows and customers with a call of unknown outcome. */
  readonly #unsettled = new Set<number | string>();
  readonly #failedCustomers = new Set<string>();
  /** Milliseconds since the epoch after which the job's last create or `take_over` call can no longer be applied. */
  #createdBy: number;

  constructor(options: JobOptions) {
    const {job, abortCalls, allowDuplicate, endedStatements = new Set(), nowMilliseconds} = options;
    this.#options = options;
    this.#job = job;
    this.#workers = new RowWorkers(options);
    const {client} = this.#workers;
    this.#sweep = new RivalSweep({client, signal: abortCalls, job, allowDuplicate, endedStatements});
    this.#header = job.record;
    this.#createdBy = nowMilliseconds();
  }

  get applied(): Applied {
    return this.#unsettled.size > 0 ? 'unknown' : this.#workers.changed ? 'yes' : 'no';
  }

  async work(): Promise<void> {
    const job = this.#job;
    const customers = () => job.newCustomers(this.#failedCustomers);
    await this.#rounds(customers, (customer) => this.#createCustomer(customer));
    if (job.hasUnmergedCustomers) {
      await this.#waitForReads('customers');
      await this.#retrying('', () => this.#sweep.mergeCustomers());
    }
    const rows = (phases: readonly RowPhase[]) => () => this.#openRows(phases);
    await this.#rounds(rows(DRAFTING), (row) => this.#createDraft(row));
    this.#markEarlierSends();
    const hasDrafts = !job.record.rivals_checked && !job.rows(FINISHING).next().done;
    if (hasDrafts || job.surplusCustomers().length > 0) {
      await this.#waitForReads('barrier');
      await this.#resolveRivals();
      job.setRivalsChecked(true);
    }
    await this.#rounds(rows(FINISHING), (row) => this.#finish(row));
  }

  /** Repeats the work until no item remains, for at most {@link MAX_ROUNDS} rounds. */
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

  /** Retries while the service is unreachable. @param of the row or customer that the work may change */
  async #retrying<T>(of: number | string, work: () => Promise<T>): Promise<T> {
    for (let round = 1; ; round++) {
      try {
        const result = await work();
        // If a retry finds the work done, the first attempt was applied.
        if (this.#unsettled.delete(of)) this.#workers.changed = true;
        return result;
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        if (error.details.applied === 'unknown') this.#unsettled.add(of);
        // An outage is limited by its duration, in `retryLater`, and not by rounds.
        if (!isWorthRetrying(error) || (error.kind !== 'unavailable' && round >= MAX_ROUNDS)) throw error;
        this.#workers.retryLater(error);
      }
    }
  }

  /** Waits until reads show everything older than this job's own objects. */
  async #waitForReads(why: 'barrier' | 'customers'): Promise<void> {
    const {nowMilliseconds, onWait, timing} = this.#options;
    const until = this.#createdBy + readDelay(timing());
    if (until <= nowMilliseconds()) return;
    onWait?.(until, why);
    await this.#workers.waitBetweenRounds(until - nowMilliseconds());
    onWait?.(nowMilliseconds(), why);
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
    // The user chose to resend this statement.
    const resendPlan = {id: id!, items: [], finalize: false, send: true, named: {shown: {amount}}};
    const {finalize, send} = this.#header;
    const finishPlan = {...this.#planOf(row), stage: 'rest', finalize, send} as const;
    const dueAt = row.due_at === null ? {} : {dueAt: row.due_at};
    const outcome = await (resendAt === null
      ? this.#runRow(row, {...finishPlan, ...dueAt})
      : this.#runRow(row, resendPlan, rowJournal(this.#job, this.#job.row(n), [])));
    if (outcome) this.#endRow(row, 'done', undefined, outcome);
  }

  #planOf(row: StatementRow): Pick<StatementPlan, 'create' | 'items'> {
    const number = isNumbered(row) ? {[EXTERNAL_ID]: row.external_id} : {};
    const {period} = this.#header;
    const own = {...number, ...(period !== null && {[PERIOD_KEY]: period})};
    const metadata = {...(JSON.parse(row.metadata ?? '{}') as object), ...own};
    // An existing statement needs no customer.
    const customer = this.#job.customer(row.customer)!.id ?? '';
    const description = row.description === null ? {} : {description: row.description};
    return {
      create: {currency: 'PHP', customer_id: customer, ...description, metadata},
      items: this.#job.itemsOf(row.n),
    };
  }

  /** Marks rows as done if the history has their send. A process killed right after a send may record it only there. */
  #markEarlierSends(): void {
    for (const {n, id, resend_at: after} of this.#job.sendsInDoubt())
      if (id !== null && this.#options.sends.earlierSend(id, after) === 'sent') {
        const settled = {unsettled_at: null, error_code: null, error: null};
        this.#job.setRow(n, {sent: 'yes', phase: 'done', status: 'open', ...settled});
        this.#options.onProgress(this.#job.row(n));
      }
  }

  /** Fails the rows that another import bills, and deletes this job's duplicate customers. */
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
    this.#endRow(row, 'failed', await this.#options.explainLoss(row, winner, stays));
  }

  /** Returns the statement if it is as planned; undefined if the row failed or has to be retried. */
  async #runRow({n}: StatementRow, plan: StatementPlan, journal: RunJournal = rowJournal(this.#job, this.#job.row(n))) {
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
    const step = cause === undefined && nextText(error.details);
    const failure = {code: error.code, message: [failureText(error), step].filter(Boolean).join(' ')};
    if (stop.why === 'send_in_doubt') job.setRow(n, {sent: 'unknown'});
    const row = job.row(n);
    if (row.sent === 'unknown') this.#endRow(row, 'finishing', failure);
    else if (cause === undefined || !isWorthRetrying(cause)) this.#endRow(row, 'failed', failure);
    else {
      job.setRow(n, {error_code: failure.code, error: failure.message});
      this.#options.onProgress(row);
      this.#workers.retryLater(cause);
    }
    return undefined;
  }

  async #run(of: number | string, plan: StatementPlan, journal: RunJournal): Promise<RunOutcome> {
    const {nowMilliseconds, onWait, abortCalls: signal, sends, serviceAhead, timeout, timing} = this.#options;
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
    const {client} = workers;
    const outcome = await runPlan(plan, {
      ...{client, journal, signal, timeout, timing, history, onProgress, now: nowMilliseconds, serviceAhead},
      sleep: (milliseconds) => workers.sleep(milliseconds),
      search: this.#sweep.search,
    });
    const applied = outcome.end === 'done' ? (outcome.changed ? 'yes' : 'no') : outcome.state.applied;
    if (applied === 'unknown') this.#unsettled.add(of);
    else {
      // If the run is done now, the earlier unknown call was applied, unless the draft never belonged to this row.
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
    const failure = {error_code: error?.code ?? null, error: error?.message ?? null};
    this.#job.setRow(n, {phase, ...failure, ...(statement && valuesOf(statement))});
    // Events of drafts are kept: another import may continue a draft before reads show all of it.
    if (phase === 'done' && this.#header.finalize) this.#job.clearEvents(n);
    this.#workers.recordSuccess();
    this.#options.onProgress(this.#job.row(n));
  }
}

const serviceErrorOf = ({stop}: Extract<RunOutcome, {end: 'stopped'}>): CentavoError | undefined =>
  stop.why === 'failed' ? stop.error : undefined;

const failureText = ({message, details: {why, apiErrors}}: CentavoError): string =>
  [message, why ?? apiErrors?.[0]?.detail].filter(Boolean).join(' ');
