// Answers each request to a served sandbox, from a port or in process: control path, hosted page, failure or API.

import {setTimeout as sleep} from 'node:timers/promises';
import type {ApiRequest} from '../api/wire.js';
import {ApiProblem} from './api-problems.js';
import {controlOf, type SandboxControl} from './control/control.js';
import {failedResponse, type SimulatedFailure} from './control/failures.js';
import {controlAnswer, type ServedControl} from './control/routes.js';
import {isControlAddress, isPageAddress, isStudioAddress} from './pages/links.js';
import {pageAnswer, problemPage} from './pages/page-answer.js';
import {bufferedLog, type HandledRequest, type ServedAnswer} from './requests/buffered-log.js';
import {type LogEntry, newRequestId} from './requests/request-log.js';
import {jsonResponse, problemResponse} from './requests/router.js';
import {faultSequence, type InjectedFaults, type RequestFault} from './serve/fault-injection.js';
import type {Sandbox} from './sandbox.js';
import type {Studio} from './studio/studio.js';

/** Taken when loaded: a test may replace the timers of its process. */

export type RequestKind = 'api' | 'control' | 'page' | 'studio';

export const kindOfRequest = (request: ApiRequest): RequestKind =>
  isStudioAddress(request)
    ? 'studio'
    : isPageAddress(request.path)
      ? 'page'
      : isControlAddress(request.path)
        ? 'control'
        : 'api';

export interface ExchangeOptions extends Omit<ServedControl, 'signal'> {
  readonly faults?: InjectedFaults;
  /** Seed of the sequence of faults, 1 by default. */
  readonly seed?: number;
  /** The failure that a command's request took. Requests of apps take theirs here. */
  readonly failure?: SimulatedFailure;
  /** The sandbox's generation when the command began. */
  readonly generation?: string;
  readonly studio?: () => Promise<Studio>;
  /** Called with the error behind a 500 response, such as a full disk. */
  readonly onFault?: (error: unknown) => void;
  readonly onAnswer?: (entry: LogEntry) => void;
  /** True if the payer's browser may load the images of items. */
  readonly images?: boolean;
}

export type Exchange = ReturnType<typeof exchangeOf>;

