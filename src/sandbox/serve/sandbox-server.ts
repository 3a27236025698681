// Serves the sandbox and its pages on a port, by default on loopback. Refuses API requests from web pages.

import {randomBytes} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {isIP, isIPv6} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {CONSISTENT_HEADER, type ApiRequest, type ApiResponse, type HttpMethod} from '../../api/wire.js';
import {usageError} from '../../common/errors.js';
import {randomToken} from '../../common/random.js';
import {isFileError} from '../../common/system-errors.js';
import {isLoopbackAddress, isThisMachine, loopbackLookup} from '../../http/addresses.js';
import {canConnect} from '../../http/webhook-sender.js';
import {headerValues, isFromBrowser, isOwnHost, readBody, type ServerLimits, startServer} from '../../http/server.js';
import {approvalPage} from '../pages/approval.js';
import {checkoutPage} from '../pages/checkout.js';
import {endedPage} from '../pages/layout.js';
import {isPageAddress, isStudioAddress, targetOf} from '../pages/links.js';
import type {PageRequest} from '../pages/payment-page.js';
import {statementPage} from '../pages/statement.js';
import {ApiProblem} from '../api-problems.js';
import {jsonResponse, problemResponse} from '../requests/router.js';
import {type LogEntry, type LoggedRequest, newRequestId, requestEntry} from '../requests/request-log.js';
import type {Sandbox} from '../sandbox.js';
import {INDEXES} from '../studio/indexes.js';
import type {Studio} from '../studio/studio.js';
import type {Transaction} from '../transaction.js';
import {type InjectedFaults, type RequestFault, faultSequence} from './fault-injection.js';

const LOOPBACK = '127.0.0.1';
const EMPTY = new Uint8Array();
const MAX_BODY_BYTES = 1024 * 1024;
/** An app under test may open many connections at once. */
const CONNECTION_LIMITS: ServerLimits = {
  headersMilliseconds: 5_000,
  idleMilliseconds: 5_000,
  requestMilliseconds: 10_000,
  connections: 1024,
  headers: 2000,
};

export interface ServeOptions {
  readonly port: number;
  /** The address to listen on; loopback by default. */
  readonly host?: string;
  /** Additional names to accept in the Host header, with or without a port. */
  readonly allowedHosts?: readonly string[];
  readonly faults?: InjectedFaults;
  readonly seed?: number;
  /** Called with the error behind a 500 response, such as a full disk. */
  readonly onFault?: (error: unknown) => void;
  readonly onAnswer?: (entry: LogEntry) => void;
}

export interface SandboxServer {
  readonly url: string;
  /** Address of the studio with its secret, so that pages have buttons. */
  readonly studioUrl: string;
  readonly port: number;
  readonly isExposed: boolean;
  readonly close: () => Promise<void>;
}

type ServedAnswer = ApiResponse | 'reset';

interface HandledRequest {
  readonly id: string;
  readonly started: number;
  request: ApiRequest;
  /** Unix seconds of the sandbox's clock. */
  at?: number;
  entry?: LogEntry;
}

function logEntryOf({id, started, request}: HandledRequest, answer: ServedAnswer, at: number): LoggedRequest {
  const fields = {id, at, duration_ms: Math.round(performance.now() - started)};
  const response = answer === 'reset' ? undefined : answer;
  if (!isPageAddress(request.path)) return requestEntry(fields, request, response);
  // Payers may type real card numbers, so bodies of pages are not logged.
  return requestEntry(fields, {...request, body: undefined}, response && {...response, body: EMPTY});
}

/** The sandbox's clock as the `Date` of the service. Without it, for a damaged file, Node sends this machine's. */
function dateHeader(sandbox: Pick<Sandbox, 'now'>): {readonly date?: string} {
  try {
    return {date: new Date(sandbox.now() * 1000).toUTCString()};
  } catch {
    return {};
  }
}

