// An account at a hostile service, machines that bill at the same time, and people at its dashboard. The real state is known exactly.

import type {HttpMethod, Transport} from '../../../src/api/wire.js';
import {createClient, type Client} from '../../../src/client/client.js';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {CALL, NO_FAULTS, type Faults} from './faults.js';
import {aged, HostileService, Life, type Applied, type By, type Lag, type Meddle} from './hostile-service.js';
import {VirtualTime} from './virtual-time.js';

export interface Item {
  readonly description: string;
  readonly quantity: number;
  readonly unit_price: number;
}

export interface Content {
  readonly items: readonly Item[];
  readonly amount: number;
  readonly due_at: number | null;
}

/** A statement and its history. */
export interface Truth extends Content {
  readonly id: string;
  readonly status: 'deleted' | 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  readonly customerId: string;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdBy: By;
  readonly openedBy: By | undefined;
  /** Milliseconds. */
  readonly openedAt: number | undefined;
  readonly voided: {readonly at: number; readonly by: By} | undefined;
  readonly emails: readonly {readonly at: number; readonly by: By; readonly amount: number}[];
}

/** The options of one process. */
export interface Around {
  /** Number of the run, from 0. */
  readonly run: number;
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Unix seconds. */
  readonly now: () => number;
  readonly nowMilliseconds: () => number;
  /** Milliseconds by this process's clock, and those by which the service's clock is ahead of it. */
  readonly steadyNow: () => number;
  readonly serviceAhead: () => number | undefined;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Letters and digits, unique to the run. */
  readonly token: () => string;
  readonly alive: () => boolean;
  /** Throws if the process is dead. Journals call it before each write, so that later writes are lost. */
  readonly dies: () => void;
  readonly transport: Transport;
  /** Kills the process. */
  readonly end: () => void;
  readonly whenDead: (act: () => void) => void;
}

export type Ended<T> =
  | {readonly ended: 'returned'; readonly value: T}
  | {readonly ended: 'killed'}
  /** After Ctrl-C: it finished or threw. */
  | {readonly ended: 'interrupted'; readonly value?: T; readonly error?: unknown};

export interface Run {
  readonly run: number;
  readonly machine: string;
  /** Milliseconds. */
  readonly startedAt: number;
}

/** `faults` and `lag` are the defaults of all processes. */
export interface WorldOptions {
  readonly seed: number;
  readonly faults?: Faults;
  readonly lag?: Lag;
  /** Milliseconds of each request and answer; default: drawn from 10 to 60. */
  readonly way?: number;
  /** Number of acts at the dashboard, and the milliseconds within which they happen. */
  readonly people?: {readonly acts: number; readonly within: number};
}

const ACTS = ['add-item', 'change-item', 'delete-item', 'change-due', 'finalize', 'send', 'void', 'delete'] as const;
export type Act = (typeof ACTS)[number];

/** A promise for dead processes: it never settles. */
class Killed extends Error {}

/** A takeover waits longest, for 60 s; the service may ask for a pause of a minute. */
const LONGEST_WAIT = 90_000;
/** @throws if a process would wait longer than any wait may take, whatever its clock says */
export const patient =
  (sleep: Around['sleep']): Around['sleep'] =>
  (milliseconds, signal) => {
    if (milliseconds > LONGEST_WAIT) throw new Error(`A wait of ${milliseconds / 1000} s.`);
    return sleep(milliseconds, signal);
  };

const HOUR = 3_600_000;
const AHEAD = [-40 * 24 * HOUR, -HOUR, -20_000, 20_000, HOUR, 40 * 24 * HOUR];

