// Makes one call: attempts under a deadline, ending in a result, an error or an unknown outcome.
// A read may settle an unknown outcome. The modules of this folder use no terminal.

import {isWrite, type Operation, type OperationCall} from '../api/operation.js';
import type {ApiRequest, ApiResponse, Transport} from '../api/wire.js';
import {MAX_TIMER_DELAY, withDeadline} from '../common/deadlines.js';
import {CentavoError} from '../common/errors.js';
import {BigJsonNumber} from '../common/json.js';
import {DEFAULT_RETRY, delayBeforeRetry, parseRetryAfter, type CallAttempt, type RetryPolicy} from '../http/retry.js';
import {
  type ErrorContext,
  type KeyDescription,
  errorOfStatus,
  outcomeUnknownError,
  requestIdOf,
  requestOf,
  TransportError,
  unavailableError,
  UnusableResponse,
  unusableResponseError,
  withDetail,
} from './call-errors.js';

export interface AttemptReport {
  readonly method: string;
  readonly path: string;
  readonly attempt: number;
  readonly status?: number;
  readonly requestId?: string;
  readonly failure?: string;
  readonly milliseconds: number;
  /** Without the key; the request and the response may contain other secrets. */
  readonly request: ApiRequest;
  readonly response?: ApiResponse;
  /** Set if another attempt follows, here or by the caller. */
  readonly retryInMilliseconds?: number;
}

export interface CallerOptions {
  readonly transport: Transport;
  /** Milliseconds for all attempts of a call. A read that settles an unknown outcome has the same limit again. */
  readonly timeout: number;
  readonly retry: RetryPolicy;
  readonly onAttempt?: (report: AttemptReport) => void;
  /** Called when a change may have been sent. Until then, nothing can have been applied. */
  readonly onChangeSent: () => void;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Source of the key and how to replace it, for the error if the API refuses the key. */
  readonly refusedKey?: KeyDescription;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  /** Called on each 429, with the seconds that the API asks to wait. */
  readonly onLimited?: (seconds: number | undefined) => void;
  /**
   * Limits the call to one attempt, without a read after a lost response. Called if the attempt failed, with the
   * milliseconds before a retry; undefined if a retry is not allowed.
   */
  readonly once?: (milliseconds: number | undefined) => void;
}

interface CallReader<T> extends CallOptions {
  /** Reads a 2xx response. @throws UnusableResponse */
  readonly read: (response: ApiResponse) => T;
  /** Checks whether a write was applied. @returns the result, or undefined if unknown */
  readonly reconcile?: () => Promise<T | undefined>;
}

const pause = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  const {setTimeout: wait} = await import('node:timers/promises');
  await wait(milliseconds, undefined, {signal});
};

/** The state shared by all attempts of one call. The signal aborts at the deadline, and when the caller interrupts. */
interface OngoingCall<T> {
  readonly options: CallerOptions;
  readonly context: ErrorContext;
  readonly reading: CallReader<T>;
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  readonly deadline: number;
}

export function createCaller(given: Partial<CallerOptions> & Pick<CallerOptions, 'transport'>) {
  const options: CallerOptions = {
    timeout: 30_000,
    retry: DEFAULT_RETRY,
    onChangeSent: () => {},
    sleep: pause,
    random: Math.random,
    now: Date.now,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    transport: given.transport,
  };
  return <T>(context: ErrorContext, reading: CallReader<T>): Promise<T> => {
    const timeout = Math.min(reading.timeout ?? options.timeout, MAX_TIMER_DELAY);
    return withDeadline(timeout, reading.signal, (signal) =>
      sendWithRetries({options, context, reading, signal, deadline: options.now() + timeout}),
    );
  };
}

async function sendWithRetries<T>(call: OngoingCall<T>): Promise<T> {
  const {options, context, reading, signal, deadline} = call;
  for (let count = 1; ; count++) {
    const outcome = await sendOnce(call, count);
    if ('result' in outcome) return outcome.result;
    if (outcome.attempt.kind === 'answered' && outcome.attempt.status === 429)
      reading.onLimited?.(outcome.attempt.retryAfterSeconds);
    const delay = delayBeforeRetry(options.retry, isWrite(context.request), count, outcome.attempt, options.random());
    reading.once?.(delay);
    // Do not wait past the deadline: throw the error now.
    const retries = !reading.once && delay !== undefined && options.now() + delay < deadline && !signal.aborted;
    options.onAttempt?.({
      ...outcome.report,
      ...((retries || reading.once) && delay !== undefined && {retryInMilliseconds: Math.round(delay)}),
    });
    if (retries) {
      // An abort ends the wait early; the error is chosen below.
      await options.sleep(delay, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!signal.aborted) continue;
    }
    if (outcome.isUncertain && !reading.once && !reading.signal?.aborted) {
      const settled = await reading.reconcile?.().catch(ignoreFailedRead);
      if (settled !== undefined) return settled;
    }
    if (reading.signal?.aborted) throw interruptedCall(context, outcome.isUncertain);
    throw outcome.error;
  }
}

type Attempted<T> =
  | {readonly result: T}
  | {
      readonly attempt: CallAttempt;
      readonly report: AttemptReport;
      /** True if a write may have been applied. */
      readonly isUncertain: boolean;
      readonly error: CentavoError;
    };

