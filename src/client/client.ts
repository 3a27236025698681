// The API client: methods and types derived from the contract in src/api.

import {MAXIMUM_PAGE, type Fields} from '../api/fields.js';
import {
  camelCase,
  type CamelCase,
  type ObjectOf,
  type Operation,
  type OperationCall,
  type ParamsOf,
  pathIds,
  type Resource,
} from '../api/operation.js';
import {faultOf, faultOfPage} from '../api/checks.js';
import {operationAt, pathPrefixes, resources, type Resources, shapeOfId} from '../api/registry.js';
import {
  CONSISTENT_HEADER,
  type ApiRequest,
  type ApiResponse,
  type Deleted,
  type Encoding,
  type HttpMethod,
  type Transport,
} from '../api/wire.js';
import {usageError} from '../common/errors.js';
import {isJsonObject, BigJsonNumber, readJson, UnreadableJson, writeJson} from '../common/json.js';
import {TransportError, UnusableResponse} from './call-errors.js';
import {type CallerOptions, type CallOptions, createCaller, reconcile} from './call.js';
import {ENDPOINTS, isLoopback} from './endpoints.js';
import {Pages} from './pages.js';
import {createHttpTransport, type ProxySettings} from './transport.js';

export interface ClientOptions extends Partial<Omit<CallerOptions, 'transport'>> {
  /** A secret key, or a public key, which can only get a payment intent with its client secret. */
  readonly key: string;
  /** Scheme, host and port; not needed with a `transport`. */
  readonly baseUrl?: string;
  readonly encoding?: Encoding;
  /** Replaces HTTP, for example with the `handle` of an embedded sandbox. */
  readonly transport?: Transport;
  readonly proxy?: ProxySettings;
  readonly userAgent?: string;
  /** Called on each response: true if the server says its reads are never stale. Trusted only on this machine. */
  readonly onConsistent?: (is: boolean) => void;
  /** Called with the result of each operation: an object, a page or nothing. */
  readonly onAnswer?: (answer: unknown) => void;
}

/** Commands send any text and read any field: the types of the library are stricter (src/api/types.ts). */
type Loose<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : T extends object
      ? {readonly [K in keyof T]: Loose<T[K]>}
      : T;
type Extra = {readonly [other: string]: unknown};
type LooseParams<O extends Operation> = Loose<ParamsOf<O>> & Extra;
type LooseObject<S> = Loose<ObjectOf<S>> & Extra;

