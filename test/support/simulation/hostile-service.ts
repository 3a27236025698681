// A service that loses answers, applies changes late and answers reads from the past, in front of a sandbox that never does.

import type {ApiRequest, ApiResponse, Transport} from '../../../src/api/wire.js';
import {TransportError} from '../../../src/client/call-errors.js';
import {payStatement} from '../../../src/sandbox/payments/pay-statement.js';
import {notFound} from '../../../src/sandbox/api-problems.js';
import {serialize} from '../../../src/sandbox/serialize.js';
import {jsonResponse, problemResponse} from '../../../src/sandbox/requests/router.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {CALL, STALENESS, type Fault, type Faults, type Leaving} from './faults.js';
import type {VirtualTime} from './virtual-time.js';

/** Age of a statement and of its items in an answer, in milliseconds. Torn if they differ. */
export interface Age {
  readonly statement: number;
  readonly items: number;
}

/** The age of a read; an answer to a change may show items of that age. */
export type Lag = (leaving: Leaving) => Age;

export const aged = (statement: number, items = statement): Lag => {
  const age = {statement, items};
  return () => age;
};

/** @param replicas true: each read has its own replica; false: all use one, which is always equally old */
export function drawnLag(
  chance: () => number,
  {replicas = 'each', torn = 0.2, most = STALENESS}: {replicas?: 'each' | 'one'; torn?: number; most?: number} = {},
): Lag {
  const draw = (): number => (chance() < 0.3 ? 0 : chance() < 0.2 ? most : chance() * most);
  if (replicas === 'one') return aged(draw());
  return () => {
    const statement = draw();
    return {statement, items: chance() < torn ? draw() : statement};
  };
}

/** One process, as seen by the service. Its calls continue after its death. */
export class Life {
  isAlive = true;
  readonly controller = new AbortController();
  readonly #dying = new Set<() => void>();
  #changes = 0;
  #reads = 0;

  constructor(
    readonly run: number,
    readonly machine: string,
    readonly faults: Faults,
    readonly lag: Lag,
  ) {}

