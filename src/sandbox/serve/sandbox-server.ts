// Serves the sandbox and its pages on a loopback port, for the developer's app and any SDK. Requests that web pages make to the API are refused.

import {randomBytes} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {CONSISTENT_HEADER, type ApiRequest, type ApiResponse, type HttpMethod} from '../../api/wire.js';
import {randomToken} from '../../ground/random.js';
import {headerValues, isFromBrowser, isOwnHost, readBody, type ServerLimits, startServer} from '../../http/server.js';
import {approvalPage} from '../pages/approval.js';
import {checkoutPage} from '../pages/checkout.js';
import {ending} from '../pages/layout.js';
import {isPageAddress, targetOf} from '../pages/links.js';
import type {PageRequest} from '../pages/payment-page.js';
import {statementPage} from '../pages/statement.js';
import {Problem} from '../problems.js';
import {jsonResponse, problemResponse} from '../requests/router.js';
import type {Sandbox} from '../sandbox.js';
import type {Transaction} from '../transaction.js';
import {type Faults, type RequestFault, faultSequence} from './faults.js';

const LARGEST_BODY = 1024 * 1024;
/** An app under test may open many connections at once. */
const LIMITS: ServerLimits = {
  headersMilliseconds: 5_000,
  idleMilliseconds: 5_000,
  requestMilliseconds: 10_000,
  connections: 1024,
  headers: 2000,
};

export interface ServeOptions {
  readonly port: number;
  readonly faults?: Faults;
  readonly seed?: number;
  /** Called with the error behind a 500 response: a full disk, or a bug. */
  readonly onFault?: (error: unknown) => void;
}