async function sendOnce<T>({options, context, reading, signal}: OngoingCall<T>, count: number): Promise<Attempted<T>> {
  const {request} = context;
  const write = isWrite(context.request);
  const started = options.now();
  const report = () => ({
    method: request.method,
    path: request.path,
    attempt: count,
    milliseconds: options.now() - started,
    request: withoutKey(request),
  });
  // With `once`, the caller may repeat the call.
  const unknown = (reason: string, answer?: ApiResponse) =>
    outcomeUnknownError(reading.once ? reason : `${reason} The request was not repeated.`, context, answer);
  let response: ApiResponse;
  try {
    response = await options.transport(request, {signal});
    if (write) options.onChangeSent();
  } catch (error) {
    if (write && !isUnsent(error)) options.onChangeSent();
    if (!(error instanceof TransportError)) throw error;
    const isUncertain = write && error.sent;
    return {
      attempt: {kind: 'failed', sent: error.sent, permanent: error.permanent},
      report: {...report(), failure: error.message},
      isUncertain,
      error: isUncertain
        ? unknown(`The request was sent${error.origin ? ` to ${error.origin}` : ''}, then: ${error.message}.`)
        : error.answered
          ? unusableResponseError(`${error.message}.`, context)
          : unavailableError(error, context),
    };
  }
  const {status} = response;
  const answered = () => ({...report(), status, requestId: requestIdOf(response), response});
  const at = Date.parse(response.headers.date ?? '') || options.now();
  const retryAfterSeconds = parseRetryAfter(response.headers['retry-after'], at / 1000);
  const failed = (error: CentavoError, isUncertain: boolean) =>
    ({attempt: {kind: 'answered', status, retryAfterSeconds}, report: answered(), isUncertain, error}) as const;
  const unusable = (reason: string) =>
    failed(write ? unknown(reason, response) : unusableResponseError(reason, context, response), write);
  // A gateway also answers 408 when the API behind it took too long, so a write may have been applied.
  if ((status >= 500 || status === 408) && write)
    return unusable(withDetail(`The API answered HTTP ${status}.`, response));
  if (status >= 400) return failed(errorOfStatus(response, context, options.refusedKey, retryAfterSeconds), false);
  if (status >= 300) return unusable(redirected(response));
  try {
    const result = reading.read(response);
    options.onAttempt?.(answered());
    return {result};
  } catch (error) {
    if (error instanceof UnusableResponse) return unusable(error.message);
    throw error;
  }
}

function withoutKey(request: ApiRequest): ApiRequest {
  const {authorization: _, ...headers} = request.headers;
  return {...request, headers};
}

const isUnsent = (error: unknown): boolean =>
  error instanceof TransportError ? !error.sent : error instanceof CentavoError && error.details.applied === 'no';

const redirected = ({status, headers}: ApiResponse): string =>
  `It returned HTTP ${status}, a redirect${headers.location ? ` to ${headers.location}` : ''}, which centavo does not follow.`;

const interruptedCall = (context: ErrorContext, isUncertain: boolean): CentavoError =>
  new CentavoError('interrupted', 'the request was interrupted.', {
    applied: isUncertain ? 'unknown' : 'no',
    request: requestOf(context),
  });

/** Ignores a failed read, which leaves the outcome unknown. Any other error is a bug. */
function ignoreFailedRead(error: unknown): undefined {
  if (!(error instanceof CentavoError)) throw error;
}

/**
 * Checks by a read whether a write was applied. The API has no idempotency key, so the write is never sent again.
 * @returns the result of the write if the API shows that it was applied, else undefined
 */
export async function reconcile(
  call: OperationCall,
  read: (call: OperationCall) => Promise<unknown>,
): Promise<unknown> {
  const {resource, operation, ids} = call;
  const get: Operation | undefined = resource.operations.get;
  const readable = operation.method === 'DELETE' || operation.method === 'PUT' || operation.reaches !== undefined;
  if (!get || ids.length !== 1 || !readable) return undefined;
  const current = (await read({resource, operation: get, verb: 'get', ids, params: {}}).catch((error: unknown) => {
    if ((error as {kind?: string}).kind === 'not_found' && operation.method === 'DELETE') return {deleted: true};
    throw error;
  })) as Record<string, unknown>;
  if (operation.method === 'DELETE')
    return current.deleted === true ? {id: ids[0], resource: resource.shape.name, deleted: true} : undefined;
  // A capture of another amount was made by someone else.
  if (operation.reaches)
    return current.status === operation.reaches && hasValues(current.amount_received, call.params.amount)
      ? current
      : undefined;
  return hasValues(current, call.params) ? current : undefined;
}

/** @param isWhole true if the update replaces the whole value: a lost update may have removed a part of it */
function hasValues(current: unknown, expected: unknown, isWhole = Array.isArray(expected)): boolean {
  if (expected === undefined) return true;
  if (expected instanceof BigJsonNumber) return String(current) === String(expected);
  if (typeof expected !== 'object' || expected === null) return current === expected;
  if (typeof current !== 'object' || current === null) return false;
  if (isWhole && Object.keys(current).length !== Object.keys(expected).length) return false;
  return Object.entries(expected).every(([key, value]) =>
    hasValues((current as Record<string, unknown>)[key], value, key === 'metadata' || undefined),
  );
}
