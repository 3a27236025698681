// Serves the sandbox and its pages on a port, by default on loopback. Refuses API requests from web pages.

import {randomBytes} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {isIP, isIPv6} from 'node:net';
import {CONSISTENT_HEADER, type ApiRequest, type HttpMethod} from '../../api/wire.js';
import {usageError} from '../../common/errors.js';
import {randomToken} from '../../common/random.js';
import type {SandboxSettings} from '../../common/sandbox-settings.js';
import {isLoopbackAddress, isThisMachine, loopbackLookup} from '../../http/addresses.js';
import {canConnect} from '../../http/webhook-sender.js';
import {headerValues, isFromBrowser, isOwnHost, readBody, type ServerLimits, startServer} from '../../http/server.js';
import {ApiProblem} from '../api-problems.js';
import type {SandboxControl} from '../control/control.js';
import {Namespaces} from '../control/namespaces.js';
import {type Exchange, type ExchangeOptions, exchangeOf, kindOfRequest, type RequestKind} from '../exchange.js';
import type {Keys} from '../requests/authentication.js';
import type {LogEntry} from '../requests/request-log.js';
import type {Sandbox} from '../sandbox.js';
import {INDEXES} from '../studio/indexes.js';
import type {Studio, StudioOptions} from '../studio/studio.js';

const LOOPBACK = '127.0.0.1';
const MAX_BODY_BYTES = 1024 * 1024;
/** An app under test may open many connections at once. */
const CONNECTION_LIMITS: ServerLimits = {
  headersMilliseconds: 5_000,
  idleMilliseconds: 5_000,
  requestMilliseconds: 10_000,
  connections: 1024,
  headers: 2000,
};

export interface ServeOptions
  extends
    SandboxSettings,
    Partial<Pick<StudioOptions, 'flags' | 'listenerRecord'>>,
    Pick<ExchangeOptions, 'faults' | 'images' | 'onFault' | 'seed'> {
  readonly port: number;
  /** The address to listen on; loopback by default. */
  readonly host?: string;
  /** In place of the sandbox's own, which was generated. Required where other machines can connect. */
  readonly secretKey?: string;
  /** Additional names to accept in the Host header, with or without a port. */
  readonly allowedHosts?: readonly string[];
  /** @param namespace of the request, if any */
  readonly onAnswer?: (entry: LogEntry, namespace?: string) => void;
}

export interface SandboxServer {
  readonly url: string;
  readonly keys: Keys;
  /** Address of the studio with its secret, so that pages have buttons. */
  readonly studioUrl: string;
  readonly port: number;
  readonly isExposed: boolean;
  /** Those that are set, by this server or before. */
  readonly settings: SandboxSettings;
  readonly close: () => Promise<void>;
}

/** The sandbox's clock as the `Date` of the service. Without it, for a damaged file, Node sends this machine's. */
function dateHeader(sandbox: Pick<Sandbox, 'now'>): {readonly date?: string} {
  try {
    return {date: new Date(sandbox.now() * 1000).toUTCString()};
  } catch {
    return {};
  }
}

interface Admitted {
  readonly exchange: Exchange;
  readonly read: () => Promise<ApiRequest | 'aborted'>;
}

