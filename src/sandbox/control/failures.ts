// Aimed failures: the next requests of one kind fail in a given way.

import {operationAt, operations} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {usageError} from '../../common/errors.js';
import {jsonResponse} from '../requests/router.js';

/** A response in place of the sandbox's own, and whether the request is applied nevertheless. */
export interface SimulatedFailure {
  /** `reset` closes the connection. Undefined for the sandbox's own response, which is only late. */
  readonly answer?: ApiResponse | 'reset';
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
}

/** A planned failure. `used` counts the requests that it has hit. */
export interface PlannedFailure extends FailureFields {
  readonly id: number;
  readonly times: number;
  used: number;
}

const MAX_DELAY = 60_000;
const MAX_PLANNED = 1000;
const METHODS = ['DELETE', 'GET', 'POST', 'PUT'];

const refuse = (message: string, hint: string) => usageError('invalid_failure', message, {hint});

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && (value as number) >= from && (value as number) <= to;

function check({operation, method, path, status, applied, drop, delay, times}: FailureFields): void {
  if (operation !== undefined && (method !== undefined || path !== undefined))
    throw refuse(
      'a failure has either an operation, or a method and a path.',
      "For example: {operation: 'refunds.create', status: 500}",
    );
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

/** Returns the response of a simulated failure. @param detail says that it is simulated */
export function failedResponse(status: number, detail: string, code?: string): ApiResponse {
  const own = code ?? CODES[status] ?? (status >= 500 ? 'internal_system_error' : 'request_invalid');
  const answer = jsonResponse(status, {errors: [{code: own, detail}]});
  return status === 429 ? {...answer, headers: {...answer.headers, 'retry-after': '1'}} : answer;
}

export class AimedFailures {
  #planned: PlannedFailure[] = [];
  #count = 0;

  /** @throws usage error for a failure that cannot happen */
  add(fields: FailureFields): PlannedFailure {
    check(fields);
    if (this.#planned.length >= MAX_PLANNED)
      throw refuse(`${MAX_PLANNED} failures are planned, the most.`, 'Cancel them, or use times.');
    const failure = {times: 1, ...fields, id: ++this.#count, used: 0};
    this.#planned.push(failure);
    return failure;
  }

  /** Planned failures that have requests left, oldest first. */
  list(): readonly PlannedFailure[] {
    return this.#planned;
  }

  remove(id?: number): void {
    this.#planned = id === undefined ? [] : this.#planned.filter((failure) => failure.id !== id);
  }

  /** Returns the failure of this request, if one was planned, and counts it. */
  take({method, path}: ApiRequest): SimulatedFailure | undefined {
    const name = operationAt(method, path)?.registered.clientName;
    const found = this.#planned.find((failure) =>
      failure.operation === undefined
        ? (failure.method ?? method) === method && (failure.path ?? path) === path
        : failure.operation === name,
    );
    if (!found) return undefined;
    found.used += 1;
    if (found.used >= found.times) this.remove(found.id);
    const {status, drop, delay = 0, applied = false} = found;
    return {
      delay,
      isApplied: applied || drop === 'after',
      ...(drop && {answer: 'reset'}),
      ...(status && {answer: failedResponse(status, 'This failure was asked for.')}),
    };
  }
}
