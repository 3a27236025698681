// Buffers the request log of a server. Requests are answered even if the log cannot be written.

import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {isFileError} from '../../common/system-errors.js';
import {isPageAddress} from '../pages/links.js';
import type {Sandbox} from '../sandbox.js';
import {type LogEntry, type LoggedRequest, requestEntry} from './request-log.js';

/** `reset`: the connection is closed without a response. */
export type ServedAnswer = ApiResponse | 'reset';

export interface HandledRequest {
  readonly id: string;
  /** By `performance.now`. */
  readonly started: number;
  request: ApiRequest;
  /** Unix seconds of the sandbox's clock. */
  at?: number;
  /** Name of its simulated failure. */
  simulated?: string;
  entry?: LogEntry;
}

const EMPTY = new Uint8Array();

function logEntryOf(
  {id, started, request, simulated}: HandledRequest,
  answer: ServedAnswer,
  at: number,
): LoggedRequest {
  const fields = {id, at, duration_ms: Math.round(performance.now() - started), simulated};
  const response = answer === 'reset' ? undefined : answer;
  if (!isPageAddress(request.path)) return requestEntry(fields, request, response);
  // Payers may type real card numbers, so bodies of pages are not logged.
  return requestEntry(fields, {...request, body: undefined}, response && {...response, body: EMPTY});
}

/** Milliseconds between writes of the buffer, and maximum number of buffered requests. */
const FLUSH_INTERVAL = 250;
const MAX_BUFFERED = 500;

export function bufferedLog({requests, now}: Sandbox) {
  const buffer: LoggedRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  const ignoreErrors = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    ignoreErrors(() => requests.append(buffer.splice(0)));
  };
  /** Keeps the buffer while another process writes, because a wait for it would hold up every response. */
  const flushSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      try {
        requests.append(buffer, {waits: false});
      } catch (error) {
        if (isFileError(error) && error.code === 'file_busy') return flushSoon();
      }
      buffer.length = 0;
    }, FLUSH_INTERVAL);
  };
  return {
    flush,
    add: (exchange: HandledRequest, answer: ServedAnswer) =>
      ignoreErrors(() => {
        const entry = logEntryOf(exchange, answer, exchange.at ?? now());
        buffer.push(entry);
        if (buffer.length >= MAX_BUFFERED) flush();
        else flushSoon();
        return entry;
      }),
    /** Logs within the change's transaction. */
    addWithChange: (exchange: HandledRequest, answer: ServedAnswer) => {
      const entry = logEntryOf(exchange, answer, exchange.at!);
      requests.add(...buffer.splice(0), entry);
      flushSoon();
      return entry;
    },
  };
}