/** Starts a server. The sandbox's payment links then point to it. */
export async function serveSandbox(
  control: SandboxControl,
  {port, host = LOOPBACK, secretKey, allowedHosts = [], faults, seed, ...others}: ServeOptions,
): Promise<SandboxServer> {
  const {sandbox} = control;
  if (isIP(host) === 0)
    throw usageError('usage', `--host ${host} is not an IP address.`, {
      hint: 'For all addresses of this machine: --host 0.0.0.0',
    });
  const isExposed = !isLoopbackAddress(host);
  if (isExposed && secretKey === undefined)
    throw usageError('missing_key', `--host ${host} needs a key from CENTAVO_SANDBOX_KEY.`, {
      why: 'Other machines can connect, and the sandbox’s own key is not meant for them.',
      hint: 'To make one: export CENTAVO_SANDBOX_KEY=sk_test_$(openssl rand -hex 16)',
    });
  const keys = {...sandbox.keys, ...(secretKey !== undefined && {secret: secretKey})};
  const server = await startServer({
    port,
    host,
    limits: CONNECTION_LIMITS,
    name: 'the sandbox',
    onRequest: async (incoming, response) => {
      const head = requestHead(incoming);
      const {exchange, read} = admit(incoming, head);
      const {id, answer} = await exchange.run(head, read, (end) => response.once('close', end));
      // Drain the request, so that the client sees the response.
      incoming.resume();
      if (answer === 'reset') return void incoming.socket.resetAndDestroy();
      const extraHeaders = {[CONSISTENT_HEADER]: '1', 'x-request-id': id, ...dateHeader(exchange.sandbox)};
      server.send(response, {...answer, headers: {...answer.headers, ...extraHeaders}});
    },
  });
  const url = `http://${linkHost(host)}:${server.port}`;
  // 119 bits, so that the address fits into 60 columns.
  const secret = randomToken(randomBytes, 20);
  const studioUrl = `${url}/studio/~${secret}/`;
  let opened: Promise<Studio> | undefined;
  const studio = () =>
    (opened ??= import('../studio/studio.js').then((it) => it.openStudio(control, {secret, links: url, ...others})));
  const hosts = [new URL(url).host, ...allowedHosts.flatMap((name) => [name, `${name}:${server.port}`])];

  const secretPrefix = isExposed || allowedHosts.length > 0 ? `${keys.secret}_ns_` : undefined;
  const realNow = sandbox.signedAt;
  const settings = () => sandbox.configure();
  const shared = {...others, baseUrl: url};
  const namespaces = new Namespaces({...shared, realNow, secretPrefix, settings});
  const served = exchangeOf(control, {...shared, keys, faults, seed, studio, namespaces});

  /** Chooses the sandbox of a request. A request that is refused is still logged. */
  function admit(incoming: IncomingMessage, head: ApiRequest): Admitted {
    try {
      guard(incoming, server.port, hosts, kindOfRequest(head));
      return {exchange: namespaces.exchangeFor(head) ?? served, read: () => readRequest(incoming, head)};
    } catch (error) {
      return {exchange: served, read: () => Promise.reject(error as Error)};
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
    const ending = [served.close(), namespaces.closeAll()];
    await server.close(CONNECTION_LIMITS.requestMilliseconds);
    await Promise.all(ending);
    served.flush();
    // The database may already be closed.
    await updateStudioUrls([]).catch(() => {});
  };
  try {
    sandbox.requests.database.exec(INDEXES);
    await updateStudioUrls([studioUrl], url);
    sandbox.configure(others);
  } catch (error) {
    // An open port would keep the process running.
    await close();
    throw error;
  }
  return {url, keys, studioUrl, port: server.port, isExposed, settings: settings(), close};
}

/** Returns the host for links that a browser on this machine can open. */
function linkHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK;
  return isIPv6(host) ? `[${host}]` : host;
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

async function readRequest(incoming: IncomingMessage, head: ApiRequest): Promise<ApiRequest | 'aborted'> {
  const body = await readBody(incoming, MAX_BODY_BYTES);
  if (body === 'aborted') return 'aborted';
  if (body === 'too_large')
    throw refusal(413, 'request_too_large', `A request body can have at most ${MAX_BODY_BYTES} bytes.`);
  return body.length > 0 ? {...head, body} : head;
}

const refusal = (status: number, code: string, detail: string): ApiProblem => new ApiProblem(status, [{code, detail}]);

/** Refuses requests that neither API clients nor users' browsers send. */
function guard(request: IncomingMessage, port: number, hosts: readonly string[], target: RequestKind): void {
  if (request.method === 'TRACE' || !request.url?.startsWith('/'))
    throw refusal(400, 'request_invalid', 'Only requests for a path on this server are accepted.');
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