/** Starts a server. The sandbox's payment links then point to it. */
export async function serveSandbox(
  sandbox: Sandbox,
  {port, host = LOOPBACK, allowedHosts = [], faults = {}, seed = 1, onFault, onAnswer}: ServeOptions,
): Promise<SandboxServer> {
  if (isIP(host) === 0)
    throw usageError('usage', `--host ${host} is not an IP address.`, {
      hint: 'For all addresses of this machine: --host 0.0.0.0',
    });
  const nextFault = faultSequence(faults, seed);
  const log = bufferedLog(sandbox);
  const server = await startServer({
    port,
    host,
    limits: CONNECTION_LIMITS,
    name: 'the sandbox',
    onRequest: async (incoming, response) => {
      const exchange: HandledRequest = {id: newRequestId(), started: performance.now(), request: requestHead(incoming)};
      const answer = await answerTo(incoming, exchange);
      if (answer === 'reset') incoming.socket.resetAndDestroy();
      else {
        const extraHeaders = {[CONSISTENT_HEADER]: '1', 'x-request-id': exchange.id, ...dateHeader(sandbox)};
        server.send(response, {...answer, headers: {...answer.headers, ...extraHeaders}});
      }
      if (isStudioAddress(exchange.request)) return;
      // Polls of payment pages would fill the log.
      const isPoll = incoming.method === 'HEAD' && isPageAddress(exchange.request.path);
      const entry = exchange.entry ?? (isPoll ? undefined : log.add(exchange, answer));
      if (entry) onAnswer?.(entry);
    },
  });
  const url = `http://${linkHost(host)}:${server.port}`;
  // 119 bits, so that the address fits into 60 columns.
  const secret = randomToken(randomBytes, 20);
  const studioUrl = `${url}/studio/~${secret}/`;
  let opened: Promise<Studio> | undefined;
  const studio = () => (opened ??= import('../studio/studio.js').then((it) => it.openStudio(sandbox, secret, url)));
  const hosts = [new URL(url).host, ...allowedHosts.flatMap((name) => [name, `${name}:${server.port}`])];

  async function answerTo(incoming: IncomingMessage, exchange: HandledRequest): Promise<ServedAnswer> {
    const isStudio = isStudioAddress(exchange.request);
    const page = isStudio || isPageAddress(exchange.request.path);
    try {
      guard(incoming, server.port, hosts, isStudio ? 'studio' : page ? 'page' : 'api');
      const body = await readRequestBody(incoming);
      if (body === 'aborted') return 'reset';
      const request = (exchange.request = {...exchange.request, body});
      if (isStudio) {
        const open = await studio();
        // A buffered request must not be logged after a snapshot was restored.
        if ((request.method as string) === 'POST') log.flush();
        return await open(request);
      }
      // Pages have no faults and do not advance the sequence of faults.
      if (page) {
        const pageRequest = readPageRequest(request);
        const run = pageRequest.method === 'GET' ? sandbox.performRead : sandbox.perform;
        return run((tx) => pageFor(tx, pageRequest), {cause: 'page', baseUrl: url});
      }
      const fault = nextFault();
      if (faults.latency) await sleep(faults.latency);
      const simulated = fault && simulateFault(fault);
      if (simulated && !fault.endsWith('-after')) return simulated;
      const answer = await sandbox.answer(request, {
        cause: exchange.id,
        baseUrl: url,
        onAnswer: (response, {now}) => {
          exchange.at = now;
          if (request.method !== 'GET') exchange.entry = log.addWithChange(exchange, simulated ?? response);
        },
      });
      return simulated ?? answer;
    } catch (error) {
      // The log entry was rolled back with the change.
      exchange.entry = undefined;
      // Drain the request, so that the client sees the response.
      incoming.resume();
      if (!(error instanceof ApiProblem)) onFault?.(error);
      if (page) return problemPage(error);
      if (error instanceof ApiProblem) return problemResponse(error);
      return jsonResponse(500, {errors: [{code: 'internal_system_error', detail: 'The sandbox failed.'}]});
    }
  }

  /** Updates the studio addresses of running servers. When this server ends, links move to another server. */
  async function updateStudioUrls(added: readonly string[], links?: string): Promise<void> {
    const gone = new Set<string>();
    await Promise.all(
      sandbox.studioUrls().map(async (studioUrl) => {
        if (studioUrl.startsWith(`${url}/`) || !(await canConnect(new URL(studioUrl), loopbackLookup)))
          gone.add(studioUrl);
      }),
    );
    sandbox.perform(({store}) => {
      const urls = [...added, ...sandbox.studioUrls().filter((url) => !gone.has(url))];
      const bases = urls.map((studioUrl) => new URL(studioUrl).origin);
      const base = sandbox.baseUrl();
      store.set('studio_url', urls.join(' '));
      store.set('base_url', links ?? (bases.includes(base) ? base : (bases[0] ?? base)));
    });
  }

  const close = async (): Promise<void> => {
    await server.close(CONNECTION_LIMITS.requestMilliseconds);
    log.flush();
    // The database may already be closed.
    await updateStudioUrls([]).catch(() => {});
  };
  try {
    sandbox.requests.database.exec(INDEXES);
    await updateStudioUrls([studioUrl], url);
  } catch (error) {
    // An open port would keep the process running.
    await close();
    throw error;
  }
  return {url, studioUrl, port: server.port, isExposed: !isLoopbackAddress(host), close};
}

