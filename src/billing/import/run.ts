// Works a job off: customers, then every draft, then, when all drafts are complete, one after the other is finalized and sent.
// A row whose call is in doubt waits for the settle time while others go on. Each row is a run of the composite.

import {clientOver, type Client} from '../../client/client.js';
import {CentavoError, type ErrorKind} from '../../errors.js';
import {SETTLE_SECONDS} from '../changes.js';
import {composeStatement} from '../compose.js';
import {byAge, RUN_KEY} from '../draft.js';
import type {Journal} from '../journal.js';
import type {Outcome, RunOptions} from '../outcome.js';
import type {Statement, StatementPlan} from '../plan.js';
import {linkOf, numberOf} from '../../api/statement.js';
import type {JobCustomer, JobFile, Phase, Row} from './job-file.js';
import {EXTERNAL_ID} from './read-statements.js';
import {forEachIn, Slots} from './slots.js';
import {Sweep} from './sweep.js';

/** How a row came out of one round. */
export interface RowNews {
  readonly row: Row;
  readonly phase: Phase;
  /** What kept it from going on, in words. */
  readonly error?: {readonly code: string; readonly message: string};
}

export interface JobOptions extends Pick<RunOptions, 'client' | 'now' | 'sleep'> {
  /** Stops the run: no call is begun any more. */
  readonly signal?: AbortSignal;
  /** Ends the calls that are under way, some seconds later. */
  readonly patience?: AbortSignal;
  readonly job: JobFile;
  /** Rows at a time. */
  readonly concurrency: number;
  /** Milliseconds since the epoch. */
  readonly nowMilliseconds: () => number;
  readonly tell: (news: RowNews) => void;
  /** An error of a row in words. */
  readonly explain: (outcome: Extract<Outcome, {end: 'stopped'}>, plan: StatementPlan) => CentavoError;
  /** What other commands on this machine did to a statement, and the record of what this one does. */
  readonly sends: {
    /** Records that a statement is about to be sent. @throws CentavoError kind `local_io` */
    readonly intend: (id: string) => void;
    readonly ended: (id: string, sent: boolean) => void;
    readonly elsewhere: (id: string) => 'in_doubt' | 'sent' | undefined;
  };
}

/** Rounds in which rows that were held up are tried again. */
const MOST_ROUNDS = 8;
/** So many rows in turn that could not reach the service end the run. */
const MOST_UNAVAILABLE = 10;
/** Another try may succeed. */
const HELD_UP: readonly ErrorKind[] = ['outcome_unknown', 'rate_limited', 'timed_out', 'unavailable'];
/** These concern every row, so the run ends. */
const ENDS_RUN: readonly ErrorKind[] = ['auth', 'config', 'internal', 'interrupted', 'keychain', 'local_io'];

/**
 * Works on everything that is not done. What is left afterwards is failed, in doubt, or waits for another run.
 * @throws CentavoError what ended the run as a whole: Ctrl-C, a refused key, a full disk, a service that cannot be reached
 */
export async function runJob(options: JobOptions): Promise<void> {
  const {job} = options;
  const run = new JobRun(options);
  job.begin();
  try {
    await run.customers();
    await run.rounds(['planned', 'drafting'], (row) => run.draft(row));
    if (job.record.finalize) {
      run.settleSends();
      await run.rounds(['drafted', 'finishing'], (row) => run.finish(row));
    }
  } finally {
    job.end();
  }
}

class JobRun {
  readonly #options: JobOptions;
  readonly #job: JobFile;
  readonly #slots: Slots;
  readonly #sweep: Sweep;
  readonly #client: Client;
  readonly #finalize: boolean;
  readonly #send: boolean;
  /** Unix seconds. */
  readonly #since: number;
  /** Unix seconds. What an earlier process had begun by then may still be applied. */
  readonly #startedAt: number;
  /** Rows with a call whose outcome is not known, and the unix seconds of it. */
  readonly #unsettled = new Map<number, number>();
  #unavailable = 0;
  #ended: unknown;

