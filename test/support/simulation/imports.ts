// Machines that import files: each keeps its jobs on a disk, and a history of what it sent. What a command does there is the command's
// own code, from the look at the account to the last row; only the terminal and the network are the world's.

import {setMaxListeners} from 'node:events';
import {join} from 'node:path';
import * as imports from '../../../src/billing/import/index.js';
import {HTTP_TIMING, type ServiceTiming} from '../../../src/billing/statement/workflow/service-timing.js';
import type {StatementRow, JobTally} from '../../../src/billing/import/job/job-types.js';
import type {JobFile} from '../../../src/billing/import/job/job-file.js';
import {readAccountBefore, type ImportFlags} from '../../../src/commands/billing-statements/import.js';
import {NO_HISTORY, standingOf} from '../../../src/accounting/standing.js';
import {explainLoss} from '../../../src/billing/import/cli/run-import.js';
import {explainStop} from '../../../src/billing/statement/cli/explain-stop.js';
import {adoptExisting} from '../../../src/billing/import/cli/adopt-existing.js';
import {refuseIfBegun, replaceBegun} from '../../../src/billing/import/cli/begun-jobs.js';
import {checkAccount, jobPath, removeJob, UNDONE} from '../../../src/billing/import/cli/find-jobs.js';
import {withRecheck, findCreatedSince} from '../../../src/billing/import/cli/recheck-account.js';
import type {Context} from '../../../src/context/context.js';
import {CentavoError, refusedError, type Applied} from '../../../src/common/errors.js';
import type {SheetRow} from '../../../src/input/spreadsheet/read.js';
import type {Database} from '../../../src/storage/sqlite.js';
import {patient, type Around, type Item, type World} from './world.js';

export type Until = 'draft' | 'open' | 'sent';

/** One statement of a file. */
export interface Bill {
  readonly externalId: string;
  /** An existing customer by id, or any by address and name. */
  readonly payer: {readonly id: string} | {readonly email: string; readonly name: string};
  readonly items: readonly Item[];
  readonly description?: string;
}

/** The due date of every statement, and its end in Manila. */
const DUE = '2031-12-15';
export const DUE_AT = Date.parse(`${DUE}T23:59:59+08:00`) / 1000;

/** The rows of a file: one for each item. */
export const sheetOf = (bills: readonly Bill[]): SheetRow[] =>
  bills
    .flatMap(({externalId, payer, items, description = ''}) =>
      items.map((item) => ({
        external_id: externalId,
        ...('id' in payer ? {customer: payer.id} : {customer_email: payer.email, customer_name: payer.name}),
        item: item.description,
        quantity: String(item.quantity),
        unit_price: (item.unit_price / 100).toFixed(2),
        due: DUE,
        description,
      })),
    )
    .map((cells, index) => ({
      line: index + 2,
      faults: [],
      place: (field) => ({line: index + 2, column: field}),
      cells: new Map(Object.entries(cells)),
      all: Object.values(cells),
    }));

/** The flags and answers of a person. */
export interface Wishes {
  readonly until: Until;
  /** `--adopt` without a question. */
  readonly adopt?: boolean;
  readonly allowDuplicate?: boolean;
  /** `--retry-failed` */
  readonly retries?: boolean;
  readonly concurrency?: number;
  /** Over HTTP by default. */
  readonly timing?: ServiceTiming;
  /** Milliseconds until the first question is answered; not asked if omitted. */
  readonly hesitates?: number;
  /** Answers, possibly late, whether the other run has ended; no answer if omitted. */
  readonly hasEnded?: (around: Around) => Promise<boolean>;
}

/** The report of a process at its end, and its job on disk. */
export interface ImportSaid {
  readonly run: number;
  readonly machine: string;
  /** Milliseconds. */
  readonly at: number;
  readonly until: Until;
  readonly rows: readonly StatementRow[];
  readonly tally: JobTally;
  readonly applied: Applied;
  /** Code of the error that ended it. */
  readonly error: string | undefined;
}

/** The end of a process. `refused`: before it started. */
export type ImportEnd =
  | {readonly end: 'killed'}
  | {readonly end: 'refused'; readonly error: CentavoError}
  | {readonly end: 'worked'; readonly said: ImportSaid};

/** Faults of the computer itself. */
export interface Trouble {
  /** True if the disk is full for this commit. */
  readonly isFull?: () => boolean;
}

interface Send {
  readonly id: string;
  readonly run: number;
  /** Unix seconds. */
  readonly at: number;
  state: 'in_doubt' | 'not' | 'sent';
}

