// The ordered list of resources and operations, with lookups by id, path and prefix.

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
  /** `topic:verb`, the id of the command. */
  readonly id: string;
  /** `resource.method`, as called on the client. */
  readonly clientName: string;
}

export const operations: readonly RegisteredOperation[] = (resources as readonly Resource[]).flatMap((resource) =>
  Object.entries(resource.operations).map(([verb, operation]) => ({
    resource,
    operation,
    verb,
    id: `${resource.topic}:${verb}`,
    clientName: `${camelCase(resource.topic)}.${camelCase(verb)}`,
  })),
);

export interface Route {
  readonly registered: RegisteredOperation;
  readonly ids: readonly string[];
}

/** Finds the operation of a request; undefined if unknown. Ignores extra slashes, and decodes escapes. */
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

/** @param id of a known operation, such as `billing-statements:create` */
export const operationWithId = (id: string): RegisteredOperation =>
  operations.find((registered) => registered.id === id)!;

/** Returns the operation that gets an object by id; undefined for kinds without such an operation. */
export const getterOf = (prefix: string): RegisteredOperation | undefined =>
  operations.find(({resource, verb}) => verb === 'get' && resource.shape.prefix === prefix);

export const shapes: ReadonlyMap<string, Shape> = new Map(
  [
    ...resources.map((resource) => resource.shape as Shape),
    ...operations.map(({operation}) => operation.returns.shape),
  ].map((shape) => [shape.prefix, shape]),
);

/** Returns a path's id prefixes: `['cus_', 'pm_']` for `/customers/:id/payment_methods/:payment_method_id`. */
export function pathPrefixes(resource: Resource, operation: Operation): string[] {
  return pathIds(operation.path).map((name) => {
    if (name === 'id') return resource.shape.prefix;
    return [...shapes.values()].find((shape) => `${shape.name}_id` === name)!.prefix;
  });
}

const ID_BODY = /^[A-Za-z0-9]+$/;

/** Returns the shape with the longest matching prefix; undefined if the text is not an id. */
export function shapeOfId(id: string): Shape | undefined {
  return [...shapes.values()]
    .sort((a, b) => b.prefix.length - a.prefix.length)
    .find(({prefix, oldPrefix = prefix}) =>
      [prefix, oldPrefix].some((start) => id.startsWith(start) && ID_BODY.test(id.slice(start.length))),
    );
}