  constructor(options: JobOptions) {
    const {client, concurrency, job, now, nowMilliseconds, patience, signal, sleep} = options;
    const {finalize, send, createdAt} = job.record;
    this.#options = options;
    this.#job = job;
    this.#slots = new Slots(concurrency, {now: nowMilliseconds, sleep: (milliseconds) => sleep(milliseconds, signal)});
    const onLimited = (seconds?: number): void => this.#slots.slowDown(seconds);
    this.#client = clientOver(client, async (call, given) => client.perform(call, {...given, onLimited}));
    this.#sweep = new Sweep({
      client: this.#client,
      signal: patience,
      since: createdAt,
      isOwn: (key) => job.rowWithKey(key) !== undefined,
    });
    this.#finalize = finalize;
    this.#send = send;
    this.#since = createdAt;
    this.#startedAt = now();
  }

  // --- customers ---

  /** Creates the customers that there are not. */
  async customers(): Promise<void> {
    const missing = function* (job: JobFile): Generator<JobCustomer> {
      for (const customer of job.customers()) if (customer.creates === 1 && customer.id === null) yield customer;
    };
    await this.#each(missing(this.#job), (customer) => this.#createCustomer(customer));
  }

  async #createCustomer({ref, email, name, begun_at: begunAt}: JobCustomer): Promise<void> {
    const {now, patience: signal} = this.#options;
    const key = this.#job.customerKey(ref);
    let unsettledAt = begunAt === null ? undefined : this.#startedAt;
    for (let round = 1; ; round++) {
      if (unsettledAt !== undefined) {
        await this.#settle(unsettledAt);
        const found = await this.#ownCustomer(email!, key);
        if (found !== undefined) return this.#job.setCustomer(ref, {id: found});
      }
      this.#job.setCustomer(ref, {begun_at: now()});
      this.#job.commit();
      try {
        const made = await this.#client.customers.create(
          {name: name!, email: email!, currency: 'PHP', metadata: {[RUN_KEY]: key}},
          {signal},
        );
        return this.#job.setCustomer(ref, {id: made.id});
      } catch (error) {
        if (!(error instanceof CentavoError) || ENDS_RUN.includes(error.kind)) throw error;
        unsettledAt = error.details.applied === 'unknown' ? now() : undefined;
        if (HELD_UP.includes(error.kind) && round < MOST_ROUNDS) continue;
        return this.#failCustomer(ref, error);
      }
    }
  }

  /** The oldest of the customers that this job made for an address; a duplicate is removed, since nothing is billed to it yet. */
  async #ownCustomer(email: string, key: string): Promise<string | undefined> {
    const {patience: signal} = this.#options;
    const {data} = await this.#client.customers.list({email, limit: 100}, {signal});
    const own = data
      .filter(({metadata}) => (metadata as Record<string, unknown> | null)?.[RUN_KEY] === key)
      .sort(byAge);
    for (const {id} of own.slice(1)) await this.#client.customers.delete(id, {signal});
    return own[0]?.id;
  }

  #failCustomer(ref: string, error: CentavoError): void {
    const message = `The customer could not be created: ${wordsOf(error)}`;
    for (const row of this.#job.rows(['planned', 'drafting']))
      if (row.customer === ref) this.#end(row, 'failed', {code: error.code, message});
  }

  // --- rounds ---

  /** Works on the rows in these phases until none of them can go on. */
  async rounds(phases: readonly Phase[], work: (row: Row) => Promise<void>): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      // Nobody can tell whether one whose sending is in doubt was sent, so it is left alone.
      const waiting = function* (job: JobFile): Generator<Row> {
        for (const row of job.rows(phases)) if (row.sent !== 'unknown') yield row;
      };
      if (waiting(this.#job).next().done) return;
      await this.#each(waiting(this.#job), work);
    }
  }

  /** @throws CentavoError what ends the run, when those under way have ended */
  async #each<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
    const isGoing = (): boolean => this.#ended === undefined && !this.#options.signal?.aborted;
    const guarded = (item: Item): Promise<void> =>
      work(item).catch((error: unknown) => {
        this.#ended ??= error;
      });
    await forEachIn(this.#slots, items, guarded, isGoing);
    if (this.#ended !== undefined) throw this.#ended;
    this.#throwIfAborted();
  }

  #throwIfAborted(): void {
    if (this.#options.signal?.aborted)
      throw new CentavoError('interrupted', 'the import was stopped.', {applied: 'unknown'});
  }

  /** Leaves its place to others until what was asked for then must have been applied. @param since unix seconds */
  async #settle(since: number): Promise<void> {
    const {now, signal} = this.#options;
    const left = Math.min(SETTLE_SECONDS, since + SETTLE_SECONDS - now());
    if (left > 0) await this.#sleep(left * 1000, signal);
  }

  async #sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.#slots.release();
    await this.#options.sleep(milliseconds, signal).catch(() => {});
    await this.#slots.acquire();
    this.#throwIfAborted();
  }

  /** A process that was killed right after a send may have recorded it in the history. */
  settleSends(): void {
    for (const row of this.#job.rows(['finishing']))
      if (row.sent === 'unknown' && row.id !== null && this.#options.sends.elsewhere(row.id) === 'sent')
        this.#job.setRow(row.n, {sent: 'yes', phase: 'done', status: 'open'});
  }

  // --- one row ---

  async draft(row: Row): Promise<void> {
    const customer = this.#job.customer(row.customer)!;
    if (customer.id === null) return;
    // An earlier process may have created it without learning its id, and then it may be there twice.
    const isDoubted = row.phase === 'drafting' && row.id === null;
    if (isDoubted) this.#job.setRow(row.n, {doubted: 1});
    const outcome = await this.#compose(row, {
      ...this.#planOf(isDoubted ? {...row, doubted: 1} : row),
      create: {
        currency: 'PHP',
        customer_id: customer.id,
        ...(row.description !== null && {description: row.description}),
        metadata: {...(JSON.parse(row.metadata ?? '{}') as object), [EXTERNAL_ID]: row.external_id},
      },
      finalize: false,
      send: false,
    });
    if (outcome) this.#end(row, this.#finalize ? 'drafted' : 'done', undefined, outcome);
  }

  async finish(row: Row): Promise<void> {
    const customer = this.#job.customer(row.customer)!;
    const outcome = await this.#compose(row, {
      ...this.#planOf(row),
      create: {currency: 'PHP', customer_id: customer.id!},
      finalize: true,
      send: this.#send,
    });
    if (outcome) this.#end(row, 'done', undefined, outcome);
  }

  #planOf({
    n,
    id,
    key,
    due_at: dueAt,
    phase,
    doubted,
    inherited,
    opened,
  }: Row): Omit<StatementPlan, 'finalize' | 'send'> {
    const unsettledAt = this.#unsettled.get(n) ?? (inherited === 1 ? this.#startedAt : undefined);
    return {
      ...(id !== null && {id}),
      items: this.#job.itemsOf(n),
      ...(dueAt !== null && {dueAt}),
      job: {
        key,
        since: this.#since,
        begun: phase !== 'planned',
        doubted: doubted === 1,
        opened: opened === 1,
        ...(unsettledAt !== undefined && {unsettledAt}),
      },
    };
  }

  /** @returns the statement when everything that was asked for is so; undefined when the row is held up or has failed */
  async #compose(row: Row, plan: StatementPlan): Promise<Statement | undefined> {
    const {explain, now, patience: signal} = this.#options;
    const outcome = await composeStatement(plan, {
      client: this.#client,
      journal: this.#journalOf(row.n),
      signal,
      now,
      token: () => row.key,
      search: this.#sweep.search,
      sleep: (milliseconds) => this.#sleep(milliseconds, this.#options.signal),
      tell: (news) => {
        if (news.what === 'doubt' && news.step === 'draft') this.#job.setRow(row.n, {doubted: 1});
      },
    });
    if (outcome.end === 'stopped' && outcome.state.applied === 'unknown') this.#unsettled.set(row.n, now());
    else this.#unsettled.delete(row.n);
    this.#job.setRow(row.n, {inherited: 0});
    if (outcome.end === 'done') {
      this.#unavailable = 0;
      if (outcome.sentBefore) this.#job.setRow(row.n, {sent: 'yes'});
      return outcome.statement;
    }
    const error = explain(outcome, plan);
    const {kind} = outcome.stop.why === 'failed' ? outcome.stop.error : error;
    if (ENDS_RUN.includes(kind)) throw error;
    const isSendInDoubt = this.#job.row(row.n).sent === 'unknown';
    const said = {code: error.code, message: wordsOf(error)};
    if (outcome.stop.why === 'failed' && HELD_UP.includes(kind) && !isSendInDoubt) {
      this.#job.setRow(row.n, {error_code: said.code, error: said.message});
      this.#options.tell({row, phase: row.phase, error: said});
      this.#unavailable = kind === 'unavailable' ? this.#unavailable + 1 : 0;
      if (this.#unavailable >= MOST_UNAVAILABLE) throw error;
      return undefined;
    }
    this.#end(row, isSendInDoubt ? 'finishing' : 'failed', said);
    return undefined;
  }

  /** Of the calls for a draft only the first is written down before it is made: the draft is read, whichever of them was the last. */
  #journalOf(n: number): Journal {
    const {sends} = this.#options;
    let statement = this.#job.row(n).id;
    const write = (values: Partial<Row>): void => {
      this.#job.setRow(n, values);
      this.#job.commit();
    };
    return {
      intend: (step) => {
        // After Ctrl-C the calls under way end, and no other is begun.
        this.#throwIfAborted();
        if (step === 'draft') write({phase: 'drafting'});
        if (step === 'finalize') write({phase: 'finishing', opened: 1});
        if (step !== 'send') return;
        sends.intend(statement!);
        write({phase: 'finishing', sent: 'unknown'});
      },
      made: (id) => {
        if (!id.startsWith('bstm_')) return;
        statement = id;
        this.#job.setRow(n, {id});
      },
      sendEnded: (id, sent) => {
        sends.ended(id, sent);
        this.#job.setRow(n, {sent: sent ? 'yes' : 'no'});
      },
      earlier: (id) => ({unsettled: false, send: sends.elsewhere(id)}),
    };
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
    this.#slots.succeeded();
    this.#options.tell({row: this.#job.row(row.n), phase, ...(error && {error})});
  }
}

/** An error in one line. */
const wordsOf = ({message, details: {why, apiErrors}}: CentavoError): string =>
  [message, why ?? apiErrors?.[0]?.detail].filter(Boolean).join(' ');
