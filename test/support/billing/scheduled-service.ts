// A service in virtual time, in front of a sandbox, with the faults of a schedule: lost answers, late changes, refusals and resets;
// and a merchant who follows each stop's suggestion. Every report is checked against the real state.

import type {ApiRequest, ApiResponse, Transport} from '../../../src/api/wire.js';
import {earlierActivityOf, NOT_SENT_STEP, SENT_STEP} from '../../../src/history/queries.js';
import type {RunOutcome, RunProgress} from '../../../src/billing/statement/workflow/outcome.js';
import {itemsOf, type BillingStatementData, type StatementPlan} from '../../../src/billing/statement/plan.js';
import {HTTP_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import type {DraftIds} from '../../../src/billing/statement/workflow/journal.js';
import {runPlan, type RunOptions} from '../../../src/billing/statement/workflow/run-plan.js';
import {createClient, type Client} from '../../../src/client/client.js';
import {TransportError} from '../../../src/client/call-errors.js';
import type {Applied} from '../../../src/common/errors.js';
import {createSandbox} from '../../../src/sandbox/sandbox.js';
import {wordsOf} from '../words.js';
import {Disk} from '../simulation/disk.js';
import {falseLater, falseNow} from './claims.js';
import {explained, planOf, type Stopped} from './printed-stop.js';

/** The fault of one change. A `late` one is applied this many milliseconds later. */
export type Fault =
  | 'garbage'
  | 'interrupt-after'
  | 'interrupt-before'
  | 'kill-after'
  | 'kill-before'
  | 'limited'
  | 'lost'
  | 'refused'
  | 'status-500-after'
  | 'status-503-before'
  | 'unsent'
  | {readonly late: number; readonly then?: 'interrupt' | 'kill'};

export interface Faults {
  /** By the number of the change, from 0. */
  readonly changes: ReadonlyMap<number, Fault>;
  /** Reads that fail, or at which Ctrl-C is pressed, by number from 0. */
  readonly reads?: ReadonlyMap<number, 'fails' | 'interrupt'>;
  /** Age of reads of a statement, in milliseconds; with `replica` of every second read. */
  readonly lag?: {readonly milliseconds: number; readonly replica?: boolean};
  /** Rewrites an answer. */
  readonly answer?: (request: ApiRequest, body: any) => unknown;
}

/** A promise for dead processes: it never settles. */
class Killed extends Error {}

const DAY = 86_400_000;
/** Milliseconds of each request. */
const PACE = 20;
/** Milliseconds until a missing answer times out. */
const PATIENCE = 1000;

/** The options of a process on this machine. */
export type Process = Pick<RunOptions, 'client' | 'history' | 'signal' | 'sleep' | 'onProgress'> & {
  readonly token: () => string;
};

interface Write {
  readonly command: string;
  ids: readonly string[];
  result: string;
  applied: string | null;
  readonly at: number;
  steps: readonly {readonly step: string; readonly at: number; readonly ids: readonly string[]}[];
  ended_at: number | null;
}

export class World {
  now = 1_800_000_000_000;
  readonly sandbox = createSandbox({now: () => Math.floor(this.now / 1000)});
  readonly #versions = new Map<string, {at: number; response: ApiResponse}[]>();
  readonly #coming: {at: number; apply: () => Promise<unknown>}[] = [];
  /** As in `centavo history`. */
  readonly #writes: Write[] = [];
  /** The applied changes, each with the number of its run. */
  readonly applied: {readonly run: number; readonly method: string; readonly path: string}[] = [];
  /** Number of requested changes. */
  asked = 0;
  /** False reports. */
  readonly falseWords: string[] = [];
  faultsMet = 0;
  readonly #disk = new Disk();
  #isDead = false;

  async call(method: ApiRequest['method'], path: string, body?: object): Promise<any> {
    const response = await this.sandbox.handle(this.#request(method, path, body));
    const text = Buffer.from(response.body).toString();
    return text ? JSON.parse(text) : {status: response.status};
  }

  #request(method: ApiRequest['method'], path: string, body?: object): ApiRequest {
    const authorization = `Basic ${Buffer.from(`${this.sandbox.keys.secret}:`).toString('base64')}`;
    const headers = {authorization, 'content-type': 'application/json'};
    return {method, path, query: '', headers, body: body && Buffer.from(JSON.stringify(body))};
  }

  /** Lets time pass, and applies late changes when they are due. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      const next = this.#coming.toSorted((one, other) => one.at - other.at)[0];
      if (!next || next.at > end) break;
      this.#coming.splice(this.#coming.indexOf(next), 1);
      this.now = Math.max(this.now, next.at);
      await next.apply();
    }
    this.now = Math.max(this.now, end);
  }

  /** Number of emails of a statement. */
  sent(id: string): number {
    const {data} = this.sandbox.perform((work) => work.store.list('event', {limit: 1000}));
    return (data as any[]).filter(({type, data}) => type === 'billing_statement.sent' && data.id === id).length;
  }

  statements(): Promise<BillingStatementData[]> {
    return this.call('GET', '/billing_statements').then(({data}) => data as BillingStatementData[]);
  }

  /** The answer to a read, with an earlier state. */
  #past(path: string, milliseconds: number): ApiResponse | undefined {
    const versions = this.#versions.get(path);
    return (versions?.findLast(({at}) => at <= this.now - milliseconds) ?? versions?.[0])?.response;
  }

  async #remember(): Promise<void> {
    for (const {id} of await this.statements()) {
      const path = `/billing_statements/${id}`;
      const version = {at: this.now, response: await this.sandbox.handle(this.#request('GET', path))};
      this.#versions.set(path, [...(this.#versions.get(path) ?? []), version]);
    }
  }

  #transport({changes, reads, lag, answer: written}: Faults, controller: AbortController): Transport {
    let change = 0;
    let read = 0;
    return async (request, {signal}) => {
      if (signal?.aborted) throw new TransportError('aborted', {sent: false});
      await this.advance(PACE);
      const run = this.#writes.length;
      const apply = async (): Promise<ApiResponse> => {
        const response = await this.sandbox.handle(request);
        if (request.method !== 'GET' && response.status < 300) {
          this.applied.push({run, method: request.method, path: request.path});
          if (lag) await this.#remember();
        }
        if (!written || response.status >= 300 || response.body.length === 0) return response;
        const body = await written(request, JSON.parse(Buffer.from(response.body).toString()));
        return {...response, body: Buffer.from(JSON.stringify(body))};
      };
      const answer = (status: number, code: string, headers = {}): ApiResponse => ({
        status,
        headers: {'content-type': 'application/json', ...headers},
        body: Buffer.from(JSON.stringify({errors: [{code, detail: 'Not now.'}]})),
      });
      if (request.method === 'GET') {
        const fault = reads?.get(read++);
        if (fault) this.faultsMet++;
        if (fault === 'interrupt') controller.abort();
        if (fault) throw new TransportError('the connection was reset', {sent: true, permanent: true});
        if (lag && !(lag.replica && read % 2 === 0)) return this.#past(request.path, lag.milliseconds) ?? apply();
        return apply();
      }
      this.asked++;
      const fault = changes.get(change++);
      if (fault === undefined) return apply();
      this.faultsMet++;
      if (typeof fault === 'object') {
        this.#coming.push({at: this.now + fault.late, apply});
        if (fault.then === 'kill') throw this.#die();
        if (fault.then === 'interrupt') controller.abort();
        else await this.advance(PATIENCE);
        throw new TransportError('no response in time', {sent: true});
      }
      switch (fault) {
        case 'lost':
          await apply();
          throw new TransportError('the connection was reset', {sent: true});
        case 'garbage':
          await apply();
          return {status: 200, headers: {'content-type': 'text/html'}, body: Buffer.from('<html>')};
        case 'status-500-after':
          await apply();
          return answer(500, 'internal_system_error');
        case 'status-503-before':
          return answer(503, 'service_unavailable');
        case 'unsent':
          throw new TransportError('the connection was refused', {sent: false, permanent: true});
        case 'limited':
          return answer(429, 'rate_limited', {'retry-after': '999999'});
        case 'refused':
          return answer(400, 'parameter_invalid');
        case 'interrupt-before':
          controller.abort();
          throw new TransportError('aborted', {sent: false});
        case 'interrupt-after':
          await apply();
          controller.abort();
          throw new TransportError('aborted', {sent: true});
        case 'kill-before':
          throw this.#die();
        case 'kill-after':
          await apply();
          throw this.#die();
      }
    };
  }

  #die(): Killed {
    this.#isDead = true;
    return new Killed();
  }

  client(faults: Faults, controller = new AbortController()): Client {
    return createClient({
      key: this.sandbox.keys.secret,
      transport: this.#transport(faults, controller),
      now: () => this.now,
      sleep: (milliseconds) => this.advance(milliseconds),
      random: () => 0.5,
      // Virtual time decides; this real timeout is never reached.
      timeout: DAY,
    });
  }

  /** One run of the program. @returns its end; undefined if it was killed */
  run(plan: StatementPlan, faults: Faults): Promise<RunOutcome | undefined> {
    return this.perform('billing-statements create', plan.id === undefined ? [] : [plan.id], faults, {
      work: (around) => runPlan(plan, this.engine({id: plan.id}, around)),
      appliedOf: (outcome) =>
        outcome.end === 'done' ? undefined : (explained(outcome, plan).error.details.applied ?? 'no'),
    });
  }

  /** The engine's options in a started process. */
  engine(named: DraftIds, {client, history, signal, sleep, token, onProgress}: Process, disk = this.#disk): RunOptions {
    const dies = (): void => {
      if (this.#isDead) throw new Killed();
    };
    return {
      ...{client, signal, timeout: DAY},
      sleep,
      now: () => this.now,
      timing: () => HTTP_TIMING,
      onProgress,
      journal: disk.journal({token, dies, alive: () => !this.#isDead}, named),
      history,
    };
  }

  /**
   * The same for any engine.
   * @param engine `appliedOf` returns the reported `applied` after a stop; undefined when all was done
   */
  async perform<T>(
    command: string,
    ids: readonly string[],
    faults: Faults,
    engine: {work: (around: Process) => Promise<T>; appliedOf: (outcome: T) => Applied | undefined},
  ): Promise<T | undefined> {
    const controller = new AbortController();
    const write: Write = {
      command,
      ids,
      result: 'unfinished',
      applied: null,
      at: this.now / 1000,
      steps: [],
      ended_at: null,
    };
    this.#writes.push(write);
    this.#isDead = false;
    const note = (step: string, ids: readonly string[]): void => {
      write.steps = [...write.steps, {step, at: this.now / 1000, ids}];
      write.ids = [...new Set([...write.ids, ...ids])];
    };
    const history: RunOptions['history'] = {
      intend: note,
      made: (id) => note('draft', [id]),
      sendEnded: (id, sent) => note(sent ? SENT_STEP : NOT_SENT_STEP, [id]),
      earlier: (id) =>
        earlierActivityOf(
          this.#writes
            .filter((other) => other !== write && other.ids.includes(id))
            .map((other) => ({
              ...{...other, amount: null, reason: null, firstObject: other.ids[0] ?? null},
              lastActivityAt: other.ended_at ?? other.steps.at(-1)?.at ?? other.at,
              steps: other.steps.filter(({ids: named}) => named.includes(id)),
            })),
          this.now / 1000,
          HTTP_TIMING.settle,
        ),
    };
    let tokens = 0;
    try {
      const outcome = await engine.work({
        client: this.client(faults, controller),
        history,
        signal: controller.signal,
        sleep: (milliseconds) => this.advance(milliseconds),
        token: () => `run${this.#writes.length}x${tokens++}`,
        onProgress: () => {},
      });
      const ended_at = this.now / 1000;
      const applied = engine.appliedOf(outcome);
      Object.assign(write, applied === undefined ? {result: 'ok', applied: 'yes'} : {result: 'error', applied}, {
        ended_at,
      });
      return outcome;
    } catch (error) {
      if (error instanceof Killed) return undefined;
      throw error;
    }
  }

  /** Number of runs. */
  get runs(): number {
    return this.#writes.length;
  }

  /** The id in the history of a killed run. */
  lastId(): string | undefined {
    return this.#writes.at(-1)!.ids.find((id) => id.startsWith('bstm_'));
  }

  /** Follows the printed suggestion. @returns the plan to continue with, if there is one */
  async follow({error}: Stopped, plan: StatementPlan): Promise<StatementPlan | undefined> {
    const command = /centavo (.*)$/.exec(error.details.hint ?? '')?.[1];
    if (command === undefined) return undefined;
    const [words] = wordsOf(command) as [string[]];
    const [topic, verb, ...rest] = words;
    const ids = rest.filter((word) => /^(bstm|cus)_/.test(word));
    switch (`${topic} ${verb}`) {
      case 'billing-statements void':
        await this.call('POST', `/billing_statements/${ids[0]}/void`);
        return undefined;
      case 'billing-statement-line-items delete':
        for (const id of ids) await this.call('DELETE', `/billing_statement_line_items/${id}`);
        return {...plan, id: plan.id};
      case 'billing-statements create':
        return planOf(rest, plan);
      default:
        return undefined;
    }
  }

  /** Checks the claims of a stop at this moment. @returns checks that they stayed true */
  async judge({error, text}: Stopped, {statementId: id}: RunProgress): Promise<() => void> {
    const run = this.#writes.length;
    const made = () => this.applied.filter((change) => change.run === run).map(({path}) => path);
    const said = {text, applied: error.details.applied};
    const shown: BillingStatementData | undefined = id && (await this.call('GET', `/billing_statements/${id}`));
    const moment = {status: shown?.status, items: shown ? itemsOf(shown).length : 0, changed: made().length > 0};
    this.falseWords.push(...falseNow(said, moment));
    return () => void this.falseWords.push(...falseLater(said, made()));
  }
}
