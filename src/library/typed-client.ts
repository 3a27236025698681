// The client of the library: closed parameters, typed ids and objects, over the client that the commands use.

import type {Field, Fields} from '../api/fields.js';
import {camelCase, type CamelCase, type Operation, type ParamsOf, type Resource} from '../api/operation.js';
import type {Resources} from '../api/registry.js';
import type {IdText, Objects} from '../api/types.js';
import type {ApiResponse, Deleted, Encoding, HttpMethod, Transport} from '../api/wire.js';
import type {AttemptReport, CallOptions} from '../client/call.js';
import {clientOver, createClient} from '../client/client.js';
import type {Pages} from '../client/pages.js';
import type {ProxySettings} from '../client/transport.js';
import {isJsonObject} from '../common/json.js';
import {usageError} from '../common/errors.js';
import {nearestWord} from '../input/nearest.js';
import {atCaller} from './caller-line.js';

interface CommonOptions {
  /** A secret key, or a public key, which can only get a payment intent with its client secret. */
  readonly key: string;
  /** Encoding of request bodies. The default is `form` with `api: 'payrex'`, otherwise `json`. */
  readonly encoding?: Encoding;
  /** Milliseconds for all attempts of a call: 30000 by default. */
  readonly timeout?: number;
  /** Attempts of a read, and milliseconds between them. */
  readonly retry?: {readonly attempts: number; readonly baseDelay: number; readonly maximumDelay: number};
  readonly proxy?: ProxySettings;
  readonly userAgent?: string;
  readonly onAttempt?: (report: AttemptReport) => void;
}

/** Exactly one of `api`, `baseUrl` and `transport`. Without a default, no test calls the real API by mistake. */
export type TypedClientOptions = CommonOptions &
  (
    | {readonly api: 'payrex'; readonly baseUrl?: undefined; readonly transport?: undefined}
    | {readonly api?: undefined; readonly baseUrl: string; readonly transport?: undefined}
    | {readonly api?: undefined; readonly baseUrl?: undefined; readonly transport: Transport}
  );

type Params<O extends Operation> = keyof O['params'] extends never
  ? [options?: CallOptions]
  : {} extends ParamsOf<O>
    ? [params?: ParamsOf<O>, options?: CallOptions]
    : [params: ParamsOf<O>, options?: CallOptions];

type Result<O extends Operation> = O['returns'] extends {kind: infer Kind; shape: {name: infer N extends keyof Objects}}
  ? Kind extends 'list'
    ? Pages<Objects[N]>
    : Promise<Kind extends 'deleted' ? Deleted : Kind extends 'nothing' ? undefined : Objects[N]>
  : never;

/** The first id of a path is of the resource, the second of the returned shape. */
type Method<Prefix extends string, O extends Operation> = O['path'] extends `${string}:${string}:${string}`
  ? <const A extends string, const B extends string>(
      id: IdText<Prefix, A>,
      second: IdText<O['returns']['shape']['prefix'], B>,
      ...rest: Params<O>
    ) => Result<O>
  : O['path'] extends `${string}:${string}`
    ? <const A extends string>(id: IdText<Prefix, A>, ...rest: Params<O>) => Result<O>
    : (...rest: Params<O>) => Result<O>;

type Methods<R extends Resource> = {
  readonly [V in keyof R['operations'] & string as CamelCase<V>]: Method<R['shape']['prefix'], R['operations'][V]>;
};

type MethodsByResource = {readonly [R in Resources as CamelCase<R['topic']>]: Methods<R>};

/** One method for each operation of the API, such as `client.billingStatements.finalize(id)`. */
export interface TypedClient extends MethodsByResource {
  /** Sends any request, also with parameters that centavo does not know. */
  raw(
    method: HttpMethod,
    path: string,
    params?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ApiResponse>;
  close(): Promise<void>;
}

/**
 * Creates a client. Reads are retried; a write only if it was certainly not sent, or on 429.
 * @throws CentavoError kind `usage` unless exactly one of `api`, `baseUrl` and `transport` is given
 */
export const createTypedClient: (options: TypedClientOptions) => TypedClient = atCaller((options) => {
  const {api, baseUrl, transport, ...common} = options;
  checkTarget({api, baseUrl, transport});
  const sender = createClient({...common, baseUrl, transport});
  const {
    perform: _,
    requestOf: __,
    rawRequest: ___,
    ...methods
  } = clientOver(sender, async (call, how) => {
    const name = `${camelCase(call.resource.topic)}.${camelCase(call.verb)}`;
    refuseUnknown(name, '', call.operation.params, call.params);
    return sender.perform(call, how);
  });
  return atCaller(methods) as unknown as TypedClient;
});

function checkTarget(given: {api?: unknown; baseUrl?: unknown; transport?: unknown}): void {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 1 && (given.api ?? 'payrex') === 'payrex') return;
  throw usageError(
    'invalid_target',
    names.length === 0
      ? 'createClient needs to know where to send requests: one of api, baseUrl and transport.'
      : names.length > 1
        ? `createClient takes one of api, baseUrl and transport, not ${names.join(' and ')}.`
        : `createClient does not know the api ${JSON.stringify(given.api)}.`,
    {why: "In a test, write createClient({key, transport: sandbox.transport}); for the real API, api: 'payrex'."},
  );
}

/** Refuses a parameter that the operation does not have. The service would ignore it without an error. */
function refuseUnknown(operation: string, parent: string, fields: Fields, given: object): void {
  for (const [name, value] of Object.entries(given)) {
    const path = parent === '' ? name : `${parent}.${name}`;
    const field: Field | undefined = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      const nearest = nearestWord(name, Object.keys(fields));
      throw usageError('unknown_parameter', `${operation} has no parameter ${path}.`, {
        why: `${nearest ? `Did you mean ${nearest}? ` : ''}To send it anyway, use client.raw(method, path, params).`,
      });
    }
    if (field.fields === undefined) continue;
    for (const inner of Array.isArray(value) ? value : [value])
      if (isJsonObject(inner)) refuseUnknown(operation, path, field.fields, inner);
  }
}