export class ImportMachine {
  readonly #sends: Send[] = [];
  readonly #alive = new Set<number>();
  readonly #folder: string;
  readonly #trouble: Trouble;
  #jobs = 0;
  /** The latest job, and all jobs. */
  jobId: string | undefined;
  readonly jobIds = new Set<string>();
  /** The wanted end of each run. */
  readonly wanted = new Map<number, Until>();
  /** True while a process works on a job, beyond reads and questions. */
  isWorking = false;
  readonly said: ImportSaid[] = [];
  /** True if its last process finished. */
  hasEnded = false;
  /** Start of each run, in milliseconds. */
  readonly begun = new Map<number, number>();
  kills = 0;
  /** The bills in the file of each run. */
  bills: readonly Bill[] = [];

  /** @param folder contains one folder per machine */
  constructor(
    readonly name: string,
    readonly world: World,
    folder: string,
    trouble: Trouble = {},
  ) {
    this.#folder = join(folder, name);
    this.#trouble = trouble;
  }

  /** `billing-statements import` */
  imports(bills: readonly Bill[], wishes: Wishes, own: Parameters<World['start']>[2] = {}): Promise<ImportEnd> {
    this.bills = bills;
    return this.#process(wishes, own, async (context, around) => {
      const id = `job_${this.name.toLowerCase()}${String(this.#jobs++).padStart(9, '0')}`;
      const now = context.now();
      const job = guarded(
        imports.JobFile.create(jobPath(context, id), {
          ...{id, source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox', result_file: null},
          ...{
            period: null,
            digest: '',
            created_at: now,
            finalize: wishes.until !== 'draft',
            send: wishes.until === 'sent',
          },
        }),
        around,
        this.#isFull,
      );
      const flags: ImportFlags = {
        ...{finalize: wishes.until !== 'draft', send: wishes.until === 'sent', adopt: wishes.adopt ?? false},
        ...{map: new Map(), tableWords: [], item: undefined, dueAt: undefined, allowRepeated: true},
        ...{otherNames: 'accept', mayAsk: false, allowDuplicate: wishes.allowDuplicate ?? false},
        ...{concurrency: wishes.concurrency ?? 4, retries: false, resultFile: null},
        ...{source: 'june.csv', open: () => [], period: null, digest: '', billsAgain: false},
      } as ImportFlags;
      const begin = async (): Promise<void> => {
        await imports.readRowsIntoJob(sheetOf(bills), job, {
          ...{finalize: flags.finalize, allowRepeated: true, now},
          onFault: (fault) => {
            throw new Error(`The file is wrong: ${JSON.stringify(fault)}`);
          },
        });
        await replaceBegun(context, job, false, false);
        const {already} = await readAccountBefore(context, job, flags, (line) => ({line, column: null}));
        if (already) throw refusedError('billed_before', 'everything was billed.');
        await this.#ask(context, job, wishes, around);
      };
      const prepare = (): Promise<void> => refuseIfBegun(context, job, 'unfinished');
      const ended = await this.#work(context, around, job, wishes, begin, prepare);
      if (ended.end === 'refused') removeJob(context, id);
      return ended;
    });
  }

  /** `jobs resume` of the latest job. */
  resumes(wishes: Wishes, own: Parameters<World['start']>[2] = {}): Promise<ImportEnd> {
    return this.#process(wishes, own, async (context, around) => {
      const job = guarded(imports.JobFile.open(this.#path), around, this.#isFull);
      const retries = wishes.retries ?? false;
      const over = new Set<string>();
      const begin = async (): Promise<void> => {
        await checkAccount(context, job);
        job.refuseIfTaken(identityOf(around), context.isAlive);
        const {adopt: adopts = false, allowDuplicate = false} = wishes;
        const flags = {retries, concurrency: 4, adopt: adopts, allowDuplicate, ended: over};
        const made = await findCreatedSince(context, job, flags);
        if (made.length > 0) await adoptExisting(context, job, made, {adopts});
        await this.#ask(context, job, wishes, around);
      };
      const prepare = async (): Promise<void> => {
        await refuseIfBegun(context, job, 'running');
        if (retries) job.retryFailed();
      };
      return this.#work(context, around, job, wishes, begin, prepare, over);
    });
  }

  /** True if the latest job has remaining work. */
  hasLeft(retries: boolean): boolean {
    return this.#read((job) => job.remainingRows(retries, []).statements > 0) ?? false;
  }

  /** The latest job, from disk. */
  rows(): readonly StatementRow[] {
    return this.#read((job) => [...job.rows()]) ?? [];
  }

  #isFull = (): boolean => this.isWorking && (this.#trouble.isFull?.() ?? false);

  get #path(): string {
    return join(this.#folder, 'jobs', `${this.jobId}.db`);
  }

  #read<T>(read: (job: JobFile) => T): T | undefined {
    if (this.jobId === undefined) return undefined;
    const job = imports.JobFile.open(this.#path);
    try {
      return read(job);
    } finally {
      job.close();
    }
  }

  async #process(
    wishes: Wishes,
    own: Parameters<World['start']>[2],
    work: (context: Context, around: Around) => Promise<ImportEnd>,
  ): Promise<ImportEnd> {
    let run = -1;
    this.hasEnded = false;
    const ended = await this.world.start(
      this.name,
      (around) => {
        ({run} = around);
        this.#alive.add(run);
        this.wanted.set(run, wishes.until);
        return work(this.#context(around, wishes), around);
      },
      own,
    );
    this.#alive.delete(run);
    this.isWorking = false;
    // Closes the files of a dead process.
    for (const job of this.#open.splice(0)) job.close();
    if (ended.ended === 'killed') this.kills++;
    if (ended.ended === 'killed') return {end: 'killed'};
    if (!ended.value) throw ended.ended === 'interrupted' ? ended.error : new Error('It returned nothing.');
    if (ended.value.end === 'worked') {
      this.said.push(ended.value.said);
      this.hasEnded = ended.value.said.error === undefined;
    }
    return ended.value;
  }

  readonly #open: JobFile[] = [];

  /** The first question, and the read after it. */
  async #ask(context: Context, job: JobFile, wishes: Wishes, around: Around): Promise<void> {
    if (wishes.hesitates === undefined) return;
    const {allowDuplicate = false, retries = false} = wishes;
    const change = {command: 'import', needsConfirmation: true, ids: [], known: {action: 'bill'}};
    const {lookUp} = withRecheck(context, job, {allowDuplicate, retries, adopt: false, concurrency: 4}, change);
    await lookUp!();
    await around.sleep(wishes.hesitates, around.signal).catch(() => {
      throw new CentavoError('interrupted', 'nobody answered.', {applied: 'no'});
    });
    await lookUp!();
  }

  /** From the first read to the end, as the commands do it. */
  async #work(
    context: Context,
    around: Around,
    job: JobFile,
    wishes: Wishes,
    begin: () => Promise<void>,
    prepare: () => Promise<void>,
    ended: ReadonlySet<string> = new Set(),
  ): Promise<ImportEnd> {
    this.#open.push(job);
    const owner = identityOf(around);
    try {
      await begin();
      around.dies();
      job.claim(owner, context.isAlive);
      await prepare();
    } catch (error) {
      around.dies();
      this.#close(job);
      if (error instanceof CentavoError) return {end: 'refused', error};
      throw error;
    }
    this.jobId = job.id;
    this.jobIds.add(job.id);
    this.isWorking = true;
    this.begun.set(around.run, this.world.now());
    const end = await runsJob(context, around, job, wishes, ended, this.#history(around));
    around.dies();
    let {error} = end;
    try {
      job.release(owner, error === undefined ? 'ended' : 'running', context.now());
    } catch (failure) {
      error ??= failure;
    }
    if (error !== undefined && !(error instanceof CentavoError)) throw error;
    const said: ImportSaid = {
      ...{run: around.run, machine: this.name, at: this.world.now(), until: wishes.until},
      ...{rows: [...job.rows()], tally: job.tally, applied: end.applied, error: error?.code ?? error?.kind},
    };
    this.#close(job);
    return {end: 'worked', said};
  }

  #close(job: JobFile): void {
    this.#open.splice(this.#open.indexOf(job), 1);
    job.close();
  }

  /** The sends of this machine's commands. */
  #history({run, dies}: Around) {
    const seconds = (): number => Math.floor(this.world.now() / 1000);
    return {
      recordIntent: (id: string): void => {
        dies();
        this.#sends.push({id, run, at: seconds(), state: 'in_doubt'});
      },
      recordEnd: (id: string, sent: boolean): void => {
        dies();
        const own = this.#sends.findLast((each) => each.id === id && each.run === run);
        if (own) own.state = sent ? 'sent' : 'not';
      },
      earlierSend: (id: string, after: number | null): 'in_doubt' | 'sent' | undefined => {
        const others = this.#sends.filter((each) => each.id === id && each.run !== run && each.state !== 'not');
        const last = others.at(-1);
        return last && last.state !== 'not' && (after === null || last.at > after) ? last.state : undefined;
      },
    };
  }

  /** The parts of a context that imports use. */
  #context(around: Around, wishes: Wishes): Context {
    const {client, signal, sleep, token} = around;
    const now = (): number => Math.floor(around.steadyNow() / 1000);
    const connection = {mode: 'sandbox', profile: {value: 'sandbox'}};
    const io = {progress: () => {}, note: () => {}, checkSignal: async () => {}, canAsk: wishes.hasEnded !== undefined};
    return {
      ...{signal, sleep, token, now, steadyNow: around.steadyNow, io, accountNow: async () => around.now(), flags: {}},
      ...{accountId: async () => 'sandbox', serviceNow: async () => around.now(), displayNow: around.now},
      ...{client: async () => client, connection: async () => connection, imports: async () => imports},
      history: async () => ({money: () => NO_HISTORY}),
      changeLog: async () => ({
        lastSend: (id: string) =>
          this.#sends.findLast((each) => each.id === id && each.run !== around.run && each.state !== 'not'),
      }),
      dataDirectory: () => this.#folder,
      isAlive: (pid: number) => this.#alive.has(pid),
      host: {identity: identityOf(around)},
      prompt: {
        confirm: () =>
          wishes.hasEnded!(around).catch(() => {
            throw new CentavoError('interrupted', 'nobody answered.', {applied: 'no'});
          }),
      },
    } as unknown as Context;
  }
}