type IdArguments<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${string}/${infer Tail}`
    ? [id: string, ...IdArguments<`/${Tail}`>]
    : [id: string]
  : [];

type Arguments<O extends Operation> = [
  ...ids: IdArguments<O['path']>,
  ...(keyof O['params'] extends never
    ? [options?: CallOptions]
    : {} extends ParamsOf<O>
      ? [params?: LooseParams<O>, options?: CallOptions]
      : [params: LooseParams<O>, options?: CallOptions]),
];

type ResultOf<O extends Operation> = O['returns'] extends {kind: 'list'; shape: infer S}
  ? Pages<LooseObject<S> & {readonly id: string}>
  : Promise<
      O['returns'] extends {kind: 'deleted'}
        ? Deleted
        : O['returns'] extends {kind: 'nothing'}
          ? undefined
          : LooseObject<O['returns']['shape']>
    >;

type Methods<R extends Resource> = {
  readonly [V in keyof R['operations'] & string as CamelCase<V>]: (
    ...args: Arguments<R['operations'][V]>
  ) => ResultOf<R['operations'][V]>;
};

interface Generic {
  /** Performs one operation of the contract. A list returns {@link Pages}, anything else a promise. */
  perform(call: OperationCall, options?: CallOptions): Pages<{readonly id: string}> | Promise<unknown>;
  /** Builds the request of an operation, with its Authorization header, without sending it. */
  requestOf(call: OperationCall): ApiRequest;
  raw(
    method: HttpMethod,
    path: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ApiResponse>;
  rawRequest(method: HttpMethod, path: string, params?: Readonly<Record<string, unknown>>): ApiRequest;
  close(): Promise<void>;
}

/** One method for each operation of the contract, such as `client.billingStatements.finalize(id)`. */
export type Client = Generic & {readonly [R in Resources as CamelCase<R['topic']>]: Methods<R>};

/** Makes a transport of a service in this process. @param answer returns text for a lost response: the reason */
export const transportOver =
  (answer: (request: ApiRequest, signal?: AbortSignal) => Promise<ApiResponse | string>): Transport =>
  async (request, {signal}) => {
    const response = await answer(request, signal);
    if (typeof response === 'string') throw new TransportError(response, {sent: true});
    return response;
  };

/** Creates a client. Reads are retried; a write only if it was certainly not sent, or on 429. */
export function createClient(options: ClientOptions): Client {
  const http = options.transport
    ? undefined
    : createHttpTransport({baseUrl: options.baseUrl ?? ENDPOINTS.payrex!.baseUrl, proxy: options.proxy});
  const encoding = options.encoding ?? (options.baseUrl || options.transport ? 'json' : ENDPOINTS.payrex!.encoding);
  const isNear = options.baseUrl !== undefined && isLoopback(new URL(options.baseUrl).hostname);
  const overHttp: Transport = async (request, how) => {
    const response = await http!.send(request, how);
    options.onConsistent?.(isNear && response.headers[CONSISTENT_HEADER] === '1');
    return response;
  };
  const call = createCaller({...options, transport: options.transport ?? overHttp});
  const authorization = `Basic ${Buffer.from(`${options.key}:`).toString('base64')}`;

  function rawRequest(
    method: HttpMethod,
    path: string,
    params: Readonly<Record<string, unknown>> = {},
    fields: Fields = operationAt(method, path)?.registered.operation.params ?? {},
  ): ApiRequest {
    checkTimes(fields, params);
    const inQuery = method === 'GET' || method === 'DELETE';
    const body = inQuery ? undefined : encodeBody(params, encoding);
    return {
      method,
      path,
      query: inQuery ? encodeQuery(params) : '',
      headers: {
        accept: 'application/json',
        authorization,
        'user-agent': options.userAgent ?? 'centavo',
        ...(body && {'content-type': body.contentType}),
      },
      body: body?.body,
    };
  }

  const requestOf = ({resource, operation, ids, params}: OperationCall): ApiRequest =>
    rawRequest(operation.method, buildPath(resource, operation, ids), params, operation.params);

  async function send(target: OperationCall, callOptions: CallOptions = {}): Promise<unknown> {
    const operation = `${camelCase(target.resource.topic)}.${camelCase(target.verb)}`;
    const read = (response: ApiResponse) => {
      const answer = readAnswer(target, response);
      options.onAnswer?.(answer);
      return answer;
    };
    const lookUp = () => reconcile(target, (getCall) => send(getCall, callOptions));
    return call({request: requestOf(target), operation}, {...callOptions, read, reconcile: lookUp});
  }

  const perform = performWith(send);
  const generic: Generic = {
    perform,
    requestOf,
    rawRequest,
    raw: (method, path, params, callOptions) =>
      call({request: rawRequest(method, path, params)}, {...callOptions, read: checkedAnswer}),
    close: async () => http?.close(),
  };
  return Object.assign(generic, methodsOf(perform)) as Client;
}

/** Returns a client that performs operations with `answer`. For a list, `answer` returns one page. */
export const clientOver = (
  client: Client,
  answer: (call: OperationCall, options?: CallOptions) => Promise<unknown>,
): Client => {
  const perform = performWith(answer);
  return Object.assign({...client, perform}, methodsOf(perform)) as Client;
};

const performWith =
  (send: (call: OperationCall, options?: CallOptions) => Promise<unknown>): Generic['perform'] =>
  (call, options) =>
    call.operation.returns.kind === 'list'
      ? new Pages((params) => send({...call, params}, options) as never, call.params)
      : send(call, options);

function methodsOf(perform: Generic['perform']): object {
  return Object.fromEntries(
    (resources as readonly Resource[]).map((resource) => [
      camelCase(resource.topic),
      Object.fromEntries(
        Object.entries(resource.operations).map(([verb, operation]) => {
          const count = pathIds(operation.path).length;
          const takesParams = Object.keys(operation.params).length > 0;
          const method = (...args: unknown[]) =>
            perform(
              {
                resource,
                operation,
                verb,
                ids: args.slice(0, count) as string[],
                params: ((takesParams && args[count]) || {}) as Record<string, unknown>,
              },
              args[takesParams ? count + 1 : count] as CallOptions | undefined,
            );
          return [camelCase(verb), method];
        }),
      ),
    ]),
  );
}

/** Returns the path of a call. Each id must have the right prefix, so that it cannot lead to another path. */
export function buildPath(resource: Resource, operation: Operation, ids: readonly string[]): string {
  const prefixes = pathPrefixes(resource, operation);
  let position = 0;
  return operation.path.replace(/:[a-z_]+/g, () => {
    const prefix = prefixes[position]!;
    const id: unknown = ids[position++];
    if (typeof id === 'string' && shapeOfId(id)?.prefix === prefix) return id;
    throw usageError('invalid_id', `${shownId(id)} is not an id that starts with ${prefix}.`);
  });
}

/** Refuses times before 1970 or after 9999, which are mostly durations or milliseconds. */
function checkTimes(fields: Fields, params: Readonly<Record<string, unknown>>): void {
  for (const [name, {kind, min = 0, max = 0}] of Object.entries(fields)) {
    const at = params[name];
    if (kind !== 'timestamp' || typeof at !== 'number' || !(at < min || at > max)) continue;
    const seconds = Math.floor(at / 1000);
    throw usageError('invalid_date', `${name} ${at} is not a time in unix seconds.`, {
      why:
        at < min
          ? 'It is before 1970. For a duration, add it to the current time.'
          : seconds > max
            ? 'It is after the year 9999.'
            : `It looks like milliseconds; in seconds it is ${seconds} (${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC).`,
    });
  }
}

/** Names an id in an error, without the text of a secret. */
export function shownId(id: unknown): string {
  if (typeof id !== 'string') return id === undefined || id === null ? 'nothing' : `a value of type ${typeof id}`;
  return /[sp]k_(test|live)_|whsk_|_secret_/.test(id) ? 'a secret' : JSON.stringify(id.slice(0, 60));
}

const UTF8 = new TextDecoder('utf-8', {fatal: true});

function parseJson(response: ApiResponse): unknown {
  const type = response.headers['content-type'] ?? '';
  let source: string;
  try {
    source = UTF8.decode(response.body);
  } catch {
    const {'content-encoding': coding} = response.headers;
    throw new UnusableResponse(
      coding ? `The response is compressed (${coding}) and cannot be unpacked.` : 'The response is not UTF-8 text.',
    );
  }
  try {
    return readJson(source);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    if (!error.message.startsWith('It is not JSON')) throw new UnusableResponse(`${error.message}.`);
    const kind = /html/i.test(type) || /^\s*</.test(source) ? 'a web page' : 'not JSON';
    throw new UnusableResponse(`The response (HTTP ${response.status}, ${response.body.length} bytes) is ${kind}.`);
  }
}

/** Checks that the response is JSON or empty: the API sends nothing else. @throws UnusableResponse */
function checkedAnswer(response: ApiResponse): ApiResponse {
  if (response.body.length > 0) parseJson(response);
  return response;
}

/** Reads a 2xx response, which must be of the kind that the operation returns. Unknown fields pass through. */
function readAnswer(call: OperationCall, response: ApiResponse): unknown {
  const {kind, shape} = call.operation.returns;
  if (response.body.length === 0) {
    if (kind === 'nothing') return undefined;
    if (kind === 'deleted') return {id: call.ids.at(-1), resource: shape.name, deleted: true};
    throw new UnusableResponse(`The response (HTTP ${response.status}) is empty, but a ${shape.title} was expected.`);
  }
  const value = parseJson(response);
  // The content does not matter: `parseJson` has refused the web page of a proxy.
  if (kind === 'nothing') return undefined;
  if (kind === 'deleted') {
    const {id, deleted} = (value ?? {}) as {id?: unknown; deleted?: unknown};
    if (id !== call.ids.at(-1) || deleted === false)
      throw new UnusableResponse(`The response does not name the deleted ${shape.title}.`);
    return {resource: shape.name, deleted: true, ...(value as object)};
  }
  if (kind === 'list') return readPage(value, shape);
  // For a deleted object, the API still returns the remaining fields.
  const fault = faultOf(value, shape);
  if (fault) throw new UnusableResponse(`The response is not a ${shape.title}: ${fault}.`);
  const [asked, ...others] = call.ids;
  if (others.length === 0 && asked?.startsWith(shape.prefix) && (value as {id: string}).id !== asked)
    throw new UnusableResponse(`The response is a different ${shape.title} than ${asked}.`);
  return value;
}

function readPage(value: unknown, shape: Operation['returns']['shape']): unknown {
  const count = (value as {data?: unknown[]} | null)?.data?.length ?? 0;
  if (count > MAXIMUM_PAGE) throw new UnusableResponse(`The page has ${count} items; the maximum is ${MAXIMUM_PAGE}.`);
  const fault = faultOfPage(value, shape);
  if (fault) throw new UnusableResponse(`The response is not a list of ${shape.title}s: ${fault}.`);
  return {...(value as object), has_more: Boolean((value as {has_more: unknown}).has_more)};
}

type Pair = readonly [name: string, value: string];

/**
 * `k[sub]=v`, `k[]=v`, `k[][f]=v`. Hashes in a list have no index: a repeated key starts a new element.
 * So each element has the same keys in the same order, starting with keys that all elements have.
 */
function bracketPairs(params: Readonly<Record<string, unknown>>): Pair[] {
  return Object.entries(params).flatMap(([name, value]) => pairsOf(name, value));
}

function pairsOf(name: string, value: unknown): Pair[] {
  if (value === undefined) return [];
  if (value === null) return [[name, '']];
  if (value instanceof BigJsonNumber) return [[name, String(value)]];
  if (Array.isArray(value) && value.length > 0) return arrayPairs(name, value);
  // A form cannot tell an empty hash or list from an empty text.
  if (typeof value === 'object' && Object.keys(value).length === 0) return [[name, '']];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => pairsOf(`${name}[${key}]`, inner));
  return [[name, String(value)]];
}

function arrayPairs(name: string, values: readonly unknown[]): Pair[] {
  const hashes = values.filter(isJsonObject);
  if (hashes.length !== values.length || hashes.length === 0)
    return values.flatMap((value) => pairsOf(`${name}[]`, value));
  const keys = [...new Set(hashes.flatMap((hash) => Object.keys(hash)))];
  const inAll = keys.filter((key) => hashes.every((hash) => hash[key] !== undefined));
  const order = [...inAll, ...keys.filter((key) => !inAll.includes(key))];
  return hashes.flatMap((hash) => order.flatMap((key) => pairsOf(`${name}[][${key}]`, hash[key])));
}

const encodePairs = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');

/** Encodes strictly by RFC 3986, as the official client libraries do. */
function percentEncode(text: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw usageError(
      'invalid_text',
      `${JSON.stringify(text.slice(0, 60))} contains half a character, which cannot be sent.`,
    );
  }
}

/** Encodes query parameters, and omits absent, null and empty values. */
export function encodeQuery(params: Readonly<Record<string, unknown>>): string {
  return encodePairs(
    bracketPairs(Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null && value !== ''))),
  );
}

/** Encodes the body as JSON, as specified, or in the bracketed form that the real API documents. */
export function encodeBody(
  params: Readonly<Record<string, unknown>>,
  encoding: Encoding,
): {body: Uint8Array; contentType: string} | undefined {
  if (Object.values(params).every((value) => value === undefined)) return undefined;
  return encoding === 'json'
    ? {body: Buffer.from(writeJson(params)), contentType: 'application/json'}
    : {body: Buffer.from(encodePairs(bracketPairs(params))), contentType: 'application/x-www-form-urlencoded'};
}
