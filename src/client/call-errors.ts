// Errors of a call: rejected, not found, authentication, rate limit, unavailable, unusable response, outcome unknown.

import {isWrite} from '../api/operation.js';
import type {ApiErrorEntry, ApiRequest, ApiResponse} from '../api/wire.js';
import {boundedText} from '../common/bounded-text.js';
import {capitalized, CentavoError, type ErrorDetails, type ErrorKind} from '../common/errors.js';
import {isJsonObject, jsonOrText, writeJson} from '../common/json.js';

/** A call without a usable response. `sent` is false only if certainly no byte was sent. */
export class TransportError extends Error {
  readonly sent: boolean;
  /** True if a retry cannot help, as with a bad certificate. */
  readonly permanent: boolean;
  /** True if a response arrived that was not complete HTTP. */
  readonly answered: boolean;
  /** Scheme, host and port of the server. */
  readonly origin: string | undefined;

  /** The fix, as a sentence. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    options: {sent: boolean; permanent?: boolean; answered?: boolean; origin?: string; hint?: string; cause?: unknown},
  ) {
    super(message, {cause: options.cause});
    this.origin = options.origin;
    this.hint = options.hint;
    this.sent = options.sent;
    this.permanent = options.permanent ?? false;
    this.answered = options.answered ?? false;
  }
}

/** A response that centavo cannot use. The message says why, in one sentence. */
export class UnusableResponse extends Error {}

export interface ErrorContext {
  readonly request: ApiRequest;
  /** `customers.create` */
  readonly operation?: string;
}

/** The source of a key, and how to replace it. */
export type KeyDescription = Pick<ErrorDetails, 'hint' | 'why'>;

export const requestOf = ({request, operation}: ErrorContext) => ({
  method: request.method,
  path: request.path,
  ...(operation && {operation}),
});

/** Returns the request id from the headers; undefined if missing or invalid. */
export function requestIdOf({headers}: ApiResponse): string | undefined {
  const id = headers['x-request-id'] ?? headers['request-id'];
  return id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id) ? id : undefined;
}

/** `applied` of a refused call: `no` for a write, undefined for a read. */
const notApplied = ({request}: ErrorContext) => (isWrite(request) ? 'no' : undefined);

/** Maximum errors of one response. */
const MAX_ERRORS = 20;

/** Returns a field of an error as bounded text; a value that is no text as JSON. */
const errorText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : boundedText(typeof value === 'string' ? value : writeJson(value));

function readApiErrors(response: ApiResponse): ApiErrorEntry[] {
  const body = jsonOrText(Buffer.from(response.body).toString('utf8'));
  const errors = isJsonObject(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors
    .filter(isJsonObject)
    .slice(0, MAX_ERRORS)
    .map(({code, detail, parameter}) => ({
      code: errorText(code) ?? 'unknown',
      detail: errorText(detail) ?? '',
      ...(errorText(parameter) !== undefined && {parameter: errorText(parameter)}),
    }));
}

/** Adds the detail of the response's first error, if any, to a sentence. */
export function withDetail(sentence: string, response: ApiResponse): string {
  const detail = readApiErrors(response)[0]?.detail;
  return detail ? `${sentence} ${detail.replace(/[^.!?…]$/, '$&.')}` : sentence;
}

const STATUS_KINDS: Record<number, ErrorKind> = {
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  408: 'unavailable',
  425: 'unavailable',
  429: 'rate_limited',
};

/** Error for a status of 400 or above, except a 5xx on a write: see {@link outcomeUnknownError}. */
export function errorOfStatus(
  response: ApiResponse,
  context: ErrorContext,
  {why, hint}: KeyDescription = {},
  retryAfterSeconds?: number,
): CentavoError {
  const {status} = response;
  const apiErrors = readApiErrors(response);
  const kind = STATUS_KINDS[status] ?? (status >= 500 ? 'unavailable' : 'rejected');
  const details: ErrorDetails = {
    code: apiErrors[0]?.code ?? kind,
    status,
    requestId: requestIdOf(response),
    apiErrors,
    request: requestOf(context),
    applied: notApplied(context),
    retryable: kind === 'rate_limited' || kind === 'unavailable',
  };
  if (kind === 'not_found') return new CentavoError(kind, notFoundMessage(context, apiErrors), details);
  if (kind === 'auth') {
    const reason = [apiErrors[0]?.detail, why].filter(Boolean).join(' ');
    return new CentavoError(kind, `the API refused the key (HTTP ${status}).`, {
      ...details,
      ...(reason && {why: reason}),
      hint,
    });
  }
  if (kind === 'rate_limited')
    return new CentavoError(kind, 'too many requests (HTTP 429).', {
      ...details,
      ...(retryAfterSeconds !== undefined && {
        why: withDetail(`The API asks to wait ${retryAfterSeconds} s, longer than --timeout allows.`, response),
        retryAfter: retryAfterSeconds,
      }),
    });
  const answered = kind === 'unavailable' ? 'returned an error' : 'refused the request';
  return new CentavoError(kind, `the API ${answered} (HTTP ${status}).`, details);
}

function notFoundMessage({request}: ErrorContext, apiErrors: readonly ApiErrorEntry[]): string {
  return apiErrors[0]?.code === 'route_not_found'
    ? `the API has no ${request.method} ${request.path}.`
    : /_/.test(request.path.split('/')[2] ?? '')
      ? `${request.path} was not found.`
      : 'an object in the request does not exist.';
}

const answeredBy = (response: ApiResponse | undefined): ErrorDetails => ({
  status: response?.status,
  requestId: response && requestIdOf(response),
});

export function unavailableError(error: TransportError, context: ErrorContext): CentavoError {
  const where = error.origin === undefined ? '' : ` at ${error.origin}`;
  return new CentavoError('unavailable', `the API${where} could not be reached.`, {
    why: `${capitalized(error.message)}.`,
    hint: error.hint,
    request: requestOf(context),
    applied: notApplied(context),
    retryable: !error.permanent,
    cause: error,
  });
}

/** Error for a read whose response is HTML, incomplete, a redirect, or an object of another kind. */
export function unusableResponseError(reason: string, context: ErrorContext, response?: ApiResponse): CentavoError {
  return new CentavoError('unavailable', 'the API returned an unexpected response.', {
    code: 'unusable_answer',
    why: reason,
    ...answeredBy(response),
    request: requestOf(context),
    hint: 'Check that the base URL is the address of the Payments API.',
  });
}

/** Error for a write that may have been applied: it was sent, but got no usable response. */
export function outcomeUnknownError(reason: string, context: ErrorContext, response?: ApiResponse): CentavoError {
  return new CentavoError(
    'outcome_unknown',
    `centavo could not confirm whether ${context.request.method} ${context.request.path} was applied.`,
    {
      why: reason,
      ...answeredBy(response),
      request: requestOf(context),
      applied: 'unknown',
    },
  );
}