export function exchangeOf(control: SandboxControl, options: ExchangeOptions) {
  const {sandbox} = control;
  const {faults = {}, seed = 1, studio, onFault, onAnswer} = options;
  const nextFault = faultSequence(faults, seed);
  const log = bufferedLog(sandbox);
  const running = new Map<Promise<unknown>, AbortController>();
  let closed = false;

  async function apiAnswer(handled: HandledRequest, signal: AbortSignal): Promise<ServedAnswer> {
    const {request, id} = handled;
    const chance = nextFault();
    const late = (milliseconds: number) => sleep(milliseconds, undefined, {signal}).catch(() => {});
    if (faults.latency) await late(faults.latency);
    const failure = options.failure ?? control.failures.take(request) ?? (chance && simulatedFault(chance));
    handled.simulated = failure?.name;
    if (failure?.delay) await late(failure.delay);
    if (failure?.answer && !failure.isApplied) return failure.answer;
    const answer = await sandbox.answer(request, {
      cause: id,
      baseUrl: options.baseUrl,
      keys: options.keys,
      generation: options.generation,
      onAnswer: (response, {now}) => {
        handled.at = now;
        if (request.method !== 'GET') handled.entry = log.addWithChange(handled, failure?.answer ?? response);
      },
    });
    return failure?.answer ?? answer;
  }

  async function answerTo(handled: HandledRequest, kind: RequestKind, signal: AbortSignal): Promise<ServedAnswer> {
    const {request} = handled;
    if (closed)
      throw new ApiProblem(503, [{code: 'sandbox_closed', detail: 'The sandbox was closed before it answered.'}]);
    if (kind === 'studio') {
      const open = await studio!();
      // A buffered request must not be logged after a snapshot was restored.
      if ((request.method as string) === 'POST') log.flush();
      return open(request);
    }
    if (kind === 'control') {
      log.flush();
      return controlAnswer(control, request, {...options, signal});
    }
    // Pages have no faults and do not advance the sequence of faults.
    return kind === 'page' ? pageAnswer(sandbox, request, options.baseUrl, options.images) : apiAnswer(handled, signal);
  }

  /** Answers, so that `close` waits for the answer. @param onGone is given a function that ends waits early */
  function answerWhole(handled: HandledRequest, kind: RequestKind, onGone?: (end: () => void) => void) {
    const ending = new AbortController();
    onGone?.(() => ending.abort());
    const answered = answerTo(handled, kind, ending.signal).finally(() => running.delete(answered));
    running.set(answered, ending);
    return answered;
  }

  /**
   * @param read returns the whole request, or throws an ApiProblem for one that is refused
   * @param onGone is given a function to call when the client has gone
   */
  async function run(
    head: ApiRequest,
    read: () => Promise<ApiRequest | 'aborted'> = async () => head,
    onGone?: (end: () => void) => void,
  ) {
    const handled: HandledRequest = {id: newRequestId(), started: performance.now(), request: head};
    const kind = kindOfRequest(head);
    let answer: ServedAnswer;
    try {
      const request = await read();
      if (request !== 'aborted') handled.request = request;
      answer = request === 'aborted' ? 'reset' : await answerWhole(handled, kind, onGone);
    } catch (error) {
      // The log entry was rolled back with the change.
      handled.entry = undefined;
      if (!(error instanceof ApiProblem)) onFault?.(error);
      answer = answerOfError(error, kind);
    }
    // Polls of payment pages would fill the log. The studio and the control path are no part of the service.
    const isLogged = kind === 'api' || (kind === 'page' && (head.method as string) !== 'HEAD');
    const entry = handled.entry ?? (isLogged ? log.add(handled, answer) : undefined);
    if (entry) onAnswer?.(entry);
    return {id: handled.id, answer};
  }

  /** Ends waits and delays. Resolves when all requests are answered: the sandbox can then be closed. */
  async function close(): Promise<void> {
    closed = true;
    for (const ending of running.values()) ending.abort();
    await Promise.allSettled(running.keys());
    log.flush();
  }

  return {sandbox, run, flush: log.flush, close};
}

/** Answers a request of a command, at which failures may be aimed. @returns the response, or why there is none */
export async function answerOwn(sandbox: Sandbox, request: ApiRequest, signal?: AbortSignal) {
  const control = controlOf(sandbox);
  // Pages and the control path have no failures.
  const failure = kindOfRequest(request) === 'api' ? control.failures.take(request, true) : undefined;
  if (!failure) return sandbox.handle(request);
  const {run, flush} = exchangeOf(control, {
    baseUrl: sandbox.baseUrl(),
    failure,
    generation: sandbox.generation(),
    onFault: (error) => {
      throw error;
    },
  });
  const {answer} = await run(request, undefined, (end) =>
    signal?.aborted ? end() : signal?.addEventListener('abort', end, {once: true}),
  );
  flush();
  if (signal?.aborted) return `no response in time, because of simulated ${failure.name}`;
  return answer === 'reset' ? `simulated ${failure.name} closed the connection` : answer;
}

function answerOfError(error: unknown, kind: RequestKind): ServedAnswer {
  if (kind === 'page' || kind === 'studio') return problemPage(error);
  if (error instanceof ApiProblem) return problemResponse(error);
  return jsonResponse(500, {errors: [{code: 'internal_system_error', detail: 'The sandbox failed.'}]});
}

/** Other faults close the connection. */
const FAULT_STATUSES: Readonly<Partial<Record<RequestFault, number>>> = {
  'rate-limit': 429,
  unavailable: 503,
  'error-after': 500,
};

function simulatedFault(fault: RequestFault): SimulatedFailure {
  const status = FAULT_STATUSES[fault];
  const answer = status === undefined ? 'reset' : failedResponse(status, `Simulated fault: ${fault}.`);
  return {name: `fault ${fault}`, answer, isApplied: fault.endsWith('-after'), delay: 0};
}
