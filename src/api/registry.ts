// The ordered list of resources and operations, from which everything else derives.

import {camelCase, pathIds, type Operation, type OperationCall, type Resource, type Shape} from './operation.js';
import {billingStatementLineItems} from './resources/billing-statement-line-items.js';
import {billingStatements} from './resources/billing-statements.js';
import {checkoutSessions} from './resources/checkout-sessions.js';
import {customerSessions} from './resources/customer-sessions.js';
import {customers} from './resources/customers.js';
import {paymentIntents} from './resources/payment-intents.js';
import {payments} from './resources/payments.js';
import {payouts} from './resources/payouts.js';
import {refunds} from './resources/refunds.js';
import {setupIntents} from './resources/setup-intents.js';
import {webhooks} from './resources/webhooks.js';
import type {HttpMethod} from './wire.js';

export const resources = [
  customers,
  billingStatements,
  billingStatementLineItems,
  paymentIntents,
  checkoutSessions,
  payments,
  refunds,
  payouts,
  webhooks,
  customerSessions,
  setupIntents,
] as const;

export type Resources = (typeof resources)[number];

export interface RegisteredOperation extends Pick<OperationCall, 'operation' | 'resource' | 'verb'> {
  /** `topic:verb`, the command's id. */
  readonly id: string;
  /** `resource.method`, the client's name for it. */
  readonly method: string;
}

export const operations: readonly RegisteredOperation[] = (resources as readonly Resource[]).flatMap((resource) =>
  Object.entries(resource.operations).map(([verb, operation]) => ({
    resource,
    operation,
    verb,
    id: `${resource.topic}:${verb}`,
    method: `${camelCase(resource.topic)}.${camelCase(verb)}`,
  })),
);

export interface Route {
  readonly registered: RegisteredOperation;
  readonly ids: readonly string[];
}

/** Undefined if the contract has no such operation. Needless slashes and escapes in the path are ignored. */
export function operationAt(method: HttpMethod, path: string): Route | undefined {
  const segments = path.split('/').filter(Boolean).map(decodedSegment);
  for (const registered of operations) {
    const parts = registered.operation.path.split('/').filter(Boolean);
    const fits =
      registered.operation.method === method &&
      parts.length === segments.length &&
      parts.every((part, index) => part.startsWith(':') || part === segments[index]);
    if (fits) return {registered, ids: segments.filter((_, index) => parts[index]!.startsWith(':'))};
  }
  return undefined;
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** @param id of an operation that exists, such as `billing-statements:create` */
export const operationWithId = (id: string): RegisteredOperation =>
  operations.find((registered) => registered.id === id)!;

/** The operation that gets one object by an id with this prefix; some kinds have none. */
export const getterOf = (prefix: string): RegisteredOperation | undefined =>
  operations.find(({resource, verb}) => verb === 'get' && resource.shape.prefix === prefix);

export const shapes: ReadonlyMap<string, Shape> = new Map(
  [
    ...resources.map((resource) => resource.shape as Shape),
    ...operations.map(({operation}) => operation.returns.shape),
  ].map((shape) => [shape.prefix, shape]),
);

/** The id prefixes of a path, in order: `/customers/:id/payment_methods/:payment_method_id` gives `['cus_', 'pm_']`. */
export function pathPrefixes(resource: Resource, operation: Operation): string[] {
  return pathIds(operation.path).map((name) => {
    if (name === 'id') return resource.shape.prefix;
    return [...shapes.values()].find((shape) => `${shape.name}_id` === name)!.prefix;
  });
}

const ID_BODY = /^[A-Za-z0-9]+$/;

/** By the longest matching prefix; undefined if it is not an id. */
export function shapeOfId(id: string): Shape | undefined {
  return [...shapes.values()]
    .sort((a, b) => b.prefix.length - a.prefix.length)
    .find((shape) => id.startsWith(shape.prefix) && ID_BODY.test(id.slice(shape.prefix.length)));
}
