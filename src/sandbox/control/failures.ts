// Aimed failures: the next requests of one kind fail in a given way. They are rows of the sandbox's database: if several
// processes use it, exactly one takes each failure.

import {operationAt, operations} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {usageError} from '../../common/errors.js';
import {toManila} from '../../common/manila.js';
import type {ServedAnswer} from '../requests/buffered-log.js';
import {jsonResponse} from '../requests/router.js';
import type {Sandbox} from '../sandbox.js';

export interface SimulatedFailure {
  /** `failure 3`, or `fault rate-limit` */
  readonly name: string;
  /** Without it, the sandbox's own answer is only late. */
  readonly answer?: ServedAnswer;
  /** True if the request is applied nevertheless. */
  readonly isApplied: boolean;
  /** Milliseconds before the response. */
  readonly delay: number;
}

/** A failure as a test writes it. Exactly one of `status` and `drop`, or only `delay`. */
export interface FailureFields {
  /** `refunds.create` */
  readonly operation?: string;
  readonly method?: string;
  /** The whole path: `/refunds` */
  readonly path?: string;
  /** HTTP status of the response: 400 to 599. */
  readonly status?: number;
  /** With a status: the change is made nevertheless. */
  readonly applied?: boolean;
  /** The connection closes `before` anything is done, or `after` the change. */
  readonly drop?: 'after' | 'before';
  /** Milliseconds before the response, up to 60,000. */
  readonly delay?: number;
  /** Number of requests to fail, 1 by default. */
  readonly times?: number;
  /** Also hits requests of commands, which call the sandbox in process. */
  readonly own?: boolean;
}

/** A planned failure. `used` counts the requests that it has hit. */
export interface PlannedFailure extends FailureFields {
  readonly id: number;
  readonly times: number;
  readonly used: number;
  /** The requests that it hits: `POST /refunds`, `any request`. */
  readonly aim: string;
  /** Unix seconds of the real clock. The sandbox's clock does not end a failure. */
  readonly ends_at: number;
}

interface FailureRow {
  readonly id: number;
  readonly made: number;
  readonly used: number;
  readonly fields: string;
}

const MAX_DELAY = 60_000;
const MAX_PLANNED = 1000;
/** Seconds of the real clock after which a forgotten failure ends. */
const LIFETIME = 3600;
const METHODS = ['DELETE', 'GET', 'POST', 'PUT'];

const refuse = (message: string, hint: string) => usageError('invalid_failure', message, {hint});

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && (value as number) >= from && (value as number) <= to;

