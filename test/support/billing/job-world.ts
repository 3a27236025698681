// A service in virtual time for imports: many rows at once, answers lost, late and refused at random, processes killed, a disk that
// fills up and a clock that jumps. Whatever comes of it is compared with what the account then has.

import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ApiRequest, ApiResponse, Transport} from '../../../src/api/wire.js';
import {PLAN_KEY} from '../../../src/billing/compose/draft.js';
import {findExisting} from '../../../src/billing/import/existing-statements.js';
import {findCustomers} from '../../../src/billing/import/existing-customers.js';
import {JobFile} from '../../../src/billing/import/job/file.js';
import type {Row} from '../../../src/billing/import/job/facts.js';
import {readStatements} from '../../../src/billing/import/read-statements.js';
import type {SheetRow as FileRow} from '../../../src/input/spreadsheet/read.js';
import {runJob} from '../../../src/billing/import/run.js';
import {Workers} from '../../../src/billing/import/workers.js';
import {differenceOf, itemsOf, type Statement} from '../../../src/billing/compose/plan.js';
import {explainStop} from '../../../src/commands/billing-statements/shared/compose/end.js';
import {clientOver, createClient, type Client} from '../../../src/client/client.js';
import {TransportError} from '../../../src/client/call-errors.js';
import {CentavoError, type Applied} from '../../../src/ground/errors.js';
import {createSandbox} from '../../../src/sandbox/sandbox.js';
import {seededRandom} from '../../../src/ground/random.js';

/** Chances of each fault, of 1, at each change. */
export interface Rates {
  readonly before: number;
  readonly reset: number;
  readonly after: number;
  readonly late: number;
  /** At each request, reads too. */
  readonly kill: number;
  readonly limited: number;
  /** At each commit of the journal. */
  readonly full: number;
}

export const RATES: Rates = {
  before: 0.05,
  reset: 0.05,
  after: 0.05,
  late: 0.03,
  kill: 0.01,
  limited: 0.01,
  full: 0.004,
};
export const NO_FAULTS: Rates = {before: 0, reset: 0, after: 0, late: 0, kill: 0, limited: 0, full: 0};

/** What goes wrong on purpose, to prove that the checks see it. */
export type Planted = 'count a doubt as done' | 'finalize before the journal' | 'repeat a send' | 'skip the sweep';

/** The job, where there is no other. */
const ONLY = 'job_test';
const PATIENCE = 1000;
const LATEST = 10_000;
const PACE = 20;
const MOST_RUNS = 60;

export interface Verdict {
  readonly lost: number;
  readonly doubled: number;
  readonly wrongAmounts: number;
  readonly secondEmails: number;
  /** Told otherwise than it is. */
  readonly falseWords: string[];
  readonly runs: number;
  readonly faults: number;
  readonly requests: number;
  readonly done: number;
  readonly unknown: number;
}

/** A folder in memory, where the system has one: the disk takes longer than everything else. */
export const jobFolder = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'centavo-job-'));

export class JobWorld {
  /** Milliseconds since the epoch, by the clock of the service. */
  now = 1_800_000_000_000;
  /** What the clock of the machine is ahead. */
  #ahead = 0;
  readonly #chance: () => number;
  readonly sandbox = createSandbox({now: () => Math.floor(this.now / 1000)});
  readonly #folder = jobFolder();
  #timers: {at: number; resolve: () => void; service: boolean}[] = [];
  #isDead = false;
  /** What the history of each job's machine has: statements whose sending was begun, and how it ended. */
  readonly #history = new Map<string, 'in_doubt' | 'sent'>();
  /** Whether the last run said that it had changed anything. */
  applied: Applied | undefined;
  faults = 0;
  requests = 0;
  runs = 0;
  /** Answers a request in another way, or does something before it; `handle` is what the service makes of it. */
  meddle: (request: ApiRequest, handle: () => Promise<ApiResponse>) => Promise<ApiResponse> = (_, handle) => handle();

  constructor(
    seed: number,
    readonly rates: Rates,
    readonly planted?: Planted,
  ) {
    this.#chance = seededRandom(seed);
  }

  /** The process dies while it waits for an answer. */
  kill(): Promise<never> {
    this.#isDead = true;
    return new Promise(() => {});
  }

  /** Waits at the service, whatever becomes of the process. */
  later(milliseconds: number): Promise<void> {
    return this.#sleep(milliseconds, true);
  }

