// The errors of a call: refused by the API, not found, auth, rate limited, unavailable, unusable answer, outcome unknown.

import type {ApiErrorEntry, ApiRequest, ApiResponse} from '../api/wire.js';
import {capitalized, CentavoError, type ErrorDetails, type ErrorKind} from '../errors.js';

/** The request got no answer. `sent` is false only when certainly no byte of it was sent. */
export class TransportError extends Error {
  readonly sent: boolean;
  /** True when trying again cannot help, as with a bad certificate. */
  readonly permanent: boolean;
  /** True when something came back that was not a complete HTTP answer. */
  readonly answered: boolean;
  /** Scheme, host and port that were spoken to. */
  readonly origin: string | undefined;

  constructor(
    message: string,
    options: {sent: boolean; permanent?: boolean; answered?: boolean; origin?: string; cause?: unknown},
  ) {
    super(message, {cause: options.cause});
    this.origin = options.origin;
    this.sent = options.sent;
    this.permanent = options.permanent ?? false;
    this.answered = options.answered ?? false;
  }
}

/** An answer that cannot be used; the message says why, in one sentence. */
export class UnusableAnswer extends Error {}

/** Where an error happened, for its message and its JSON. */
export interface CallContext {
  readonly request: Pick<ApiRequest, 'method' | 'path'>;
  readonly operation?: string;
  readonly write: boolean;
  readonly refusedKey?: {readonly why?: string; readonly hint?: string};
}

/** The request as it is shown in an error. */
export const requestOf = ({request, operation}: CallContext) => ({
  method: request.method,
  path: request.path,
  ...(operation && {operation}),
});

/** What the service calls a request; undefined where it does not say, or says what is no name. */
export function requestIdOf({headers}: ApiResponse): string | undefined {
  const id = headers['x-request-id'] ?? headers['request-id'];
  return id !== undefined && /^[\w.:/+=-]{1,128}$/.test(id) ? id : undefined;
}

/** `applied` is given only for writes. */
const notApplied = ({write}: CallContext) => (write ? ('no' as const) : undefined);

/** The `errors` of an answer; empty when its body is something else. */
function readApiErrors(response: ApiResponse): ApiErrorEntry[] {
  try {
    const parsed = JSON.parse(Buffer.from(response.body).toString('utf8')) as {errors?: unknown};
    if (!Array.isArray(parsed.errors)) return [];
    return parsed.errors
      .filter((entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null)
      .map((entry) => ({
        code: String(entry.code ?? 'unknown'),
        detail: String(entry.detail ?? ''),
        ...(entry.parameter === undefined || entry.parameter === null ? {} : {parameter: String(entry.parameter)}),
      }));
  } catch {
    return [];
  }
}

const STATUS_KINDS: Record<number, ErrorKind> = {
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  408: 'unavailable',
  425: 'unavailable',
  429: 'rate_limited',
};

/** The error for a status of 400 or above. For a 5xx on a write see {@link outcomeUnknown}. */
export function errorOfStatus(response: ApiResponse, context: CallContext, retryAfterSeconds?: number): CentavoError {
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
  switch (kind) {
    case 'auth': {
      const {why, hint} = context.refusedKey ?? {};
      const said = [apiErrors[0]?.detail, why].filter(Boolean).join(' ');
      return new CentavoError(kind, `the API refused the key (HTTP ${status}).`, {
        ...details,
        ...(said && {why: said}),
        hint,
      });
    }
    case 'not_found':
      return new CentavoError(kind, notFoundMessage(context, apiErrors), details);
    case 'rate_limited':
      return new CentavoError(kind, 'too many requests (HTTP 429).', {
        ...details,
        ...(retryAfterSeconds !== undefined && {
          why: `The API asks to wait ${retryAfterSeconds} s, longer than --timeout allows.`,
          retryAfter: retryAfterSeconds,
        }),
      });
    case 'unavailable':
      return new CentavoError(kind, `the API returned an error (HTTP ${status}).`, details);
    default:
      return new CentavoError(kind, `the API refused the request (HTTP ${status}).`, details);
  }
}

function notFoundMessage({request}: CallContext, apiErrors: readonly ApiErrorEntry[]): string {
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

/** The request was not sent, so nothing was applied. */
export function unavailable(error: TransportError, context: CallContext): CentavoError {
  const where = error.origin === undefined ? '' : ` at ${error.origin}`;
  return new CentavoError('unavailable', `the API${where} could not be reached.`, {
    why: `${capitalized(error.message)}.`,
    request: requestOf(context),
    applied: notApplied(context),
    retryable: !error.permanent,
    cause: error,
  });
}

/** The answer to a read was HTML, half a body, an object of another kind, or a redirect. */
export function unusableAnswer(reason: string, context: CallContext, response?: ApiResponse): CentavoError {
  return new CentavoError('unavailable', 'the API returned an unexpected response.', {
    code: 'unusable_answer',
    why: reason,
    ...answeredBy(response),
    request: requestOf(context),
    hint: 'Check that the base URL is the address of the Payments API.',
  });
}

/** A write was sent and no usable answer came back, so it may or may not have been applied. It was not repeated. */
export function outcomeUnknown(reason: string, context: CallContext, response?: ApiResponse): CentavoError {
  return new CentavoError(
    'outcome_unknown',
    `it is not known whether ${context.request.method} ${context.request.path} was applied.`,
    {
      why: `${reason} It was not repeated.`,
      ...answeredBy(response),
      request: requestOf(context),
      applied: 'unknown',
    },
  );
}