const identityOf = ({run}: Around) => ({pid: run, startedAt: run});

/** Milliseconds until running calls are aborted after Ctrl-C. */
const PATIENCE = 5000;

async function runsJob(
  context: Context,
  around: Around,
  job: JobFile,
  {allowDuplicate = false, concurrency = 4, timing = HTTP_TIMING}: Wishes,
  ended: ReadonlySet<string>,
  sends: Parameters<typeof imports.runJob>[0]['sends'],
): Promise<Awaited<ReturnType<typeof imports.runJob>>> {
  const {client, serviceAhead, signal, steadyNow} = around;
  const sleep = patient(around.sleep);
  const abortCalls = new AbortController();
  // As the command does.
  setMaxListeners(0, signal, abortCalls.signal);
  const abortLater = (): void => void sleep(PATIENCE).then(() => abortCalls.abort());
  signal.addEventListener('abort', abortLater, {once: true});
  if (signal.aborted) abortLater();
  const options = {
    ...{client, job, concurrency, signal, sleep, sends, allowDuplicate, abortCalls: abortCalls.signal},
    ...{now: context.now, nowMilliseconds: steadyNow, serviceAhead},
    ...{onProgress: () => {}, timing: () => timing, timeout: 60_000, endedStatements: ended},
    explain: ({stop, state}: any, plan: any) => explainStop(stop, state, plan, []),
    explainLoss: async (...[row, winner, stays]: Parameters<Parameters<typeof imports.runJob>[0]['explainLoss']>) =>
      explainLoss(row, winner.isSame, stays, {
        ...{resume: `centavo jobs resume ${job.id}`, account: '', now: context.now(), canAsk: false},
        standing: standingOf({id: winner.id, status: winner.status}, {}, context.now()),
      }),
  };
  return imports.runJob(options);
}

/** A job file on a disk that may be full, and that a dead process can no longer reach. */
function guarded(job: JobFile, {dies}: Around, isFull: () => boolean): JobFile {
  const file = job as unknown as {database: Database};
  const {database} = file;
  // Power failures are not simulated.
  database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
  file.database = {
    hasLog: database.hasLog,
    run: (...call) => {
      dies();
      return database.run(...call);
    },
    get: (...call) => database.get(...call),
    all: (...call) => database.all(...call),
    exec: (sql) => {
      // Uncommitted writes of a dead process are rolled back.
      if (sql !== 'ROLLBACK') dies();
      if (sql === 'COMMIT' && isFull()) throw new CentavoError('local_io', 'the disk is full.', {applied: 'no'});
      database.exec(sql);
    },
    transaction: (work) => {
      dies();
      return database.transaction(work);
    },
    read: (work) => database.read(work),
    close: () => database.close(),
  };
  return job;
}

/** True if a row waits for another process. */
export const isLeft = ({phase, sent}: StatementRow): boolean => UNDONE.includes(phase) && sent !== 'unknown';