  #path(name: string): string {
    return join(this.#folder, 'jobs', `${name}.db`);
  }

  close(): void {
    rmSync(this.#folder, {recursive: true, force: true});
  }

  #roll(rate: number): boolean {
    return rate > 0 && this.#chance() < rate;
  }

  #sleep(milliseconds: number, service = false): Promise<void> {
    return new Promise((resolve) => this.#timers.push({at: this.now + milliseconds, resolve, service}));
  }

  /** Lets time pass until this is settled, or the process is dead. */
  async #drive<T>(work: Promise<T>): Promise<T | undefined> {
    let settled = false;
    const done = work.finally(() => (settled = true));
    done.catch(() => {});
    for (let idle = 0; !settled && !this.#isDead;) {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (settled || this.#isDead) break;
      if (!this.#next() && ++idle > 1000) throw new Error('Nothing happens any more.');
    }
    return this.#isDead ? undefined : done;
  }

  /** Lets the next timer ring. */
  #next(): boolean {
    if (this.#timers.length === 0) return false;
    const next = this.#timers.reduce((first, each) => (each.at < first.at ? each : first));
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.now = Math.max(this.now, next.at);
    next.resolve();
    return true;
  }

  #transport(): Transport {
    return async (request: ApiRequest): Promise<ApiResponse> => {
      const forever = new Promise<never>(() => {});
      this.requests++;
      await this.#sleep(PACE * (0.5 + this.#chance()));
      const isWrite = request.method !== 'GET';
      const kills = this.#roll(this.rates.kill);
      if (kills) this.faults++;
      if (kills && this.#chance() < 0.5) {
        this.#isDead = true;
        return forever;
      }
      const fault = isWrite ? this.#fault() : undefined;
      if (fault === 'before') return answer(503, 'service_unavailable');
      if (fault === 'limited') return answer(429, 'rate_limited', {'retry-after': '2'});
      if (fault === 'late') {
        const late = this.#sleep(PATIENCE + this.#chance() * (LATEST - PATIENCE), true);
        void late.then(() => this.#handle(request));
        await this.#sleep(PATIENCE);
        throw new TransportError('no answer in time', {sent: true});
      }
      const response = await this.#handle(request);
      if (kills) {
        this.#isDead = true;
        return forever;
      }
      if (fault === 'reset') throw new TransportError('the connection was reset', {sent: true});
      if (fault === 'after') return answer(500, 'internal_system_error');
      return response;
    };
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    return this.meddle(request, async () => this.sandbox.handle(request));
  }

  #fault(): 'after' | 'before' | 'late' | 'limited' | 'reset' | undefined {
    for (const fault of ['before', 'reset', 'after', 'late', 'limited'] as const) {
      if (!this.#roll(this.rates[fault])) continue;
      this.faults++;
      return fault;
    }
    return undefined;
  }