/** Returns the host for links that a browser on this machine can open. */
function linkHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK;
  return isIPv6(host) ? `[${host}]` : host;
}

/** Milliseconds between writes of the buffer, and maximum number of buffered requests. */
const FLUSH_INTERVAL = 250;
const MAX_BUFFERED = 500;

/** Buffers the request log. Requests are answered even if the log cannot be written. */
function bufferedLog({requests, now}: Sandbox) {
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
    /** Logs within the change's transaction. The next flush trims the log. */
    addWithChange: (exchange: HandledRequest, answer: ServedAnswer) => {
      const entry = logEntryOf(exchange, answer, exchange.at!);
      requests.add(...buffer.splice(0), entry);
      flushSoon();
      return entry;
    },
  };
}

function simulateFault(fault: RequestFault): ServedAnswer {
  const error = (status: number, code: string, headers = {}): ApiResponse => {
    const answer = jsonResponse(status, {errors: [{code, detail: `Simulated fault: ${fault}.`}]});
    return {...answer, headers: {...answer.headers, ...headers}};
  };
  if (fault === 'rate-limit') return error(429, 'rate_limited', {'retry-after': '1'});
  if (fault === 'unavailable') return error(503, 'service_unavailable');
  return fault === 'error-after' ? error(500, 'internal_system_error') : 'reset';
}

function requestHead({method, url, headers}: IncomingMessage): ApiRequest {
  const [path = '/', ...query] = url!.split('?');
  return {
    method: method as HttpMethod,
    path,
    query: query.join('?'),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: undefined,
  };
}

async function readRequestBody(incoming: IncomingMessage): Promise<Uint8Array | 'aborted' | undefined> {
  const body = await readBody(incoming, MAX_BODY_BYTES);
  if (body === 'aborted') return 'aborted';
  if (body === 'too_large')
    throw refusal(413, 'request_too_large', `A request body can have at most ${MAX_BODY_BYTES} bytes.`);
  return body.length > 0 ? body : undefined;
}

const refusal = (status: number, code: string, detail: string): ApiProblem => new ApiProblem(status, [{code, detail}]);

/** Refuses requests that neither API clients nor users' browsers send. */
function guard(
  request: IncomingMessage,
  port: number,
  hosts: readonly string[],
  target: 'api' | 'page' | 'studio',
): void {
  if (request.method === 'TRACE' || !request.url?.startsWith('/')) {
    throw refusal(400, 'request_invalid', 'Only requests for a path on this server are accepted.');
  }
  guardHost(request, port, hosts);
  if (target === 'studio') guardStudio(request, port);
  else if (target === 'page') guardPage(request);
  else if (isFromBrowser(request))
    throw refusal(403, 'browser_not_allowed', 'The API does not accept requests from web pages.');
}