export class World {
  readonly #time: VirtualTime;
  readonly #service: HostileService;
  readonly #options: WorldOptions;
  readonly #chance: () => number;
  readonly #people = {};
  readonly runs: Run[] = [];
  /** Ids of the statements changed at the dashboard. */
  readonly touched = new Set<string>();

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#time = new VirtualTime(options.seed);
    this.#chance = seededRandom(10 * options.seed + 3);
    this.#service = new HostileService(this.#time, seededRandom(10 * options.seed + 4), options.way);
    const {acts, within} = options.people ?? {acts: 0, within: 0};
    for (let n = 0; n < acts; n++)
      void this.#time.sleep(this.#chance() * within, undefined, this.#people).then(() => this.#actAtRandom());
  }

  get sandbox() {
    return this.#service.sandbox;
  }

  /** From now on, runs this for each request of a process. */
  set meddle(meddle: Meddle) {
    this.#service.meddle = meddle;
  }

  get meddle(): Meddle {
    return this.#service.meddle;
  }

  get applied(): readonly Applied[] {
    return this.#service.applied;
  }

  get met(): {readonly requests: number; readonly changes: number; readonly faults: number} {
    const {requests, changes, faults} = this.#service;
    return {requests, changes, faults};
  }

  /** Milliseconds. */
  now = (): number => this.#time.now();

  /** Calls the sandbox directly, without faults. */
  async call(method: HttpMethod, path: string, body?: object, by: By = 'test'): Promise<any> {
    const authorization = `Basic ${Buffer.from(`${this.sandbox.keys.secret}:`).toString('base64')}`;
    const headers = {authorization, 'content-type': 'application/json'};
    const request = {method, path, query: '', headers, body: body && Buffer.from(JSON.stringify(body))};
    const response = await this.#service.apply(request, by);
    const text = Buffer.from(response.body).toString();
    return text ? JSON.parse(text) : {status: response.status};
  }

  /** Starts a process; time passes in `run`. */
  async start<T>(
    machine: string,
    work: (around: Around) => Promise<T>,
    own: {
      readonly faults?: Faults;
      readonly lag?: Lag;
      /** Milliseconds after its start. */
      readonly killedAfter?: number;
      readonly interruptedAfter?: number;
    } = {},
  ): Promise<Ended<T>> {
    const {faults = NO_FAULTS, lag = aged(0)} = {...this.#options, ...own};
    const life = new Life(this.runs.length, machine, faults, lag);
    this.runs.push({run: life.run, machine, startedAt: this.now()});
    const {signal} = life.controller;
    const died = new Promise<Ended<T>>((resolve) => life.whenDead(() => resolve({ended: 'killed'})));
    const after = (milliseconds: number | undefined, act: () => void): void => {
      if (milliseconds !== undefined) void this.#time.sleep(milliseconds, undefined, life).then(act);
    };
    after(own.killedAfter, () => life.end());
    after(own.interruptedAfter, () => life.controller.abort());
    life.whenDead(() => this.#time.forget(life));
    const worked = work(this.#around(life)).then(
      (value): Ended<T> => (signal.aborted ? {ended: 'interrupted', value} : {ended: 'returned', value}),
      (error: unknown): Ended<T> => {
        if (error instanceof Killed) return {ended: 'killed'};
        if (signal.aborted) return {ended: 'interrupted', error};
        throw error;
      },
    );
    return Promise.race([died, worked]).finally(() => life.end());
  }

  #around(life: Life): Around {
    const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      if (!life.isAlive) return new Promise(() => {});
      life.waits(this.#time, milliseconds);
      return this.#time.sleep(milliseconds, signal, life);
    };
    const random = seededRandom(Math.floor(this.#chance() * 2 ** 32));
    let tokens = 0;
    const client = createClient({
      key: this.sandbox.keys.secret,
      transport: this.#service.transport(life),
      now: this.now,
      sleep,
      random,
      // Virtual time decides. This real timeout is short, because a killed process leaves it running.
      timeout: CALL,
    });
    return {
      run: life.run,
      client,
      signal: life.controller.signal,
      now: () => Math.floor(this.now() / 1000),
      nowMilliseconds: this.now,
      ...this.#clockOf(life.run),
      sleep,
      random,
      token: () => `run${life.run}x${tokens++}x${Math.floor(random() * 1e9)}`,
      alive: () => life.isAlive,
      dies: () => {
        if (!life.isAlive) throw new Killed();
      },
      transport: this.#service.transport(life),
      end: () => life.end(),
      whenDead: (act) => void life.whenDead(act),
    };
  }

  /** The clock of a process: before it began, somebody may have set it. The service tells whole seconds, and takes a while. */
  #clockOf(run: number): Pick<Around, 'serviceAhead' | 'steadyNow'> {
    const chance = seededRandom(100 * this.#options.seed + run);
    const ahead = chance() < 0.5 ? 0 : AHEAD[Math.floor(chance() * AHEAD.length)]!;
    // The clock of the service was wrong, and is not set forward during a run.
    const wrong = run === 0 && chance() < 0.1 ? -40 * 24 * HOUR : 0;
    const behind = Math.floor(chance() * 1500) + wrong;
    const known = chance() < 0.05 ? undefined : -ahead - behind;
    return {steadyNow: () => this.now() + ahead, serviceAhead: () => known};
  }

  /** Lets time pass until all of them have ended. */
  run<const P extends readonly Promise<unknown>[]>(
    ...processes: P
  ): Promise<{-readonly [I in keyof P]: Awaited<P[I]>}> {
    return this.#time.run(Promise.all(processes));
  }

  /** Runs one process alone, from start to end. */
  async alone<T>(
    machine: string,
    work: (around: Around) => Promise<T>,
    own: Parameters<World['start']>[2] = {},
  ): Promise<Ended<T>> {
    const [ended] = await this.run(this.start(machine, work, own));
    return ended;
  }

  /** Resolves after this time, within a running world. */
  passed = (milliseconds: number): Promise<void> => this.#time.sleep(milliseconds);

  async pass(milliseconds: number): Promise<void> {
    await this.#time.run(this.#time.sleep(milliseconds));
  }

  /** Ends the acts at the dashboard, and applies all late changes. */
  async rest(): Promise<void> {
    this.#time.forget(this.#people);
    await this.#time.rest();
  }

  close(): void {
    this.sandbox.close();
  }

  async #actAtRandom(): Promise<void> {
    const there = this.truth().filter(({status}) => status === 'draft' || status === 'open');
    const one = there[Math.floor(this.#chance() * there.length)];
    const acts = one?.status === 'open' ? (['send', 'void'] as const) : ACTS;
    const act = acts[Math.floor(this.#chance() * acts.length)]!;
    if (one) await this.person(act, one.id);
  }

  /** Acts at the dashboard, now. @returns false if the service refused it */
  async person(act: Act, id: string): Promise<boolean> {
    const before = this.applied.length;
    const path = `/billing_statements/${id}`;
    const shown = await this.call('GET', path);
    const item = shown.line_items?.[Math.floor(this.#chance() * shown.line_items.length)]?.id ?? 'bstm_li_none';
    const extra = {billing_statement_id: id, description: 'Extra', quantity: 1, unit_price: 77_00};
    const due = {due_at: Math.floor(this.now() / 1000) + 9_000_000};
    const calls: Record<Act, readonly [HttpMethod, string, object?]> = {
      'add-item': ['POST', '/billing_statement_line_items', extra],
      'change-item': ['PUT', `/billing_statement_line_items/${item}`, {quantity: 9}],
      'delete-item': ['DELETE', `/billing_statement_line_items/${item}`],
      'change-due': ['PUT', path, due],
      finalize: ['POST', `${path}/finalize`],
      send: ['POST', `${path}/send`],
      void: ['POST', `${path}/void`],
      delete: ['DELETE', path],
    };
    const [method, where, body] = calls[act];
    await this.call(method, where, body, 'person');
    const happened = this.applied.length > before;
    if (happened) this.touched.add(id);
    return happened;
  }

  /** Pays a statement, if it is open. */
  pays(id: string): void {
    if (this.truth().find((each) => each.id === id)?.status === 'open') this.#service.paid(id);
  }

  /** Every statement with its history, oldest first. */
  truth(): Truth[] {
    const all = new Map<string, Truth>();
    for (const {at, by, method, path, statementId: id, after} of this.applied) {
      if (id === undefined) continue;
      const known = all.get(id) ?? {
        createdBy: by,
        openedBy: undefined,
        openedAt: undefined,
        voided: undefined,
        emails: [],
      };
      const end = path.split('/')[3];
      all.set(id, {
        ...(known as Truth),
        ...(after ? shownOf(after) : method === 'DELETE' && {status: 'deleted' as const}),
        ...(end === 'finalize' && {openedBy: by, openedAt: at}),
        ...(end === 'void' && {voided: {at, by}}),
        ...(end === 'send' && {emails: [...known.emails, {at, by, amount: after!.amount as number}]}),
      });
    }
    return [...all.values()];
  }
}

const shownOf = (shown: Readonly<Record<string, any>>) => ({
  id: shown.id as string,
  status: shown.status as Truth['status'],
  customerId: shown.customer_id as string,
  description: shown.description as string | null,
  metadata: shown.metadata as Truth['metadata'],
  items: shown.line_items as readonly Item[],
  amount: shown.amount as number,
  due_at: shown.due_at as number | null,
});