function check({operation, method, path, status, applied, drop, delay, times}: FailureFields): void {
  if (operation !== undefined && (method !== undefined || path !== undefined))
    throw refuse('a failure has either an operation, or a method and a path.', 'Leave out one of them.');
  if (operation !== undefined && !operations.some(({clientName}) => clientName === operation))
    throw refuse(
      `${JSON.stringify(operation)} is not an operation.`,
      'Operations are named as on the client: refunds.create',
    );
  if (method !== undefined && !METHODS.includes(method))
    throw refuse(`${JSON.stringify(method)} is not a method of the API.`, `Methods: ${METHODS.join(', ')}`);
  if (path !== undefined && !/^\/[^?#]*$/.test(path))
    throw refuse(`${JSON.stringify(path)} is not a path.`, 'Give the whole path without a query: /refunds');
  if (status === undefined && drop === undefined && delay === undefined)
    throw refuse(
      'a failure needs a status, drop or delay.',
      "For example: {status: 503}, {drop: 'after'} or {delay: 2000}",
    );
  if (status !== undefined && drop !== undefined)
    throw refuse('a failure has either a status or drop, not both.', 'A closed connection has no status.');
  if (status !== undefined && !isWhole(status, 400, 599))
    throw refuse(`${status} is not the status of a failure.`, 'Give a whole number from 400 to 599.');
  if (applied && status === undefined)
    throw refuse('applied needs a status.', "For a lost response, use {drop: 'after'}");
  if (drop !== undefined && drop !== 'after' && drop !== 'before')
    throw refuse(`${JSON.stringify(drop)} is not a way to drop a request.`, 'Ways: before, after');
  if (delay !== undefined && !isWhole(delay, 0, MAX_DELAY))
    throw refuse(`${delay} is not a delay.`, `Give whole milliseconds from 0 to ${MAX_DELAY}.`);
  if (times !== undefined && !isWhole(times, 1, 1_000_000))
    throw refuse(`${times} is not a number of requests.`, 'Give a whole number from 1.');
}

const CODES: Readonly<Record<number, string>> = {
  401: 'auth_invalid',
  404: 'resource_not_found',
  429: 'rate_limited',
  503: 'service_unavailable',
};

const codeFor = (status: number) => CODES[status] ?? (status >= 500 ? 'internal_system_error' : 'request_invalid');

/** Returns the response of a simulated failure. @param detail says that it is simulated */
export function failedResponse(status: number, detail: string): ApiResponse {
  const answer = jsonResponse(status, {errors: [{code: codeFor(status), detail}]});
  return status === 429 ? {...answer, headers: {...answer.headers, 'retry-after': '1'}} : answer;
}

function aimOf(failure: FailureFields): string {
  const {method, path} = operations.find(({clientName}) => clientName === failure.operation)?.operation ?? failure;
  return [method, path].filter(Boolean).join(' ') || 'any request';
}

/** `POST /refunds gets HTTP 500 once (until 10:42)` */
function describeFailure({aim, status, applied, drop, delay, times, used, own, ends_at}: PlannedFailure): string {
  const actions = [
    delay !== undefined && `waits ${delay / 1000} s`,
    (applied || drop === 'after') && 'is applied',
    drop && 'gets no response',
    status !== undefined && `gets HTTP ${status}`,
  ].filter(Boolean);
  const left = times - used;
  const end = toManila(ends_at).toISOString().slice(11, 16);
  const whose = own ? ', commands of centavo too' : '';
  return `${aim} ${actions.join(', then ')} ${left === 1 ? 'once' : `${left} times`} (until ${end}${whose})`;
}

function plannedFailure({id, made, used, fields: text}: FailureRow): PlannedFailure {
  const fields = {times: 1, ...(JSON.parse(text) as FailureFields)};
  return {...fields, id, used, aim: aimOf(fields), ends_at: made + LIFETIME};
}

export class AimedFailures {
  readonly #database;
  readonly #realNow;
  /** Last known number of requests by failure: a failure that is used up has no row. */
  readonly #used = new Map<number, number>();

  constructor({requests, signedAt}: Sandbox) {
    this.#database = requests.database;
    this.#realNow = signedAt;
  }

  /** Planned failures that have requests left, oldest first. */
  list(): readonly PlannedFailure[] {
    // A clock that was put back must not keep a failure alive.
    const query = 'SELECT * FROM failures WHERE abs(made - ?) < ? ORDER BY id';
    return this.#database.all<FailureRow>(query, this.#realNow(), LIFETIME).map(plannedFailure);
  }

  /** @throws usage error for a failure that cannot happen */
  add(fields: FailureFields): PlannedFailure {
    check(fields);
    return this.#database.transaction(() => {
      const now = this.#realNow();
      this.#database.run('DELETE FROM failures WHERE abs(made - ?) >= ?', now, LIFETIME);
      if (this.list().length >= MAX_PLANNED)
        throw refuse(`${MAX_PLANNED} failures are planned, the most.`, 'Cancel them, or use times.');
      this.#database.run('INSERT INTO failures (made, fields) VALUES (?, ?)', now, JSON.stringify(fields));
      return this.list().at(-1)!;
    });
  }

  remove(id?: number): void {
    const which = id === undefined ? '' : 'WHERE id = ?';
    this.#database.run(`DELETE FROM failures ${which}`, ...(id === undefined ? [] : [id]));
  }

  /** Returns the number of requests that took the failure, as this process last saw it. */
  used = (id: number): number => this.#used.get(id) ?? 0;

  /** A sentence for each failure that is still aimed. */
  describe = (): readonly string[] => this.list().map(describeFailure);

  /** Says in a line what is still aimed; undefined if nothing is. @param flags of the commands: ` --project shop` */
  summary(flags = ''): string | undefined {
    const [first, ...others] = this.describe();
    if (first === undefined) return undefined;
    const list = `centavo sandbox fail${flags}`;
    return others.length === 0
      ? `1 failure is aimed: ${first}. To end: ${list} --clear`
      : `${others.length + 1} failures are aimed. The first: ${first}. To list all: ${list}`;
  }

  /**
   * Returns the failure of this request, if one was planned, and counts it in a transaction of its own.
   * @param isOwn true for a request of a command
   */
  take(request: ApiRequest, isOwn = false): SimulatedFailure | undefined {
    // Without the write lock, as most requests have no failure.
    if (!this.#find(request, isOwn)) return undefined;
    return this.#database.transaction(() => {
      // Another process may have taken it.
      const found = this.#find(request, isOwn);
      return found && this.#count(found);
    });
  }

  #find({method, path}: ApiRequest, isOwn: boolean): PlannedFailure | undefined {
    const planned = this.list();
    const name = planned.length > 0 ? operationAt(method, path)?.registered.clientName : undefined;
    return planned.find((failure) => {
      if (isOwn && !failure.own) return false;
      if (failure.operation !== undefined) return failure.operation === name;
      return (failure.method ?? method) === method && (failure.path ?? path) === path;
    });
  }

  #count({id, times, used, status, drop, delay = 0, applied = false}: PlannedFailure): SimulatedFailure {
    this.#used.set(id, used + 1);
    if (used + 1 >= times) this.remove(id);
    else this.#database.run('UPDATE failures SET used = used + 1 WHERE id = ?', id);
    const detail = `Simulated failure ${id}: the sandbox was told to answer HTTP ${status}.`;
    return {
      name: `failure ${id}`,
      delay,
      isApplied: applied || drop === 'after',
      ...(drop && {answer: 'reset'}),
      ...(status && {answer: failedResponse(status, detail)}),
    };
  }
}