function guardHost(request: IncomingMessage, port: number, allowed: readonly string[]): void {
  const hosts = headerValues(request, 'host');
  if (hosts.length === 0) throw refusal(400, 'request_invalid', 'A Host header is required.');
  if (hosts.length === 1 && isOwnHost(hosts[0]!, port, allowed)) return;
  const message = `Only requests to localhost:${port} or 127.0.0.1:${port} are accepted.`;
  throw refusal(421, 'host_not_allowed', `${message} To allow another name, start the sandbox with --allow-host.`);
}

/** Any website may link to a page, but not embed it. Only this server's pages may post to it. */
function guardPage({method, headers}: IncomingMessage): void {
  const {origin, host, 'sec-fetch-site': site, 'sec-fetch-dest': place = 'document'} = headers;
  if (method === 'HEAD' && site === 'same-origin') return;
  if (place !== 'document') throw refusal(403, 'browser_not_allowed', 'This page cannot be shown inside another page.');
  if (method === 'GET' || method === 'HEAD') return;
  // With `no-referrer`, browsers send `Origin: null`. Then only Sec-Fetch-Site counts.
  const ownOrigin = origin === undefined || origin === `http://${host}` || (origin === 'null' && site !== undefined);
  if (!ownOrigin || (site !== undefined && site !== 'same-origin'))
    throw refusal(403, 'browser_not_allowed', 'This request came from another website. Nothing was done.');
}

/** Any website may link to the studio. Only its own pages may load its parts, and only its own origin may post. */
function guardStudio({method, headers, url, socket}: IncomingMessage, port: number): void {
  const {origin, host, 'sec-fetch-site': site = 'none', 'sec-fetch-dest': dest = 'document'} = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  const isOwn = site === 'same-origin' || site === 'none';
  const isShown = dest === 'document' || (site === 'same-origin' && ['empty', 'script', 'style'].includes(dest));
  if (!isShown || !(isRead ? isOwn || dest === 'document' : isOwn && origin === `http://${host}`))
    throw refusal(403, 'browser_not_allowed', 'This request came from another website. Nothing was done.');
  // Tunnels also connect from this machine.
  const isTunnel = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  const isLocal = isThisMachine(socket.remoteAddress) && isOwnHost(String(host), port) && !isTunnel;
  if (!url!.startsWith('/studio/~') && !isLocal)
    throw refusal(403, 'browser_not_allowed', 'From another machine, open the address that sandbox serve printed.');
}

function problemPage(error: unknown): ApiResponse {
  const reason = isFileError(error) && `The sandbox’s file cannot be used. ${error.details.why}`;
  const [status, text] =
    error instanceof ApiProblem ? [error.status, error.message] : [500, reason || 'The sandbox failed.'];
  return endedPage({status, heading: 'This request cannot be handled', text});
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
      return endedPage({
        status: 404,
        heading: 'Page not found',
        text: 'The link may be incomplete, or the page was deleted. Ask the merchant for a new link.',
      });
  }
}

function readPageRequest({method, path, query, headers, body}: ApiRequest): PageRequest {
  const verb: string = method;
  const posted = verb === 'POST';
  if (!posted && verb !== 'GET' && verb !== 'HEAD')
    throw new ApiProblem(405, [{code: 'method_not_allowed', detail: 'Only GET and POST requests are supported.'}]);
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (posted && body && type !== 'application/x-www-form-urlencoded')
    throw new ApiProblem(415, [{code: 'request_invalid', detail: 'Only the form on the page can be submitted.'}]);
  return {
    method: posted ? 'POST' : 'GET',
    path,
    query: new URLSearchParams(query),
    form: new URLSearchParams(posted && body ? Buffer.from(body).toString() : ''),
  };
}