  leaving({method, path}: ApiRequest): Leaving {
    const write = method !== 'GET';
    return {number: write ? this.#changes++ : this.#reads++, write, method, path, machine: this.machine};
  }

  /** The fault during a wait of this length. */
  waits(time: VirtualTime, milliseconds: number): void {
    const comes = this.faults.wait?.();
    const come = (): void => (comes!.what === 'kill' ? this.end() : this.controller.abort());
    if (comes) void time.sleep(milliseconds * comes.part, undefined, this).then(come);
  }

  /** @returns a function that undoes it */
  whenDead(act: () => void): () => void {
    this.#dying.add(act);
    return () => this.#dying.delete(act);
  }

  end(): void {
    this.isAlive = false;
    for (const act of this.#dying) act();
    this.#dying.clear();
  }
}

/** The author of a change: a run, by number; a person at the dashboard; or the test, whose changes every read shows. */
export type By = number | 'person' | 'test';

type Shown = Readonly<Record<string, any>>;

export interface Applied {
  /** Milliseconds. */
  readonly at: number;
  /** Number of the run that asked for it, if any. */
  readonly by: By;
  readonly machine: string | undefined;
  readonly method: string;
  readonly path: string;
  /** The object of the answer. */
  readonly id: string | undefined;
  /** The changed statement and its state afterwards; undefined if it was deleted. */
  readonly statementId: string | undefined;
  readonly after: Shown | undefined;
}

/** A new promise each time: a single one would keep everything that ever waited for it. */
const forever = (): Promise<never> => new Promise(() => {});

const answer = (status: number, code: string, headers = {}): ApiResponse => {
  const problem = jsonResponse(status, {errors: [{code, detail: 'Not now.'}]});
  return {...problem, headers: {...problem.headers, ...headers}};
};

/** Changes the answer to a request, or acts before it; `handle` is the service's own answer. */
export type Meddle = (request: ApiRequest, handle: () => Promise<ApiResponse>) => Promise<ApiResponse>;

const sentThen = (message: string) => new TransportError(message, {sent: true});

const bodyOf = ({body}: ApiResponse): Shown => (body.length > 0 ? JSON.parse(Buffer.from(body).toString()) : {});

export class HostileService {
  readonly sandbox;
  /** Every applied change, in order. */
  readonly applied: Applied[] = [];
  requests = 0;
  changes = 0;
  faults = 0;
  meddle: Meddle = (_, handle) => handle();
  /** The versions of each object by id, in order of creation; undefined after its deletion. */
  readonly #versions = new Map<string, {readonly at: number; readonly shown: Shown | undefined}[]>();
  readonly #statementOfItem = new Map<string, string>();
  readonly #time: VirtualTime;
  readonly #way: () => number;

  /** @param way milliseconds of a request or an answer; default: drawn from 10 to 60 */
  constructor(time: VirtualTime, chance: () => number, way?: number) {
    this.#time = time;
    this.#way = () => way ?? 10 + chance() * 50;
    const random = (size: number) => Uint8Array.from({length: size}, () => Math.floor(chance() * 256));
    this.sandbox = openSandbox({now: () => Math.floor(time.now() / 1000), random});
  }

  /** Applies the change of a request now. */
  async apply(request: ApiRequest, by: By, machine?: string): Promise<ApiResponse> {
    const response = await this.sandbox.handle(request);
    if (request.method === 'GET' || response.status >= 300) return response;
    const {method, path} = request;
    const body = bodyOf(response);
    const [, kind, id = body.id as string] = path.split('/');
    let statementId: string | undefined;
    if (kind === 'billing_statements') statementId = id;
    if (kind === 'billing_statement_line_items') {
      statementId = this.#statementOfItem.get(id) ?? (body.billing_statement_id as string);
      this.#statementOfItem.set(id, statementId);
    }
    // Objects created by the test are old enough for every read.
    const at = by === 'test' ? 0 : this.#time.now();
    const after = statementId === undefined ? undefined : this.#remember(statementId, at);
    if (kind === 'customers') this.#remember(id, at);
    // A new statement uses up a number of its customer.
    if (after && method === 'POST' && path === '/billing_statements') this.#remember(after.customer_id, at);
    const answered = body.id as string | undefined;
    this.applied.push({at: this.#time.now(), by, machine, method, path, id: answered, statementId, after});
    return response;
  }

  paid(id: string): void {
    this.sandbox.perform((tx) => payStatement(tx, id));
    const after = this.#remember(id, this.#time.now());
    const how = {by: 'person', machine: undefined, method: 'POST', path: `/billing_statements/${id}/pay`} as const;
    this.applied.push({at: this.#time.now(), ...how, id, statementId: id, after});
  }

  #remember(id: string, at: number): Shown | undefined {
    const shown = this.sandbox.perform((tx) => {
      const record = tx.peek(id);
      return record && serialize(record, tx);
    });
    this.#versions.set(id, [...(this.#versions.get(id) ?? []), {at, shown}]);
    return shown;
  }

  #past(id: string, age: number): Shown | undefined {
    return this.#versions.get(id)?.findLast(({at}) => at <= this.#time.now() - age)?.shown;
  }

  #shown(id: string, {statement, items}: Age): Shown | undefined {
    const shown = this.#past(id, statement);
    return shown && statement !== items ? {...shown, line_items: this.#past(id, items)?.line_items ?? []} : shown;
  }

  async #read(request: ApiRequest, age: Age): Promise<ApiResponse> {
    const [, kind, id, more] = request.path.split('/');
    if (more !== undefined || (kind !== 'billing_statements' && kind !== 'customers'))
      return this.sandbox.handle(request);
    const [prefix, title] = kind === 'customers' ? ['cus_', 'customer'] : ['bstm_', 'billing statement'];
    if (id !== undefined) {
      const shown = this.#shown(id, age);
      return shown ? jsonResponse(200, shown) : problemResponse(notFound(title!, id));
    }
    const {limit = '10', after, ...wanted} = Object.fromEntries(new URLSearchParams(request.query));
    const known = [...this.#versions.keys()].filter((each) => each.startsWith(prefix!)).reverse();
    const matches = (shown: Shown): boolean =>
      Object.entries(wanted).every(([field, value]) => {
        if (field !== 'email' && field !== 'name') throw new Error(`Lists cannot be filtered by ${field} here.`);
        return String(shown[field]).toLowerCase() === value.toLowerCase();
      });
    const found = known
      .slice(after === undefined ? 0 : known.indexOf(after) + 1)
      .map((each) => this.#shown(each, age))
      .filter((shown): shown is Shown => shown !== undefined && matches(shown));
    return jsonResponse(200, {
      resource: 'list',
      has_more: found.length > Number(limit),
      data: found.slice(0, Number(limit)),
    });
  }

  transport(life: Life): Transport {
    return (request, {signal}) => {
      if (!life.isAlive) return forever();
      if (signal?.aborted) return Promise.reject(new TransportError('aborted', {sent: false}));
      return new Promise((resolve, reject) => {
        const over: (() => void)[] = [];
        let isOver = false;
        const finish = (act: () => void): void => {
          if (isOver) return;
          isOver = true;
          signal?.removeEventListener('abort', abort);
          release();
          for (const each of over) each();
          act();
        };
        const leaving = life.leaving(request);
        const fault = life.faults.request(leaving);
        const sent = fault !== 'interrupt-before';
        const abort = (): void => finish(() => reject(new TransportError('aborted', {sent})));
        const release = life.whenDead(() => finish(() => {}));
        signal?.addEventListener('abort', abort, {once: true});
        this.#serve(request, life, life.lag(leaving), fault, (act) => void over.push(act)).then(
          (response) => {
            finish(() => resolve(response));
            if (fault === 'kill-answered') life.end();
          },
          (error: Error) => finish(() => reject(error)),
        );
      });
    };
  }

  /** @param whenOver registers work for the end of the call, however it ends */
  async #serve(
    request: ApiRequest,
    life: Life,
    age: Age,
    fault: Fault | undefined,
    whenOver: (act: () => void) => void,
  ): Promise<ApiResponse> {
    this.requests++;
    if (request.method !== 'GET') this.changes++;
    if (fault !== undefined) this.faults++;
    const {sleep} = this.#time;
    const way = this.#way();
    const isRead = request.method === 'GET';
    const apply = (): Promise<ApiResponse> =>
      this.meddle(request, async () =>
        isRead
          ? this.#read(request, age)
          : this.#asShown(request, await this.apply(request, life.run, life.machine), age),
      );
    if (fault === 'unsent') throw new TransportError('the connection was refused', {sent: false, permanent: true});
    if (fault === 'interrupt-before') {
      life.controller.abort();
      throw new TransportError('aborted', {sent: false});
    }
    if (fault === 'kill-before') {
      life.end();
      return forever();
    }
    await sleep(way);
    const silence = async (): Promise<never> => {
      if (life.isAlive) life.waits(this.#time, CALL - way);
      await sleep(CALL - way);
      throw sentThen('no response in time');
    };
    if (typeof fault === 'object' && 'late' in fault) {
      const {late, end = 'silence'} = fault;
      const come = (): void => void sleep(late < 0 ? CALL - way + late : late).then(apply);
      if (late < 0) come();
      else whenOver(come);
      if (end === 'reset') throw sentThen('the connection was reset');
      if (end === 'kill') life.end();
      if (end === 'interrupt') life.controller.abort();
      return silence();
    }
    if (typeof fault === 'object' && 'limited' in fault)
      return answer(429, 'rate_limited', fault.limited === undefined ? {} : {'retry-after': String(fault.limited)});
    if (fault === 'never') return silence();
    if (fault === 'refused') return answer(400, 'parameter_invalid');
    if (fault === 'status-503-before') return answer(503, 'service_unavailable');
    const slow = typeof fault === 'object' ? fault.slow : 0;
    if (slow > 0) await sleep(slow / 2);
    const response = await apply();
    if (fault === 'lost') throw sentThen('the connection was reset');
    if (fault === 'status-500-after') return answer(500, 'internal_system_error');
    if (fault === 'garbage-after')
      return {status: 200, headers: {'content-type': 'text/html'}, body: Buffer.from('<html>')};
    if (fault === 'kill-after') life.end();
    if (fault === 'interrupt-after') life.controller.abort();
    await sleep(Math.min(way + slow / 2, CALL - way - slow / 2));
    if (2 * way + slow >= CALL) throw sentThen('no response in time');
    return response;
  }

  /** The answer to a change may show old items. Only finalize's answer is always current. */
  #asShown({path}: ApiRequest, response: ApiResponse, {items}: Age): ApiResponse {
    const id = /^\/billing_statements\/(\w+)(\/void)?$/.exec(path)?.[1];
    const old = id === undefined || items === 0 ? undefined : this.#past(id, items);
    if (!old || response.status !== 200) return response;
    return jsonResponse(200, {...bodyOf(response), line_items: old.line_items, amount: old.amount});
  }
}