export interface SandboxServer {
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** The sandbox's payment links then lead here. */
export async function serveSandbox(
  sandbox: Sandbox,
  {port, faults = {}, seed = 1, onFault}: ServeOptions,
): Promise<SandboxServer> {
  const nextFault = faultSequence(faults, seed);
  const server = await startServer({
    port,
    limits: LIMITS,
    name: 'the sandbox',
    onRequest: async (request, response) => {
      const answer = await answerTo(request);
      if (answer === 'reset') return void request.socket.resetAndDestroy();
      const marks = {[CONSISTENT_HEADER]: '1', 'x-request-id': `req_${randomToken(randomBytes)}`};
      server.send(response, {...answer, headers: {...answer.headers, ...marks}});
    },
  });

  async function answerTo(incoming: IncomingMessage): Promise<ApiResponse | 'reset'> {
    const page = isPageAddress(incoming.url!.split('?')[0]!);
    try {
      guard(incoming, server.port, page);
      const request = await readRequest(incoming);
      if (request === 'cut') return 'reset';
      // Visits to pages have no faults and do not advance their sequence.
      if (page) return answerPage(sandbox, request);
      const fault = nextFault();
      if (faults.latency) await sleep(faults.latency);
      return await faulty(fault, () => sandbox.handle(request));
    } catch (error) {
      // The rest of the request is read and dropped, so that the client sees the response.
      incoming.resume();
      if (!(error instanceof Problem)) onFault?.(error);
      if (page) return problemPage(error);
      if (error instanceof Problem) return problemResponse(error);
      return jsonResponse(500, {errors: [{code: 'internal_system_error', detail: 'The sandbox failed.'}]});
    }
  }

  const url = `http://127.0.0.1:${server.port}`;
  const close = (): Promise<void> => server.close(LIMITS.requestMilliseconds);
  try {
    sandbox.setBaseUrl(url);
  } catch (error) {
    // The file cannot be written. An open port would keep the process running.
    await close();
    throw error;
  }
  return {url, port: server.port, close};
}

async function faulty(
  fault: RequestFault | undefined,
  act: () => Promise<ApiResponse>,
): Promise<ApiResponse | 'reset'> {
  const error = (status: number, code: string, headers = {}): ApiResponse => {
    const answer = jsonResponse(status, {errors: [{code, detail: `Simulated fault: ${fault}.`}]});
    return {...answer, headers: {...answer.headers, ...headers}};
  };
  switch (fault) {
    case 'rate-limit':
      return error(429, 'rate_limited', {'retry-after': '1'});
    case 'unavailable':
      return error(503, 'service_unavailable');
    case 'reset-before':
      return 'reset';
    case 'reset-after':
      await act();
      return 'reset';
    case 'error-after':
      await act();
      return error(500, 'internal_system_error');
    case undefined:
      return act();
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ApiRequest | 'cut'> {
  const body = await readBody(incoming, LARGEST_BODY);
  if (body === 'cut') return 'cut';
  if (body === 'too_large')
    throw refusal(413, 'request_too_large', `A request body can have at most ${LARGEST_BODY} bytes.`);
  const [path = '/', ...query] = incoming.url!.split('?');
  return {
    method: incoming.method as HttpMethod,
    path,
    query: query.join('?'),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: body.length > 0 ? body : undefined,
  };
}

const refusal = (status: number, code: string, detail: string): Problem => new Problem(status, [{code, detail}]);

/** Refuses what neither an API client nor a person's browser on this machine sends. @param page true for a hosted page */
function guard(request: IncomingMessage, port: number, page: boolean): void {
  if (request.method === 'TRACE' || !request.url?.startsWith('/')) {
    throw refusal(400, 'request_invalid', 'Only requests for a path on this server are accepted.');
  }
  guardHost(request, port);
  if (page) guardPage(request);
  else guardBrowser(request);
}

function guardHost(request: IncomingMessage, port: number): void {
  const hosts = headerValues(request, 'host');
  if (hosts.length === 0) throw refusal(400, 'request_invalid', 'A Host header is required.');
  if (hosts.length > 1 || !isOwnHost(hosts[0]!, port))
    throw refusal(421, 'host_not_allowed', `Only requests to localhost:${port} or 127.0.0.1:${port} are accepted.`);
}

function guardBrowser(request: IncomingMessage): void {
  if (isFromBrowser(request))
    throw refusal(403, 'browser_not_allowed', 'The API does not accept requests from web pages.');
}

/** Any website may link to a page, but not embed it; only a page of this server may post to it. */
function guardPage({method, headers}: IncomingMessage): void {
  const {origin, host, 'sec-fetch-site': site, 'sec-fetch-dest': place = 'document'} = headers;
  if (place !== 'document') throw refusal(403, 'browser_not_allowed', 'This page cannot be shown inside another page.');
  if (method === 'GET' || method === 'HEAD') return;
  // Our pages send no referrer, so browsers send `null` as their origin. Then only Sec-Fetch-Site counts.
  const ownOrigin = origin === undefined || origin === `http://${host}` || (origin === 'null' && site !== undefined);
  if (!ownOrigin || (site !== undefined && site !== 'same-origin'))
    throw refusal(403, 'browser_not_allowed', 'This request came from another website. Nothing was done.');
}

function answerPage(sandbox: Sandbox, request: ApiRequest): ApiResponse {
  try {
    const page = readPageRequest(request);
    return sandbox.perform((tx) => pageFor(tx, page));
  } catch (error) {
    return problemPage(error);
  }
}

function problemPage(error: unknown): ApiResponse {
  if (error instanceof Problem) return refusedPage(error.status, error.message);
  return refusedPage(500, 'The sandbox failed.');
}

function pageFor(tx: Transaction, request: PageRequest): ApiResponse {
  const target = targetOf(tx, request.path);
  switch (target?.kind) {
    case 'statement':
      return statementPage(tx, target.record, request);
    case 'session':
      return checkoutPage(tx, target.record, request);
    case 'intent':
      return approvalPage(tx, target.record, request);
    case undefined:
      return notFoundPage();
  }
}

function readPageRequest({method, path, query, headers, body}: ApiRequest): PageRequest {
  const verb: string = method;
  const posted = verb === 'POST';
  if (!posted && verb !== 'GET' && verb !== 'HEAD')
    throw new Problem(405, [{code: 'method_not_allowed', detail: 'Only GET and POST requests are supported.'}]);
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (posted && body && type !== 'application/x-www-form-urlencoded')
    throw new Problem(415, [{code: 'request_invalid', detail: 'Only the form on the page can be submitted.'}]);
  return {
    method: posted ? 'POST' : 'GET',
    path,
    query: new URLSearchParams(query),
    form: new URLSearchParams(posted && body ? Buffer.from(body).toString() : ''),
  };
}

const notFoundPage = (): ApiResponse =>
  ending({
    status: 404,
    heading: 'Page not found',
    words: 'The link may be incomplete, or the page was deleted. Ask the merchant for a new link.',
  });

const refusedPage = (status: number, detail: string): ApiResponse =>
  ending({status, heading: 'This request cannot be handled', words: detail});
