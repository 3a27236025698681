// Routes a request to the action of its operation: authenticates, reads and checks the parameters, runs the action, answers. `act` runs one without a request.

import {operations, type RegisteredOperation} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {actions} from '../actions/index.js';
import {present} from '../present.js';
import {noRoute, Problem, required} from '../problems.js';
import type {Stored} from '../store.js';
import type {Transaction} from '../transaction.js';
import {allowPublic, authenticate, publicPart, type Keys} from './authentication.js';
import {readParams} from './decoding.js';
import {validate} from './validation.js';

interface Route extends RegisteredOperation {
  readonly pattern: RegExp;
}

const routes: readonly Route[] = operations.map((registered) => ({
  ...registered,
  pattern: new RegExp(`^${registered.operation.path.replace(/:[a-z_]+/g, '([^/]+)')}$`),
}));

function findRoute({method, path}: ApiRequest): {route: Route; ids: string[]} {
  for (const route of routes) {
    const match = route.operation.method === method ? route.pattern.exec(path) : null;
    if (match) return {route, ids: match.slice(1).map(decode)};
  }
  throw noRoute(method, path);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Answers one request inside its transaction. @throws Problem, which rolls the transaction back */
export function respond(request: ApiRequest, tx: Transaction, keys: Keys): ApiResponse {
  const isPublic = authenticate(request, keys) === 'public';
  const {route, ids} = findRoute(request);
  const {operation} = route;
  if (isPublic) allowPublic(route);
  const params = validate(readParams(request, operation.params), operation.params);
  if (isPublic && !params.client_secret) throw required('client_secret');
  const result = perform(tx, route, ids, params);
  if (operation.returns.kind === 'nothing') return {status: 204, headers: {}, body: new Uint8Array()};
  const answer = wireOf(result, tx);
  return jsonResponse(200, isPublic ? publicPart(answer) : answer);
}

/** Actions return records, pages of records, or values that need no presentation. */
function wireOf(result: unknown, tx: Transaction): unknown {
  if (typeof result !== 'object' || result === null) return result;
  if ('data' in result && 'hasMore' in result) {
    const page = result as {data: Parameters<typeof present>[0][]; hasMore: boolean};
    return {resource: 'list', has_more: page.hasMore, data: page.data.map((record) => present(record, tx))};
  }
  return 'created_at' in result ? present(result as Parameters<typeof present>[0], tx) : result;
}

export function jsonResponse(status: number, value: unknown): ApiResponse {
  return {
    status,
    headers: {'content-type': 'application/json; charset=utf-8'},
    body: Buffer.from(JSON.stringify(value)),
  };
}

export const problemResponse = ({status, errors}: Problem): ApiResponse => jsonResponse(status, {errors});

/**
 * Performs an operation without a request: the same checks, and the same action.
 * @param id `topic:verb`
 * @throws Problem as the request would be refused
 */
export function act(tx: Transaction, id: string, params: Record<string, unknown> = {}, ...ids: string[]): Stored {
  const registered = operations.find((candidate) => candidate.id === id)!;
  return perform(tx, registered, ids, validate(params, registered.operation.params)) as Stored;
}

function perform(
  tx: Transaction,
  {resource, verb, operation}: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
): unknown {
  return actions[resource.topic]![verb]!(tx, {ids, params, fields: operation.params});
}