  #client(): Client {
    const client = createClient({
      key: this.sandbox.keys.secret,
      transport: this.#transport(),
      now: () => this.now,
      sleep: (milliseconds) => this.#sleep(milliseconds),
      random: this.#chance,
      timeout: 86_400_000,
    });
    if (this.planted === 'skip the sweep')
      return over(
        client,
        (call) => call.resource.topic === 'billing-statements' && call.verb === 'list',
        async () => ({
          resource: 'list',
          has_more: false,
          data: [],
        }),
      );
    if (this.planted === 'count a doubt as done')
      return over(
        client,
        (call) => call.verb === 'send' || call.resource.topic === 'billing-statement-line-items',
        async (call, perform) =>
          perform().catch((error: CentavoError) => {
            if (error.details.applied !== 'unknown') throw error;
            return {...call.params, id: `bstm_li_${this.requests}`};
          }),
      );
    return client;
  }

  #openJob(name: string): JobFile {
    const job = JobFile.open(this.#path(name));
    const commit = job.commit.bind(job);
    job.commit = () => {
      if (this.#roll(this.rates.full)) {
        this.faults++;
        throw new CentavoError('local_io', 'the disk is full.', {applied: 'no'});
      }
      if (this.planted !== 'finalize before the journal') commit();
    };
    if (this.planted === 'repeat a send') {
      const setRow = job.setRow.bind(job);
      job.setRow = (n, values) => setRow(n, values.sent === 'unknown' ? {...values, sent: 'no'} : values);
    }
    return job;
  }

  /** Makes the job of a file. @param options `name` is that of the job, when there are several */
  async stage(
    rows: readonly FileRow[],
    options: {readonly finalize?: boolean; readonly send?: boolean; readonly name?: string} = {},
  ): Promise<void> {
    const {finalize = true, send = true, name = ONLY} = options;
    const seconds = Math.floor(this.now / 1000);
    const facts = {
      source: 'test.csv',
      profile: 'sandbox',
      mode: 'sandbox',
      account: 'sandbox',
      createdAt: seconds,
      resultFile: null,
    } as const;
    const job = JobFile.create(this.#path(name), {id: name, ...facts, finalize, send});
    const faults: unknown[] = [];
    await readStatements(rows, job, {finalize, now: seconds, onFault: (fault) => faults.push(fault)});
    const client = createClient({
      key: this.sandbox.keys.secret,
      transport: (request) => this.#handle(request),
    });
    const around = {concurrency: 1, now: () => seconds, nowMilliseconds: () => this.now, sleep: async () => {}};
    await findCustomers(job, new Workers({client, ...around}), {}, (fault) => faults.push(fault));
    for await (const existing of findExisting(job, client, {})) faults.push(existing);
    job.close();
    if (faults.length > 0) throw new Error(JSON.stringify(faults));
  }

  /** One process. @param retries whether rows that failed are tried again @returns what ended it early */
  async run(name = ONLY, {retries = false, allowDuplicate = false} = {}): Promise<'killed' | CentavoError | undefined> {
    this.runs++;
    this.#isDead = false;
    this.#timers = this.#timers.filter(({service}) => service);
    const job = this.#openJob(name);
    const owner = {pid: this.runs, startedAt: this.runs};
    job.claim(owner, this.#seconds(), () => false);
    if (retries) job.retryFailed();
    try {
      const work = runJob({
        client: this.#client(),
        job,
        concurrency: 4,
        now: () => this.#seconds(),
        nowMilliseconds: () => this.now + this.#ahead,
        sleep: (milliseconds) => this.#sleep(milliseconds),
        allowDuplicate,
        tell: () => {},
        explain: ({stop, state}, plan) => explainStop(stop, state, plan, ''),
        sends: {
          intend: (id) => void this.#history.set(name + id, 'in_doubt'),
          ended: (id, sent) => {
            if (sent) this.#history.set(name + id, 'sent');
            else this.#history.delete(name + id);
          },
          elsewhere: (id) => this.#elsewhere(id, job),
        },
      });
      const end = await this.#drive(work);
      if (this.#isDead) return 'killed';
      this.applied = end?.applied;
      if (end?.error !== undefined && !(end.error instanceof CentavoError)) throw end.error;
      job.release(owner, end?.error === undefined ? 'ended' : 'running', 0);
      return end?.error;
    } finally {
      job.close();
    }
  }

  /** By the clock of the machine. */
  #seconds(): number {
    return Math.floor((this.now + this.#ahead) / 1000);
  }

  /** What other processes did: the intention of this one does not count. */
  #elsewhere(id: string, job: JobFile): 'in_doubt' | 'sent' | undefined {
    if (this.planted === 'repeat a send') return undefined;
    const own = job.rowOf(id);
    const said = this.#history.get(job.id + id);
    return said === 'sent' ? 'sent' : own?.sent === 'unknown' ? undefined : said;
  }

  /** Runs until everything is done, failed or in doubt. */
  async runToEnd(): Promise<void> {
    for (;;) {
      const ended = await this.run();
      // The next run comes soon, or the next day; and clocks are set back.
      this.now += this.#chance() < 0.5 ? 500 : this.#chance() * 60_000;
      if (this.#roll(0.05)) this.#ahead += (this.#chance() - 0.5) * 7_200_000;
      const rows = this.rows();
      const isOver = rows.every(({phase, sent}) => phase === 'done' || phase === 'failed' || sent === 'unknown');
      if ((ended === undefined && isOver) || this.runs >= MOST_RUNS) break;
    }
    // What is late comes.
    while (this.#timers.length > 0) {
      this.#next();
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  rows(name = ONLY): Row[] {
    const job = JobFile.open(this.#path(name));
    try {
      return [...job.rows()];
    } finally {
      job.close();
    }
  }

  /** What each row is to have, by its number. */
  #items() {
    const job = JobFile.open(this.#path(ONLY));
    try {
      return new Map([...job.rows()].map(({n}) => [n, job.itemsOf(n)]));
    } finally {
      job.close();
    }
  }

  async statements(): Promise<Statement[]> {
    const client = createClient({key: this.sandbox.keys.secret, transport: this.sandbox.handle});
    const all: Statement[] = [];
    for await (const statement of client.billingStatements.list({limit: 100})) all.push(statement as Statement);
    return all;
  }

  /** How often a statement was e-mailed. */
  emails(id: string): number {
    return this.#emailed().filter((each) => each === id).length;
  }

  /** Ids of the statements that were e-mailed, as often as they were. */
  #emailed(): string[] {
    const {data} = this.sandbox.perform((work) => work.store.list('event', {limit: 100_000}));
    return (data as any[]).filter(({type}) => type === 'billing_statement.sent').map(({data: {id}}) => id as string);
  }

  /** Compares what is told with what is so. */
  async judge(): Promise<Verdict> {
    const statements = await this.statements();
    const rows = this.rows();
    const wanted = this.#items();
    const emailed = this.#emailed();
    const falseWords: string[] = [];
    let [lost, doubled, wrongAmounts, secondEmails] = [0, 0, 0, 0];
    for (const row of rows) {
      const own = statements.filter(({metadata}) => (metadata as any)?.[PLAN_KEY] === row.key);
      if (own.length > 1) doubled++;
      if (own.length === 0 && row.phase === 'done') lost++;
      if (row.phase !== 'done' && row.phase !== 'failed' && row.sent !== 'unknown') lost++;
      for (const statement of own) {
        const emails = emailed.filter((id) => id === statement.id).length;
        if (emails > 1) secondEmails++;
        const {missing, surplus, foreign} = differenceOf(wanted.get(row.n)!, itemsOf(statement));
        const isWrong = missing.length + surplus.length + foreign.length > 0 || statement.amount !== row.amount;
        if (emails > 0 && isWrong) wrongAmounts++;
        if (row.phase === 'done' && statement.id === row.id && isWrong)
          falseWords.push(`${row.external_id} is done, with other items`);
        if (row.sent === 'yes' && statement.id === row.id && emails !== 1)
          falseWords.push(`${row.external_id} is sent, ${emails} times`);
        if (row.phase === 'failed') falseWords.push(`${row.external_id} failed: ${row.error}`);
        if (row.sent === 'no' && emails > 0) falseWords.push(`${row.external_id} is not sent, and was`);
      }
    }
    return {
      ...{lost, doubled, wrongAmounts, secondEmails, falseWords},
      runs: this.runs,
      faults: this.faults,
      requests: this.requests,
      done: rows.filter(({phase}) => phase === 'done').length,
      unknown: rows.filter(({sent}) => sent === 'unknown').length,
    };
  }
}

/** A client that answers some calls in another way. */
function over(
  client: Client,
  which: (call: Parameters<Client['perform']>[0]) => boolean,
  answerTo: (call: Parameters<Client['perform']>[0], perform: () => Promise<unknown>) => Promise<unknown>,
): Client {
  return clientOver(client, async (call, options) => {
    const perform = async (): Promise<unknown> => client.perform(call, options);
    return which(call) ? answerTo(call, perform) : perform();
  });
}

const answer = (status: number, code: string, headers = {}): ApiResponse => ({
  status,
  headers: {'content-type': 'application/json', ...headers},
  body: Buffer.from(JSON.stringify({errors: [{code, detail: 'Not now.'}]})),
});

/** Rows of a file: statements of one to three items, customers that come several times, some of them new. */
export function someRows(count: number, chance: () => number): FileRow[] {
  const rows: FileRow[] = [];
  for (let n = 1; n <= count; n++) {
    const who = Math.floor(chance() * count * 0.7);
    const items = 1 + Math.floor(chance() * 3);
    for (let item = 1; item <= items; item++)
      rows.push({
        line: rows.length + 2,
        faults: [],
        place: (field) => ({line: rows.length + 2, column: field}),
        cells: new Map(
          Object.entries({
            external_id: `JUNE-${n}`,
            customer_email: `payer${who}@example.com`,
            customer_name: `Payer ${who}`,
            item: chance() < 0.3 ? 'Rent' : `Item ${item}`,
            quantity: String(1 + Math.floor(chance() * 5)),
            unit_price: `${100 + Math.floor(chance() * 10_000)}.50`,
            due: '2031-12-15',
          }),
        ),
      });
  }
  return rows;
}
