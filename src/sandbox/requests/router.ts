// Routes a request to its action: authenticates, validates and runs it.

import {operationAt, operations, type RegisteredOperation} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import type {Actions} from '../actions/action.js';
import {lineItemActions, billingStatementActions} from '../actions/billing-statements.js';
import {checkoutSessionActions} from '../actions/checkout-sessions.js';
import {customerActions, customerSessionActions, setupIntentActions} from '../actions/customers.js';
import {paymentIntentActions} from '../actions/payment-intents.js';
import {paymentActions, payoutActions, refundActions} from '../actions/payments.js';
import {webhookActions} from '../actions/webhooks.js';
import {serialize} from '../serialize.js';
import {noRoute, ApiProblem, required, unauthorized} from '../api-problems.js';
import type {ListPage, StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';
import {authenticate, type Keys, publicFields} from './authentication.js';
import {readParams, validate} from './parameters.js';

/** By topic, each looked up when asked for: its file is then loaded. A test checks that every operation has an action. */
export const actions: Readonly<Record<string, () => Actions>> = {
  customers: () => customerActions,
  'billing-statements': () => billingStatementActions,
  'billing-statement-line-items': () => lineItemActions,
  'payment-intents': () => paymentIntentActions,
  'checkout-sessions': () => checkoutSessionActions,
  payments: () => paymentActions,
  refunds: () => refundActions,
  payouts: () => payoutActions,
  webhooks: () => webhookActions,
  'customer-sessions': () => customerSessionActions,
  'setup-intents': () => setupIntentActions,
};

export function respond(request: ApiRequest, tx: Transaction, keys: Keys): ApiResponse {
  const isPublic = authenticate(request, keys) === 'public';
  const {method, path} = request;
  // A path with extra slashes matches no route.
  const route = /\/(\/|$)/.test(path) ? undefined : operationAt(method, path);
  if (!route) throw noRoute(method, path);
  const {registered, ids} = route;
  const {operation} = registered;
  if (isPublic && registered.id !== 'payment-intents:get')
    throw unauthorized('A public API key can only retrieve a payment intent.');
  const params = validate(readParams(request, operation.params), operation.params);
  if (isPublic && !params.client_secret) throw required('client_secret');
  const result = perform(tx, registered, ids, params);
  if (operation.returns.kind === 'nothing') return {status: 204, headers: {}, body: new Uint8Array()};
  const answer = wireOf(result, tx);
  return jsonResponse(200, isPublic ? publicFields(answer) : answer);
}

/** Serializes records and pages of records; other results stay unchanged. */
function wireOf(result: unknown, tx: Transaction): unknown {
  if (typeof result !== 'object' || result === null) return result;
  if ('data' in result && 'hasMore' in result) {
    const page = result as ListPage;
    return {resource: 'list', has_more: page.hasMore, data: page.data.map((record) => serialize(record, tx))};
  }
  return 'created_at' in result ? serialize(result as StoredRecord, tx) : result;
}

export function jsonResponse(status: number, value: unknown): ApiResponse {
  return {
    status,
    headers: {'content-type': 'application/json; charset=utf-8'},
    body: Buffer.from(JSON.stringify(value)),
  };
}

export const problemResponse = ({status, errors}: ApiProblem): ApiResponse => jsonResponse(status, {errors});

export function runAction(
  tx: Transaction,
  id: string,
  params: Record<string, unknown> = {},
  ...ids: string[]
): StoredRecord {
  const registered = operations.find((candidate) => candidate.id === id)!;
  return perform(tx, registered, ids, validate(params, registered.operation.params)) as StoredRecord;
}

function perform(
  tx: Transaction,
  {resource, verb}: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
): unknown {
  return actions[resource.topic]!()[verb]!(tx, {ids, params});
}
